//! The wire: every system call on an AF_ALG socket, and everything that is odd about them.
//!
//! What crypto/af_alg.c and crypto/algif_*.c do, from Linux 4.14 on, and what is made of it here:
//!
//! - **Two sockets.** `bind` names the algorithm and takes the key; `accept` gives the socket that computes.
//!   The latter keeps the former alive in the kernel, so the former's descriptor is closed at once.
//! - **Two calls for a message.** `sendmsg` copies the data into the kernel's own pages, with direction
//!   and IV as control messages; `recv` computes, straight into the caller's pages. Zero-copy
//!   (`splice`) is not used: it brought CVE-2026-31431 and copies, too, since Linux 7.2.
//! - **Sends that would wait.** With more data than `SO_SNDBUF` allows, `sendmsg` waits for somebody to
//!   receive: for ever, where that is the same thread. So a request is never longer than that, and
//!   `MSG_DONTWAIT` is on every call. A driver is waited for all the same; only queues are not.
//! - **Parts.** A `recv` of less than was sent computes whole blocks and goes on from its own copy of the
//!   IV. That is right for CBC and wrong for XTS, whose data unit cannot be chained; and whether
//!   `MSG_MORE` means "more follows" or "there may be more" changed with Linux 5.9. So a request of a
//!   cipher is sent whole and received whole, without `MSG_MORE`, and the IV is always ours.
//! - **Leftovers.** When `recv` fails, the data may stay queued, and the next `sendmsg` finds them
//!   (`EINVAL`). After any failure the socket is closed, and another made when it is wanted.
//! - **Empty requests.** `recv` into no bytes does nothing and says 0, even where a tag was to be checked:
//!   AEAD offers room for more than it expects. Ciphers do not ask for nothing.
//! - **A hash** is begun by the first `sendmsg` with `MSG_MORE`, ended by `recv`, and copied by `accept`.
//!   One of nothing is a `recv` alone.
//! - **Absence.** `EAFNOSUPPORT` without AF_ALG, `ENOENT` for algorithms that are not there, that
//!   `af_alg_restrict` (Linux 7.3) hides, or whose drivers work outside of the CPU (since Linux 7.2). The
//!   restriction knows generic names only: every driver's own name is hidden, from root, too.
//! - **No asynchronous calls** (io_submit). Linux 7.2 has them no more ("net: Remove support for AIO on
//!   sockets"), and stable kernels made them synchronous, because all requests of a socket shared one
//!   IV. Several sockets and io_uring do the same; see [`batch`](crate::batch).

use std::ffi::c_int;
use std::io;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use wirespeed_cipher::Direction;

use crate::transform::Kind;

/// What was tried when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Socket,
    Bind,
    Key,
    Accept,
}

/// A system call that failed on the way to a socket that computes.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) step: Step,
    pub(crate) error: io::Error,
}

/// The bytes of a socket address before the name; the name ends with a zero, and all of it fits
/// `sockaddr_storage`.
const NAME_AT: usize = offset_of!(libc::sockaddr_alg, salg_name);
const LONGEST_NAME: usize = size_of::<libc::sockaddr_storage>() - NAME_AT - 1;

/// Makes a socket for an algorithm or a driver by name.
pub(crate) fn bound(kind: Kind, name: &str) -> Result<OwnedFd, Refusal> {
    let at = |step| move |error| Refusal { step, error };
    let socket = socket().map_err(at(Step::Socket))?;
    bind(&socket, kind, name).map_err(at(Step::Bind))?;
    Ok(socket)
}

pub(crate) fn socket() -> io::Result<OwnedFd> {
    // SAFETY: it takes no pointers.
    let fd = unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0) };
    owned(fd)
}

fn bind(socket: &OwnedFd, kind: Kind, name: &str) -> io::Result<()> {
    if name.len() > LONGEST_NAME || name.as_bytes().contains(&0) {
        return Err(io::Error::from_raw_os_error(libc::ENOENT));
    }
    let (address, length) = Address::of(kind, name);
    // SAFETY: `address` is readable for its whole length, and aligned as a socket address.
    let result = unsafe {
        libc::bind(socket.as_raw_fd(), address.0.as_ptr().cast(), length as libc::socklen_t)
    };
    check(result)
}

#[repr(C, align(8))]
struct Address([u8; size_of::<libc::sockaddr_storage>()]);

