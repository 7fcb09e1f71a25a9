//! The tests of the article: write, read, write, read; then a look at whether all of it is still there.

mod worker;

use std::fmt;
use std::io;

use wirespeed_measure::{Clock, WallTime, contest};

use crate::sectors::SectorCipher;
use crate::store::{Store, stripes};
use worker::Worker;

/// A test, by its name in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Every sector is written.
    Write,
    /// Every sector is read.
    Read,
    /// Written once more, with other content.
    WriteAgain,
    /// And read once more.
    ReadAgain,
}

impl Test {
    /// In the article's order.
    pub const ALL: [Self; 4] = [Self::Write, Self::Read, Self::WriteAgain, Self::ReadAgain];

    /// The article's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "w",
            Self::Read => "r",
            Self::WriteAgain => "w2",
            Self::ReadAgain => "r2",
        }
    }

    /// Makes the second write another than the first, so that no old sector passes for a new one.
    const fn seed(self) -> u64 {
        match self {
            Self::Write | Self::Read => 0x0123_4567_89ab_cdef,
            Self::WriteAgain | Self::ReadAgain => 0xfedc_ba98_7654_3210,
        }
    }
}

/// What goes on, for a progress bar; and whether to stop.
pub trait Watch: Sync {
    /// So many bytes more.
    fn advance(&self, bytes: u64);
    /// Whether somebody wants the test to end.
    fn is_stopped(&self) -> bool;
}

/// Why a test did not come to its end.
#[derive(Debug)]
pub enum Failure {
    /// The store failed.
    Store(io::Error),
    /// Somebody wanted it to end.
    Stopped,
    /// What was read is not what was written: the number of the sector, in units of 512 bytes.
    Different(u64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the storage failed: {error}"),
            Self::Stopped => f.write_str("interrupted"),
            Self::Different(sector) => {
                write!(f, "what was read is not what was written, from sector {sector} on")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Store(error)
    }
}

/// A test that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Nanoseconds from the first byte to the last.
    pub elapsed_ns: u64,
    /// Nanoseconds of CPU time, of our workers alone.
    pub cpu_ns: u64,
    /// Bytes processed.
    pub bytes: u64,
}

/// Workers over a store, all with one key.
pub struct Workload<'a> {
    workers: Vec<Worker<'a>>,
    bytes: u64,
}

impl<'a> Workload<'a> {
    /// Gets everything ready: memory, files, and one lane for each of the `threads`.
    pub fn new(
        store: &dyn Store,
        cipher: Option<&'a dyn SectorCipher>,
        layout: Layout,
        bytes: u64,
        threads: usize,
    ) -> io::Result<Self> {
        let chunk = store.chunk_bytes();
        let workers = stripes(store.bytes(threads), bytes, threads, chunk as u64)
            .into_iter()
            .filter(|stripe| stripe.share > 0)
            .map(|stripe| {
                let lane = store.lane(stripe.first, stripe.bytes)?;
                Ok(Worker::new(lane, stripe, chunk, cipher, layout))
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { workers, bytes })
    }

    /// Runs one test.
    pub fn run(&mut self, test: Test, watch: &dyn Watch) -> Result<Passed, Failure> {
        let workers = self.workers.iter_mut().collect();
        let results = contest::side_by_side(workers, &|| (), |worker: &mut Worker<'_>, gate, _| {
            gate();
            // By the worker's own clock: nobody else need be awake when it begins.
            let began = WallTime.now();
            worker.run(test, watch).map(|cpu_ns| (began, WallTime.now(), cpu_ns))
        });
        let results = results.map_err(io::Error::other)?;
        let results: Vec<(u64, u64, u64)> = results.into_iter().collect::<Result<_, _>>()?;
        let began = results.iter().map(|it| it.0).min().unwrap_or_default();
        let ended = results.iter().map(|it| it.1).max().unwrap_or_default();
        let cpu_ns = results.iter().map(|it| it.2).sum();
        Ok(Passed { elapsed_ns: ended - began, cpu_ns, bytes: self.bytes })
    }

    /// Bytes of each test.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of the store that are in use: what a check reads.
    pub fn stored_bytes(&self) -> u64 {
        self.workers.iter().map(Worker::stored_bytes).sum()
    }

    /// Reads all that the last test has left and compares it with what was written; the bytes compared.
    pub fn check(&mut self, last: Test, watch: &dyn Watch) -> Result<u64, Failure> {
        let mut compared = 0;
        for worker in &mut self.workers {
            compared += worker.check(last, watch)?;
        }
        Ok(compared)
    }
}

/// How bytes are cut into sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes in a sector: 512 or 4096.
    pub sector_bytes: usize,
    /// Bytes beside each sector.
    pub tag_bytes: usize,
}

#[cfg(test)]
mod tests;
