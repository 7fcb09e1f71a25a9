//! What one context counts, and where.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use wirespeed_cipher::{Direction, Route};

use crate::calls;
use crate::counters::Counters;
use crate::slots::{Place, Process};

/// The count of one context: whoever has it counts, one call after the other.
pub struct Tally {
    counters: Arc<Counters>,
    subject: usize,
    /// What its slot counts at present; 0 without a slot.
    kind: Cell<usize>,
    place: Cell<Place>,
    /// Calls until it asks for a slot.
    wait: Cell<u32>,
}

/// Contexts of a single message need no slot.
const EARLY: u32 = 16;
/// Where there was none, there may be one later.
const AGAIN: u32 = 256;

impl Tally {
    /// Nothing is counted yet. `subject` is [`wirespeed_cipher::Subject::index`].
    pub fn new(counters: &Arc<Counters>, subject: usize) -> Self {
        Self {
            counters: counters.clone(),
            subject,
            kind: Cell::new(0),
            place: Cell::new(Place::NOWHERE),
            wait: Cell::new(EARLY),
        }
    }

    /// Counts one data call.
    #[inline(always)]
    pub fn count(&self, direction: Direction, route: Route, bytes: usize) {
        let kind = calls(self.subject, direction, route);
        let place = self.place.get();
        match &self.counters.process {
            Some(process) if kind == self.kind.get() && process.is(place.owner) => {
                self.add(place, bytes);
            }
            _ => self.count_elsewhere(kind, bytes),
        }
    }

    /// Plain loads and stores: nobody else writes there.
    #[inline(always)]
    fn add(&self, place: Place, bytes: usize) {
        let words = self.counters.memory.words();
        for (word, more) in [(place.word, 1), (place.word + 1, bytes as u64)] {
            let sum = words[word].load(Ordering::Relaxed).wrapping_add(more);
            words[word].store(sum, Ordering::Relaxed);
        }
    }