impl Address {
    /// With how many of its bytes count, for a name that fits: struct sockaddr_alg_new (include/uapi/linux/if_alg.h)
    /// is family, 14 bytes of type, features, mask, name. Before Linux 5.11 none may be shorter than struct sockaddr_alg,
    /// which has room for 64 bytes of name (`alg_bind` in crypto/af_alg.c).
    fn of(kind: Kind, name: &str) -> (Self, usize) {
        let mut address = Self([0; size_of::<libc::sockaddr_storage>()]);
        address.0[..2].copy_from_slice(&(libc::AF_ALG as u16).to_ne_bytes());
        address.0[2..2 + kind.name().len()].copy_from_slice(kind.name().as_bytes());
        address.0[NAME_AT..NAME_AT + name.len()].copy_from_slice(name.as_bytes());
        (address, size_of::<libc::sockaddr_alg>().max(NAME_AT + name.len() + 1))
    }
}

/// Gives the algorithm its key, and an AEAD the length of its tags.
pub(crate) fn configure(socket: &OwnedFd, kind: Kind, key: &[u8]) -> Result<(), Refusal> {
    let at_key = |error| Refusal { step: Step::Key, error };
    if !matches!(kind, Kind::Hash { keyed: false, .. }) {
        let (value, length) = (key.as_ptr().cast(), key.len() as libc::socklen_t);
        // SAFETY: `key` is readable for its length.
        let result = unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_ALG, libc::ALG_SET_KEY, value, length)
        };
        check(result).map_err(at_key)?;
    }
    if let Kind::Aead { tag_bytes, .. } = kind {
        let (option, length) = (libc::ALG_SET_AEAD_AUTHSIZE, tag_bytes as libc::socklen_t);
        // SAFETY: this option is all in its length; there is no value to read.
        let result = unsafe {
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_ALG, option, ptr::null(), length)
        };
        check(result).map_err(at_key)?;
    }
    Ok(())
}

/// Makes the socket that computes; of a hash in progress, one that has taken in the same.
pub(crate) fn accept(socket: RawFd) -> Result<OwnedFd, Refusal> {
    // SAFETY: no address is asked for, so no pointer is followed.
    let fd = unsafe { libc::accept4(socket, ptr::null_mut(), ptr::null_mut(), libc::SOCK_CLOEXEC) };
    owned(fd).map_err(|error| Refusal { step: Step::Accept, error })
}

/// What tells a socket from every other since the machine was booted: SO_COOKIE (Linux 4.12).
///
/// It is one system call like fstat, cheaper by a third, and stricter: an inode number may come again, a
/// cookie does not; and what is no socket has none.
pub(crate) fn cookie(socket: RawFd) -> io::Result<u64> {
    option(socket, libc::SO_COOKIE)
}

/// The most bytes that can be sent and received at once: whole pages of the smaller of both buffers, and
/// a page at least (`af_alg_sndbuf` in include/crypto/if_alg.h).
pub(crate) fn capacity(socket: RawFd) -> io::Result<usize> {
    let buffer = |name| option::<c_int>(socket, name);
    let smaller = buffer(libc::SO_SNDBUF)?.min(buffer(libc::SO_RCVBUF)?);
    // SAFETY: the call only asks.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).unwrap_or(PAGE);
    Ok((smaller.max(0) as usize / page * page).max(page))
}

/// The smallest page of Linux.
pub(crate) const PAGE: usize = 4096;

fn option<T: Copy + Default>(socket: RawFd, name: c_int) -> io::Result<T> {
    let mut value = T::default();
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: `value` is writable for `length` bytes, and any bytes make an integer.
    let result = unsafe {
        libc::getsockopt(socket, libc::SOL_SOCKET, name, (&raw mut value).cast(), &raw mut length)
    };
    check(result)?;
    if length as usize == size_of::<T>() {
        Ok(value)
    } else {
        Err(io::Error::other("an option of another length"))
    }
}

/// The control messages of a request, laid out once: direction, IV, length of the associated data.
#[derive(Debug)]
#[repr(C, align(8))]
pub(crate) struct Control {
    bytes: [u8; Self::BYTES],
    length: usize,
    iv_bytes: usize,
}

/// A control message's header: its length, level and type.
const HEADER: usize = size_of::<libc::cmsghdr>();

