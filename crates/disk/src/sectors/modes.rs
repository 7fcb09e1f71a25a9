//! The modes of a sector, each written once for every block cipher.

use wirespeed_cipher::Block;
use wirespeed_cipher::modes::next_tweak;

use super::blocks::Blocks;
use super::iv::Ivs;
use super::{Forged, SectorCipher};
use crate::UNIT;

/// As many sectors as there are IVs, which may be used up.
pub(super) trait Mode: Send + Sync {
    /// Encrypts `plain` into `sectors`.
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]);
    /// Decrypts `sectors` into `plain`.
    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]);
}

/// Runs over the sectors one by one, each with its IV.
#[inline(always)]
pub(super) fn each(
    ivs: &[Block],
    mut from: &[u8],
    mut to: &mut [u8],
    mut run: impl FnMut(&Block, &[u8], &mut [u8]),
) {
    // Once, and in 32 bits: iterators of chunks divide again and again, which shows beside a fast cipher.
    let bytes = (from.len() as u32 / ivs.len() as u32) as usize;
    for iv in ivs {
        let (source, sources) = from.split_at(bytes);
        let (target, targets) = to.split_at_mut(bytes);
        run(iv, source, target);
        (from, to) = (sources, targets);
    }
}

/// A mode, a key and the IVs: a cipher for sectors.
pub(super) struct Sectors<M> {
    pub(super) mode: M,
    pub(super) ivs: Ivs,
    pub(super) sector_bytes: usize,
}

/// Sectors whose IVs are made together.
const BATCH: usize = 16;

impl<M: Mode> Sectors<M> {
    #[inline(always)]
    fn batches(
        &self,
        mut number: u64,
        mut from: &[u8],
        mut to: &mut [u8],
        run: impl Fn(&M, &mut [Block], &[u8], &mut [u8]),
    ) {
        let mut ivs = [[0; 16]; BATCH];
        let step = self.sector_bytes as u64 / UNIT;
        while from.len() >= self.sector_bytes {
            let count = BATCH.min(from.len() >> self.sector_bytes.trailing_zeros());
            let (source, sources) = from.split_at(count * self.sector_bytes);
            let (target, targets) = to.split_at_mut(count * self.sector_bytes);
            let ivs = &mut ivs[..count];
            self.ivs.fill(number, step, ivs);
            run(&self.mode, ivs, source, target);
            number = number.wrapping_add(step * count as u64);
            (from, to) = (sources, targets);
        }
    }
}

impl<M: Mode> SectorCipher for Sectors<M> {
    fn encrypt(&self, number: u64, plain: &[u8], sectors: &mut [u8], _tags: &mut [u8]) {
        self.batches(number, plain, sectors, M::encrypt);
    }

    fn decrypt(
        &self,
        number: u64,
        sectors: &[u8],
        plain: &mut [u8],
        _tags: &[u8],
    ) -> Result<(), Forged> {
        self.batches(number, sectors, plain, M::decrypt);
        Ok(())
    }
}

/// Every block by itself.
pub(super) struct Ecb<B>(pub(super) B);

impl<B: Blocks> Mode for Ecb<B> {
    fn encrypt(&self, _ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        sectors.copy_from_slice(plain);
        self.0.encrypt(sectors);
    }

    fn decrypt(&self, _ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        plain.copy_from_slice(sectors);
        self.0.decrypt(plain);
    }
}

/// Every block with the one before: SP 800-38A §6.2.
pub(super) struct Cbc<B>(pub(super) B);

impl<B: Blocks> Mode for Cbc<B> {
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        each(ivs, plain, sectors, |iv, plain, sector| {
            let mut chain = *iv;
            let chain = &mut chain[..B::BYTES];
            let blocks = plain.chunks_exact(B::BYTES).zip(sector.chunks_exact_mut(B::BYTES));
            for (plain, block) in blocks {
                add(chain, plain);
                self.0.encrypt(chain);
                block.copy_from_slice(chain);
            }
        });
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        plain.copy_from_slice(sectors);
        self.0.decrypt(plain);
        each(ivs, sectors, plain, |iv, sector, plain| {
            let (first, rest) = plain.split_at_mut(B::BYTES);
            add(first, &iv[..B::BYTES]);
            add(rest, sector);
        });
    }
}

/// Blocks of XTS that are processed together: few enough to stay next to the registers.
const BLOCKS: usize = 32;

/// Every block between two additions of its tweak: IEEE 1619 §5, which a sector's whole blocks need without
/// stealing.
pub(super) struct Xts<B> {
    data: B,
    tweaks: B,
}

impl<B: Blocks> Xts<B> {
    /// The data's key and the tweaks'.
    pub(super) fn new(data: B, tweaks: B) -> Self {
        assert_eq!(B::BYTES, 16, "XTS multiplies in a field of 2^128 elements");
        Self { data, tweaks }
    }

    #[inline(always)]
    fn whiten(&self, tweak: &Block, from: &[u8], to: &mut [u8], run: impl Fn(&B, &mut [u8])) {
        let mut tweak = u128::from_le_bytes(*tweak);
        let mut tweaks = [[0; 16]; BLOCKS];
        let parts = from.chunks(16 * BLOCKS).zip(to.chunks_mut(16 * BLOCKS));
        for (from, to) in parts {
            for place in &mut tweaks {
                *place = tweak.to_le_bytes();
                tweak = next_tweak(tweak);
            }
            to.copy_from_slice(from);
            add(to, tweaks.as_flattened());
            run(&self.data, to);
            add(to, tweaks.as_flattened());
        }
    }
}

impl<B: Blocks> Mode for Xts<B> {
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        self.tweaks.encrypt(ivs.as_flattened_mut());
        each(ivs, plain, sectors, |tweak, plain, sector| {
            self.whiten(tweak, plain, sector, B::encrypt);
        });
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        self.tweaks.encrypt(ivs.as_flattened_mut());
        each(ivs, sectors, plain, |tweak, sector, plain| {
            self.whiten(tweak, sector, plain, B::decrypt);
        });
    }
}

/// Adds bytes to bytes, as far as both go.
#[inline]
pub(super) fn add(bytes: &mut [u8], others: &[u8]) {
    for (byte, other) in bytes.iter_mut().zip(others) {
        *byte ^= other;
    }
}
