//! The device itself: opened only if it is one, and told from whatever a program puts in its place.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::abi;
use crate::wire::above_standard;

/// An open /dev/crypto.
#[derive(Debug)]
pub(super) struct Device {
    descriptor: OwnedFd,
    /// Its number (st_rdev).
    number: u64,
}

/// Why there is none.
#[derive(Debug)]
pub(super) enum Missing {
    /// Something else stands there.
    Other(&'static str),
    /// It cannot be had.
    Failed(io::Error),
    /// It is a device that does not know cryptodev's calls.
    Stranger(io::Error),
}

/// Misc devices, of which it is one (include/uapi/linux/major.h).
const MISC: u32 = 10;

impl Device {
    /// Looks at what stands there; its number. To open another device or a pipe can do something.
    pub(super) fn look(path: &Path) -> Result<u64, Missing> {
        let found = fs::metadata(path).map_err(Missing::Failed)?;
        let kind = found.file_type();
        let other = match kind {
            _ if kind.is_dir() => Some("a directory"),
            _ if kind.is_file() => Some("a plain file"),
            _ if kind.is_fifo() => Some("a pipe"),
            _ if kind.is_socket() => Some("a socket"),
            _ if kind.is_block_device() => Some("a block device"),
            _ if libc::major(found.rdev()) != MISC => Some("another device"),
            _ => None,
        };
        other.map_or(Ok(found.rdev()), |other| Err(Missing::Other(other)))
    }

    /// Opens it.
    pub(super) fn open(path: &Path) -> Result<Self, Missing> {
        let looked_at = Self::look(path)?;
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(Missing::Failed)?;
        let number = number(file.as_raw_fd()).map_err(Missing::Failed)?;
        if number != looked_at {
            return Err(Missing::Other("another device"));
        }
        Self::of(file, number)
    }

    fn of(file: File, number: u64) -> Result<Self, Missing> {
        let descriptor = above_standard(file.into()).map_err(Missing::Failed)?;
        match abi::ask_features(descriptor.as_raw_fd()) {
            Ok(()) => Ok(Self { descriptor, number }),
            Err(error) => Err(Missing::Stranger(error)),
        }
    }

    /// Another descriptor of the same open file, which has the same sessions.
    pub(super) fn twin(&self) -> io::Result<Self> {
        let descriptor = self.descriptor.try_clone()?;
        Ok(Self { descriptor, number: self.number })
    }

    pub(super) fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }

    /// Whether the descriptor is still of such a device, if not of this open file.
    pub(super) fn is_there(&self) -> bool {
        number(self.descriptor()).is_ok_and(|number| number == self.number)
    }
}

/// The number of an open device.
fn number(descriptor: RawFd) -> io::Result<u64> {
    // SAFETY: zeros are a fine status, and the call fills it.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: there is room for a status.
    if unsafe { libc::fstat(descriptor, &raw mut status) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let is_device = status.st_mode & libc::S_IFMT == libc::S_IFCHR;
    is_device.then_some(status.st_rdev).ok_or_else(|| io::Error::other("no device"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn what_is_no_device_is_told_and_not_opened() {
        let place =
            std::env::temp_dir().join(format!("wirespeed-devcrypto-{}", std::process::id()));
        fs::create_dir(&place).expect("a directory");
        let file = place.join("file");
        fs::write(&file, "not a device").expect("a file");
        let socket = place.join("socket");
        let _listener = UnixListener::bind(&socket).expect("a socket");
        let pipe = place.join("pipe");
        let name = std::ffi::CString::new(pipe.to_str().expect("text")).expect("no zero");
        // SAFETY: the name ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let found = [&place, &file, &socket, &pipe, Path::new("/dev/null")].map(Device::open);
        let written = fs::read_to_string(&file);
        fs::remove_dir_all(&place).expect("it was made here");
        let words = found.map(|found| match found {
            Err(Missing::Other(what)) => what,
            other => panic!("{other:?}"),
        });
        assert_eq!(words, ["a directory", "a plain file", "a socket", "a pipe", "another device"]);
        assert_eq!(written.ok().as_deref(), Some("not a device"));
    }

    #[test]
    fn nothing_there_is_nothing() {
        match Device::open(Path::new("/nonexistent/crypto")) {
            Err(Missing::Failed(error)) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_in_its_place_is_not_taken_for_it() {
        let file = File::open("/dev/null").expect("a device");
        assert!(number(file.as_raw_fd()).is_ok());
        let file = File::open("/proc/self/status").expect("a file");
        assert!(number(file.as_raw_fd()).is_err());
        assert!(number(-1).is_err());
    }
}
