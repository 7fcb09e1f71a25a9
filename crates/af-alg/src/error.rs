//! Why the kernel did not do it, as far as a caller has to know.

use std::fmt;
use std::io;

/// What is not there, in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent(pub String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Absent {}

/// Why an operation was not done. Nothing of it has happened: data and IV are as they were.
#[derive(Debug)]
pub enum Error {
    /// There is no such algorithm, driver or socket here.
    Absent(Absent),
    /// Not this time: descriptors or memory have run out, the device is busy, or this process may not.
    /// The next call may try again.
    Busy(io::Error),
    /// Not with so many bytes at once, and why. Nothing was asked, so what is open stays so, and shorter calls go.
    TooLong(&'static str),
    /// The driver failed or has gone: not again.
    Broken(io::Error),
}

impl Error {
    /// What a failed system call means for an operation on a socket that is open.
    pub(crate) fn of_operation(error: io::Error) -> Self {
        if passes(&error) { Self::Busy(error) } else { Self::Broken(error) }
    }

    /// A call that was not made for a reason of our own.
    pub(crate) fn busy(why: &'static str) -> Self {
        Self::Busy(io::Error::other(why))
    }
}

/// Whether a failure says nothing about the driver: resources, signals, and what a sandbox or a security
/// module forbids.
pub(crate) fn passes(error: &io::Error) -> bool {
    const PASSING: [i32; 11] = [
        libc::EBUSY,
        // A device's queue is full (crypto_enqueue_request in crypto/algapi.c).
        libc::ENOSPC,
        libc::EAGAIN,
        libc::EINTR,
        libc::ENOMEM,
        libc::ENOBUFS,
        libc::EMFILE,
        libc::ENFILE,
        libc::EPERM,
        libc::EACCES,
        // The kernel waits a minute for the self-test of a driver that has just come.
        libc::ETIMEDOUT,
    ];
    error.raw_os_error().is_some_and(|number| PASSING.contains(&number))
}

/// What a sandbox, a container or a security module answers.
pub(crate) fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(absent) => absent.fmt(f),
            Self::Busy(error) => write!(f, "not now: {error}"),
            Self::TooLong(why) => f.write_str(why),
            Self::Broken(error) => write!(f, "the driver failed: {error}"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_busy_and_the_rest_is_broken() {
        let of = |number| Error::of_operation(io::Error::from_raw_os_error(number));
        for number in
            [libc::EBUSY, libc::ENOSPC, libc::ENOMEM, libc::EMFILE, libc::EPERM, libc::EAGAIN]
        {
            assert!(matches!(of(number), Error::Busy(_)), "{number}");
        }
        for number in [libc::EIO, libc::ENODEV, libc::EINVAL, libc::EBADMSG, libc::ENOKEY] {
            assert!(matches!(of(number), Error::Broken(_)), "{number}");
        }
        assert!(matches!(Error::of_operation(io::Error::other("short")), Error::Broken(_)));
    }
}
