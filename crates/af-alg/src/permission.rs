//! Whether this process may be surprised by sockets of the kernel's.
//!
//! A sandbox that does not expect `socket(AF_ALG)` may end the process for it: OpenSSH's kills its child
//! with SIGSYS. So in a process under seccomp no socket is opened unless its owner said so. The question
//! is asked anew for each socket, because a sandbox is entered late. A socket that was opened before is
//! used on: to ask at each message would cost more than the message.

use std::fs;
use std::io;

use crate::error::{is_forbidden, passes};
use crate::{Absent, Error};

/// What was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Sockets, unless the process is under seccomp or that cannot be told.
    Unconfined,
    /// Sockets in any process.
    Anywhere,
}

/// Whether sockets may be opened here and now.
pub fn permitted(permission: Permission) -> Result<(), Absent> {
    examine(permission).map_err(|error| match error {
        Error::Absent(absent) => absent,
        Error::Busy(error) | Error::Broken(error) => unreadable(&error),
    })
}

/// The same; where it cannot be told for want of a descriptor or of memory, that is no confinement.
pub(crate) fn examine(permission: Permission) -> Result<(), Error> {
    match permission {
        Permission::Anywhere => Ok(()),
        Permission::Unconfined => judge(fs::read(STATUS)),
    }
}

/// Filters belong to threads, not to processes (seccomp(2)).
const STATUS: &str = "/proc/thread-self/status";

fn judge(status: io::Result<Vec<u8>>) -> Result<(), Error> {
    match status {
        // A sandbox that allows no file either: OpenSSH's answers EACCES.
        Err(error) if is_forbidden(&error) || !passes(&error) => {
            Err(Error::Absent(unreadable(&error)))
        }
        Err(error) => Err(Error::Busy(error)),
        Ok(text) => match seccomp(&text) {
            // A kernel built without seccomp has no such line.
            None | Some(b"0") => Ok(()),
            Some(_) => Err(Error::Absent(Absent(
                "this process is under seccomp (a sandbox's or a container's), where opening a \
                 socket could end it"
                    .to_owned(),
            ))),
        },
    }
}

fn unreadable(error: &io::Error) -> Absent {
    Absent(format!(
        "this process may be confined, {STATUS} cannot be read ({error}): opening a socket could end it"
    ))
}

/// The value of the line `Seccomp:`.
fn seccomp(status: &[u8]) -> Option<&[u8]> {
    let mut lines = status.split(|byte| *byte == b'\n');
    lines.find_map(|line| line.strip_prefix(b"Seccomp:")).map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_confines_and_so_does_what_cannot_be_read() {
        let judged = |status: &str| judge(Ok(status.as_bytes().to_vec()));
        let confined = |judged, part: &str| match judged {
            Err(Error::Absent(absent)) => assert!(absent.0.contains(part), "{absent}"),
            other => panic!("{other:?}"),
        };
        assert!(judged("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n").is_ok());
        assert!(judged("Name:\tx\nNoNewPrivs:\t0\n").is_ok());
        for mode in ["1", "2"] {
            let status = format!("Name:\tx\nSeccomp:\t{mode}\nSeccomp_filters:\t1\n");
            confined(judged(&status), "under seccomp");
        }
        for number in [libc::EACCES, libc::EPERM, libc::ENOENT, libc::ENOSYS] {
            confined(judge(Err(io::Error::from_raw_os_error(number))), STATUS);
        }
        for number in [libc::EMFILE, libc::ENFILE, libc::ENOMEM] {
            let judged = judge(Err(io::Error::from_raw_os_error(number)));
            assert!(matches!(judged, Err(Error::Busy(_))), "{judged:?}");
        }
    }

    #[test]
    fn permission_for_anywhere_asks_nothing() {
        assert_eq!(permitted(Permission::Anywhere), Ok(()));
    }
}
