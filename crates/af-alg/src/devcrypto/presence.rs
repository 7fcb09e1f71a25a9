//! Whether there is a /dev/crypto to talk to, who serves there, and in words why not.

use std::path::Path;

use super::abi::{self, SessionInfo};
use super::device::{Device, Missing};
use super::session::Open;
use crate::error::{is_forbidden, passes};
use crate::held::{Handle, Purpose};
use crate::permission::Permission;
use crate::transform::Kind;
use crate::{Absent, Error, Transform};

/// Where the device is.
pub const PATH: &str = "/dev/crypto";

/// Who serves an algorithm of the device's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Its own name, as /proc/crypto has it.
    pub name: String,
    /// Whether its author marked it as hardware that only the kernel reaches.
    pub kernel_only: bool,
}

impl Driver {
    pub(super) fn of(info: &SessionInfo, transform: &Transform) -> Self {
        let names = match transform.kind {
            Kind::Hash { .. } => &info.hash,
            Kind::Cipher { .. } | Kind::Aead { .. } => &info.cipher,
        };
        let kernel_only = info.flags & abi::KERNEL_DRIVER_ONLY != 0;
        Self { name: abi::text(&names[1]), kernel_only }
    }
}

/// Whether it stands there.
pub(crate) fn sighted() -> Result<(), Absent> {
    let path = Path::new(PATH);
    Device::look(path).map(drop).map_err(|why| words(path, &why))
}

/// Whether this process can have it: it is opened and closed again.
pub(crate) fn presence() -> Result<(), Absent> {
    presence_at(Path::new(PATH))
}

fn presence_at(path: &Path) -> Result<(), Absent> {
    Device::open(path).map(drop).map_err(|why| words(path, &why))
}

/// Whether it has an algorithm; by that driver, if one is named.
pub(crate) fn presence_of(
    transform: &'static Transform,
    driver: Option<&str>,
) -> Result<(), Absent> {
    open(transform, driver).map(drop).map_err(absence)
}

/// Who serves an algorithm there.
pub fn driver(transform: &'static Transform) -> Result<Driver, Absent> {
    open(transform, None).and_then(|open| open.driver(transform)).map_err(absence)
}

/// A session with a key like any other.
fn open(transform: &'static Transform, driver: Option<&str>) -> Result<Open, Error> {
    let bytes = match transform.kind {
        Kind::Cipher { key_bytes, .. } | Kind::Aead { key_bytes, .. } => key_bytes,
        Kind::Hash { keyed, bytes } => {
            if keyed {
                bytes
            } else {
                0
            }
        }
    };
    let key: Vec<u8> = (1..=u8::MAX).take(bytes).collect();
    Open::open(&Purpose::new(transform, driver, &key, Permission::Anywhere))
}

fn absence(error: Error) -> Absent {
    match error {
        Error::Absent(absent) => absent,
        Error::Busy(error) | Error::Broken(error) => Absent(format!("{PATH}: {error}")),
        Error::TooLong(why) => Absent(format!("{PATH}: {why}")),
    }
}

/// What it means for a session that there is no such device.
pub(super) fn missing(path: &Path, why: Missing) -> Error {
    match why {
        Missing::Failed(error) if passes(&error) && !is_forbidden(&error) => Error::Busy(error),
        why => Error::Absent(words(path, &why)),
    }
}

fn words(path: &Path, why: &Missing) -> Absent {
    let path = path.display();
    Absent(match why {
        Missing::Other(what) => format!("{path} is {what}, not the device of cryptodev-linux"),
        Missing::Stranger(error) => {
            format!("{path} is another device: it does not know cryptodev's calls ({error})")
        }
        Missing::Failed(error) => match error.raw_os_error() {
            Some(libc::ENOENT) => {
                format!("there is no {path}: the module of cryptodev-linux is not loaded here")
            }
            Some(libc::ENODEV | libc::ENXIO) => {
                format!(
                    "no module is behind {path}: that of cryptodev-linux is not loaded ({error})"
                )
            }
            Some(libc::EACCES | libc::EPERM) => format!(
                "{path} may not be opened by this process: see its permissions, and those of a container or a security module ({error})"
            ),
            _ => format!("{path} cannot be opened ({error})"),
        },
    })
}

/// There is no such algorithm.
pub(super) fn unserved(transform: &Transform, why: Option<&std::io::Error>) -> Error {
    let kernel = transform.kernel;
    Error::Absent(Absent(match why {
        None => format!("{PATH} has no number for {kernel}"),
        Some(why) => format!(
            "{PATH} gives no {kernel}: this kernel lacks it, or its module cannot be loaded ({why})"
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn each_absence_has_its_own_words() {
        let path = Path::new(PATH);
        let failed = |number| Missing::Failed(io::Error::from_raw_os_error(number));
        for (why, part) in [
            (failed(libc::ENOENT), "there is no /dev/crypto"),
            (failed(libc::ENODEV), "no module is behind /dev/crypto"),
            (failed(libc::EACCES), "may not be opened by this process"),
            (failed(libc::EIO), "cannot be opened"),
            (Missing::Other("a plain file"), "/dev/crypto is a plain file, not the device"),
            (Missing::Stranger(io::Error::from_raw_os_error(libc::ENOTTY)), "is another device"),
        ] {
            let said = words(path, &why).0;
            assert!(said.contains(part) && !said.contains('\n'), "{part}: {said}");
            assert!(matches!(missing(path, why), Error::Absent(_)), "{part}");
        }
        for number in [libc::EMFILE, libc::ENOMEM, libc::EBUSY, libc::EINTR] {
            assert!(matches!(missing(path, failed(number)), Error::Busy(_)), "{number}");
        }
    }

    #[test]
    fn bad_files_are_absences_that_name_them() {
        let transform = Transform::named("AES-128-CBC").expect("a name of the table");
        let purpose = Purpose::new(transform, None, &[7; 16], Permission::Anywhere);
        for (path, part) in [
            ("/nonexistent/crypto", "there is no /nonexistent/crypto"),
            ("/proc/self/status", "/proc/self/status is a plain file"),
            ("/dev", "/dev is a directory"),
            ("/dev/null", "/dev/null is another device"),
        ] {
            let absent = presence_at(Path::new(path)).expect_err(path);
            assert!(absent.0.contains(part), "{absent}");
            match Open::at(Path::new(path), &purpose) {
                Err(Error::Absent(absent)) => assert!(absent.0.contains(part), "{absent}"),
                other => panic!("{path}: {other:?}"),
            }
        }
    }
}
