//! Linux interrupts the processes so often in a second of their processor time, and tells where they are.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::iter;

use crate::arch::{Event, Ring, of_threads, whole_machine};
use crate::processes;
use crate::spaces::Spaces;

/// Samples being taken.
pub(crate) struct Sampling {
    rings: Vec<Ring>,
    pub(crate) seen: Seen,
}

/// Samples.
#[derive(Default)]
pub(crate) struct Seen {
    /// How often each place was hit.
    pub(crate) hits: HashMap<Place, u64>,
    /// The samples of each thread.
    pub(crate) threads: HashMap<u32, u64>,
    /// Which file is where.
    pub(crate) spaces: Spaces,
    /// Whether Linux itself is sampled, which may be root's to see.
    pub(crate) with_linux: bool,
    /// Samples that were lost.
    pub(crate) lost: u64,
    /// The processes that are meant, where all are sampled.
    members: Option<BTreeSet<u32>>,
}

/// Where a program was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// In a file: its number, and the place in it.
    File(usize, u64),
    /// In Linux, at an address.
    Linux(u64),
    /// In memory that belongs to no file.
    Nowhere,
}

impl Sampling {
    /// Of processes, and what they start; `period` is the nanoseconds of processor time between two samples.
    pub(crate) fn of(processes: &BTreeSet<u32>, period: u64) -> io::Result<Self> {
        // One ring for each CPU, where all processes may be seen; else one for each thread and CPU.
        let mut sampling = match Self::of_none(period) {
            Ok(sampling) => sampling,
            Err(_) => {
                let threads = processes.iter().flat_map(|it| processes::threads(*it));
                let (rings, with_linux) = of_threads(&threads.collect::<Vec<_>>(), period)?;
                Self { rings, seen: Seen { with_linux, ..Seen::default() } }
            }
        };
        processes.iter().for_each(|process| sampling.include(*process));
        Ok(sampling)
    }

    /// Of no process yet; root's to have.
    pub(crate) fn of_none(period: u64) -> io::Result<Self> {
        let members = Some(BTreeSet::new());
        let seen = Seen { with_linux: true, members, ..Seen::default() };
        Ok(Self { rings: whole_machine(period)?, seen })
    }

    /// Another process that is meant.
    pub(crate) fn include(&mut self, process: u32) {
        self.seen.spaces.read(process);
        if let Some(members) = &mut self.seen.members {
            members.insert(process);
        }
    }

    /// Takes what has come; often enough, or samples are lost.
    pub(crate) fn drain(&mut self) {
        let events = self.rings.iter_mut().flat_map(|ring| iter::from_fn(|| ring.next()));
        self.seen.take(events.collect());
    }
}

impl Seen {
    /// Takes what all CPUs told: first what is mapped where, for it may have been another CPU that told it.
    fn take(&mut self, events: Vec<Event>) {
        let mut samples = Vec::new();
        for event in events {
            match event {
                Event::Sample { in_linux, address, process, thread } => {
                    samples.push((in_linux, address, process, thread));
                }
                Event::Map { process, start, length, offset, path } => {
                    self.spaces.map(process, start, length, offset, &path);
                }
                Event::Fork { parent, child } => {
                    self.spaces.fork(parent, child);
                    if let Some(members) = &mut self.members
                        && members.contains(&parent)
                    {
                        members.insert(child);
                    }
                }
                Event::Lost(count) => self.lost += count,
            }
        }
        for (in_linux, address, process, thread) in samples {
            if self.members.as_ref().is_some_and(|members| !members.contains(&process)) {
                continue;
            }
            let place = match self.spaces.find(process, address) {
                _ if in_linux => Place::Linux(address),
                Some((file, offset)) => Place::File(file, offset),
                None => Place::Nowhere,
            };
            *self.hits.entry(place).or_default() += 1;
            *self.threads.entry(thread).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(process: u32, address: u64) -> Event {
        Event::Sample { in_linux: address > 1 << 63, address, process, thread: process }
    }

    #[test]
    fn children_count_and_strangers_do_not() {
        let mut seen = Seen { members: Some(BTreeSet::from([1])), ..Seen::default() };
        let path = "/lib/a.so".to_owned();
        seen.take(vec![
            // Another CPU told first.
            sample(2, 0x1010),
            Event::Map { process: 1, start: 0x1000, length: 0x100, offset: 0x40, path },
            Event::Fork { parent: 1, child: 2 },
            Event::Fork { parent: 7, child: 8 },
            sample(8, 0x1010),
            sample(1, u64::MAX),
            sample(1, 0x5000),
            Event::Lost(3),
        ]);
        let hits = [(Place::File(0, 0x50), 1), (Place::Linux(u64::MAX), 1), (Place::Nowhere, 1)];
        assert_eq!(seen.hits, HashMap::from(hits));
        assert_eq!((seen.threads, seen.lost), (HashMap::from([(1, 2), (2, 1)]), 3));
    }
}
