//! Whether this process may be surprised by sockets of the kernel's.
//!
//! A sandbox that does not expect `socket(AF_ALG)` may end the process for it: OpenSSH's kills its child
//! with SIGSYS. So in a process under seccomp no socket is opened unless its owner said so. The question
//! is asked anew for each socket, because a sandbox is entered late. A socket that was opened before is
//! used on: to ask at each message would cost more than the message.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// Whether the sandbox of this process was made for it.
static OWN_SANDBOX: AtomicBool = AtomicBool::new(false);

/// Says that this process runs in a sandbox of its own, which lets it open sockets. A module in another's program cannot
/// know that.
pub fn trust_own_sandbox() {
    OWN_SANDBOX.store(true, Ordering::Relaxed);
}

/// Whether sockets may be opened here and now.
pub fn permitted(permission: Permission) -> Result<(), Absent> {
    examine(permission).map_err(|error| match error {
        Error::Absent(absent) => absent,
        Error::Busy(error) | Error::Broken(error) => unreadable(&error),
        Error::TooLong(why) => unreadable(&io::Error::other(why)),
    })
}

/// The same; where it cannot be told for want of a descriptor or of memory, that is no confinement.
pub(crate) fn examine(permission: Permission) -> Result<(), Error> {
    match permission {
        Permission::Anywhere => Ok(()),
        Permission::Unconfined if OWN_SANDBOX.load(Ordering::Relaxed) => Ok(()),
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

    /// Who installs a filter that allows everything is under seccomp all the same.
    #[test]
    fn a_sandbox_of_ones_own_is_no_confinement() {
        let confined = || {
            let (code, k) = ((libc::BPF_RET | libc::BPF_K) as u16, libc::SECCOMP_RET_ALLOW);
            let filter = [libc::sock_filter { code, jt: 0, jf: 0, k }];
            let program = libc::sock_fprog { len: 1, filter: filter.as_ptr().cast_mut() };
            let (program, mode) = (&raw const program, libc::SECCOMP_MODE_FILTER);
            // SAFETY: a program of one line, which is only read.
            unsafe {
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                    && libc::prctl(libc::PR_SET_SECCOMP, mode, program) == 0
            }
        };
        // Filters are a thread's.
        let thread = std::thread::spawn(move || {
            let confined = confined();
            let before = permitted(Permission::Unconfined);
            trust_own_sandbox();
            confined.then(|| (before, permitted(Permission::Unconfined)))
        });
        let judged = thread.join().expect("no panic");
        match judged {
            Some((before, after)) => assert!(before.is_err() && after.is_ok(), "{before:?}"),
            None => println!("skipped: this Linux has no seccomp"),
        }
    }
}
