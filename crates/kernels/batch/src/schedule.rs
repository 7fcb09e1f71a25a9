//! Which message runs in which lane: the longest begin, and a lane that is done gets the next.

use std::cmp::Reverse;

use wirespeed_cipher::{Digest, Route, wipe};

use crate::hash::{self, LONGEST_BLOCK};
use crate::lanes::{Chains, Lanes, MOST, Rung, Rungs, ShortChain};
use crate::words::Word;

/// What one chaining value is to be taken over.
pub(crate) struct Job<'a> {
    pub(crate) chain: &'a mut ShortChain,
    /// Whole blocks that come before the rest.
    pub(crate) first: &'a [u8],
    /// What follows; only whole blocks of it, unless the message ends.
    pub(crate) data: &'a [u8],
    /// The length of the whole message, if it ends here.
    pub(crate) end: Option<u128>,
}

/// Runs all jobs to their ends.
pub(crate) fn run(lanes: &Lanes, jobs: &mut [Job<'_>]) {
    match lanes.rungs {
        Rungs::Narrow(rungs) => Wave::run(lanes, rungs, jobs),
        Rungs::Wide(rungs) => Wave::run(lanes, rungs, jobs),
    }
}

/// The jobs in the lanes; those at work are always the first ones.
struct Wave<'w, 'a, W: Word> {
    how: &'w Lanes,
    rungs: &'static [Rung<W>],
    chains: Chains<W>,
    lanes: Vec<Lane<'w, 'a>>,
    /// Last bytes with their padding. Beside the lanes, which are then small enough to be moved about.
    ends: Vec<End>,
    /// The ends that no lane has: wiped.
    free: Vec<usize>,
}

impl<'w, 'a, W: Word> Wave<'w, 'a, W> {
    fn run(how: &'w Lanes, rungs: &'static [Rung<W>], jobs: &'w mut [Job<'a>]) {
        jobs.sort_unstable_by_key(|job| Reverse(job.first.len() + job.data.len()));
        let most = how.width().min(jobs.len());
        let (lanes, ends) = (Vec::with_capacity(most), vec![[0; 2 * LONGEST_BLOCK]; most]);
        let free = (0..most).rev().collect();
        let mut wave = Self { how, rungs, chains: Chains::EMPTY, lanes, ends, free };
        let mut waiting = jobs.iter_mut();
        loop {
            while wave.lanes.len() < most
                && let Some(job) = waiting.next()
            {
                wave.begin(job);
            }
            match wave.rung() {
                Some(rung) => wave.step(rung),
                None if wave.lanes.is_empty() => break,
                None => wave.finish_one_by_one(),
            }
        }
    }

    /// Gives a job the next lane, if there is anything to do.
    fn begin(&mut self, job: &'w mut Job<'a>) {
        let end = *self.free.last().expect("as many as there are lanes");
        let mut lane =
            Lane { digest: self.how.digest, job, part: Part::First, done: 0, end, end_bytes: 0 };
        if lane.advance(0, &mut self.ends) {
            self.chains.put(self.lanes.len(), lane.job.chain);
            self.lanes.push(lane);
            self.free.pop();
        }
    }

    /// The kernel for as many lanes as are at work, if they are worth one.
    fn rung(&self) -> Option<&'static Rung<W>> {
        let count = self.lanes.len();
        let rung = self.rungs.iter().find(|rung| rung.lanes >= count)?;
        let against_unit = matches!(self.how.single_route(), Route::ShaNi | Route::ShaCe);
        (count >= rung.worth[usize::from(against_unit)]).then_some(rung)
    }

    /// Takes all lanes on to where the first of them comes to the end of what lies together.
    fn step(&mut self, rung: &Rung<W>) {
        let block_bytes = self.how.digest.block_bytes();
        // Lanes without work compute along on the first one's bytes.
        let mut from = [self.lanes[0].rest(&self.ends); MOST];
        for (from, lane) in from.iter_mut().zip(&self.lanes) {
            *from = lane.rest(&self.ends);
        }
        let shortest = from[..rung.lanes].iter().map(|rest| rest.len()).min();
        let count = shortest.unwrap_or(0) / block_bytes;
        rung.run(&mut self.chains, &from[..rung.lanes], count);
        for place in (0..self.lanes.len()).rev() {
            if !self.lanes[place].advance(count * block_bytes, &mut self.ends) {
                self.retire(place);
            }
        }
    }

    /// Hands a lane's result over, and its place to the last lane.
    fn retire(&mut self, place: usize) {
        let last = self.lanes.len() - 1;
        self.chains.take(place, self.lanes[place].job.chain);
        // Most lanes end together, and what was just written is slow to be moved.
        if place != last {
            self.chains.fill_gap(place, last);
            self.lanes.swap(place, last);
        }
        self.drop_last();
    }

    /// Takes the last lane away, and wipes its end for another to have it.
    fn drop_last(&mut self) {
        if let Some(Lane { end, end_bytes, .. }) = self.lanes.pop() {
            wipe(&mut self.ends[end][..end_bytes]);
            self.free.push(end);
        }
    }

    /// Brings all that are at work to their ends, one after another.
    fn finish_one_by_one(&mut self) {
        for place in (0..self.lanes.len()).rev() {
            let lane = &mut self.lanes[place];
            self.chains.take(place, lane.job.chain);
            loop {
                let mut chain = *lane.job.chain;
                let rest = lane.rest(&self.ends);
                let bytes = rest.len();
                self.how.take_alone(&mut chain, rest);
                *lane.job.chain = chain;
                if !lane.advance(bytes, &mut self.ends) {
                    break;
                }
            }
            self.drop_last();
        }
    }
}

/// The last bytes of a message with their padding.
type End = [u8; 2 * LONGEST_BLOCK];

