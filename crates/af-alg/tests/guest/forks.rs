//! Children: none may use its parent's socket, and none has to know.

use std::process::Command;

use wirespeed_af_alg::{Cipher, Error, Interface, Transform};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, cipher, same};
use crate::descriptors::{all, opened};
use crate::hashes;
use crate::oracle;

/// Runs `child` in a child, which ends with it; the number that it gives is the exit status.
pub(crate) fn child(child: impl FnOnce() -> Result<(), String>) -> libc::pid_t {
    // SAFETY: the tests have one thread, so the child may do what it likes.
    match unsafe { libc::fork() } {
        -1 => panic!("fork: {}", std::io::Error::last_os_error()),
        0 => {
            let result = child().inspect_err(|error| eprintln!("in a child: {error}"));
            // SAFETY: it ends this process without the handlers of the test program.
            unsafe { libc::_exit(i32::from(result.is_err())) }
        }
        child => child,
    }
}

pub(crate) fn joined(child: libc::pid_t) -> Result<(), String> {
    let mut status = 0;
    // SAFETY: a child of ours and room for its status.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    if waited == child && status == 0 {
        Ok(())
    } else {
        Err(format!("a child ended with status {status:#x}"))
    }
}

/// Many messages, each with its own data.
fn many(cipher: &mut Cipher, key: &[u8], seed: u64) -> Result<(), String> {
    for count in 0..50 {
        let plain = bytes(4096, seed + count);
        let (mut data, mut iv) = (plain.clone(), [3; 16]);
        let crypted = cipher.crypt(Direction::Encrypt, &mut iv, InOut::in_place(&mut data));
        crypted.map_err(|error| error.to_string())?;
        let expected = oracle::crypt("AES-128-CBC", Direction::Encrypt, key, &[3; 16], &plain);
        same("what it gives", &data, &expected)?;
    }
    Ok(())
}

/// Parent, children and grandchild at once, each through a socket of its own.
pub(crate) fn ciphers(interface: Interface) -> Result<(), String> {
    let ((mut cipher, key), descriptor) = opened(|| cipher(interface, "AES-128-CBC"));
    let socket = |number| all().into_iter().find(|(found, _)| *found == number);
    let parents = socket(descriptor);
    many(&mut cipher, &key, 0)?;
    let children: Vec<_> = (1..=3)
        .map(|number| {
            child(|| {
                let open = all().len();
                many(&mut cipher, &key, 1000 * number)?;
                let (count, theirs) = (all().len(), socket(descriptor));
                // All files of a device are called the same.
                let alike = interface == Interface::AfAlg && theirs == parents;
                if alike || count != open {
                    return Err(format!("{theirs:?} after {parents:?}, {count} open of {open}"));
                }
                joined(child(|| many(&mut cipher, &key, 10_000 * number)))
            })
        })
        .collect();
    many(&mut cipher, &key, 5)?;
    for child in children {
        joined(child)?;
    }
    many(&mut cipher, &key, 6)
}

/// A message that was begun before fork is the parent's; what has none begun goes on in both.
pub(crate) fn hashes(interface: Interface) -> Result<(), String> {
    let transform = Transform::named("SHA2-256").expect("a name of the table");
    let mut begun = hashes::open(interface, transform, &[])?;
    let mut idle = hashes::open(interface, transform, &[])?;
    hashes::update(&mut begun, b"a")?;
    let expected = oracle::hash("SHA2-256", None, b"abc");
    let child = child(|| {
        let mut digest = [0; 32];
        let refused = [begun.update(b"xyz"), begun.finish(&mut digest)];
        if !refused.iter().all(|result| matches!(result, Err(Error::Busy(_)))) {
            return Err(format!("the parent's message: {refused:?}"));
        }
        begun.reset();
        for hash in [&mut begun, &mut idle] {
            hashes::update(hash, b"abc")?;
            same("a child's", &hashes::finish(hash)?, &expected)?;
        }
        Ok(())
    });
    joined(child)?;
    hashes::update(&mut begun, b"bc")?;
    same("the parent's", &hashes::finish(&mut begun)?, &expected)?;
    hashes::update(&mut idle, b"abc")?;
    same("the parent's", &hashes::finish(&mut idle)?, &expected)
}

/// What a program becomes has none of our sockets.
pub(crate) fn exec(interface: Interface) -> Result<(), String> {
    let ((mut cipher, key), descriptor) = opened(|| cipher(interface, "AES-128-CBC"));
    many(&mut cipher, &key, 7)?;
    let test = format!("test ! -e /proc/self/fd/{descriptor}");
    let status = Command::new("sh").args(["-c", &test]).status();
    if status.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err("a socket of ours survives exec".to_owned())
    }
}
