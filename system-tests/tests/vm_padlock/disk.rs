//! dm-crypt over a RAM disk: what is written comes back, and what lies on the disk is what it should be.

use std::fs;

use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::{Scratch, read};
use wirespeed_libcrypto::Direction;
use wirespeed_system_tests::process::{command, output};

use crate::alg::software;
use crate::crypto::{Driver, growth, load};

const DISK: &str = "/dev/ram0";
const SECTOR_BYTES: usize = 512;
const BLOCK_BYTES: usize = 16;
const DATA_BYTES: usize = 1 << 20;

/// AES-CBC, its IV being the number of the sector.
pub(crate) fn round_trip() -> Result<(), String> {
    load(&["brd", "dm-crypt", "padlock-aes"])?;
    let scratch = Scratch::new()?;
    for bits in [128, 256] {
        let key = painted(bits, bits as usize / 8);
        let file = scratch.write("key", &key)?;
        let mut open = cryptsetup();
        open.args(["open", "--type", "plain", "--cipher", "aes-cbc-plain", "--key-size"]);
        open.arg(bits.to_string()).arg("--key-file").arg(file).args([DISK, "padlock"]);
        let data = painted(bits + 1, DATA_BYTES);
        let ((), blocks) = growth("xcrypt_blocks", || {
            output(&mut open)?;
            let references = Driver::named("cbc-aes-padlock")?.references;
            let went = written_and_read(&data);
            output(cryptsetup().args(["close", "padlock"]))?;
            if references < 2 {
                return Err(format!("dm-crypt uses another driver: {references} references"));
            }
            went
        })?;
        // There and back.
        if blocks < 2 * (DATA_BYTES / BLOCK_BYTES) as u64 {
            return Err(format!("only {blocks} blocks by PadLock"));
        }
        let disk = read(DISK.as_ref())?;
        let plain = decrypted(bits, &key, &disk[..DATA_BYTES])?;
        same(|| format!("the disk, {bits} bits"), &data, &plain)?;
    }
    Ok(())
}

/// Sectors, each a CBC message with its number as the IV.
fn decrypted(bits: u64, key: &[u8], disk: &[u8]) -> Result<Vec<u8>, String> {
    // All blocks at once, then what CBC adds to each.
    let name = format!("AES-{bits}-ECB");
    let mut plain = software(&name, Direction::Decrypt, key, &[], disk)?;
    for (number, sector) in plain.chunks_mut(SECTOR_BYTES).enumerate() {
        let mut iv = [0; BLOCK_BYTES];
        iv[..4].copy_from_slice(&(number as u32).to_le_bytes());
        let secret = &disk[number * SECTOR_BYTES..][..SECTOR_BYTES];
        for (byte, before) in sector.iter_mut().zip(iv.iter().chain(secret)) {
            *byte ^= before;
        }
    }
    Ok(plain)
}

fn cryptsetup() -> std::process::Command {
    let mut cryptsetup = command("/sbin/cryptsetup");
    // There is no udev in the guest that would make the device's file.
    cryptsetup.env("DM_DISABLE_UDEV", "1").arg("--batch-mode");
    cryptsetup
}

fn written_and_read(data: &[u8]) -> Result<(), String> {
    const PLACE: &str = "/dev/mapper/padlock";
    let scratch = Scratch::new()?;
    let file = scratch.write("data", data)?;
    let copy = scratch.path("copy");
    let mut write = command("dd");
    write.arg(format!("if={}", file.display())).arg(format!("of={PLACE}"));
    output(write.args(["bs=64k", "oflag=direct", "status=none"]))?;
    let mut back = command("dd");
    back.arg(format!("if={PLACE}")).arg(format!("of={}", copy.display()));
    back.arg(format!("count={}", DATA_BYTES >> 16));
    output(back.args(["bs=64k", "iflag=direct", "status=none"]))?;
    let copy = fs::read(&copy).map_err(|error| format!("{}: {error}", copy.display()))?;
    same(|| "what comes back".to_owned(), data, &copy)
}
