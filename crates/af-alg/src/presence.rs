//! Whether there is anything to talk to, and in words why not.

use std::fs;
use std::io::ErrorKind;

use wirespeed_fork::Area;

use crate::error::{is_forbidden, passes};
use crate::wire::{self, Refusal, Step};
use crate::{Absent, Error, Interface, Permission, Transform};

/// Whether programs could have AF_ALG sockets, told by what the kernel lists: opening one loads a module, and
/// the guards of some machines report it.
pub(crate) fn sighted() -> Result<(), Absent> {
    if restriction() == Some(2) {
        return Err(switched_off());
    }
    let text = |file: &str| fs::read_to_string(file).unwrap_or_default();
    // Families that are registered, by a module or from the start (`alg_proto` in crypto/af_alg.c).
    let registered = text("/proc/net/protocols").lines().any(|line| line.starts_with("ALG "));
    let release = text("/proc/sys/kernel/osrelease");
    let modules = text(&format!("/lib/modules/{}/modules.dep", release.trim()));
    match registered || modules.contains("/af_alg.ko") {
        true => Ok(()),
        false => Err(Absent(NO_AF_ALG.to_owned())),
    }
}

const NO_AF_ALG: &str =
    "this kernel has no AF_ALG, or its module af_alg is not there or may not be loaded";

fn switched_off() -> Absent {
    Absent(format!("AF_ALG is switched off here ({RESTRICTION} is 2)"))
}

/// Whether this process can have AF_ALG sockets: one is opened and closed again, unless the process is
/// confined.
pub fn presence() -> Result<(), Absent> {
    Interface::AfAlg.presence(Permission::Unconfined)
}

/// Whether the kernel has an algorithm for AF_ALG, by its generic name or by that of a driver.
pub fn presence_of(transform: &'static Transform, driver: Option<&str>) -> Result<(), Absent> {
    Interface::AfAlg.presence_of(transform, driver, Permission::Unconfined)
}

/// Opens a socket and closes it again.
pub(crate) fn socket() -> Result<(), Absent> {
    wire::socket().map(drop).map_err(|error| Refusal { step: Step::Socket, error }.words("AF_ALG"))
}

/// The same for an algorithm or a driver.
pub(crate) fn bound(transform: &Transform, driver: Option<&str>) -> Result<(), Absent> {
    let name = driver.unwrap_or(transform.kernel);
    wire::bound(transform.kind, name).map(drop).map_err(|refusal| refusal.words(name))
}

/// Linux 7.3: 0 no restriction, 1 what known programs need, 2 nothing.
const RESTRICTION: &str = "/proc/sys/crypto/af_alg_restrict";

fn restriction() -> Option<u32> {
    fs::read_to_string(RESTRICTION).ok()?.trim().parse().ok()
}

impl Refusal {
    /// What it means for a socket that was to be opened for the algorithm or driver `name`.
    pub(crate) fn judge(self, name: &str) -> Error {
        match self.step {
            // The kernel has said no before any driver was reached.
            Step::Socket | Step::Bind if is_forbidden(&self.error) || !passes(&self.error) => {
                Error::Absent(self.words(name))
            }
            // A key may be refused that is like any other: in FIPS mode, XTS wants two that differ.
            Step::Key if self.error.raw_os_error() == Some(libc::EINVAL) => Error::Busy(self.error),
            // No SO_COOKIE.
            Step::Accept if self.error.raw_os_error() == Some(libc::ENOPROTOOPT) => {
                Error::Absent(too_old())
            }
            _ => Error::of_operation(self.error),
        }
    }

    /// Why there is none, for people.
    pub(crate) fn words(&self, name: &str) -> Absent {
        self.words_under(name, restriction())
    }