/// A job in a lane, and how far it has come.
struct Lane<'w, 'a> {
    digest: Digest,
    job: &'w mut Job<'a>,
    part: Part,
    /// Bytes of this part that are done.
    done: usize,
    /// The place of its [`End`], and how many bytes of it are in use.
    end: usize,
    end_bytes: usize,
}

#[derive(Clone, Copy)]
enum Part {
    First,
    Data,
    End,
}

impl Lane<'_, '_> {
    /// The whole blocks of this part that are not done: never none.
    #[inline(always)]
    fn rest<'e>(&'e self, ends: &'e [End]) -> &'e [u8] {
        let part = match self.part {
            Part::First => self.job.first,
            Part::Data => &self.job.data[..self.whole()],
            Part::End => &ends[self.end][..self.end_bytes],
        };
        &part[self.done..]
    }

    /// Bytes of the data in whole blocks.
    const fn whole(&self) -> usize {
        self.job.data.len() & !(self.digest.block_bytes() - 1)
    }

    /// Counts bytes as done; whether more are left.
    #[inline(always)]
    fn advance(&mut self, bytes: usize, ends: &mut [End]) -> bool {
        self.done += bytes;
        while self.rest(ends).is_empty() {
            self.done = 0;
            match (self.part, self.job.end) {
                (Part::First, _) => self.part = Part::Data,
                (Part::Data, Some(length)) => {
                    let open = &self.job.data[self.whole()..];
                    self.end_bytes = hash::pad(self.digest, &mut ends[self.end], open, length);
                    self.part = Part::End;
                }
                (Part::Data, None) | (Part::End, _) => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Compression;
    use wirespeed_cpu::Features;

    use super::*;
    use crate::compress::{self, Compress, Md5, Sha1, Sha256, Sha512};
    use crate::portable::{Arithmetic, Plain};
    use crate::words::Pair;
    use crate::{hash_all, self_test};

    /// Lanes of plain integers, which every machine has, and which Miri can interpret.
    trait Lanewise: Compress<Word: Arithmetic> + Sized + 'static {
        const RUNGS: &'static [Rung<Self::Word>] = &[
            Rung { lanes: 2, worth: [2, 2], blocks: two::<Self> },
            Rung { lanes: 6, worth: [3, 5], blocks: six::<Self> },
        ];
    }

    impl<C: Compress<Word: Arithmetic> + 'static> Lanewise for C {}

    unsafe fn two<C: Compress<Word: Arithmetic>>(
        chains: *mut C::Word,
        from: *const *const u8,
        count: usize,
    ) {
        // SAFETY: the caller's promise is the same.
        unsafe { compress::blocks::<C, _>(Plain::<C::Word, 2>::HERE, chains, from, count) }
    }

    unsafe fn six<C: Compress<Word: Arithmetic>>(
        chains: *mut C::Word,
        from: *const *const u8,
        count: usize,
    ) {
        // SAFETY: the caller's promise is the same.
        unsafe { compress::blocks::<C, _>(Pair(Plain::<C::Word, 3>::HERE), chains, from, count) }
    }

    /// A function in such lanes.
    fn in_lanes(digest: Digest) -> Lanes {
        let portable = Lanes::new(Route::Portable, digest, Features::NONE);
        let mut lanes = portable.expect("for any machine");
        lanes.rungs = match digest.compression() {
            Compression::Md5 => Rungs::Narrow(Md5::RUNGS),
            Compression::Sha1 => Rungs::Narrow(Sha1::RUNGS),
            Compression::Sha256 => Rungs::Narrow(Sha256::RUNGS),
            Compression::Sha512 => Rungs::Wide(Sha512::RUNGS),
            _ => unreachable!("it does not run in lanes"),
        };
        lanes
    }

    /// All of them; for Miri one of each kind.
    fn digests() -> impl Iterator<Item = Digest> {
        let kinds = [Digest::Md5, Digest::Sha256, Digest::Sha512];
        Lanes::DIGESTS.into_iter().filter(move |it| !cfg!(miri) || kinds.contains(it))
    }

    #[test]
    #[cfg_attr(miri, ignore = "long messages; those below are the same code")]
    fn lanes_of_plain_integers_pass_the_self_test() {
        for digest in digests() {
            assert_eq!(in_lanes(digest).width(), 6);
            assert!(self_test(&in_lanes(digest)), "{digest}");
        }
    }

    #[test]
    fn every_number_of_messages_comes_to_its_end() {
        let message = [0x5a; 700];
        // Miri takes a second for a few blocks.
        let counts: &[usize] = if cfg!(miri) { &[7] } else { &[0, 1, 2, 3, 4, 5, 6, 7, 13, 40] };
        for digest in digests() {
            let lanes = in_lanes(digest);
            for &count in counts {
                let messages = (0..count).map(|i| &message[..(i * 97) % 700]);
                let messages: Vec<&[u8]> = messages.collect();
                let right: Vec<_> = messages.iter().map(|it| hash_all(&lanes, &[it])[0]).collect();
                assert_eq!(hash_all(&lanes, &messages), right, "{digest}: {count}");
            }
        }
    }

    #[test]
    fn a_wrong_kernel_is_found() {
        unsafe fn wrong(chains: *mut u32, from: *const *const u8, count: usize) {
            // SAFETY: the caller's promise is the same, and there is a first word.
            unsafe {
                two::<Md5>(chains, from, count);
                *chains ^= u32::from(count > 1);
            }
        }
        static WRONG: [Rung<u32>; 1] = [Rung { lanes: 2, worth: [2, 2], blocks: wrong }];
        let mut lanes = in_lanes(Digest::Md5);
        lanes.rungs = Rungs::Narrow(&WRONG);
        assert!(!self_test(&lanes));
    }
}
