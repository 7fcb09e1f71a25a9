//! Numbers from a seed, the same everywhere.

use crate::calls::Bytes;

/// xorshift64*: a seed gives the same sequence everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((self.next() >> 20) % end.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Mostly short, sometimes at a boundary, seldom long.
    pub(crate) fn length(&mut self) -> usize {
        match self.below(100) {
            0..8 => 0,
            8..45 => self.below(70),
            45..62 => 16 * self.below(40),
            62..80 => self.below(600),
            80..94 => self.below(4500),
            94..98 => 16_364 + self.below(40),
            _ => self.below(40_000),
        }
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Bytes {
        let seed = if self.one_in(8) { 0 } else { self.next() };
        Bytes { length, seed }
    }
}