/// CMSG_SPACE(3): with the header, up to where the next may begin.
const fn space(bytes: usize) -> usize {
    (HEADER + bytes).next_multiple_of(size_of::<usize>())
}

impl Control {
    /// The longest IV of any transform here.
    pub(crate) const LONGEST_IV: usize = 16;

    const BYTES: usize = 2 * space(4) + space(4 + Self::LONGEST_IV);
    const DIRECTION: usize = HEADER;
    /// Behind its own length.
    const IV: usize = space(4) + HEADER + 4;

    /// For IVs of that length, if there are any, and associated data or not.
    pub(crate) fn new(iv_bytes: usize, associated: bool) -> Self {
        assert!(iv_bytes <= Self::LONGEST_IV);
        let mut control = Self { bytes: [0; Self::BYTES], length: 0, iv_bytes };
        control.append(libc::ALG_SET_OP, 4);
        if iv_bytes != 0 {
            // struct af_alg_iv: the length, then the bytes.
            control.append(libc::ALG_SET_IV, 4 + iv_bytes);
            let length = (iv_bytes as u32).to_ne_bytes();
            control.bytes[Self::IV - 4..Self::IV].copy_from_slice(&length);
        }
        if associated {
            control.append(libc::ALG_SET_AEAD_ASSOCLEN, 4);
        }
        control
    }

    fn append(&mut self, kind: c_int, bytes: usize) {
        let header = &mut self.bytes[self.length..self.length + HEADER];
        let length = (HEADER + bytes).to_ne_bytes();
        header[..length.len()].copy_from_slice(&length);
        let at = offset_of!(libc::cmsghdr, cmsg_level);
        header[at..at + 4].copy_from_slice(&libc::SOL_ALG.to_ne_bytes());
        let at = offset_of!(libc::cmsghdr, cmsg_type);
        header[at..at + 4].copy_from_slice(&kind.to_ne_bytes());
        self.length += space(bytes);
    }

    /// What the next request does, and from which IV on.
    pub(crate) fn set(&mut self, direction: Direction, iv: &[u8]) {
        let operation = match direction {
            Direction::Encrypt => libc::ALG_OP_ENCRYPT,
            Direction::Decrypt => libc::ALG_OP_DECRYPT,
        };
        let at = Self::DIRECTION;
        self.bytes[at..at + 4].copy_from_slice(&operation.to_ne_bytes());
        self.bytes[Self::IV..Self::IV + self.iv_bytes].copy_from_slice(iv);
    }

