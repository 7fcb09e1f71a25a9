//! Which stream runs in which lane: the longest begin, and a lane that is done gets the next.

use std::cmp::Reverse;
use std::ptr;

use wirespeed_cipher::{Block, InOut, Schedule};
use zeroize::optimization_barrier;

use super::gathered::WIDTH;
use super::lanes::{Keys, Rung};
use super::{CipherJob, CipherLanes, Engine, gathered};

/// Blocks for which a lane without work computes along.
const IDLE_BLOCKS: usize = 64;

/// Streams of up to so many blocks run alone where lanes would hold them: the CPU overlaps the next with the
/// one before by itself, and nothing has to be put into lanes (measured: 1.0x at 4 blocks under one key, 1.6x
/// under keys of their own).
const ALONE_BLOCKS: usize = 4;

/// Runs all jobs to their ends.
pub(super) fn run(how: &CipherLanes, jobs: &mut [CipherJob<'_>]) {
    let Some(first) = jobs.first() else { return };
    let (key, length) = (first.key, first.data.len());
    let one_key = jobs.iter().all(|job| ptr::eq(job.key, key));
    let in_order = jobs.len() <= how.width() || jobs.iter().all(|job| job.data.len() == length);
    if in_order && (one_key || matches!(how.engine, Engine::Vectors(_))) {
        return Wave::run(how, one_key.then_some(key), jobs, 0..jobs.len());
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let blocks = |&i: &usize| Reverse(jobs[i].data.len() / 16);
    if one_key || matches!(how.engine, Engine::Vectors(_)) {
        order.sort_unstable_by_key(blocks);
        return Wave::run(how, one_key.then_some(key), jobs, order.into_iter());
    }
    order.sort_unstable_by_key(|i| (ptr::from_ref(jobs[*i].key).addr(), blocks(i)));
    let mut rest = order.as_slice();
    while let Some(&next) = rest.first() {
        let key = jobs[next].key;
        let count = rest.iter().take_while(|i| ptr::eq(jobs[**i].key, key)).count();
        let (now, then) = rest.split_at(count);
        Wave::run(how, Some(key), jobs, now.iter().copied());
        rest = then;
    }
}

/// The streams in the lanes; those at work are always the first ones.
struct Wave<'w, 'j, 'a, I> {
    how: &'w CipherLanes,
    /// The key of all jobs, if it is one.
    one_key: Option<&'a Schedule>,
    jobs: &'j mut [CipherJob<'a>],
    waiting: I,
    /// Lanes at work.
    count: usize,
    /// The job in each lane, where its next block is, and how many are left.
    job: [usize; WIDTH],
    from: [*const u8; WIDTH],
    to: [*mut u8; WIDTH],
    left: [usize; WIDTH],
    chains: Chains,
    /// Only if the jobs have several keys.
    keys: Option<Keys>,
    idle: Option<Idle>,
}

/// The chaining values of lanes.
#[repr(C, align(64))]
struct Chains([Block; WIDTH]);

impl Drop for Chains {
    fn drop(&mut self) {
        self.0.fill([0; 16]);
        optimization_barrier(self);
    }
}

/// What lanes without work read and write.
#[repr(C, align(64))]
struct Idle([Block; IDLE_BLOCKS]);

impl Drop for Idle {
    fn drop(&mut self) {
        self.0.fill([0; 16]);
        optimization_barrier(self);
    }
}

