//! What fails: nothing of it has happened, it is said which kind of failure it is, and the next call works.

use std::ffi::c_long;

use wirespeed_af_alg::{Aead, Cipher, Error, Hash, Interface, Permission, Transform, permitted};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, same};
use crate::oracle;
use crate::seccomp::confined;

/// The calls of a message.
const fn calls(interface: Interface) -> &'static [c_long] {
    match interface {
        Interface::AfAlg => &[libc::SYS_sendmsg, libc::SYS_recvfrom],
        Interface::DevCrypto => &[libc::SYS_ioctl],
    }
}

/// Whether a failure of a call is to be tried again.
const ERRORS: [(i32, bool); 7] = [
    (libc::EBUSY, true),
    (libc::ENOMEM, true),
    (libc::EPERM, true),
    (libc::EAGAIN, true),
    (libc::EIO, false),
    (libc::ENODEV, false),
    (libc::EINVAL, false),
];

/// The kind of failure is as it should be. /dev/crypto says EINVAL, too, where a file is somebody else's: here, where
/// it says so to every question, it counts as that.
fn judged(
    interface: Interface,
    what: &str,
    error: &Error,
    (number, again): (i32, bool),
) -> Result<(), String> {
    let again = again || interface == Interface::DevCrypto && number == libc::EINVAL;
    match (error, again) {
        (Error::Busy(_), true) | (Error::Broken(_), false) => Ok(()),
        _ => Err(format!("{what}: {error:?}")),
    }
}

fn named(name: &str) -> &'static Transform {
    Transform::named(name).expect("a name of the table")
}

fn encrypt(cipher: &mut Cipher, iv: &mut [u8], data: InOut<'_>) -> Result<(), Error> {
    cipher.crypt(Direction::Encrypt, iv, data)
}

/// A stream whose device fails in its middle: another route could go on from the very byte.
pub(crate) fn ciphers(interface: Interface) -> Result<(), String> {
    let (key, iv, plain) = (bytes(16, 1), bytes(16, 2), bytes(70_000, 3));
    let sealed = oracle::crypt("AES-128-CTR", Direction::Encrypt, &key, &iv, &plain);
    for &call in calls(interface) {
        for (number, again) in ERRORS {
            for in_place in [true, false] {
                let what = format!("call {call} fails with {number}");
                let (mut data, mut moving) = (plain.clone(), iv.clone());
                let (first, rest) = data.split_at_mut(4096);
                let open = || {
                    let key = &key[..];
                    let transform = named("AES-128-CTR");
                    let open =
                        Cipher::through(interface, transform, None, key, Permission::Anywhere);
                    let mut cipher = open.expect("a cipher");
                    encrypt(&mut cipher, &mut moving, InOut::in_place(first)).expect("it works");
                    (cipher, moving)
                };
                let fail = |(mut cipher, mut moving): (Cipher, Vec<u8>)| {
                    let before = moving.clone();
                    let mut apart = vec![0; rest.len()];
                    let input = match in_place {
                        true => InOut::in_place(rest),
                        false => InOut::between(rest, &mut apart),
                    };
                    let error = encrypt(&mut cipher, &mut moving, input).expect_err(&what);
                    judged(interface, &what, &error, (number, again))?;
                    same(&format!("{what}: the IV"), &moving, &before)?;
                    same(&format!("{what}: the data"), rest, &plain[4096..])?;
                    Ok::<_, String>((cipher, moving))
                };
                let (mut cipher, mut moving) = confined(&[(call, number)], open, fail)?;
                // Outside of that thread nothing fails any more.
                let rest = &mut data[4096..];
                let went_on = encrypt(&mut cipher, &mut moving, InOut::in_place(rest));
                went_on.map_err(|error| format!("{what}, and then: {error}"))?;
                same(&what, &data, &sealed)?;
            }
        }
    }
    Ok(())
}

/// A message that fails is untouched; so is a tag.
pub(crate) fn aeads() -> Result<(), String> {
    let (key, iv, plain) = (bytes(16, 1), bytes(12, 2), bytes(1420, 3));
    let (sealed, tag) = oracle::seal("AES-128-CCM", &key, &iv, b"header", &plain);
    for &call in calls(Interface::AfAlg) {
        for (number, again) in ERRORS {
            let what = format!("call {call} fails with {number}");
            let open = || {
                Aead::open(named("AES-128-CCM"), None, &key, Permission::Anywhere).expect("an AEAD")
            };
            let fail = |mut aead: Aead| {
                let (mut data, mut made) = (plain.clone(), [7; 16]);
                let failed = aead.seal(&iv, b"header", InOut::in_place(&mut data), &mut made);
                judged(Interface::AfAlg, &what, &failed.expect_err(&what), (number, again))?;
                same(&format!("{what}: the text"), &data, &plain)?;
                same(&format!("{what}: the tag"), &made, &[7; 16])?;
                let mut data = sealed.clone();
                let failed = aead.unseal(&iv, b"header", InOut::in_place(&mut data), &tag);
                judged(Interface::AfAlg, &what, &failed.expect_err(&what), (number, again))?;
                same(&format!("{what}: the text"), &data, &sealed)?;
                Ok::<_, String>(aead)
            };
            let mut aead = confined(&[(call, number)], open, fail)?;
            let mut data = sealed.clone();
            match aead.unseal(&iv, b"header", InOut::in_place(&mut data), &tag) {
                Ok(true) => same(&what, &data, &plain)?,
                other => return Err(format!("{what}, and then: {other:?}")),
            }
        }
    }
    Ok(())
}

