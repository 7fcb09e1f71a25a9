//! Numbers and structures of cryptodev.h, which OpenBSD made and cryptodev-linux has extended.
//!
//! Pointers stand in the structures as they are, so that a call's number, which holds the structure's size,
//! is another in a program of 32 bits. The module knows those, too (its `compat_ioctl`), but for CIOCCPHASH: a program of 32
//! bits on a kernel of 64 cannot copy a hash that has begun.

use std::mem::zeroed;
use std::os::fd::RawFd;
use std::{io, ptr};

use crate::Transform;

/// struct session_op: a key for a cipher or for a hash function.
#[repr(C)]
pub(super) struct NewSession {
    pub(super) cipher: u32,
    pub(super) mac: u32,
    pub(super) key_bytes: u32,
    pub(super) key: *const u8,
    pub(super) mac_key_bytes: u32,
    pub(super) mac_key: *const u8,
    pub(super) session: u32,
}

/// struct crypt_op: one call.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Call {
    pub(super) session: u32,
    pub(super) operation: u16,
    pub(super) flags: u16,
    pub(super) bytes: u32,
    pub(super) from: *const u8,
    pub(super) to: *mut u8,
    pub(super) digest: *mut u8,
    /// As many bytes are read as the algorithm's IV has.
    pub(super) iv: *const u8,
}

/// struct session_info_op: who serves a session.
#[repr(C)]
pub(super) struct SessionInfo {
    pub(super) session: u32,
    pub(super) cipher: [Name; 2],
    pub(super) hash: [Name; 2],
    pub(super) alignment_mask: u16,
    pub(super) flags: u32,
}

/// Of an algorithm, then of its driver.
pub(super) type Name = [u8; 64];

/// struct cphash_op: the state of one session into another of the same file.
#[repr(C)]
struct CopyState {
    to: u32,
    from: u32,
}

/// The driver's author has marked it as hardware that only the kernel reaches.
pub(super) const KERNEL_DRIVER_ONLY: u32 = 1;

pub(super) const ENCRYPT: u16 = 0;
pub(super) const DECRYPT: u16 = 1;

/// The message goes on.
pub(super) const UPDATE: u16 = 1 << 0;
/// The message ends.
pub(super) const FINAL: u16 = 1 << 1;
/// The message begins.
pub(super) const RESET: u16 = 1 << 6;

const TYPE: u32 = b'c' as u32;
const NEW_SESSION: libc::Ioctl = libc::_IOWR::<NewSession>(TYPE, 102);
const END_SESSION: libc::Ioctl = libc::_IOW::<u32>(TYPE, 103);
const CRYPT: libc::Ioctl = libc::_IOWR::<Call>(TYPE, 104);
/// What public-key work it does. The BSDs have CIOCGSESSION2 at this number, Linux has not.
const FEATURES: libc::Ioctl = libc::_IOR::<u32>(TYPE, 106);
const SESSION_INFO: libc::Ioctl = libc::_IOWR::<SessionInfo>(TYPE, 107);
const COPY_STATE: libc::Ioctl = libc::_IOW::<CopyState>(TYPE, 112);

/// What an algorithm is called in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Cipher(u32),
    Hash(u32),
}

/// Linux's names, and enum cryptodev_crypto_op_t.
const NUMBERS: [(&str, Number); 19] = [
    ("cbc(des)", Number::Cipher(1)),
    ("cbc(des3_ede)", Number::Cipher(2)),
    ("cbc(blowfish)", Number::Cipher(3)),
    ("cbc(aes)", Number::Cipher(11)),
    ("ctr(aes)", Number::Cipher(21)),
    ("ecb(aes)", Number::Cipher(23)),
    ("cfb(aes)", Number::Cipher(24)),
    ("ofb(aes)", Number::Cipher(25)),
    ("cbc(camellia)", Number::Cipher(101)),
    ("hmac(md5)", Number::Hash(6)),
    ("hmac(sha1)", Number::Hash(7)),
    ("md5", Number::Hash(13)),
    ("sha1", Number::Hash(14)),
    ("hmac(sha256)", Number::Hash(18)),
    ("hmac(sha512)", Number::Hash(20)),
    ("sha224", Number::Hash(103)),
    ("sha256", Number::Hash(104)),
    ("sha384", Number::Hash(105)),
    ("sha512", Number::Hash(106)),
];

/// The number of an algorithm, if it has one.
pub(super) fn number(transform: &Transform) -> Option<Number> {
    NUMBERS.iter().find(|(name, _)| *name == transform.kernel).map(|(_, number)| *number)
}

/// Whether it is cryptodev at all: its most harmless call.
pub(super) fn ask_features(descriptor: RawFd) -> io::Result<()> {
    let mut features = 0_u32;
    // SAFETY: the call writes as many bytes as there are.
    check(unsafe { libc::ioctl(descriptor, FEATURES, &raw mut features) })
}

