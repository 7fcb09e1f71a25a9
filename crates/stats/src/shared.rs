//! The words that processes count in together: shared memory of System V, which nobody can cut short.
//!
//! A mapped file would end the program that counts in it as soon as somebody makes it shorter (SIGBUS, mmap(2)), and
//! writing to it at each call would cost more than the call. Such memory needs no call to count in it, is inherited by
//! children, outlives a change of user, a chroot and a process that is killed, and its size is fixed (shmget(2)).
//! What is in it goes to the file when a provider ends; whoever reads the file adds what has not got there yet.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use wirespeed_cipher::{Direction, Route};

use crate::{BYTES, HEADER_WORDS, LOADS, MAGIC, QUARANTINED, WORDS, calls};

/// When the file was made a stats file. A file system gives the numbers of files that are gone to new ones, and memory of
/// a process that was killed is still there.
pub(crate) const BEGUN: usize = 6;
/// In the memory, the number of the file.
const INODE: usize = 7;

/// What was counted, and how much of it the file has already.
const SHARED_WORDS: usize = 2 * WORDS;
const SHARED_BYTES: usize = SHARED_WORDS * 8;

/// Keys that are tried: somebody else may have memory under one of them.
const ATTEMPTS: u64 = 4;

/// The counters of one loaded module.
pub struct Counters {
    path: PathBuf,
    file: Identity,
    memory: Memory,
    /// Who loaded the module: a child with other rights, or in a sandbox, leaves the file alone.
    user: u32,
    /// The root directory at that time.
    root: Option<(u64, u64)>,
}

impl Counters {
    /// Counts for `path`, which becomes a stats file if it is not there or empty; in a folder, for a file of this user's.
    /// The error says what is wrong with it.
    pub fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: no precondition.
        let user = unsafe { libc::geteuid() };
        let in_folder = path.is_dir();
        let path = if in_folder { path.join(file_of(user)) } else { path.to_owned() };
        let named = |why: String| match in_folder {
            true => format!("its file {} {why}", path.display()),
            false => format!("the file {why}"),
        };
        let (about, begun) = open(&path).map_err(named)?;
        // Whoever may write into the folder might have put another's file there.
        if in_folder && (about.uid() != user || about.nlink() != 1) {
            return Err(named(format!("is not user {user}'s own")));
        }
        let identity = Identity::of(&about, begun);
        let memory = Memory::join(identity, about.mode()).map_err(named)?;
        memory.words()[LOADS].fetch_add(1, Ordering::Relaxed);
        Ok(Self { path, file: identity, memory, user, root: root() })
    }

    /// Counts one data call.
    #[inline]
    pub fn count(&self, subject: usize, direction: Direction, route: Route, bytes: usize) {
        let word = calls(subject, direction, route);
        self.memory.words()[word].fetch_add(1, Ordering::Relaxed);
        self.memory.words()[word + 1].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Notes a quarantined route.
    pub fn quarantine(&self, route: Route) {
        self.memory.words()[QUARANTINED].fetch_or(route.bit(), Ordering::Relaxed);
    }

    /// Brings what was counted to the file. Nobody is told if that fails: the memory keeps it.
    fn store(&self) {
        // SAFETY: no precondition.
        if unsafe { libc::geteuid() } != self.user {
            return;
        }
        let done = match options().open(&self.path) {
            Ok(file) => self.store_in(&file),
            // Nobody wants to know any more, unless it is only out of sight (chroot(2)).
            Err(why) => why.kind() == ErrorKind::NotFound && root() == self.root,
        };
        if done {
            self.memory.remove_if_last();
        }
    }

    /// Whether the memory holds nothing any more that the file lacks.
    fn store_in(&self, file: &File) -> bool {
        let Some(_lock) = Lock::take(file) else { return false };
        // What is no stats file any more, or another of that name, is not for this memory.
        let Ok(about) = check(file) else { return true };
        !self.file.is_of(&about) || self.memory.bring_to(file, &about, self.file.begun).is_ok()
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        self.store();
    }
}

/// The device and the number of the root directory.
fn root() -> Option<(u64, u64)> {
    let about = std::fs::metadata("/").ok()?;
    Some((about.dev(), about.ino()))
}

/// A user's file in a folder.
fn file_of(user: u32) -> String {
    format!("{FILE_OF}{user}")
}

/// How the names of such files begin.
pub(crate) const FILE_OF: &str = "stats-";

