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

/// Why an operation was not done. Nothing of it has happened: data and IV are as they were.
#[derive(Debug)]
pub enum Error {
    /// There is no such algorithm, driver or socket here.
    Absent(Absent),
    /// Not this time: descriptors or memory have run out, the device is busy, or this process may not.
    /// The next call may try again.
    Busy(io::Error),
    /// The driver failed or has gone: not again.
    Broken(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(absent) => absent.fmt(f),
            Self::Busy(error) => write!(f, "not now: {error}"),
            Self::Broken(error) => write!(f, "the driver failed: {error}"),
        }
    }
}

impl std::error::Error for Error {}
