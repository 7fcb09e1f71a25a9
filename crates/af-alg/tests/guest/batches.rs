//! Several messages at once: the same bytes, fewer system calls.

use std::fs;
use std::process::Command;

use wirespeed_af_alg::batch::{Batch, Request, Submission};
use wirespeed_af_alg::{Error, Interface, Permission, Transform, self_test};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, same};
use crate::descriptors::all;
use crate::forks::{child, joined};
use crate::oracle;
use crate::seccomp::confined;

const LANES: usize = 8;

fn open(name: &str, driver: Option<&str>, key: &[u8]) -> Result<Batch, String> {
    let transform = Transform::named(name).expect("a name of the table");
    let open = Batch::open(transform, driver, key, LANES, Permission::Anywhere);
    open.map_err(|error| error.to_string())
}

/// Runs messages of these lengths, in place and apart by turns, both directions by turns.
fn check(batch: &mut Batch, name: &str, key: &[u8], lengths: &[usize]) -> Result<(), String> {
    let directions = [Direction::Encrypt, Direction::Encrypt, Direction::Decrypt];
    let direction = |number: usize| directions[number % 3];
    let plain: Vec<_> = lengths.iter().map(|length| bytes(*length, *length as u64)).collect();
    let first: Vec<_> = (0..lengths.len()).map(|number| bytes(16, number as u64)).collect();
    let mut ivs = first.clone();
    let mut apart: Vec<_> = plain.iter().map(|data| vec![0; data.len()]).collect();
    for (number, data) in plain.iter().enumerate().step_by(2) {
        apart[number].copy_from_slice(data);
    }
    let work = plain.iter().zip(&mut apart).zip(&mut ivs).enumerate();
    let mut requests: Vec<_> = work
        .map(|(number, ((source, destination), iv))| Request {
            direction: direction(number),
            iv,
            data: match number % 2 {
                0 => InOut::in_place(destination),
                _ => InOut::between(source, destination),
            },
            done: false,
        })
        .collect();
    batch.crypt(&mut requests).map_err(|error| error.to_string())?;
    if !requests.iter().all(|request| request.done) {
        return Err("a message was not done".to_owned());
    }
    drop(requests);
    for (number, data) in plain.iter().enumerate() {
        let what = format!("{name}: message {number} of {} bytes", data.len());
        let expected = oracle::crypt(name, direction(number), key, &first[number], data);
        same(&what, &apart[number], &expected)?;
        let chain = match direction(number) {
            _ if data.is_empty() => &first[number],
            Direction::Encrypt => &expected,
            Direction::Decrypt => data,
        };
        if name.ends_with("CBC") {
            same(&format!("{what}: the IV"), &ivs[number], &chain[chain.len() - 16..])?;
        }
    }
    Ok(())
}

/// Every number of messages, lengths that the ring takes and others, in fewer calls than one by one.
pub(crate) fn differ() -> Result<(), String> {
    let before = all().len();
    for name in ["AES-128-CBC", "AES-128-CTR", "AES-128-XTS"] {
        let key = bytes(if name.ends_with("XTS") { 32 } else { 16 }, 1);
        let mut batch = open(name, None, &key)?;
        if batch.submission() == Submission::OneByOne {
            return Err(format!("{name} runs {}", batch.submission()));
        }
        for count in [1, 2, LANES, LANES + 1, 3 * LANES] {
            let calls = batch.system_calls();
            check(&mut batch, name, &key, &vec![1024; count])?;
            let calls = batch.system_calls() - calls;
            // One to see that the ring is ours, one for all messages.
            let expected = 2 * count.div_ceil(LANES) as u64;
            if calls != expected {
                return Err(format!("{name}: {calls} calls for {count} messages, not {expected}"));
            }
        }
        check(&mut batch, name, &key, &[16, 0, 4096, 65_536, 131_072, 48, 65_552, 16, 32, 0])?;
    }
    let after = all().len();
    if after == before {
        Ok(())
    } else {
        Err(format!("{before} descriptors before, {after} after"))
    }
}