/// Opens it; makes it a stats file where it is empty. Tells when that was done.
fn open(path: &Path) -> Result<(Metadata, u64), String> {
    let mut options = options();
    let file = options.create(true).mode(0o600).open(path);
    let file = file.map_err(|why| format!("cannot be opened for writing: {why}"))?;
    // Another program may be about to make it a stats file.
    let lock = Lock::take(&file);
    let about = check(&file)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let begun = begin(&file, &about, now.as_nanos() as u64);
    drop(lock);
    Ok((about, begun.map_err(|why| format!("cannot be written: {why}"))?))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// An empty file or a stats file, and nothing else.
fn check(file: &File) -> Result<Metadata, String> {
    let about = file.metadata().map_err(|why| format!("cannot be looked at: {why}"))?;
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
fn begin(file: &File, about: &Metadata, begun: u64) -> Result<u64, Error> {
    if about.len() == 0 {
        file.write_all_at(MAGIC, 0)?;
        file.write_all_at(&begun.to_ne_bytes(), place(BEGUN))?;
        file.set_len(BYTES as u64)?;
    }
    read(file, BEGUN)
}

/// Where a word stands in the file.
const fn place(word: usize) -> u64 {
    8 * word as u64
}

fn read(file: &File, word: usize) -> Result<u64, Error> {
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
    inode: u64,
    owner: u32,
    begun: u64,
}

impl Identity {
    pub(crate) fn of(about: &Metadata, begun: u64) -> Self {
        Self { device: about.dev(), inode: about.ino(), owner: about.uid(), begun }
    }

    /// Whether this is still the file, perhaps emptied meanwhile.
    fn is_of(self, about: &Metadata) -> bool {
        (self.device, self.inode) == (about.dev(), about.ino())
    }

    /// The key of the memory that belongs to it, as ftok(3) would make one, by FNV-1a.
    fn key(self, attempt: u64) -> libc::key_t {
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

/// Shared memory, until it is dropped.
pub(crate) struct Memory {
    id: libc::c_int,
    words: NonNull<[AtomicU64; SHARED_WORDS]>,
}

// SAFETY: atomic words in memory that stays attached until `drop`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// The memory of a file, made if it is not there; whoever may write the file may count in it.
    fn join(file: Identity, mode: u32) -> Result<Self, String> {
        let mode = (mode & 0o666) as libc::c_int;
        for attempt in 0..ATTEMPTS {
            let key = file.key(attempt);
            let made = shmget(key, libc::IPC_CREAT | libc::IPC_EXCL | mode);
            let id = match made {
                Ok(id) => id,
                Err(why) if why.kind() == ErrorKind::AlreadyExists => match shmget(key, 0) {
                    Ok(id) => id,
                    // Too small for ours, or gone meanwhile.
                    Err(_) => continue,
                },
                Err(why) => return Err(format!("has no shared memory to count in: {why}")),
            };
            if let Some(memory) = Self::attach(id, file, 0).filter(|it| it.claim(file)) {
                return Ok(memory);
            }
        }
        Err("has no shared memory to count in: others hold its keys".to_owned())
    }

    /// All memory that belongs to a file and may be read.
    pub(crate) fn of(file: Identity) -> impl Iterator<Item = Self> {
        let ids = (0..ATTEMPTS).filter_map(move |attempt| shmget(file.key(attempt), 0).ok());
        let memory = ids.filter_map(move |id| Self::attach(id, file, libc::SHM_RDONLY));
        memory.filter(move |it| Self::header(file).all(|(word, wanted)| it.load(word) == wanted))
    }

    /// The names under which processes map it: proc_pid_maps(5).
    pub(crate) fn names(file: Identity) -> impl Iterator<Item = String> {
        (0..ATTEMPTS).map(move |attempt| format!("/SYSV{:08x}", file.key(attempt)))
    }

    /// Attaches memory that root, the file's owner or this user has made.
    fn attach(id: libc::c_int, file: Identity, flags: libc::c_int) -> Option<Self> {
        // SAFETY: all zeros is a valid `shmid_ds`, which is only written to.
        let mut about: libc::shmid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: room for the answer.
        let told = unsafe { libc::shmctl(id, libc::IPC_STAT, &raw mut about) } == 0;
        // SAFETY: no precondition.
        let user = unsafe { libc::geteuid() };
        let trusted = [0, user, file.owner].contains(&about.shm_perm.cuid);
        if !told || !trusted || about.shm_segsz < SHARED_BYTES {
            return None;
        }
        // SAFETY: the system chooses where; nothing is replaced.
        let address = unsafe { libc::shmat(id, null(), flags) };
        let words = NonNull::new(address.cast()).filter(|_| address as isize != -1)?;
        Some(Self { id, words })
    }

    fn words(&self) -> &[AtomicU64; SHARED_WORDS] {
        // SAFETY: attached until `drop`, of a size that never changes, aligned to a page, only ever used atomically.
        unsafe { self.words.as_ref() }
    }

    fn load(&self, word: usize) -> u64 {
        self.words()[word].load(Ordering::Relaxed)
    }

    /// What the memory begins with: which version counts, and for which file.
    fn header(file: Identity) -> impl Iterator<Item = (usize, u64)> {
        let mut magic = [0_u8; LOADS * 8];
        magic[..MAGIC.len()].copy_from_slice(MAGIC);
        let words: [u64; LOADS] =
            std::array::from_fn(|word| u64::from_ne_bytes(magic.as_chunks::<8>().0[word]));
        words.into_iter().enumerate().chain([(BEGUN, file.begun), (INODE, file.inode)])
    }

    /// Makes new memory the file's; refuses another's. Two programs may do this at once: both write the same.
    fn claim(&self, file: Identity) -> bool {
        Self::header(file).all(|(word, wanted)| {
            let word = &self.words()[word];
            let found = word.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed);
            found.is_ok() || found == Err(wanted)
        })
    }

    /// What the file does not have yet, by word.
    pub(crate) fn pending(&self) -> impl Iterator<Item = (usize, u64)> {
        let sums = [LOADS].into_iter().chain(HEADER_WORDS..WORDS);
        let sums = sums.map(|word| (word, self.load(word).wrapping_sub(self.load(WORDS + word))));
        sums.filter(|(_, count)| *count > 0)
    }

    /// Quarantined routes, as bits.
    pub(crate) fn quarantined(&self) -> u64 {
        self.load(QUARANTINED)
    }

    /// Adds to the file what it does not have yet; its lock is held.
    fn bring_to(&self, file: &File, about: &Metadata, begun: u64) -> Result<(), Error> {
        self.add_to(file, about, begun, |word, count| {
            self.words()[WORDS + word].fetch_add(count, Ordering::Relaxed);
        })
    }

    fn add_to(
        &self,
        file: &File,
        about: &Metadata,
        begun: u64,
        done: impl Fn(usize, u64),
    ) -> Result<(), Error> {
        begin(file, about, begun)?;
        let write = |word, sum: u64| file.write_all_at(&sum.to_ne_bytes(), place(word));
        if self.quarantined() != 0 {
            write(QUARANTINED, read(file, QUARANTINED)? | self.quarantined())?;
        }
        for (word, count) in self.pending() {
            write(word, read(file, word)?.wrapping_add(count))?;
            done(word, count);
        }
        Ok(())
    }

    /// Brings to the file what processes left that were killed, and takes the memory away. The file's lock is held; the
    /// memory may be attached for reading only.
    pub(crate) fn settle(&self, path: &Path, identity: Identity) {
        let Ok(file) = options().open(path) else { return };
        let Ok(about) = check(&file) else { return };
        if identity.is_of(&about) && self.remove_if_last() {
            // What cannot be written is lost.
            let _ = self.add_to(&file, &about, identity.begun, |_, _| {});
        }
    }

    /// Takes the memory away where nobody else counts in it; whoever came in between keeps it until its end.
    fn remove_if_last(&self) -> bool {
        // SAFETY: all zeros is a valid `shmid_ds`, which is only written to.
        let mut about: libc::shmid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: room for the answer.
        let told = unsafe { libc::shmctl(self.id, libc::IPC_STAT, &raw mut about) } == 0;
        // SAFETY: our own memory; it goes when it is detached.
        let remove = || unsafe { libc::shmctl(self.id, libc::IPC_RMID, std::ptr::null_mut()) } == 0;
        told && about.shm_nattch == 1 && remove()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: attached once, and given up here.
        unsafe { libc::shmdt(self.words.as_ptr().cast()) };
    }
}

fn shmget(key: libc::key_t, flags: libc::c_int) -> Result<libc::c_int, Error> {
    // SAFETY: numbers.
    let id = unsafe { libc::shmget(key, SHARED_BYTES, flags) };
    if id < 0 { Err(Error::last_os_error()) } else { Ok(id) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Row, Snapshot};

    fn rows(path: &Path) -> Vec<Row> {
        Snapshot::read(path).expect("counters").rows().collect()
    }

    fn count(counters: &Counters, bytes: usize) {
        counters.count(17, Direction::Encrypt, Route::Portable, bytes);
    }

    #[test]
    fn what_is_counted_is_seen_at_once_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let one = Counters::open(&path).expect("counters");
        count(&one, 100);
        assert_eq!((rows(&path)[0].calls, rows(&path)[0].bytes), (1, 100));
        let other = Counters::open(&path).expect("counters");
        count(&other, 23);
        assert_eq!((rows(&path)[0].calls, rows(&path)[0].bytes), (2, 123));
        let file = one.file;
        assert_eq!(Memory::of(file).count(), 1, "both count in the same memory");
        drop((one, other));
        assert_eq!(Memory::of(file).count(), 0, "the last takes it away");
        let stored = Snapshot::parse(&fs::read(&path).expect("a file")).expect("a stats file");
        assert_eq!((stored.loads(), stored.rows().next().map(|row| row.bytes)), (2, Some(123)));
    }

    #[test]
    fn a_file_that_is_cut_short_or_gone_harms_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let counters = Counters::open(&path).expect("counters");
        count(&counters, 100);
        File::create(&path).expect("cut short");
        count(&counters, 23);
        drop(counters);
        assert_eq!(rows(&path)[0].bytes, 123, "it is a stats file again");
        let counters = Counters::open(&path).expect("counters");
        fs::remove_file(&path).expect("removed");
        count(&counters, 1);
        let file = counters.file;
        drop(counters);
        assert_eq!(Memory::of(file).count(), 0, "nothing is left behind");
        assert!(!path.exists(), "what somebody took away is not made anew");
    }

    #[test]
    fn who_reads_settles_what_killed_processes_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let killed = Counters::open(&path).expect("counters");
        count(&killed, 100);
        let file = killed.file;
        // SAFETY: attached once; as at the end of a process, nothing else of it is left.
        unsafe { libc::shmdt(killed.memory.words.as_ptr().cast()) };
        std::mem::forget(killed);
        assert_eq!(Memory::of(file).count(), 1, "the memory is still there");
        for _ in 0..2 {
            assert_eq!((rows(&path)[0].calls, rows(&path)[0].bytes), (1, 100));
        }
        assert_eq!(Memory::of(file).count(), 0);
    }

    /// File systems give the number of a file that is gone to the next one.
    #[test]
    fn memory_of_a_file_that_is_gone_is_not_the_next_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let killed = Counters::open(&path).expect("counters");
        count(&killed, 100);
        File::create(&path).expect("emptied");
        let next = Counters::open(&path).expect("counters");
        assert_eq!(rows(&path), []);
        count(&next, 23);
        assert_eq!(rows(&path)[0].bytes, 23);
        drop((killed, next));
        assert_eq!(rows(&path)[0].bytes, 123, "it was emptied, so what still ran goes on in it");
    }

    #[test]
    fn a_folder_has_a_file_for_each_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let counters = Counters::open(folder.path()).expect("counters");
        count(&counters, 100);
        // SAFETY: no precondition.
        let own = folder.path().join(format!("stats-{}", unsafe { libc::geteuid() }));
        assert_eq!(fs::metadata(&own).expect("a file").mode() & 0o777, 0o600);
        fs::write(folder.path().join("stats-4711"), "").expect("another user's");
        assert_eq!(rows(folder.path())[0].bytes, 100);
        drop(counters);
        fs::hard_link(&own, folder.path().join("link")).expect("linked");
        let refused = Counters::open(folder.path()).err().expect("it has another name");
        assert!(refused.contains("own"), "{refused}");
    }

    #[test]
    fn what_is_no_stats_file_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        fs::write(&path, "something else").expect("written");
        let refused = Counters::open(&path).err().expect("refused");
        assert_eq!(refused, "the file is no stats file of this version");
        assert_eq!(fs::read(&path).expect("there"), b"something else");
        let refused = Counters::open(&folder.path().join("gone/stats")).err().expect("refused");
        assert!(refused.starts_with("the file cannot be opened for writing: No such"), "{refused}");
    }
}
