//! The memory that processes count in together: shared memory of System V, which nobody can cut short.
//!
//! A mapped file would end the program that counts in it as soon as somebody makes it shorter (SIGBUS, mmap(2)), and
//! writing to it at each call would cost more than the call. Such memory needs no call to count in it, is inherited by
//! children, outlives a change of user, a chroot and a process that is killed, and its size is fixed (shmget(2)).

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr::{NonNull, null};
use std::sync::atomic::Ordering;

use wirespeed_fork::Word;

use crate::file::{BEGUN, Identity, begin, check, options, place, read};
use crate::slots::{SHARED, SLOT_WORDS, SLOTS};
use crate::{HEADER_WORDS, LOADS, MAGIC, QUARANTINED, WORDS};

/// In the memory, the number of the file.
const INODE: usize = 7;

/// What was counted, how much of it the file has already, and slots.
const SHARED_WORDS: usize = 2 * WORDS + SHARED + SLOTS * SLOT_WORDS;
const SHARED_BYTES: usize = SHARED_WORDS * 8;

/// Keys that are tried: somebody else may have memory under one of them.
const ATTEMPTS: u64 = 4;

/// Shared memory, until it is dropped.
pub(crate) struct Memory {
    id: libc::c_int,
    words: NonNull<[Word; SHARED_WORDS]>,
    /// What is attached; never less than the words.
    bytes: usize,
}

// SAFETY: atomic words in memory that stays attached until `drop`.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// The memory of a file, made if it is not there; whoever may write the file may count in it.
    pub(crate) fn join(file: Identity, mode: u32) -> Result<Self, String> {
        if !wirespeed_fork::is_atomic_for_all() {
            return Err("cannot be counted for: this CPU has no atomic words of 64 bits".to_owned());
        }
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

    /// Attaches memory that this user has made, or one who may write the file.
    fn attach(id: libc::c_int, file: Identity, flags: libc::c_int) -> Option<Self> {
        // SAFETY: all zeros is a valid `shmid_ds`, which is only written to.
        let mut about: libc::shmid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: room for the answer.
        let told = unsafe { libc::shmctl(id, libc::IPC_STAT, &raw mut about) } == 0;
        // SAFETY: no precondition.
        let user = unsafe { libc::geteuid() };
        let (maker, group) = (about.shm_perm.cuid, about.shm_perm.cgid);
        let trusted = maker == user || file.counts(maker, group);
        if !told || !trusted || about.shm_segsz < SHARED_BYTES {
            return None;
        }
        // SAFETY: the system chooses where; nothing is replaced.
        let address = unsafe { libc::shmat(id, null(), flags) };
        let words = NonNull::new(address.cast()).filter(|_| address as isize != -1)?;
        Some(Self { id, words, bytes: about.shm_segsz })
    }

    pub(crate) fn words(&self) -> &[Word; SHARED_WORDS] {
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
        let mut sums: Vec<u64> = (0..WORDS).map(|word| self.load(word)).collect();
        for (word, calls, bytes) in self.counted_in_slots() {
            for (word, count) in [(word, calls), (word + 1, bytes)] {
                sums[word] = sums[word].wrapping_add(count);
            }
        }
        let words = [LOADS].into_iter().chain(HEADER_WORDS..WORDS);
        let counts =
            words.map(move |word| (word, sums[word].wrapping_sub(self.load(WORDS + word))));
        counts.filter(|(_, count)| *count > 0)
    }

    /// Quarantined routes, as bits.
    pub(crate) fn quarantined(&self) -> u64 {
        self.load(QUARANTINED)
    }

    /// Adds to the file what it does not have yet; its lock is held.
    pub(crate) fn bring_to(&self, file: &File, about: &Metadata, begun: u64) -> Result<(), Error> {
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

    /// Brings to the file what processes left that ended, and takes the memory away. The file's lock is held; the
    /// memory may be attached for reading only.
    pub(crate) fn settle(&self, path: &Path, identity: Identity) {
        let Ok(file) = options().open(path) else { return };
        let Ok(about) = check(&file) else { return };
        if identity.is_of(&about) && self.remove_if_last() {
            // What cannot be written is lost.
            let _ = self.add_to(&file, &about, identity.begun, |_, _| {});
        }
    }

    /// Takes the memory away where nobody else counts in it. The file's lock keeps others from joining meanwhile.
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
        // Like shmdt(2), by the call that free(3) makes as well: a sandbox that allows the one allows the other.
        // SAFETY: attached once, with so many bytes, and given up here.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.bytes) };
    }
}

fn shmget(key: libc::key_t, flags: libc::c_int) -> Result<libc::c_int, Error> {
    // SAFETY: numbers.
    let id = unsafe { libc::shmget(key, SHARED_BYTES, flags) };
    if id < 0 { Err(Error::last_os_error()) } else { Ok(id) }
}
