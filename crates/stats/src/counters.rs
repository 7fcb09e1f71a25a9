//! What a loaded module counts, in memory that it shares with other processes.
//!
//! Whoever loads the module next brings it to the file. Whoever reads the file adds what has not got there yet.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use wirespeed_cipher::Route;

use crate::file::{Identity, Lock, make, open};
use crate::memory::Memory;
use crate::slots::Process;
use crate::{LOADS, QUARANTINED};

/// The counters of one loaded module.
///
/// Their end gives memory back and does nothing else. The program may be in a sandbox by then, which ends it for a
/// system call that it did not foresee, and nothing tells so without such a call.
pub struct Counters {
    pub(crate) memory: Memory,
    /// None where no context can have a slot.
    pub(crate) process: Option<Process>,
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
        // Another program may be about to make it a stats file, or to take away memory that nobody counts in.
        let lock = Lock::take(&file);
        let (about, begun) = make(&file).map_err(named)?;
        let memory = Memory::join(Identity::of(&about, begun), about.mode()).map_err(named)?;
        memory.words()[LOADS].fetch_add(1, Ordering::Relaxed);
        if lock.is_some() {
            // What cannot be written now stays in the memory.
            let _ = memory.bring_to(&file, &about, begun);
        }
        drop(lock);
        let process = Process::new(&memory);
        if let Some(process) = &process {
            memory.free_slots_of_ended(process);
        }
        Ok(Arc::new(Self { memory, process }))
    }

    /// Notes a quarantined route.
    pub fn quarantine(&self, route: Route) {
        self.memory.words()[QUARANTINED].fetch_or(route.bit(), Ordering::Relaxed);
    }
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
    use std::fs::{self, File, Permissions};
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use wirespeed_cipher::Direction;

    use super::*;
    use crate::{Row, Snapshot, Tally, identity, mapped_as};

    fn rows(path: &Path) -> Vec<Row> {
        Snapshot::read(path).expect("counters").rows().collect()
    }

    /// What the file itself says: loads, and bytes of the first row.
    fn stored(path: &Path) -> (u64, Option<u64>) {
        let stored = Snapshot::parse(&fs::read(path).expect("a file")).expect("a stats file");
        (stored.loads(), stored.rows().next().map(|row| row.bytes))
    }

    /// How many memories the file has.
    fn memories(path: &Path) -> usize {
        Memory::of(identity(path).expect("a stats file")).count()
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
        assert_eq!(memories(&path), 1, "both count in the same memory");
        drop((one, other));
        assert_eq!(memories(&path), 1, "their end does nothing");
        assert_eq!(rows(&path)[0].bytes, 123);
        assert_eq!(memories(&path), 0, "who reads takes it away");
        assert_eq!(stored(&path), (2, Some(123)));
    }

    #[test]
    fn who_counts_next_brings_to_the_file_what_was_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let running = Counters::open(&path).expect("counters");
        count(&running, 100);
        let ended = Counters::open(&path).expect("counters");
        count(&ended, 23);
        drop(ended);
        assert_eq!(stored(&path), (2, Some(100)));
        let next = Counters::open(&path).expect("counters");
        assert_eq!(stored(&path), (3, Some(123)), "also of one that still runs");
        assert_eq!(rows(&path)[0].bytes, 123, "nothing twice");
        drop((running, next));
        assert_eq!(rows(&path)[0].bytes, 123);
    }

    /// A program may be in a sandbox that ends it for anything but giving memory back, and leaving.
    #[test]
    fn the_end_of_counting_makes_no_call_that_a_sandbox_stops() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let filter =
            allowing([libc::SYS_munmap, libc::SYS_brk, libc::SYS_futex, libc::SYS_exit_group]);
        let counters = Counters::open(&path).expect("counters");
        count(&counters, 100);
        // SAFETY: the child only gives memory back: no lock of another thread is in its way.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let confined = confine(&filter);
            drop(counters);
            // SAFETY: it ends this process without the handlers of the test program.
            unsafe { libc::_exit(if confined { 0 } else { SKIPPED }) }
        }
        let mut status = 0;
        // SAFETY: a child of ours and room for its status.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == SKIPPED {
            println!("skipped the sandbox: this Linux has none");
        } else {
            assert_eq!(status, 0, "the signal is {}", libc::WTERMSIG(status));
        }
        drop(counters);
        assert_eq!(rows(&path)[0].bytes, 100);
        assert_eq!(memories(&path), 0);
    }

    /// The exit status of a child that can have no sandbox.
    const SKIPPED: libc::c_int = 77;

    /// A filter that ends a process for any other call: seccomp(2).
    fn allowing<const N: usize>(calls: [libc::c_long; N]) -> Vec<libc::sock_filter> {
        let line = |code: u32, jt, k| libc::sock_filter { code: code as u16, jt, jf: 0, k };
        let load = line(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0);
        let compare = calls.into_iter().enumerate().map(|(index, call)| {
            line(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, (N - index) as u8, call as u32)
        });
        let answers = [libc::SECCOMP_RET_KILL_PROCESS, libc::SECCOMP_RET_ALLOW]
            .map(|answer| line(libc::BPF_RET | libc::BPF_K, 0, answer));
        [load].into_iter().chain(compare).chain(answers).collect()
    }

    fn confine(filter: &[libc::sock_filter]) -> bool {
        let program =
            libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
        // SAFETY: a program of so many lines, which is only read.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
                    == 0
        }
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
        assert_eq!(rows(&path), [], "it begins anew");
        let counters = Counters::open(&path).expect("counters");
        count(&counters, 1);
        assert_eq!(rows(&path)[0].bytes, 1);
        fs::remove_file(&path).expect("removed");
        count(&counters, 1);
        drop(counters);
        assert!(!path.exists(), "what somebody took away is not made anew");
    }

    #[test]
    fn who_reads_settles_what_killed_processes_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stats");
        let killed = Counters::open(&path).expect("counters");
        count(&killed, 100);
        // SAFETY: attached once; as at the end of a process, nothing else of it is left.
        unsafe { libc::shmdt(killed.memory.words().as_ptr().cast()) };
        std::mem::forget(killed);
        assert_eq!(memories(&path), 1, "the memory is still there");
        for _ in 0..2 {
            assert_eq!((rows(&path)[0].calls, rows(&path)[0].bytes), (1, 100));
        }
        assert_eq!(memories(&path), 0);
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
        assert_eq!(rows(&path)[0].bytes, 23);
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

    /// Only root can be another user.
    #[test]
    fn a_file_that_all_may_write_has_the_counts_of_all() {
        // SAFETY: no precondition.
        if unsafe { libc::geteuid() } != 0 {
            return println!("skipped: only root can become another user");
        }
        for (mode, bytes) in [(0o666, Some(123)), (0o644, Some(23))] {
            let folder = tempfile::tempdir().expect("a folder");
            fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("permissions");
            let path = folder.path().join("stats");
            File::create(&path).expect("a file");
            fs::set_permissions(&path, Permissions::from_mode(0o666)).expect("permissions");
            // SAFETY: the child only counts: no lock of another thread is in its way.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: of this thread alone, by numbers.
                unsafe { libc::syscall(libc::SYS_setresuid, 65534, 65534, 65534) };
                count(&Counters::open(&path).expect("counters"), 100);
                // SAFETY: it ends this process without the handlers of the test program.
                unsafe { libc::_exit(0) }
            }
            let mut status = 0;
            // SAFETY: a child of ours and room for its status.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0);
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("permissions");
            count(&Counters::open(&path).expect("counters"), 23);
            assert_eq!(rows(&path).first().map(|row| row.bytes), bytes, "{mode:o}");
        }
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

    /// Wirespeed 0.1.0 mapped the file itself, and its programs may run still.
    #[test]
    fn a_file_of_another_version_gives_way_and_is_not_cut_short() {
        let folder = tempfile::tempdir().expect("a folder");
        // SAFETY: no precondition.
        let own = folder.path().join(file_of(unsafe { libc::geteuid() }));
        let old = [b"wirespeed stats 0.0.9\n".as_slice(), &[0; 4074]].concat();
        for (place, mode) in [(folder.path(), 0o600), (&own, 0o666)] {
            fs::write(&own, &old).expect("written");
            fs::set_permissions(&own, Permissions::from_mode(mode)).expect("permissions");
            let mapped = File::open(&own).expect("of a program that runs");
            let refused = Snapshot::read(&own).expect_err("it is not interpreted");
            assert_eq!(refused.kind(), std::io::ErrorKind::Unsupported);
            count(&Counters::open(place).expect("counters"), 100);
            assert_eq!(rows(place)[0].bytes, 100);
            assert_eq!(mapped.metadata().expect("a file").len(), old.len() as u64);
            assert_eq!(fs::metadata(&own).expect("a file").mode() & 0o777, mode);
        }
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
