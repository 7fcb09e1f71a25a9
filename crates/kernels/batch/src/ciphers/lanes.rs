//! Streams of AES in the lanes of vectors.

use wirespeed_cipher::{Block, Schedule};
use zeroize::optimization_barrier;

/// The most lanes of any kernel.
pub(crate) const MOST: usize = 16;

/// The most round keys of AES.
const ROUND_KEYS: usize = 15;

/// The kernels for some number of lanes.
#[derive(Clone, Copy)]
pub(crate) struct Rung {
    /// The lanes that they always compute.
    pub(crate) lanes: usize,
    /// All lanes under one key: the first argument is a schedule.
    pub(crate) one_key: ChainsFn,
    /// Each under its own: the first argument is what [`Keys`] holds.
    pub(crate) own_keys: ChainsFn,
}

/// Takes the chaining values of all lanes over so many blocks at each of `from`, and writes to each of `to`.
pub(crate) type ChainsFn =
    unsafe fn(*const Block, *mut Block, *const *const u8, *const *mut u8, usize);

/// The keys of lanes: a row for each round, with a column for each lane.
#[repr(C, align(64))]
pub(crate) struct Keys {
    rows: [[Block; MOST]; ROUND_KEYS],
    /// Columns that were ever used.
    used: usize,
}

impl Keys {
    /// No keys yet.
    pub(crate) const fn new() -> Self {
        Self { rows: [[[0; 16]; MOST]; ROUND_KEYS], used: 0 }
    }

    /// Gives a lane its key.
    pub(crate) fn put(&mut self, lane: usize, key: &Schedule) {
        for (row, round_key) in self.rows.iter_mut().zip(&key.round_keys) {
            row[lane] = *round_key;
        }
        self.used = self.used.max(lane + 1);
    }

    pub(crate) const fn as_ptr(&self) -> *const Block {
        self.rows.as_ptr().cast()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        for row in &mut self.rows {
            row[..self.used].fill([0; 16]);
        }
        optimization_barrier(self);
    }
}
