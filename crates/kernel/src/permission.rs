//! Whether this process may be surprised by sockets of the kernel's.
//!
//! A sandbox that does not expect `socket(AF_ALG)` may end the process for it: OpenSSH's kills its child
//! with SIGSYS. So in a process under seccomp no socket is opened unless its owner said so. The question
//! is asked anew for each socket, because a sandbox is entered late.

use std::fs;
use std::io;

use crate::Absent;

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
    match permission {
        Permission::Anywhere => Ok(()),
        Permission::Unconfined => judge(fs::read(STATUS)),
    }
}

/// Filters belong to threads, not to processes (seccomp(2)).
const STATUS: &str = "/proc/thread-self/status";

fn judge(status: io::Result<Vec<u8>>) -> Result<(), Absent> {
    match status {
        // A sandbox that allows no file either: OpenSSH's answers EACCES.
        Err(error) => Err(Absent(format!(
            "this process may be confined, {STATUS} cannot be read ({error}): opening a socket could end it"
        ))),
        Ok(text) => match seccomp(&text) {
            // A kernel built without seccomp has no such line.
            None | Some(b"0") => Ok(()),
            Some(_) => Err(Absent(
                "this process is under seccomp (a sandbox's or a container's), where opening a socket could end it"
                    .to_owned(),
            )),
        },
    }
}

/// The value of the line `Seccomp:`.
fn seccomp(status: &[u8]) -> Option<&[u8]> {
    let mut lines = status.split(|byte| *byte == b'\n');
    lines.find_map(|line| line.strip_prefix(b"Seccomp:")).map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: &str) -> Result<(), Absent> {
        judge(Ok(status.as_bytes().to_vec()))
    }

    #[test]
    fn a_filter_confines_and_so_does_what_cannot_be_read() {
        assert_eq!(judged("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n"), Ok(()));
        assert_eq!(judged("Name:\tx\nNoNewPrivs:\t0\n"), Ok(()));
        for confined in ["1", "2"] {
            let absent = judged(&format!("Name:\tx\nSeccomp:\t{confined}\nSeccomp_filters:\t1\n"));
            assert!(absent.expect_err("confined").0.contains("under seccomp"));
        }
        let refused = judge(Err(io::Error::from_raw_os_error(libc::EACCES)));
        assert!(refused.expect_err("confined").0.contains(STATUS));
    }

    #[test]
    fn permission_for_anywhere_asks_nothing() {
        assert_eq!(permitted(Permission::Anywhere), Ok(()));
    }
}
