//! Counters of single contexts, which nobody else writes.
//!
//! Adding to a counter that all processes share takes a locked instruction: as long as some hundred bytes of AES. So a
//! context that lives on takes a slot in the shared memory and adds there by plain loads and stores. Whoever reads adds
//! up. A slot that is given back keeps what it has counted, and the next owner goes on from there: nothing is moved, so
//! nothing is lost wherever a process is killed.

use std::sync::atomic::Ordering;

use wirespeed_fork::{Area, Word};

use crate::memory::Memory;
use crate::{HEADER_WORDS, WORDS};

/// Slots in the memory. What finds none counts where all count.
pub(crate) const SLOTS: usize = 4096;

/// Words of a slot, which are a cache line: its owner, one that is free, and [`COUNTS`] times a kind, calls and bytes.
pub(crate) const SLOT_WORDS: usize = 8;
/// Kinds that a slot can count: a context's messages may be long and short, and go different ways.
const COUNTS: usize = 2;
const OWNER: usize = 0;
const FIRST_KIND: usize = 2;
const COUNT_WORDS: usize = 3;

/// Words before the slots: what all their owners share.
pub(crate) const SHARED: usize = 8;
const _: () = assert!((2 * WORDS + SHARED).is_multiple_of(SLOT_WORDS));
/// How many slots were asked for: where the next one looks first.
const ASKED: usize = 0;
/// No slot at this place or behind it was ever owned.
const REACHED: usize = 1;
/// Processes that own slots, counted for a number that is new.
const OWNERS: usize = 2;
/// Somebody has found no slot.
const EXHAUSTED: usize = 3;

/// Slots that are tried before a context counts elsewhere for a while.
const TRIES: usize = 16;

/// Who owns a slot: a process, its namespace and a count, so that neither a child nor a later process of the same number
/// is taken for it. No owner is 0, for no process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner(u64);

impl Owner {
    /// proc_sys_kernel(5): process numbers are below 2^22.
    const PROCESS_BITS: u32 = 22;
    const NAMESPACE_BITS: u32 = 20;

    fn new(process: u32, namespace: u64, number: u64) -> Self {
        let namespace = namespace & ((1 << Self::NAMESPACE_BITS) - 1);
        let process = u64::from(process) & ((1 << Self::PROCESS_BITS) - 1);
        Self((number << Self::NAMESPACE_BITS | namespace) << Self::PROCESS_BITS | process)
    }

    fn process(self) -> u32 {
        (self.0 & ((1 << Self::PROCESS_BITS) - 1)) as u32
    }

    fn namespace(self) -> u64 {
        self.0 >> Self::PROCESS_BITS & ((1 << Self::NAMESPACE_BITS) - 1)
    }
}

/// This process, as the owner of slots.
pub(crate) struct Process {
    area: Area,
    namespace: u64,
}

impl Process {
    /// None where Linux cannot tell a child that it is one.
    pub(crate) fn new(memory: &Memory) -> Option<Self> {
        let area = Area::new(0).ok()?;
        // Numbers of processes mean something in their namespace only.
        let namespace = std::fs::metadata("/proc/self/ns/pid");
        let namespace = namespace.map_or(0, |it| std::os::unix::fs::MetadataExt::ino(&it));
        area.mark().store(0, Ordering::Relaxed);
        let process = Self { area, namespace };
        process.owner(memory);
        Some(process)
    }

    /// What slots that are this process's have as their owner; nothing that was ever told in a parent.
    #[inline(always)]
    pub(crate) fn is(&self, owner: Owner) -> bool {
        self.area.mark().load(Ordering::Relaxed) == owner.0
    }

    /// The same, which a child that asks first makes its own.
    fn owner(&self, memory: &Memory) -> Owner {
        let mark = self.area.mark();
        let known = mark.load(Ordering::Relaxed);
        if known != 0 {
            return Owner(known);
        }
        let number = memory.shared(OWNERS).fetch_add(1, Ordering::Relaxed);
        let owner = Owner::new(std::process::id(), self.namespace, number);
        let others = mark.compare_exchange(0, owner.0, Ordering::Relaxed, Ordering::Relaxed);
        Owner(others.err().unwrap_or(owner.0))
    }
}

/// A slot that a context owns, and where it counts calls of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    slot: usize,
    pub(crate) owner: Owner,
    /// The word of the calls; bytes are in the next one.
    pub(crate) word: usize,
}

impl Place {
    /// Nobody owns it.
    pub(crate) const NOWHERE: Self = Self { slot: 0, owner: Owner(0), word: 0 };
}

impl Memory {
    /// One of the words that all owners share.
    fn shared(&self, word: usize) -> &Word {
        &self.words()[2 * WORDS + word]
    }

    fn slot_word(slot: usize) -> usize {
        2 * WORDS + SHARED + slot * SLOT_WORDS
    }

    /// The word that has a slot's owner; 0 without one.
    fn owner_word(&self, slot: usize) -> &Word {
        &self.words()[Self::slot_word(slot) + OWNER]
    }

    /// Where a slot has its kinds, each before its calls and bytes.
    fn kinds(slot: usize) -> impl Iterator<Item = usize> {
        (0..COUNTS).map(move |count| Self::slot_word(slot) + FIRST_KIND + count * COUNT_WORDS)
    }