    #[cold]
    #[inline(never)]
    fn count_elsewhere(&self, kind: usize, bytes: usize) {
        if let Some(place) = self.counters.process.as_ref().and_then(|it| self.place(it, kind)) {
            self.kind.set(kind);
            self.place.set(place);
            return self.add(place, bytes);
        }
        let words = self.counters.memory.words();
        words[kind].fetch_add(1, Ordering::Relaxed);
        words[kind + 1].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Where calls of a kind are counted by this context alone, if it has such a place or gets one.
    fn place(&self, process: &Process, kind: usize) -> Option<Place> {
        let memory = &self.counters.memory;
        if self.has_slot_of(process) {
            return memory.other_kind(self.place.get(), kind);
        }
        // A parent's slot stays the parent's.
        self.kind.set(0);
        if self.wait.get() > 0 {
            self.wait.update(|calls| calls - 1);
            return None;
        }
        let place = memory.take_slot(process, kind);
        if place.is_none() {
            self.wait.set(AGAIN);
        }
        place
    }

    fn has_slot_of(&self, process: &Process) -> bool {
        self.kind.get() != 0 && process.is(self.place.get().owner)
    }
}

/// A copy counts its own calls.
impl Clone for Tally {
    fn clone(&self) -> Self {
        Self::new(&self.counters, self.subject)
    }
}

/// What it counted stays.
impl Drop for Tally {
    fn drop(&mut self) {
        if self.counters.process.as_ref().is_some_and(|it| self.has_slot_of(it)) {
            self.counters.memory.give_back(self.place.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::thread;

    use wirespeed_cipher::{Direction, Route};

    use super::*;
    use crate::Snapshot;
    use crate::slots::SLOTS;

    const CALLS: u64 = 1000;

    fn calls_of(path: &Path, route: Route) -> (u64, u64) {
        let rows = Snapshot::read(path).expect("counters");
        let row = rows.rows().find(|row| row.route == route);
        row.map_or((0, 0), |row| (row.calls, row.bytes))
    }

    fn many(tally: &Tally, route: Route) {
        for _ in 0..CALLS {
            tally.count(Direction::Encrypt, route, 3);
        }
    }

    fn opened() -> (tempfile::TempDir, Arc<Counters>) {
        let folder = tempfile::tempdir().expect("a folder");
        let counters = Counters::open(&folder.path().join("stats")).expect("counters");
        (folder, counters)
    }

    /// A child, which ends as if it were killed.
    struct Child(libc::pid_t);

    fn in_child(run: impl FnOnce()) -> Child {
        // SAFETY: the child only counts: no lock of another thread is in its way.
        let child = unsafe { libc::fork() };
        if child == 0 {
            run();
            // SAFETY: it ends this process without the handlers of the test program.
            unsafe { libc::_exit(0) }
        }
        Child(child)
    }

    impl Child {
        fn wait(self) {
            let mut status = 0;
            // SAFETY: a child of ours and room for its status.
            assert_eq!(unsafe { libc::waitpid(self.0, &raw mut status, 0) }, self.0);
            assert_eq!(status, 0);
        }
    }

    #[test]
    fn every_call_is_seen_at_once_whoever_counts_it() {
        let (folder, counters) = opened();
        let path = folder.path().join("stats");
        let tally = Tally::new(&counters, 17);
        for call in 1..=CALLS {
            tally.count(Direction::Encrypt, Route::Portable, 3);
            assert_eq!(calls_of(&path, Route::Portable), (call, 3 * call));
        }
        // More routes than a slot can count.
        for route in [Route::Libcrypto, Route::Kernel, Route::Portable] {
            many(&tally, route);
        }
        many(&tally.clone(), Route::Kernel);
        drop(tally);
        drop(counters);
        assert_eq!(calls_of(&path, Route::Portable), (2 * CALLS, 6 * CALLS));
        assert_eq!(calls_of(&path, Route::Libcrypto), (CALLS, 3 * CALLS));
        assert_eq!(calls_of(&path, Route::Kernel), (2 * CALLS, 6 * CALLS));
    }

    #[test]
    fn parent_and_child_count_with_the_same_context() {
        let (folder, counters) = opened();
        let tally = Tally::new(&counters, 17);
        many(&tally, Route::Portable);
        // What is the parent's stays the parent's.
        // SAFETY: the child has no more use for its own.
        in_child(|| drop(unsafe { std::ptr::read(&raw const tally) })).wait();
        let owner = tally.place.get().owner;
        assert_eq!(counters.memory.owner_of(tally.place.get()), Some(owner));
        // All three at once.
        let often = || (0..200).for_each(|_| many(&tally, Route::Portable));
        let child = in_child(|| {
            let child = in_child(often);
            often();
            child.wait();
        });
        often();
        child.wait();
        let path = folder.path().join("stats");
        assert_eq!(calls_of(&path, Route::Portable), (601 * CALLS, 3 * 601 * CALLS));
    }

    #[test]
    fn many_threads_with_many_contexts_lose_nothing() {
        let (folder, counters) = opened();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for calls in 0..200 {
                        let tally = Tally::new(&counters, 17);
                        for _ in 0..calls {
                            tally.count(Direction::Decrypt, Route::Portable, 1);
                        }
                    }
                });
            }
        });
        let calls = 8 * (0..200).sum::<u64>();
        assert_eq!(calls_of(&folder.path().join("stats"), Route::Portable), (calls, calls));
    }

    #[test]
    fn slots_of_ended_processes_serve_again() {
        let (folder, counters) = opened();
        let path = folder.path().join("stats");
        let tallies: Vec<_> = (0..SLOTS).map(|_| Tally::new(&counters, 17)).collect();
        let count = || {
            for tally in &tallies {
                for _ in 0..=EARLY {
                    tally.count(Direction::Encrypt, Route::Portable, 1);
                }
            }
        };
        let owned = || tallies.iter().filter(|tally| tally.kind.get() != 0).count();
        // The child takes them all.
        in_child(count).wait();
        count();
        assert_eq!(owned(), 0, "there is none left");
        let calls = 2 * tallies.len() as u64 * u64::from(EARLY + 1);
        assert_eq!(calls_of(&path, Route::Portable), (calls, calls), "nothing is lost by it");
        // A program that starts looks after them.
        let next = Counters::open(&path).expect("counters");
        tallies.iter().for_each(|tally| tally.wait.set(0));
        count();
        assert_eq!(owned(), SLOTS);
        let calls = 3 * tallies.len() as u64 * u64::from(EARLY + 1);
        assert_eq!(calls_of(&path, Route::Portable), (calls, calls));
        drop(next);
    }
}
