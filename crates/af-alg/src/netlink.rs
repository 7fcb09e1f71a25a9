//! NETLINK_CRYPTO: the kernel's list of drivers with what /proc/crypto leaves out, and their priorities.
//!
//! The kernel's own words for it are in include/uapi/linux/cryptouser.h and crypto/crypto_user.c.

mod message;

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::drivers::{Driver, serve};
pub use message::{Answer, Malformed, answers};

/// A connection to the kernel's list.
#[derive(Debug)]
pub struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

/// Why the kernel did not answer.
#[derive(Debug)]
pub enum Error {
    /// This kernel was built without it, or its module may not be loaded.
    Absent,
    /// Changing needs CAP_NET_ADMIN.
    Forbidden,
    /// There is no driver of that name.
    NoDriver(String),
    /// Anything else.
    Failed(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str(
                "this kernel has no NETLINK_CRYPTO (CONFIG_CRYPTO_USER, module crypto_user): \
                 priorities cannot be changed while it runs",
            ),
            Self::Forbidden => {
                f.write_str("priorities are changed as root (CAP_NET_ADMIN): run it with sudo")
            }
            Self::NoDriver(driver) => write!(
                f,
                "the kernel has no driver '{driver}' now: load its module first; \
                 `wirespeed kernel` lists those that there are"
            ),
            Self::Failed(error) => write!(f, "NETLINK_CRYPTO: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EPROTONOSUPPORT | libc::EAFNOSUPPORT) => Self::Absent,
            Some(libc::EPERM | libc::EACCES) => Self::Forbidden,
            _ => Self::Failed(error),
        }
    }
}

impl Netlink {
    /// Connects; the kernel loads its module for that.
    pub fn open() -> Result<Self, Error> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: it takes no pointers.
        let fd = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_CRYPTO) };
        if fd < 0 {
            return Err(io::Error::last_os_error().into());
        }
        // SAFETY: the kernel has just made it, and nobody else knows of it.
        Ok(Self { socket: unsafe { OwnedFd::from_raw_fd(fd) }, sequence: 0 })
    }

    /// Every driver, in the kernel's own order.
    pub fn drivers(&mut self) -> Result<Vec<Driver>, Error> {
        let request = message::list(self.next());
        self.ask(&request)?;
        let mut drivers = Vec::new();
        let mut room = vec![0; ROOM];
        loop {
            for answer in self.receive(&mut room)? {
                match answer {
                    Answer::Driver(driver) => drivers.push(driver),
                    Answer::End | Answer::Result(0) => {
                        serve(&mut drivers);
                        return Ok(drivers);
                    }
                    Answer::Result(number) => {
                        return Err(io::Error::from_raw_os_error(number).into());
                    }
                    Answer::Other => {}
                }
            }
        }
    }

    /// Gives a driver another priority, until the module is loaded again or the machine is booted.
    ///
    /// What the kernel had built upon the driver, such as `cbc` over a block cipher, it builds anew when it
    /// is wanted again; what is in use stays as it is.
    pub fn set_priority(&mut self, driver: &str, priority: u32) -> Result<(), Error> {
        let absent = || Error::NoDriver(driver.to_owned());
        let request = message::set_priority(self.next(), driver, priority).ok_or_else(absent)?;
        self.ask(&request)?;
        let mut room = vec![0; ROOM];
        loop {
            for answer in self.receive(&mut room)? {
                match answer {
                    Answer::Result(0) => return Ok(()),
                    Answer::Result(libc::ENOENT) => return Err(absent()),
                    Answer::Result(number) => {
                        return Err(io::Error::from_raw_os_error(number).into());
                    }
                    Answer::Driver(_) | Answer::End | Answer::Other => {}
                }
            }
        }
    }

    fn next(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence
    }

    fn ask(&self, request: &[u8]) -> io::Result<()> {
        // An unconnected netlink socket speaks to the kernel.
        let (data, length) = (request.as_ptr().cast(), request.len());
        // SAFETY: the request is readable for its length.
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), data, length, 0) };
        if usize::try_from(sent) == Ok(length) { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The answers in one datagram, to the question that was asked last.
    fn receive(&self, room: &mut [u8]) -> io::Result<Vec<Answer>> {
        let (to, length) = (room.as_mut_ptr().cast(), room.len());
        // SAFETY: `room` is writable for its length.
        let received = unsafe { libc::recv(self.socket.as_raw_fd(), to, length, libc::MSG_TRUNC) };
        let received = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
        let datagram = room.get(..received).ok_or(Malformed)?;
        Ok(answers(datagram, self.sequence)?)
    }
}

/// The longest datagram of a dump (`min_dump_alloc` in crypto/crypto_user.c).
const ROOM: usize = 65536;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_a_type() {
        let of = |number| Error::from(io::Error::from_raw_os_error(number));
        assert!(matches!(of(libc::EPROTONOSUPPORT), Error::Absent));
        assert!(matches!(of(libc::EPERM), Error::Forbidden));
        assert!(matches!(of(libc::ENOBUFS), Error::Failed(_)));
        for error in [of(libc::EPERM), of(libc::EPROTONOSUPPORT), Error::NoDriver("x".into())] {
            assert!(!error.to_string().contains("  ") && !error.to_string().contains('\n'));
        }
    }
}
