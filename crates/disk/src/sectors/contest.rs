//! Which implementation is the fastest, by a short measurement over sectors of the asked size.

use wirespeed_measure::contest::{Ring, run};
use wirespeed_measure::{Contestant, Effort, statistics};

use super::{Named, SectorCipher};
use crate::Specification;

/// A large request of dm-crypt's.
const BYTES: usize = 16 << 10;

/// A few milliseconds for each: what is to be told apart differs by more than a tenth.
const EFFORT: Effort = Effort { slice: 100_000, rounds: 9 };

/// The fastest at writing and reading as much of one as of the other. Those that do not give the bytes of the
/// first are left out.
pub(super) fn fastest(
    mut all: Vec<Named>,
    what: Specification,
    sector_bytes: usize,
) -> Option<Named> {
    let tag_bytes = BYTES / sector_bytes * what.tag_bytes();
    // Random IVs make every writing another one.
    if all.len() > 1 && tag_bytes == 0 {
        let right = encrypted(&*all.first()?.1);
        all.retain(|(_, cipher)| encrypted(&**cipher) == right);
    }
    if all.len() > 1 {
        let mut contestants: Vec<Box<Both<'_>>> =
            all.iter().map(|(_, cipher)| Box::new(Both::new(&**cipher, tag_bytes))).collect();
        let times = run(&Ring::CPU_TIME, EFFORT, &mut contestants);
        let median = |place: usize| statistics::median(&times[place].nanos()).unwrap_or(f64::MAX);
        let first = (0..all.len()).min_by(|one, other| median(*one).total_cmp(&median(*other)))?;
        drop(contestants);
        all.swap(0, first);
    }
    all.into_iter().next()
}

/// What a cipher makes of a request.
fn encrypted(cipher: &dyn SectorCipher) -> Vec<u8> {
    let mut both = Both::new(cipher, 0);
    cipher.encrypt(1, &both.plain, &mut both.sectors, &mut []);
    both.sectors
}

/// Writes and reads a request.
struct Both<'a> {
    cipher: &'a dyn SectorCipher,
    plain: Vec<u8>,
    sectors: Vec<u8>,
    tags: Vec<u8>,
}

impl<'a> Both<'a> {
    fn new(cipher: &'a dyn SectorCipher, tag_bytes: usize) -> Self {
        let plain = (0..BYTES).map(|i| (i % 251) as u8).collect();
        Self { cipher, plain, sectors: vec![0; BYTES], tags: vec![0; tag_bytes] }
    }
}

impl Contestant for Both<'_> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            self.cipher.encrypt(1, &self.plain, &mut self.sectors, &mut self.tags);
            // What was just encrypted is no forgery.
            let _ = self.cipher.decrypt(1, &self.sectors, &mut self.plain, &self.tags);
        }
    }

    fn bytes(&self) -> u64 {
        2 * BYTES as u64
    }
}