/// A message of a hash function is lost, and that is said until it is begun again.
pub(crate) fn hashes(interface: Interface) -> Result<(), String> {
    let expected = oracle::hash("SHA2-256", None, b"abc");
    for &call in calls(interface) {
        for (number, again) in ERRORS {
            let what = format!("call {call} fails with {number}");
            let open = || {
                let transform = named("SHA2-256");
                let open = Hash::through(interface, transform, None, None, Permission::Anywhere);
                let mut hash = open.expect("a hash function");
                hash.update(b"a").expect("it works");
                hash
            };
            let fail = |mut hash: Hash| {
                let mut digest = [7; 32];
                let mut run = || {
                    hash.update(b"bc")?;
                    hash.finish(&mut digest)
                };
                judged(interface, &what, &run().expect_err(&what), (number, again))?;
                same(&format!("{what}: the digest"), &digest, &[7; 32])?;
                Ok::<_, String>(hash)
            };
            let mut hash = confined(&[(call, number)], open, fail)?;
            let lost = hash.finish(&mut [0; 32]);
            if !matches!(lost, Err(Error::Busy(_))) {
                return Err(format!("{what}, and then the message goes on: {lost:?}"));
            }
            hash.reset();
            let mut digest = [0; 32];
            let run = hash.update(b"abc").and_then(|()| hash.finish(&mut digest));
            run.map_err(|error| format!("{what}, and then: {error}"))?;
            same(&what, &digest, &expected)?;
        }
    }
    Ok(())
}

/// Under seccomp no socket is opened unless that was allowed; one that is open works on.
pub(crate) fn confinement(interface: Interface) -> Result<(), String> {
    let key = bytes(16, 1);
    let transform = named("AES-128-ECB");
    let open = |permission| Cipher::through(interface, transform, None, &key, permission);
    let refused = |permission| match open(permission) {
        Err(Error::Absent(absent)) if absent.0.contains("seccomp") => Ok(()),
        other => Err(format!("{permission:?} under seccomp: {other:?}")),
    };
    confined(
        &[],
        || open(Permission::Unconfined).expect("a cipher"),
        |mut cipher| {
            refused(Permission::Unconfined)?;
            if permitted(Permission::Unconfined).is_ok()
                || interface.presence(Permission::Unconfined).is_ok()
            {
                return Err("a thread under seccomp counts as free".to_owned());
            }
            open(Permission::Anywhere).map_err(|error| format!("anywhere: {error}"))?;
            let crypted = encrypt(&mut cipher, &mut [], InOut::in_place(&mut [0; 16]));
            crypted.map_err(|error| format!("a socket from before: {error}"))
        },
    )?;
    // OpenSSH's sandbox: files are refused, and sockets would be the end.
    confined(
        &[(libc::SYS_openat, libc::EACCES)],
        || (),
        |()| match open(Permission::Unconfined) {
            Err(Error::Absent(absent)) if absent.0.contains("may be confined") => Ok(()),
            other => Err(format!("where no file can be read: {other:?}")),
        },
    )
}

/// What forbids or lacks sockets, each in its own words.
pub(crate) fn absence() -> Result<(), String> {
    let key = bytes(16, 1);
    for (call, number, words) in [
        (libc::SYS_socket, libc::EAFNOSUPPORT, "no AF_ALG"),
        (libc::SYS_socket, libc::EPERM, "forbidden to this process"),
        (libc::SYS_socket, libc::EACCES, "forbidden to this process"),
        (libc::SYS_bind, libc::ENOENT, "no ecb(aes)"),
        (libc::SYS_madvise, libc::EINVAL, "older than Linux 4.14"),
        (libc::SYS_getsockopt, libc::ENOPROTOOPT, "older than Linux 4.14"),
    ] {
        let open = || Cipher::open(named("AES-128-ECB"), None, &key, Permission::Anywhere);
        match confined(&[(call, number)], || (), |()| open()) {
            Err(Error::Absent(absent)) if absent.0.contains(words) => {}
            other => return Err(format!("call {call} fails with {number}: {other:?}")),
        }
    }
    for (call, number) in [(libc::SYS_socket, libc::ENFILE), (libc::SYS_mmap, libc::ENOMEM)] {
        let open = || Cipher::open(named("AES-128-ECB"), None, &key, Permission::Anywhere);
        match confined(&[(call, number)], || (), |()| open()) {
            Err(Error::Busy(error)) if error.raw_os_error() == Some(number) => {}
            other => return Err(format!("call {call} fails with {number}: {other:?}")),
        }
    }
    Ok(())
}

/// A driver of another name is not there, and one of another kind is none.
pub(crate) fn names() -> Result<(), String> {
    let key = bytes(16, 1);
    for (driver, words) in [
        ("no-such-driver", "no no-such-driver"),
        ("", "no "),
        ("with\0zero", "no with"),
        (&"x".repeat(200), "no xxx"),
    ] {
        let open = Cipher::open(named("AES-128-ECB"), Some(driver), &key, Permission::Unconfined);
        match open {
            Err(Error::Absent(absent)) if absent.0.contains(words) => {}
            other => return Err(format!("driver {driver:?}: {other:?}")),
        }
    }
    Ok(())
}