    /// The word that has the calls of `kind` in a slot; an unused one becomes it.
    fn count_of(&self, slot: usize, kind: usize) -> Option<usize> {
        let kind = kind as u64;
        Self::kinds(slot).find_map(|word| {
            let word_of_kind = &self.words()[word];
            let known = word_of_kind.load(Ordering::Relaxed);
            if known == 0 {
                word_of_kind.store(kind, Ordering::Relaxed);
            }
            (known == kind || known == 0).then_some(word + 1)
        })
    }

    /// A slot for calls of `kind`, if one is found soon.
    pub(crate) fn take_slot(&self, process: &Process, kind: usize) -> Option<Place> {
        let owner = process.owner(self);
        let first = self.shared(ASKED).fetch_add(1, Ordering::Relaxed) as usize;
        // Whoever may count may have written any number there.
        for slot in (0..TRIES).map(|it| first.wrapping_add(it) % SLOTS) {
            let word = self.owner_word(slot);
            let free = word.load(Ordering::Relaxed) == 0;
            // What the owner before has counted is visible to its successor.
            let taken = || word.compare_exchange(0, owner.0, Ordering::Acquire, Ordering::Relaxed);
            if !free || taken().is_err() {
                continue;
            }
            if let Some(word) = self.count_of(slot, kind) {
                self.shared(REACHED).fetch_max(slot as u64 + 1, Ordering::Relaxed);
                return Some(Place { slot, owner, word });
            }
            word.store(0, Ordering::Release);
        }
        self.shared(EXHAUSTED).store(1, Ordering::Relaxed);
        None
    }

    /// The same slot, for calls of another kind.
    pub(crate) fn other_kind(&self, place: Place, kind: usize) -> Option<Place> {
        Some(Place { word: self.count_of(place.slot, kind)?, ..place })
    }

    /// Gives a slot of this process back.
    pub(crate) fn give_back(&self, place: Place) {
        self.owner_word(place.slot).store(0, Ordering::Release);
    }

    #[cfg(test)]
    pub(crate) fn owner_of(&self, place: Place) -> Option<Owner> {
        let owner = self.owner_word(place.slot).load(Ordering::Relaxed);
        (owner != 0).then_some(Owner(owner))
    }

    /// Frees the slots of processes that ended without giving them back, if slots have run short.
    ///
    /// Where Linux hides a process, nothing is freed of it. A process that went into another namespace is still known by
    /// the one it came from: if it is taken for an ended one, it shares a slot, and a few calls are counted once for two.
    pub(crate) fn free_slots_of_ended(&self, process: &Process) {
        if self.shared(EXHAUSTED).swap(0, Ordering::Relaxed) == 0 {
            return;
        }
        let namespace = process.owner(self).namespace();
        let mut last = (Owner(0), false);
        for slot in 0..SLOTS {
            let word = self.owner_word(slot);
            let owner = Owner(word.load(Ordering::Relaxed));
            if owner.0 == 0 || owner.namespace() != namespace {
                continue;
            }
            if owner != last.0 {
                last = (owner, has_ended(owner.process()));
            }
            if last.1 {
                // It may just have been taken by another.
                let _ = word.compare_exchange(owner.0, 0, Ordering::AcqRel, Ordering::Relaxed);
            }
        }
    }

    /// What slots have counted: word of calls as all count them, calls, bytes.
    pub(crate) fn counted_in_slots(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let reached = (self.shared(REACHED).load(Ordering::Relaxed) as usize).min(SLOTS);
        (0..reached).flat_map(Self::kinds).filter_map(|word| {
            let [kind, calls, bytes] =
                [0, 1, 2].map(|it| self.words()[word + it].load(Ordering::Relaxed));
            let kind = usize::try_from(kind).ok()?;
            // Whoever may count may write anything there.
            let known = (HEADER_WORDS..WORDS - 1).contains(&kind) && kind % 2 == 0;
            known.then_some((kind, calls, bytes))
        })
    }
}

/// Whether there is no such process.
fn has_ended(process: u32) -> bool {
    // SAFETY: no signal is sent.
    let answer = unsafe { libc::kill(process as libc::pid_t, 0) };
    answer != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Counters;

    #[test]
    fn an_owner_is_told_from_all_others() {
        let owner = Owner::new(4_194_303, 0xf000_0000, 5);
        assert_eq!((owner.process(), owner.namespace()), (4_194_303, 0));
        let others = [(4_194_303, 0xf000_0000, 6), (4_194_303, 1, 5), (1, 0xf000_0000, 5)];
        for (process, namespace, number) in others {
            assert_ne!(owner, Owner::new(process, namespace, number));
        }
    }

    #[test]
    fn a_slot_is_found_wherever_the_search_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        let counters = Counters::open(&folder.path().join("stats")).expect("counters");
        let (memory, process) = (&counters.memory, counters.process.as_ref().expect("a process"));
        memory.shared(ASKED).store(usize::MAX as u64 - 1, Ordering::Relaxed);
        let slots: Vec<_> = (0..4)
            .map(|_| memory.take_slot(process, HEADER_WORDS).expect("there are thousands").slot)
            .collect();
        assert_eq!(slots, [SLOTS - 2, SLOTS - 1, 0, 1]);
    }

    #[test]
    fn a_process_that_ended_is_known_from_one_that_runs() {
        let mut child = std::process::Command::new("true").spawn().expect("a child");
        assert!(!has_ended(child.id()), "it is still to be waited for");
        child.wait().expect("its status");
        assert!(has_ended(child.id()));
        assert!(!has_ended(1), "it is another's");
    }
}
