//! What cryptsetup's own mappings write is what our ciphers compute, and the other way round: dm-crypt and we agree
//! without our program having a part in it.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_disk::sectors::{SectorCipher, build};
use wirespeed_disk::{Candidate, Specification};
use wirespeed_system_tests::process::{command, output};

use crate::fixtures::DISK;

const NAME: &str = "plain";
const BYTES: usize = 1 << 18;
/// Beyond the first sectors, so that their numbers are not all small.
const PLACE: u64 = 3 << 20;

/// Names, bits of the key, bytes of a sector.
const CIPHERS: &[(&str, u32, usize)] = &[
    ("aes-xts-plain64", 512, 512),
    ("aes-xts-plain64", 256, 4096),
    ("aes-cbc-essiv:sha256", 256, 512),
    ("aes-cbc-plain64", 128, 4096),
    ("serpent-xts-plain64", 512, 512),
    ("blowfish-cbc-plain64", 128, 512),
    ("xchacha12,aes-adiantum-plain64", 256, 4096),
    ("anubis-cbc-plain64", 128, 512),
    ("xeta-cbc-plain64", 128, 512),
];

pub(crate) fn plain() -> Result<(), String> {
    for (name, key_bits, sector_bytes) in CIPHERS {
        agree(name, *key_bits, *sector_bytes)
            .map_err(|why| format!("{name}, {key_bits} bits, {sector_bytes} bytes: {why}"))?;
    }
    Ok(())
}

fn agree(name: &str, key_bits: u32, sector_bytes: usize) -> Result<(), String> {
    let specification: Specification = name.parse().map_err(|error| format!("{error}"))?;
    let candidate = Candidate::of(specification, key_bits);
    let key = painted(u64::from(key_bits), candidate.key_bytes());
    let built = build(candidate, &key, sector_bytes).map_err(|why| why.to_string())?;
    let ours = built.cipher.ok_or("no cipher")?;
    let first = PLACE / 512;
    let plain = painted(7, BYTES);
    let secret = encrypted(&*ours, first, &plain);
    // Through theirs, and what lies on the disk then.
    let theirs = || Open::new(name, key_bits, sector_bytes, &key);
    let open = theirs()?;
    write(open.path(), &plain)?;
    drop(open);
    same(|| "what they wrote".to_owned(), &secret, &read(DISK.as_ref())?)?;
    let mut back = vec![0; BYTES];
    ours.decrypt(first, &secret, &mut back, &[]).map_err(|_| "refused")?;
    same(|| "our decryption".to_owned(), &plain, &back)?;
    // Ours on the disk, and what they read.
    let plain = painted(8, BYTES);
    write(DISK.as_ref(), &encrypted(&*ours, first, &plain))?;
    let open = theirs()?;
    same(|| "what they read".to_owned(), &plain, &read(open.path())?)
}

fn encrypted(cipher: &dyn SectorCipher, first: u64, plain: &[u8]) -> Vec<u8> {
    let mut secret = vec![0; plain.len()];
    cipher.encrypt(first, plain, &mut secret, &mut []);
    secret
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let written = OpenOptions::new().write(true).open(path).and_then(|mut file| {
        file.write_all_at(bytes, PLACE)?;
        file.flush()?;
        file.sync_all()
    });
    written.map_err(|error| format!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; BYTES];
    let read = OpenOptions::new().read(true).open(path);
    let read = read.and_then(|file| file.read_exact_at(&mut bytes, PLACE));
    read.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(bytes)
}

/// A mapping of cryptsetup's, as long as this lives.
struct Open;

impl Open {
    fn new(name: &str, key_bits: u32, sector_bytes: usize, key: &[u8]) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let file = scratch.write("key", key)?;
        let mut open = cryptsetup();
        open.args(["open", "--type", "plain", "--cipher", name, "--key-file"]).arg(file);
        open.args(["--key-size", &key_bits.to_string()]);
        open.args(["--sector-size", &sector_bytes.to_string(), DISK, NAME]);
        output(&mut open)?;
        Ok(Self)
    }

    fn path(&self) -> &'static Path {
        Path::new("/dev/mapper/plain")
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // The next one fails if it is still there.
        let _ = output(cryptsetup().args(["close", NAME]));
    }
}

fn cryptsetup() -> std::process::Command {
    let mut cryptsetup = command("cryptsetup");
    // There is no udev in the guest that would make the device's file.
    cryptsetup.env("DM_DISABLE_UDEV", "1").arg("--batch-mode");
    cryptsetup
}
