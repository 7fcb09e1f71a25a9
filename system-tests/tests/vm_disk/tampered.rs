//! Authenticated encryption: a byte that was changed on the device is an error when it is read.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use wirespeed_conformance::data::{painted, same};
use wirespeed_disk::Candidate;
use wirespeed_disk::mapper::{Backing, Setup, Unmapped, Watcher};
use wirespeed_system_tests::process::{command, output};

use crate::fixtures::DISK;
use crate::machine::Machine;
use crate::program::path;

const BYTES: usize = 64 << 10;
/// A byte in the middle of a sector, of whichever size.
const PLACE: u64 = 5 * 4096 + 100;

pub(crate) fn authenticated() -> Result<(), String> {
    let before = Machine::now()?;
    for (name, key_bits) in [("aes-gcm-random", 256), ("aegis128-random", 128)] {
        for sector_bytes in [512, 4096] {
            tamper(name, key_bits, sector_bytes)
                .map_err(|why| format!("{name}, {sector_bytes} bytes: {why}"))?;
        }
    }
    before.is_unchanged()
}

fn tamper(name: &str, key_bits: u32, sector_bytes: usize) -> Result<(), String> {
    let specification = name.parse().map_err(|error| format!("{error}"))?;
    let candidate = Candidate::of(specification, key_bits);
    let mut watcher = Command::new(path()?);
    watcher.arg("disk-watcher");
    let watcher = Watcher::start(watcher).map_err(|why| why.to_string())?;
    let setup = Setup::open(&Backing::Device(DISK.into()), 8 << 20, watcher);
    let mut setup = setup.map_err(|why| why.to_string())?;
    let key = painted(9, candidate.key_bytes());
    let mapping = setup.map(candidate, &key, sector_bytes, &[]).map_err(|why| match why {
        Unmapped::Lacking(why) => why,
        Unmapped::Failed(why) => why.to_string(),
    })?;
    let plain = painted(10, BYTES);
    let open = OpenOptions::new().write(true).open(&mapping.path);
    let written = open.and_then(|file| {
        file.write_all_at(&plain, 0)?;
        file.sync_all()
    });
    written.map_err(|error| error.to_string())?;
    let read = |offset: usize, length: usize| {
        let mut bytes = vec![0; length];
        let file = OpenOptions::new().read(true).open(&mapping.path);
        file.and_then(|file| file.read_exact_at(&mut bytes, offset as u64)).map(|()| bytes)
    };
    let whole = || read(0, BYTES).map_err(|error| error.to_string());
    same(|| "before".to_owned(), &plain, &whole()?)?;
    // What is encrypted begins where the device does; tags lie behind it.
    flip(DISK.as_ref())?;
    let page = PLACE as usize / 4096 * 4096;
    match read(page, 4096).map_err(|error| error.raw_os_error()) {
        Err(Some(libc::EIO | libc::EILSEQ)) => {}
        other => return Err(format!("what was tampered with is read: {other:?}")),
    }
    let rest = read(0, page).map_err(|error| error.to_string())?;
    same(|| "the sectors before it".to_owned(), &plain[..page], &rest)?;
    flip(DISK.as_ref())?;
    same(|| "as it was before".to_owned(), &plain, &whole()?)?;
    setup.unmap(mapping).map_err(|why| why.to_string())?;
    setup.close().map_err(|why| why.to_string())
}

/// Changes a bit of the device, and changes it back the next time.
fn flip(device: &Path) -> Result<(), String> {
    // Whatever is cached of it is not what lies there.
    output(command("blockdev").arg("--flushbufs").arg(device))?;
    let mut byte = [0];
    let flipped = OpenOptions::new().read(true).write(true).open(device).and_then(|file| {
        file.read_exact_at(&mut byte, PLACE)?;
        file.write_all_at(&[byte[0] ^ 0x10], PLACE)?;
        file.sync_all()
    });
    flipped.map_err(|error: io::Error| format!("{}: {error}", device.display()))
}