/// Without io_uring one message goes after another.
pub(crate) fn without_ring() -> Result<(), String> {
    let key = bytes(16, 1);
    for number in [libc::ENOSYS, libc::EPERM, libc::ENOMEM] {
        confined(
            &[(libc::SYS_io_uring_setup, number)],
            || (),
            |()| {
                let mut batch = open("AES-128-CBC", None, &key)?;
                if batch.submission() != Submission::OneByOne {
                    return Err(format!("without io_uring it runs {}", batch.submission()));
                }
                check(&mut batch, "AES-128-CBC", &key, &[16, 1024, 0, 65_536, 4096])
            },
        )?;
    }
    Ok(())
}

/// A child has a ring of its own; a ring that somebody has closed is made again.
pub(crate) fn lost_rings() -> Result<(), String> {
    let key = bytes(16, 1);
    let before = all();
    let mut batch = open("AES-128-CBC", None, &key)?;
    let lengths = [1024; 5];
    check(&mut batch, "AES-128-CBC", &key, &lengths)?;
    let child = child(|| check(&mut batch, "AES-128-CBC", &key, &lengths));
    check(&mut batch, "AES-128-CBC", &key, &lengths)?;
    joined(child)?;
    let ring = all().into_iter().find(|(_, what)| what.contains("io_uring"));
    let (ring, _) = ring.ok_or("there is no ring")?;
    // SAFETY: it is open; that somebody else owns it is what is tested.
    assert_eq!(unsafe { libc::close(ring) }, 0);
    let mut data = [0; 1024];
    let request = |data, iv| Request {
        direction: Direction::Encrypt,
        iv,
        data: InOut::in_place(data),
        done: false,
    };
    let refused = batch.crypt(&mut [request(&mut data, &mut [0; 16])]);
    if !matches!(refused, Err(Error::Busy(_))) || data != [0; 1024] {
        return Err(format!("a ring that was closed: {refused:?}"));
    }
    check(&mut batch, "AES-128-CBC", &key, &lengths)?;
    drop(batch);
    let after = all();
    if after == before { Ok(()) } else { Err(format!("{before:?} before, {after:?} after")) }
}

/// QEMU's virtio-crypto, which only the kernel reaches: all of a batch in the device at once.
pub(crate) fn device() -> Result<(), String> {
    const DRIVER: &str = "virtio_crypto_aes_cbc";
    if !modprobe(&["virtio_crypto"]) {
        return Err("modprobe virtio_crypto failed".to_owned());
    }
    let key = bytes(16, 1);
    let run = || {
        let transform = Transform::named("AES-128-CBC").expect("a name of the table");
        self_test(Interface::AfAlg, transform, Some(DRIVER), Permission::Unconfined)
            .map_err(|error| error.to_string())?;
        let mut batch = open("AES-128-CBC", Some(DRIVER), &key)?;
        if batch.submission() != Submission::Threads {
            return Err(format!("a device runs {}", batch.submission()));
        }
        check(&mut batch, "AES-128-CBC", &key, &[1024; 20])?;
        check(&mut batch, "AES-128-CBC", &key, &[16, 0, 4096, 65_536, 131_072, 48])
    };
    let ran = run();
    unload();
    ran
}

fn modprobe(arguments: &[&str]) -> bool {
    Command::new("modprobe").args(arguments).status().is_ok_and(|status| status.success())
}

/// Takes the device's driver away; without one nothing happens.
pub(crate) fn unload() {
    modprobe(&["-r", "virtio_crypto"]);
}

/// Whether the guest has the device.
pub(crate) fn has_device() -> Result<(), String> {
    // Virtio's number for crypto devices (linux/virtio_ids.h).
    let is_crypto = |entry: fs::DirEntry| {
        let number = fs::read_to_string(entry.path().join("device")).unwrap_or_default();
        number.trim() == "0x0014"
    };
    let devices = fs::read_dir("/sys/bus/virtio/devices").map_err(|error| error.to_string())?;
    match devices.flatten().any(is_crypto) {
        true => Ok(()),
        false => Err("this guest has no virtio-crypto device".to_owned()),
    }
}
