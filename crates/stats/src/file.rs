//! The file that counters go to: which one it is, and words in it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::{BYTES, LOADS, MAGIC};

/// How a stats file of any version begins; the version's number and a line end follow, and zeros up to the first count.
const BEGINNING: &[u8] = b"wirespeed stats ";

/// When the file was made a stats file. A file system gives the numbers of files that are gone to new ones, and memory of
/// a process that was killed is still there.
pub(crate) const BEGUN: usize = 6;

/// Opens it, or makes an empty one. Of `owner`, if one is given, it must be alone. A stats file of another version gives
/// way to an empty one.
pub(crate) fn open(path: &Path, owner: Option<u32>) -> Result<File, String> {
    let file = open_as_it_is(path, owner)?;
    if !is_of_another_version(&header(&file)) {
        return Ok(file);
    }
    // Others may be about to do the same, or have done it meanwhile.
    let lock = Lock::take(&file);
    let about = look_at(&file)?;
    let is_there = std::fs::symlink_metadata(path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (about.dev(), about.ino()));
    if lock.is_none() || !is_there {
        return open_as_it_is(path, owner);
    }
    // To cut it short would end processes of Wirespeed 0.1.0, which map the file itself (SIGBUS, mmap(2)).
    std::fs::remove_file(path).map_err(|why| {
        format!("is of another version of Wirespeed and cannot be removed: {why}")
    })?;
    let new = open_as_it_is(path, owner)?;
    // Where it is not ours to say whose it is, it is ours.
    let _ = std::os::unix::fs::fchown(&new, Some(about.uid()), Some(about.gid()));
    let _ = new.set_permissions(about.permissions());
    Ok(new)
}

fn open_as_it_is(path: &Path, owner: Option<u32>) -> Result<File, String> {
    let mut options = options();
    let file = options.create(true).mode(0o600).open(path);
    let file = file.map_err(|why| format!("cannot be opened for writing: {why}"))?;
    let about = look_at(&file)?;
    match owner {
        Some(user) if about.uid() != user || about.nlink() != 1 => {
            Err(format!("is not user {user}'s own"))
        }
        _ => Ok(file),
    }
}

/// Makes it a stats file where it is empty; its lock is held. Tells when that was done.
pub(crate) fn make(file: &File) -> Result<(Metadata, u64), String> {
    let about = check(file)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let begun = begin(file, &about, now.as_nanos() as u64);
    Ok((about, begun.map_err(|why| format!("cannot be written: {why}"))?))
}

pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Opens it to be read. Whoever may write into the folder may have put anything there, so nothing is waited for and no
/// link is followed.
pub(crate) fn open_to_read(path: &Path) -> Result<(File, Metadata), Error> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|why| match why.raw_os_error() {
        Some(libc::ELOOP) => other("a symbolic link"),
        // A socket.
        Some(libc::ENXIO) => other("not a regular file"),
        _ => why,
    })?;
    let about = file.metadata()?;
    if about.is_file() { Ok((file, about)) } else { Err(other("not a regular file")) }
}

/// It is something else than counters.
pub(crate) fn other(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// What is in it, and a little more than that of a file that is too long.
pub(crate) fn bytes_of(file: &File) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    file.take(BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What stands in front of the first count, as far as it goes.
fn header(file: &File) -> Vec<u8> {
    let mut header = vec![0; LOADS * 8];
    let read = file.read_at(&mut header, 0).unwrap_or_default();
    header.truncate(read);
    header
}

/// Whether bytes begin as those of a stats file that another version made.
pub(crate) fn is_of_another_version(bytes: &[u8]) -> bool {
    let header = bytes.get(..LOADS * 8).and_then(|it| it.strip_prefix(BEGINNING));
    let header = header.unwrap_or_default();
    let Some(end) = header.iter().position(|byte| *byte == b'\n') else { return false };
    let is_number = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+".contains(byte);
    let is_stats_file =
        header[..end].iter().all(is_number) && header[end + 1..].iter().all(|byte| *byte == 0);
    is_stats_file && !bytes.starts_with(MAGIC)
}

fn look_at(file: &File) -> Result<Metadata, String> {
    file.metadata().map_err(|why| format!("cannot be looked at: {why}"))
}

/// An empty file or a stats file, and nothing else.
pub(crate) fn check(file: &File) -> Result<Metadata, String> {
    let about = look_at(file)?;
    if !about.is_file() {
        return Err("is not a regular file".to_owned());
    }
    let mut magic = [0; MAGIC.len()];
    let ours =
        about.len() == BYTES as u64 && file.read_exact_at(&mut magic, 0).is_ok() && magic == *MAGIC;
    if about.len() == 0 || ours {
        return Ok(about);
    }
    Err("is no stats file of this version".to_owned())
}

/// Makes an empty file a stats file; its lock is held. Tells when it was made one.
pub(crate) fn begin(file: &File, about: &Metadata, begun: u64) -> Result<u64, Error> {
    if about.len() == 0 {
        file.write_all_at(MAGIC, 0)?;
        file.write_all_at(&begun.to_ne_bytes(), place(BEGUN))?;
        file.set_len(BYTES as u64)?;
    }
    read(file, BEGUN)
}

/// Where a word stands in the file.
pub(crate) const fn place(word: usize) -> u64 {
    8 * word as u64
}

pub(crate) fn read(file: &File, word: usize) -> Result<u64, Error> {
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, place(word))?;
    Ok(u64::from_ne_bytes(bytes))
}

/// A lock on the file, held for as long as it is read or written.
pub(crate) struct Lock<'a>(&'a File);

impl<'a> Lock<'a> {
    /// Waits for a short time only: whoever may read a file may lock it, too.
    pub(crate) fn take(file: &'a File) -> Option<Self> {
        for _ in 0..20 {
            // SAFETY: an open descriptor.
            if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Some(Self(file));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        // SAFETY: an open descriptor.
        unsafe { libc::flock(self.0.as_raw_fd(), libc::LOCK_UN) };
    }
}

/// A file, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    pub(crate) inode: u64,
    owner: u32,
    group: u32,
    mode: u32,
    pub(crate) begun: u64,
}

impl Identity {
    pub(crate) fn of(about: &Metadata, begun: u64) -> Self {
        let (owner, group, mode) = (about.uid(), about.gid(), about.mode());
        Self { device: about.dev(), inode: about.ino(), owner, group, mode, begun }
    }

    /// Whether the counts of this user go into it: whoever may write it may bring any.
    pub(crate) fn counts(self, user: u32, group: u32) -> bool {
        [0, self.owner].contains(&user)
            || self.mode & 0o002 != 0
            || self.mode & 0o020 != 0 && group == self.group
    }

    /// Whether this is still the file, perhaps emptied meanwhile.
    pub(crate) fn is_of(self, about: &Metadata) -> bool {
        (self.device, self.inode) == (about.dev(), about.ino())
    }

    /// The key of the memory that belongs to it, as ftok(3) would make one, by FNV-1a.
    pub(crate) fn key(self, attempt: u64) -> libc::key_t {
        let numbers = [self.device, self.inode, self.begun, attempt].map(u64::to_ne_bytes);
        let bytes = MAGIC.iter().chain(numbers.as_flattened());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        match (hash ^ hash >> 32) as libc::key_t {
            libc::IPC_PRIVATE => 1,
            key => key,
        }
    }
}