impl<'w, 'j, 'a, I: Iterator<Item = usize>> Wave<'w, 'j, 'a, I> {
    fn run(
        how: &'w CipherLanes,
        one_key: Option<&'a Schedule>,
        jobs: &'j mut [CipherJob<'a>],
        waiting: I,
    ) {
        let mut wave = Self {
            how,
            one_key,
            jobs,
            waiting,
            count: 0,
            job: [0; WIDTH],
            from: [ptr::null(); WIDTH],
            to: [ptr::null_mut(); WIDTH],
            left: [0; WIDTH],
            chains: Chains([[0; 16]; WIDTH]),
            keys: None,
            idle: None,
        };
        loop {
            while wave.count < how.width()
                && let Some(job) = wave.waiting.next()
            {
                wave.begin(job);
            }
            match wave.count {
                0 => break,
                1 => wave.retire(0),
                _ => wave.step(),
            }
        }
    }

    /// Puts a job into the next lane.
    fn begin(&mut self, index: usize) {
        let job = &self.jobs[index];
        let blocks = job.data.len() / 16;
        let in_vectors = matches!(self.how.engine, Engine::Vectors(_));
        if blocks == 0 || (in_vectors && blocks <= ALONE_BLOCKS) {
            return self.finish(index, 0);
        }
        let lane = self.count;
        self.job[lane] = index;
        self.from[lane] = job.data.source();
        self.to[lane] = job.data.destination();
        self.left[lane] = blocks;
        self.chains.0[lane] = *job.iv;
        if self.one_key.is_none() {
            self.keys.get_or_insert_with(Keys::new).put(lane, job.key);
        }
        self.count += 1;
    }

    /// Takes all lanes on to where the first of them comes to its end.
    fn step(&mut self) {
        let at_work = 0..self.count;
        let blocks = self.left[at_work].iter().copied().min().unwrap_or(0);
        let blocks = match self.how.engine {
            Engine::Vectors(rungs) => self.step_in_vectors(rungs, blocks),
            Engine::Blocks => self.step_by_blocks(blocks),
        };
        for lane in 0..self.count {
            self.from[lane] = self.from[lane].wrapping_add(16 * blocks);
            self.to[lane] = self.to[lane].wrapping_add(16 * blocks);
            self.left[lane] -= blocks;
        }
        for lane in (0..self.count).rev() {
            if self.left[lane] == 0 {
                self.retire(lane);
            }
        }
    }

    /// At most so many blocks by the smallest kernels that are wide enough; how many it were.
    fn step_in_vectors(&mut self, rungs: &[Rung], blocks: usize) -> usize {
        let rung =
            rungs.iter().find(|rung| rung.lanes >= self.count).expect("no more than the width");
        let mut blocks = blocks;
        if rung.lanes > self.count {
            blocks = blocks.min(IDLE_BLOCKS);
            let idle = self.idle.get_or_insert_with(|| Idle([[0; 16]; IDLE_BLOCKS]));
            let idle = idle.0.as_mut_ptr().cast::<u8>();
            self.from[self.count..rung.lanes].fill(idle);
            self.to[self.count..rung.lanes].fill(idle);
        }
        let (kernel, keys) = match self.one_key {
            Some(key) => (rung.one_key, key.round_keys.as_ptr()),
            None => {
                let keys = self.keys.as_ref().expect("every lane's key was put there");
                (rung.own_keys, keys.as_ptr())
            }
        };
        let (chains, from, to) = (&mut self.chains.0, &self.from, &self.to);
        // SAFETY: so many blocks are left in every lane at work, and the others have as many to themselves.
        // The keys are as the kernel wants them. The table of rungs was reached with the proof of its unit.
        unsafe { kernel(keys, chains.as_mut_ptr(), from.as_ptr(), to.as_ptr(), blocks) }
        blocks
    }

    /// So many blocks by the route's ECB.
    fn step_by_blocks(&mut self, blocks: usize) -> usize {
        let (from, to) = (&self.from, &self.to);
        // SAFETY: so many blocks are left in every lane at work.
        let block = |lane: usize, i| unsafe {
            InOut::from_raw(from[lane].add(16 * i), to[lane].add(16 * i), 16)
        };
        let key = self.one_key.expect("jobs were sorted by key");
        let chains = &mut self.chains.0[..self.count];
        gathered::run(self.how.kernels, self.how.chain, key, chains, blocks, block);
        blocks
    }

    /// Ends the job of a lane, and gives its place to the last lane.
    fn retire(&mut self, lane: usize) {
        let index = self.job[lane];
        *self.jobs[index].iv = self.chains.0[lane];
        self.finish(index, self.jobs[index].data.len() / 16 - self.left[lane]);
        let last = self.count - 1;
        if lane != last {
            self.job[lane] = self.job[last];
            self.from[lane] = self.from[last];
            self.to[lane] = self.to[last];
            self.left[lane] = self.left[last];
            self.chains.0[lane] = self.chains.0[last];
            if self.one_key.is_none() {
                let key = self.jobs[self.job[lane]].key;
                self.keys.get_or_insert_with(Keys::new).put(lane, key);
            }
        }
        self.count = last;
    }

    /// What is left of a job when so many blocks are done, by itself.
    fn finish(&mut self, index: usize, blocks: usize) {
        let CipherJob { key, iv, data } = &mut self.jobs[index];
        let (_, rest) = data.reborrow().split_at(16 * blocks);
        if !rest.is_empty() {
            (self.how.single())(key, iv, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{BlockCipher, Route};
    use wirespeed_cpu::Features;

    use super::*;
    use crate::ciphers::lanes::MOST;
    use crate::{ChainMode, encrypt_all};

    /// What Miri can interpret: the portable route, where streams are sorted by key and run through ECB.
    #[test]
    fn portable_streams_come_out_as_one_after_another() {
        let lengths = [48, 16, 0, 32, 17, 16];
        for chain in ChainMode::ALL {
            let lanes =
                CipherLanes::new(Route::Portable, BlockCipher::Aes128, chain, Features::NONE);
            let lanes = lanes.expect("for any machine");
            let keys = [1, 2].map(|byte| {
                let mut key = Schedule::EMPTY;
                (lanes.kernels().expand[0])(&[byte; 16], &mut key);
                key
            });
            let mut right = lengths.map(|length| ([length as u8; 16], [0x5a; 48]));
            let mut streams = right;
            for (i, (iv, data)) in right.iter_mut().enumerate() {
                (lanes.single())(&keys[i % 2], iv, InOut::in_place(&mut data[..lengths[i]]));
            }
            let jobs = streams.iter_mut().enumerate().map(|(i, (iv, data))| {
                let data = InOut::in_place(&mut data[..lengths[i]]);
                CipherJob { key: &keys[i % 2], iv, data }
            });
            encrypt_all(&lanes, &mut jobs.collect::<Vec<_>>());
            assert_eq!(streams, right, "{chain:?}");
        }
    }

    #[test]
    fn what_held_keys_and_chains_is_wiped() {
        let mut key = Schedule::EMPTY;
        key.round_keys.fill([0xa5; 16]);
        let mut keys = std::mem::ManuallyDrop::new(Keys::new());
        keys.put(3, &key);
        let mut chains = std::mem::ManuallyDrop::new(Chains([[0xa5; 16]; WIDTH]));
        // SAFETY: neither is dropped again, and both are arrays of bytes that stay where they are.
        unsafe {
            std::mem::ManuallyDrop::drop(&mut keys);
            std::mem::ManuallyDrop::drop(&mut chains);
            let row = std::slice::from_raw_parts(keys.as_ptr(), 15 * MOST);
            assert!(row.iter().all(|block| *block == [0; 16]));
        }
        assert_eq!(chains.0, [[0; 16]; WIDTH]);
    }
}
