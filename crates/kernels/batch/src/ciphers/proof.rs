//! The proof of a route's streams: its kernels' own, then differences against one stream by itself.

use wirespeed_cipher::{Block, InOut, Schedule};

use super::{CipherJob, CipherLanes, encrypt_all};

/// Blocks of the longest stream.
const BLOCKS: usize = 9;

impl CipherLanes {
    /// A quick proof before the first use: streams of every length up to some blocks in every lane, under
    /// one key and under several.
    pub fn self_test(&self) -> bool {
        let keys: [Schedule; 3] = std::array::from_fn(|i| {
            let mut key = Schedule::EMPTY;
            let bytes: [u8; 32] = std::array::from_fn(|byte| (29 * i + 5 * byte) as u8);
            let length = usize::from(self.cipher().key_bits()) / 8;
            (self.kernels().expand[0])(&bytes[..length], &mut key);
            key
        });
        wirespeed_kernels::self_test(self.kernels())
            && self.agrees_with_single_streams(&keys[..1])
            && self.agrees_with_single_streams(&keys)
    }

    fn agrees_with_single_streams(&self, keys: &[Schedule]) -> bool {
        let stream = |i: usize| {
            let iv: Block = std::array::from_fn(|byte| (17 * i + byte) as u8);
            let bytes: [u8; 16 * BLOCKS] = std::array::from_fn(|byte| (31 * i + byte) as u8);
            (iv, bytes)
        };
        let length = |i: usize| 16 * (BLOCKS - i % (BLOCKS + 1));
        let key = |i: usize| &keys[i % keys.len()];
        let mut streams: Vec<_> = (0..2 * self.width() + 3).map(stream).collect();
        let mut right = streams.clone();
        for (i, (iv, bytes)) in right.iter_mut().enumerate() {
            (self.single())(key(i), iv, InOut::in_place(&mut bytes[..length(i)]));
        }
        let jobs = streams.iter_mut().enumerate().map(|(i, (iv, bytes))| {
            let data = InOut::in_place(&mut bytes[..length(i)]);
            CipherJob { key: key(i), iv, data }
        });
        encrypt_all(self, &mut jobs.collect::<Vec<_>>());
        streams == right
    }
}
