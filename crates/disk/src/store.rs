//! Where sectors lie: memory, a file or a device, cut into one lane for each worker.

mod direct;
mod memory;

use std::io;

pub(crate) use direct::Pages;
pub use direct::{Direct, Temporary};
pub use memory::Memory;

/// A worker's own part of a store.
pub trait Lane: Send {
    /// Lets `fill` make `length` bytes, and writes them at `offset` of the lane.
    fn write(
        &mut self,
        offset: u64,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> io::Result<()>;
    /// Reads `length` bytes at `offset` of the lane and shows them to `take`.
    fn read(&mut self, offset: u64, length: usize, take: &mut dyn FnMut(&[u8])) -> io::Result<()>;
    /// Returns once everything written is where it belongs.
    fn finish(&mut self) -> io::Result<()>;
}

/// A place for sectors.
pub trait Store {
    /// Its word in tables and JSON.
    fn name(&self) -> &'static str;
    /// Bytes that one call moves.
    fn chunk_bytes(&self) -> usize;
    /// Bytes that there is room for, for so many workers.
    fn bytes(&self, workers: usize) -> u64;
    /// The part from `first` on, `bytes` long.
    fn lane(&self, first: u64, bytes: u64) -> io::Result<Box<dyn Lane>>;
}

/// What one worker does: a share of the test, over and over its stripe of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stripe {
    /// Where it begins in the store.
    pub(crate) first: u64,
    /// How long it is.
    pub(crate) bytes: u64,
    /// Bytes to process in one test.
    pub(crate) share: u64,
}

/// Cuts `total` bytes of work into shares of whole chunks, as even as may be, the last chunk perhaps short; and
/// the store into stripes. Where it has room for the whole test nothing is written twice. Where it has not a chunk for each
/// worker, the others have nothing to do.
pub(crate) fn stripes(store: u64, total: u64, workers: usize, chunk: u64) -> Vec<Stripe> {
    let workers = workers.max(1) as u64;
    let chunks = total.div_ceil(chunk);
    let busy = if store >= total { workers } else { workers.min(store / chunk).max(1) };
    let room = (store / busy / chunk * chunk).max(store.min(chunk));
    let mut first = 0;
    let mut left = total;
    (0..workers)
        .map(|worker| {
            let count =
                if worker < busy { chunks / busy + u64::from(worker < chunks % busy) } else { 0 };
            let share = left.min(count * chunk);
            left -= share;
            let bytes = if store >= total { share } else { share.min(room) };
            let stripe = Stripe { first, bytes, share };
            first += bytes;
            stripe
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_stripes_do_not_overlap() {
        for (store, total, workers) in [
            (1 << 30, 2 << 30, 2),
            (10 << 20, 10 << 20, 3),
            (8 << 20, (5 << 20) + 4096, 4),
            (4 << 20, 4096, 8),
            (4 << 20, 64 << 20, 8),
            (4096, 64 << 20, 8),
        ] {
            let all = stripes(store, total, workers, 1 << 20);
            assert_eq!(all.len(), workers);
            assert_eq!(all.iter().map(|it| it.share).sum::<u64>(), total);
            let mut end = 0;
            for it in &all {
                assert_eq!(it.first, end);
                assert!(it.bytes <= it.share && (it.bytes > 0 || it.share == 0), "{it:?}");
                end += it.bytes;
            }
            assert!(end <= store);
        }
    }

    #[test]
    fn a_small_store_is_used_over_and_over() {
        let all = stripes(2 << 20, 64 << 20, 2, 64 << 10);
        assert_eq!(all[1], Stripe { first: 1 << 20, bytes: 1 << 20, share: 32 << 20 });
    }
}