/// Gives a key; the session's number.
pub(super) fn new_session(descriptor: RawFd, number: Number, key: &[u8]) -> io::Result<u32> {
    let (bytes, key) = (key.len() as u32, key.as_ptr());
    // SAFETY: zeros are no algorithm, no keys and no pointers.
    let mut session: NewSession = unsafe { zeroed() };
    match number {
        Number::Cipher(number) => {
            (session.cipher, session.key_bytes, session.key) = (number, bytes, key);
        }
        Number::Hash(number) => {
            (session.mac, session.mac_key_bytes, session.mac_key) = (number, bytes, key);
        }
    }
    // SAFETY: the structure is as cryptodev knows it, and the key is readable for its length.
    check(unsafe { libc::ioctl(descriptor, NEW_SESSION, &raw mut session) })?;
    Ok(session.session)
}

/// Wipes its key.
pub(super) fn end_session(descriptor: RawFd, session: u32) -> io::Result<()> {
    // SAFETY: the call reads as many bytes as there are.
    check(unsafe { libc::ioctl(descriptor, END_SESSION, &raw const session) })
}

/// Who serves a session of this file.
pub(super) fn session_info(descriptor: RawFd, session: u32) -> io::Result<SessionInfo> {
    // SAFETY: zeros are numbers and empty names.
    let mut info: SessionInfo = unsafe { zeroed() };
    info.session = session;
    // SAFETY: the structure is as cryptodev knows it.
    check(unsafe { libc::ioctl(descriptor, SESSION_INFO, &raw mut info) })?;
    Ok(info)
}

/// Gives a session what another of this file has taken in.
pub(super) fn copy_state(descriptor: RawFd, from: u32, to: u32) -> io::Result<()> {
    let copy = CopyState { to, from };
    // SAFETY: the structure is as cryptodev knows it.
    check(unsafe { libc::ioctl(descriptor, COPY_STATE, &raw const copy) })
}

/// One call. The device may have changed no more of it than its flags.
///
/// # Safety
/// Its pointers must be null, or readable and writable as far as the session's algorithm goes.
pub(super) unsafe fn crypt(descriptor: RawFd, call: &Call) -> io::Result<()> {
    let mut answer = *call;
    // SAFETY: the structure is as cryptodev knows it; the caller vouches for the pointers.
    check(unsafe { libc::ioctl(descriptor, CRYPT, &raw mut answer) })?;
    crate::held::whole(answer.bytes as usize, call.bytes as usize)?;
    answer.flags = call.flags;
    if answer == *call { Ok(()) } else { Err(io::Error::other("another call came back")) }
}

/// A name, as far as it is text.
pub(super) fn text(name: &Name) -> String {
    let end = name.iter().position(|letter| *letter == 0).unwrap_or(name.len());
    String::from_utf8_lossy(&name[..end]).into_owned()
}

impl Call {
    pub(super) const fn of(session: u32, operation: u16, flags: u16) -> Self {
        let (from, to) = (ptr::null(), ptr::null_mut());
        Self { session, operation, flags, bytes: 0, from, to, digest: ptr::null_mut(), iv: from }
    }
}

fn check(result: std::ffi::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// cryptodev.h as a C compiler lays it out, with pointers of four bytes and of eight.
    #[test]
    fn the_structures_are_cryptodevs() {
        let wide = size_of::<usize>() == 8;
        let either = |narrow: usize, wide_one: usize| if wide { wide_one } else { narrow };
        assert_eq!(size_of::<NewSession>(), either(28, 48));
        assert_eq!(offset_of!(NewSession, session), either(24, 40));
        assert_eq!(size_of::<Call>(), either(28, 48));
        assert_eq!(offset_of!(Call, from), either(12, 16));
        assert_eq!(offset_of!(Call, iv), either(24, 40));
        assert_eq!(size_of::<SessionInfo>(), 268);
        assert_eq!(offset_of!(SessionInfo, flags), 264);
        assert_eq!(size_of::<CopyState>(), 8);
    }

    #[test]
    fn numbers_are_of_names_that_linux_has() {
        for (name, number) in NUMBERS {
            let of_name = Transform::ALL.iter().find(|it| it.kernel == name);
            let is_hash = of_name.map(|it| matches!(it.kind, crate::Kind::Hash { .. }));
            assert_eq!(is_hash, Some(matches!(number, Number::Hash(_))), "{name}");
        }
    }

    #[test]
    fn a_name_without_end_is_as_long_as_its_field() {
        assert_eq!(text(&[b'x'; 64]), "x".repeat(64));
        assert_eq!(text(&[0; 64]), "");
        let mut broken = [0; 64];
        broken[0] = 0xff;
        assert_eq!(text(&broken), "\u{fffd}");
    }
}