    fn words_under(&self, name: &str, restriction: Option<u32>) -> Absent {
        let error = &self.error;
        Absent(match (self.step, error.raw_os_error()) {
            (Step::Socket, Some(libc::EAFNOSUPPORT)) if restriction == Some(2) => switched_off().0,
            (Step::Socket, Some(libc::EAFNOSUPPORT)) => NO_AF_ALG.to_owned(),
            (Step::Socket, Some(libc::EPERM | libc::EACCES)) => {
                format!(
                    "AF_ALG is forbidden to this process, by a container or a security module ({error})"
                )
            }
            (Step::Bind, Some(libc::ENOENT)) if restriction.is_some_and(|level| level > 0) => {
                format!(
                    "this kernel has no {name} for this process: it lacks the algorithm, or {RESTRICTION} forbids it"
                )
            }
            (Step::Bind, Some(libc::ENOENT)) => format!(
                "this kernel has no {name}: not configured, or its module is not there or may not be loaded"
            ),
            (Step::Bind, Some(libc::ELIBBAD)) => {
                format!("the kernel's own test of {name} failed")
            }
            (Step::Bind, Some(libc::EINVAL)) => {
                format!("this kernel's {name} is of another kind")
            }
            (step, _) => {
                let tried = match step {
                    Step::Socket => "opening a socket",
                    Step::Bind => "binding it",
                    Step::Key => "setting its key",
                    Step::Accept => "accepting from it",
                };
                format!("{name}: {tried} failed ({error})")
            }
        })
    }
}

/// Memory that is this process's alone, with room for so many bytes.
pub(crate) fn area(room: usize) -> Result<Area, Error> {
    Area::new(room).map_err(|why| match why.kind() {
        ErrorKind::InvalidInput => Error::Absent(too_old()),
        _ => Error::Busy(why),
    })
}

/// MADV_WIPEONFORK is the youngest of what is needed.
fn too_old() -> Absent {
    Absent(
        "this kernel is older than Linux 4.14, with which a socket could not be kept safe"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn refusal(step: Step, number: i32) -> Refusal {
        Refusal { step, error: io::Error::from_raw_os_error(number) }
    }

    #[test]
    fn each_absence_has_its_own_words() {
        let words = |step, number, restriction| {
            refusal(step, number).words_under("cbc(sm4)", restriction).0
        };
        let all = [
            (words(Step::Socket, libc::EAFNOSUPPORT, None), "no AF_ALG"),
            (words(Step::Socket, libc::EAFNOSUPPORT, Some(2)), "switched off"),
            (words(Step::Socket, libc::EPERM, None), "forbidden"),
            (words(Step::Socket, libc::EACCES, None), "forbidden"),
            (words(Step::Bind, libc::ENOENT, Some(0)), "no cbc(sm4): not configured"),
            (words(Step::Bind, libc::ENOENT, Some(1)), "af_alg_restrict forbids"),
            (words(Step::Bind, libc::ELIBBAD, None), "own test of cbc(sm4)"),
            (words(Step::Bind, libc::EINVAL, None), "another kind"),
            (words(Step::Socket, libc::EMFILE, None), "opening a socket failed"),
        ];
        for (text, part) in all {
            assert!(text.contains(part), "{part}: {text}");
            assert!(!text.contains('\n'));
        }
    }

    #[test]
    fn resources_and_keys_are_no_absence() {
        for (step, number) in [
            (Step::Socket, libc::EMFILE),
            (Step::Socket, libc::ENFILE),
            (Step::Bind, libc::ENOMEM),
            (Step::Bind, libc::ETIMEDOUT),
            (Step::Key, libc::EINVAL),
            (Step::Key, libc::ENOMEM),
            (Step::Accept, libc::EMFILE),
        ] {
            let judged = refusal(step, number).judge("cbc(aes)");
            assert!(matches!(judged, Error::Busy(_)), "{step:?} {number}: {judged}");
        }
        for (step, number) in [
            (Step::Socket, libc::EAFNOSUPPORT),
            (Step::Socket, libc::EPERM),
            (Step::Bind, libc::EACCES),
            (Step::Bind, libc::ENOENT),
        ] {
            assert!(matches!(refusal(step, number).judge("cbc(aes)"), Error::Absent(_)));
        }
        // A device that is not there any more cannot take a key.
        assert!(matches!(refusal(Step::Key, libc::ENODEV).judge("cbc(aes)"), Error::Broken(_)));
    }
}
