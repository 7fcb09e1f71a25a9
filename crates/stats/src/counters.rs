//! What a loaded module counts: in memory that it shares with other processes, and in a file when a provider ends.
//!
//! Whoever reads the file adds what has not got there yet.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use wirespeed_cipher::Route;

use crate::file::{Identity, Lock, check, make, open, options};
use crate::memory::Memory;
use crate::slots::Process;
use crate::{LOADS, QUARANTINED};

/// The counters of one loaded module.
pub struct Counters {
    path: PathBuf,
    file: Identity,
    pub(crate) memory: Memory,
    /// None where no context can have a slot.
    pub(crate) process: Option<Process>,
    /// Who loaded the module: a child with other rights, or in a sandbox, leaves the file alone.
    user: u32,
    /// The root directory at that time.
    root: Option<(u64, u64)>,
}

impl Counters {
    /// Counts for `path`, which becomes a stats file if it is not there or empty; in a folder, for a file of this user's.
    /// The error says what is wrong with it.
    pub fn open(path: &Path) -> Result<Arc<Self>, String> {
        // SAFETY: no precondition.
        let user = unsafe { libc::geteuid() };
        let in_folder = path.is_dir();
        let path = if in_folder { path.join(file_of(user)) } else { path.to_owned() };
        let named = |why: String| match in_folder {
            true => format!("its file {} {why}", path.display()),
            false => format!("the file {why}"),
        };
        // Whoever may write into the folder might have put another's file there.
        let file = open(&path, in_folder.then_some(user)).map_err(named)?;
        // Another program may be about to make it a stats file.
        let lock = Lock::take(&file);
        let (about, begun) = make(&file).map_err(named)?;
        drop(lock);
        let identity = Identity::of(&about, begun);
        let memory = Memory::join(identity, about.mode()).map_err(named)?;
        memory.words()[LOADS].fetch_add(1, Ordering::Relaxed);
        let process = Process::new(&memory);
        if let Some(process) = &process {
            memory.free_slots_of_ended(process);
        }
        Ok(Arc::new(Self { path, file: identity, memory, process, user, root: root() }))
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
pub(crate) fn file_of(user: u32) -> String {
    format!("{FILE_OF}{user}")
}

/// How the names of such files begin.
pub const FILE_OF: &str = "stats-";

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::net::UnixListener;

    use wirespeed_cipher::Direction;

    use super::*;
    use crate::{Row, Snapshot, Tally, mapped_as};

    fn rows(path: &Path) -> Vec<Row> {
        Snapshot::read(path).expect("counters").rows().collect()
    }

    fn count(counters: &Arc<Counters>, bytes: usize) {
        Tally::new(counters, 17).count(Direction::Encrypt, Route::Portable, bytes);
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
        unsafe { libc::shmdt(killed.memory.words().as_ptr().cast()) };
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
        assert_eq!(rows(folder.path())[0].bytes, 100);
        drop(counters);
        fs::hard_link(&own, folder.path().join("link")).expect("linked");
        let refused = Counters::open(folder.path()).err().expect("it has another name");
        assert!(refused.contains("own"), "{refused}");
        fs::remove_file(&own).expect("removed");
        let empty = File::create(folder.path().join("empty")).expect("a file");
        fs::hard_link(folder.path().join("empty"), &own).expect("linked");
        let refused = Counters::open(folder.path()).err().expect("it has another name");
        assert!(refused.contains("own"), "{refused}");
        assert_eq!(empty.metadata().expect("a file").len(), 0, "nothing was written");
    }

    #[test]
    fn what_is_no_file_of_its_user_keeps_nobody_from_the_rest() {
        let folder = tempfile::tempdir().expect("a folder");
        let counters = Counters::open(folder.path()).expect("counters");
        count(&counters, 100);
        let at = |name: &str| folder.path().join(name);
        let fifo = CString::new(at("stats-1\x1b").into_os_string().into_vec()).expect("a path");
        // SAFETY: a path that ends with NUL.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        std::os::unix::fs::symlink("/dev/zero", at("stats-2")).expect("a link");
        UnixListener::bind(at("stats-3")).expect("a socket");
        fs::write(at("stats-4711"), "").expect("another's number");
        fs::create_dir(at("stats-5")).expect("a folder");
        let seen = Snapshot::read(folder.path()).expect("counters");
        assert_eq!(seen.rows().map(|row| row.bytes).collect::<Vec<_>>(), [100]);
        let said: Vec<_> = seen
            .passed_over()
            .iter()
            .filter_map(|line| line.strip_prefix(&format!("{}/", folder.path().display())))
            .collect();
        let foreign = said.iter().find(|line| line.starts_with("stats-4711 ")).expect("named");
        assert!(foreign.contains("not to the one in its name"), "{foreign}");
        let said: Vec<_> = said.iter().filter(|line| *line != foreign).collect();
        assert_eq!(
            said,
            [
                &"stats-1? was passed over: not a regular file",
                &"stats-2 was passed over: a symbolic link",
                &"stats-3 was passed over: not a regular file",
                &"stats-5 was passed over: not a regular file",
            ]
        );
        // SAFETY: no precondition.
        let own = at(&file_of(unsafe { libc::geteuid() }));
        fs::write(own, "something else").expect("damaged");
        let seen = Snapshot::read(folder.path()).expect("counters");
        assert_eq!((seen.rows().count(), seen.passed_over().len()), (0, 6));
        assert!(
            Snapshot::read(&at("stats-2")).is_err() && mapped_as(&at("stats-1\x1b")).is_empty()
        );
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
