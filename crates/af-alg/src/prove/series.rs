//! Messages of every length that may matter, and checksums of the right answers.

use crate::Transform;
use crate::transform::{Chain, Kind};

/// Lengths of one kind of message.
pub(super) struct Stage {
    /// In words.
    pub(super) name: &'static str,
    lengths: &'static [usize],
}

/// Around blocks, packets and pages, and the requests that a long message is cut into.
pub(super) const STAGES: [Stage; 3] = [
    Stage {
        name: "less than two blocks of any algorithm",
        lengths: &[
            0, 1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 40, 47, 48, 49, 55, 56, 57, 63, 64,
            65, 71, 72, 73, 79, 80, 81, 96, 103, 104, 105, 111, 112, 113, 119, 120, 121, 127, 128,
            129, 135, 136, 137, 143, 144, 145, 160, 176, 191, 192, 193, 208, 224, 239, 240, 241,
            255, 256, 257,
        ],
    },
    Stage {
        name: "up to two pages",
        lengths: &[
            272, 320, 496, 511, 512, 513, 528, 1008, 1024, 1040, 1420, 2047, 2048, 2064, 4079,
            4080, 4095, 4096, 4097, 4112, 8176, 8192, 8193,
        ],
    },
    Stage {
        name: "up to two requests",
        lengths: &[16_384, 65_520, 65_536, 65_552, 131_072, 131_088],
    },
];

/// One of them.
pub(super) struct Message {
    pub(super) iv: Vec<u8>,
    pub(super) associated: Vec<u8>,
    pub(super) input: Vec<u8>,
}

impl Message {
    pub(super) fn what(&self) -> String {
        format!("{} bytes", self.input.len())
    }
}

/// Bytes that differ from one another.
fn bytes(count: usize, seed: usize) -> Vec<u8> {
    (0..count).map(|at| ((at + seed) * 167 + at / 251 * 13) as u8).collect()
}

/// The key of every message; a hash function without one has none.
pub(super) fn key(transform: &Transform) -> Vec<u8> {
    match transform.kind {
        Kind::Cipher { key_bytes, .. } | Kind::Aead { key_bytes, .. } => bytes(key_bytes, 1),
        Kind::Hash { keyed, .. } => bytes(if keyed { 20 } else { 0 }, 1),
    }
}

impl Stage {
    /// Its messages, as far as the algorithm takes such lengths.
    pub(super) fn messages(&self, transform: &Transform) -> impl Iterator<Item = Message> {
        let (iv_bytes, multiple, least) = match transform.kind {
            Kind::Cipher { iv_bytes, block_bytes, .. } => {
                (iv_bytes, block_bytes, if transform.is_xts() { 16 } else { 0 })
            }
            Kind::Aead { iv_bytes, .. } => (iv_bytes, 1, 0),
            Kind::Hash { .. } => (0, 1, 0),
        };
        let is_aead = matches!(transform.kind, Kind::Aead { .. });
        let counts = transform.chain == Chain::Counter;
        let fit = move |length: &usize| length.is_multiple_of(multiple) && *length >= least;
        self.lengths.iter().copied().filter(fit).enumerate().map(move |(number, length)| {
            let mut iv = bytes(iv_bytes, length);
            if counts {
                // A counter that will wrap: its last word, its last two, or all of it.
                let all = iv.len();
                iv[all - [4, 8, 16][number % 3]..].fill(0xff);
            }
            let associated = if is_aead { [0, 8, 13, 16, 20, 64][number % 6] } else { 0 };
            let associated = bytes(associated, length + 1);
            Message { iv, associated, input: bytes(length, length + 2) }
        })
    }
}

/// FNV-1a of 64 bits: what differs by accident differs here.
pub(super) struct Checksum(u64);

impl Checksum {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(super) const fn value(&self) -> u64 {
        self.0
    }
}

/// Lines of an algorithm's name and a checksum for each stage.
const ANSWERS: &str = include_str!("answers");

/// The right checksums.
pub(super) fn answers(transform: &Transform) -> [u64; STAGES.len()] {
    let mut lines = ANSWERS.lines().filter_map(|line| line.split_once(' '));
    let (_, sums) = lines.find(|(name, _)| *name == transform.name).expect("all are there");
    let mut sums = sums.split(' ');
    STAGES.each_ref().map(|_| {
        let sum = sums.next().expect("a checksum for each stage");
        u64::from_str_radix(sum, 16).expect("hexadecimal")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::oracle::compute;

    #[test]
    fn openssl_agrees_with_every_answer() {
        let mut right = String::new();
        for transform in Transform::ALL {
            let sum = |stage: &Stage| {
                let mut checksum = Checksum::new();
                for Message { iv, associated, input } in stage.messages(transform) {
                    checksum.add(&compute(transform, &key(transform), &iv, &associated, &input));
                }
                checksum.value()
            };
            let [short, middle, long] = STAGES.each_ref().map(sum);
            right += &format!("{} {short:016x} {middle:016x} {long:016x}\n", transform.name);
        }
        assert_eq!(ANSWERS, right, "the file is to be:\n{right}");
    }
}