    /// How many of the bytes sent are associated data; for what was made with them.
    pub(crate) fn set_associated(&mut self, bytes: usize) {
        let at = self.length - space(4) + HEADER;
        self.bytes[at..at + 4].copy_from_slice(&(bytes as u32).to_ne_bytes());
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Sends a request, gathered from `parts`.
///
/// # Safety
/// Every part must be readable for its length.
pub(crate) unsafe fn send(
    socket: RawFd,
    control: &[u8],
    parts: &[libc::iovec],
    flags: c_int,
) -> io::Result<usize> {
    // SAFETY: a message header of zeros has neither address nor data.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = parts.as_ptr().cast_mut();
    message.msg_iovlen = parts.len() as _;
    if !control.is_empty() {
        message.msg_control = control.as_ptr().cast_mut().cast();
        message.msg_controllen = control.len() as _;
    }
    let flags = flags | libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: the caller vouches for the parts; sendmsg only reads, whatever the types say.
    let sent = unsafe { libc::sendmsg(socket, &raw const message, flags) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// Receives what was computed.
///
/// # Safety
/// `to` must be writable for `bytes`.
pub(crate) unsafe fn receive(socket: RawFd, to: *mut u8, bytes: usize) -> io::Result<usize> {
    // SAFETY: the caller vouches for the memory.
    let received = unsafe { libc::recv(socket, to.cast(), bytes, libc::MSG_DONTWAIT) };
    usize::try_from(received).map_err(|_| io::Error::last_os_error())
}

fn owned(fd: c_int) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it, and nobody else knows of it.
    above_standard(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Never one of the three descriptors that programs print to: where those are closed, the next that is opened
/// takes their place.
pub(crate) fn above_standard(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > libc::STDERR_FILENO { Ok(fd) } else { fd.try_clone() }
}

fn check(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Decrypt, Encrypt};

    /// Control messages as the kernel walks them (`for_each_cmsghdr`): level, type and data.
    fn walk(control: &Control) -> Vec<(c_int, c_int, Vec<u8>)> {
        let mut rest = control.as_slice();
        let mut found = Vec::new();
        while !rest.is_empty() {
            let length =
                usize::from_ne_bytes(rest[..size_of::<usize>()].try_into().expect("a length"));
            let word =
                |at: usize| c_int::from_ne_bytes(rest[at..at + 4].try_into().expect("four bytes"));
            let level = word(offset_of!(libc::cmsghdr, cmsg_level));
            let kind = word(offset_of!(libc::cmsghdr, cmsg_type));
            found.push((level, kind, rest[HEADER..length].to_vec()));
            rest = &rest[length.next_multiple_of(size_of::<usize>())..];
        }
        found
    }

    fn number(value: u32) -> Vec<u8> {
        value.to_ne_bytes().to_vec()
    }

    #[test]
    fn control_messages_are_as_the_kernel_reads_them() {
        let mut control = Control::new(8, false);
        control.set(Decrypt, &[7; 8]);
        let iv = [number(8), vec![7; 8]].concat();
        let operation = |value| (libc::SOL_ALG, libc::ALG_SET_OP, number(value));
        let set_iv = |iv| (libc::SOL_ALG, libc::ALG_SET_IV, iv);
        assert_eq!(walk(&control), [operation(0), set_iv(iv)]);

        let mut control = Control::new(16, true);
        control.set(Encrypt, &[9; 16]);
        control.set_associated(300);
        let iv = [number(16), vec![9; 16]].concat();
        let associated = (libc::SOL_ALG, libc::ALG_SET_AEAD_ASSOCLEN, number(300));
        assert_eq!(walk(&control), [operation(1), set_iv(iv), associated]);
        assert_eq!(control.as_slice().len(), Control::BYTES);

        let mut control = Control::new(0, false);
        control.set(Encrypt, &[]);
        assert_eq!(walk(&control), [operation(1)]);
    }

    #[test]
    fn names_that_do_not_fit_are_not_there() {
        // A datagram socket stands in for AF_ALG, which a machine may not have: it is not reached.
        let socket: OwnedFd = std::os::unix::net::UnixDatagram::unbound().expect("a socket").into();
        let kind = Kind::Hash { bytes: 20, keyed: false };
        for name in ["x".repeat(LONGEST_NAME + 1), "sha1\0".to_owned()] {
            let bound = bind(&socket, kind, &name).expect_err("no such name");
            assert_eq!(bound.raw_os_error(), Some(libc::ENOENT));
        }
    }

    #[test]
    fn an_address_is_as_long_as_the_kernels_before_5_11_want_it() {
        let kind = Kind::Hash { bytes: 20, keyed: false };
        for (name, right) in [("sha1", 88), (&*"x".repeat(63), 88), (&*"x".repeat(64), 89)] {
            let (address, length) = Address::of(kind, name);
            assert_eq!(length, right, "{name}");
            assert_eq!(&address.0[NAME_AT..NAME_AT + name.len()], name.as_bytes());
            assert!(address.0[NAME_AT + name.len()..].iter().all(|byte| *byte == 0));
        }
        let (_, longest) = Address::of(kind, &"x".repeat(LONGEST_NAME));
        assert_eq!(longest, size_of::<libc::sockaddr_storage>());
    }

    #[test]
    fn every_socket_has_a_cookie_of_its_own_and_a_file_has_none() {
        let socket = || std::os::unix::net::UnixDatagram::unbound().expect("a socket");
        let (one, other) = (socket(), socket());
        let same = one.try_clone().expect("a second descriptor");
        let of = |socket: &std::os::unix::net::UnixDatagram| {
            cookie(socket.as_raw_fd()).expect("a cookie")
        };
        assert_eq!(of(&one), of(&same));
        assert_ne!(of(&one), of(&other));
        let file = std::fs::File::open("/dev/null").expect("a file");
        let none = cookie(file.as_raw_fd()).expect_err("no socket");
        assert_eq!(none.raw_os_error(), Some(libc::ENOTSOCK));
    }

    #[test]
    fn a_request_is_at_least_a_page() {
        let socket = std::os::unix::net::UnixDatagram::unbound().expect("a socket");
        let capacity = capacity(socket.as_raw_fd()).expect("a capacity");
        assert!(capacity >= PAGE && capacity.is_multiple_of(PAGE));
    }
}
