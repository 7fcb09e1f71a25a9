//! Many contexts, many threads, no descriptors left: nothing leaks, and what does not work says so.

use std::thread;

use wirespeed_af_alg::{Cipher, Error, Interface, Permission, Transform};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, cipher, same};
use crate::descriptors::all;
use crate::oracle;

fn encrypt(cipher: &mut Cipher, data: &mut [u8]) -> Result<(), Error> {
    cipher.crypt(Direction::Encrypt, &mut [4; 16], InOut::in_place(data))
}

fn works(cipher: &mut Cipher, key: &[u8], seed: u64) -> Result<(), String> {
    let plain = bytes(256, seed);
    let mut data = plain.clone();
    encrypt(cipher, &mut data).map_err(|error| error.to_string())?;
    let expected = oracle::crypt("AES-128-CBC", Direction::Encrypt, key, &[4; 16], &plain);
    same("what it gives", &data, &expected)
}

/// The address space of this process, in KiB.
fn space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("our own state");
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Contexts opened and closed, 500 of them at once.
pub(crate) fn ten_thousand(interface: Interface) -> Result<(), String> {
    drop(cipher(interface, "AES-128-CBC"));
    let before = (all(), space());
    for round in 0..20 {
        let mut open: Vec<_> = (0..500).map(|_| cipher(interface, "AES-128-CBC")).collect();
        for (cipher, key) in open.iter_mut().step_by(50) {
            works(cipher, key, round)?;
        }
    }
    let after = (all(), space());
    if after.0 != before.0 {
        return Err(format!("descriptors: {:?} before, {:?} after", before.0, after.0));
    }
    // What is mapped for each would be 680 MB by now; the allocator keeps a little.
    if after.1 > before.1 + 20_000 {
        return Err(format!("{} KiB mapped before, {} after", before.1, after.1));
    }
    Ok(())
}

/// As many contexts as there may be descriptors, and one more.
pub(crate) fn descriptors(interface: Interface) -> Result<(), String> {
    let count = all().len();
    let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: room for the answer, and a limit to set.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut old), 0);
        let new = libc::rlimit { rlim_cur: 64, ..old };
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const new), 0);
    }
    let checked = exhaust(interface);
    // SAFETY: the limit that was there.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const old) }, 0);
    checked?;
    let after = all().len();
    if after == count { Ok(()) } else { Err(format!("{count} descriptors before, {after} after")) }
}

fn exhaust(interface: Interface) -> Result<(), String> {
    let transform = Transform::named("AES-128-CBC").expect("of the table");
    let key = bytes(16, 77);
    let open = || Cipher::through(interface, transform, None, &key, Permission::Unconfined);
    let mut all = Vec::new();
    let refused = loop {
        match open() {
            Ok(cipher) => all.push(cipher),
            Err(error) => break error,
        }
        if all.len() > 64 {
            return Err("more contexts than descriptors".to_owned());
        }
    };
    if !matches!(&refused, Error::Busy(error) if error.raw_os_error() == Some(libc::EMFILE)) {
        return Err(format!("without descriptors: {refused:?}"));
    }
    if !refused.to_string().contains("Too many open files") {
        return Err(format!("without descriptors it says: {refused}"));
    }
    for cipher in &mut all {
        works(cipher, &key, 1)?;
    }
    // It takes two for a moment.
    all.truncate(all.len() - 1);
    works(&mut open().map_err(|error| format!("with two descriptors: {error}"))?, &key, 2)
}

/// Each with contexts of its own, all at once.
pub(crate) fn threads(interface: Interface) -> Result<(), String> {
    let count = all().len();
    let work = |number: u64| {
        move || {
            for round in 0..3 {
                let (mut cipher, key) = cipher(interface, "AES-128-CBC");
                for message in 0..10 {
                    works(&mut cipher, &key, number * 100 + round * 10 + message)?;
                }
            }
            Ok::<(), String>(())
        }
    };
    let threads: Vec<_> = (0..64).map(|number| thread::spawn(work(number))).collect();
    for thread in threads {
        thread.join().map_err(|_| "a thread panicked")??;
    }
    let after = all().len();
    if after == count { Ok(()) } else { Err(format!("{count} descriptors before, {after} after")) }
}
