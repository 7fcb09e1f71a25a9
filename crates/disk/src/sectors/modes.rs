//! The modes of a sector, each written once for every block cipher.

use wirespeed_cipher::Block;
use wirespeed_cipher::modes::next_tweak;

use super::blocks::Blocks;
use super::iv::Ivs;
use super::{Forged, SectorCipher};

/// One sector from its IV.
pub(super) trait Mode: Send + Sync {
    /// What is done to the IVs of many sectors at once, before they are used.
    fn prepare(&self, _ivs: &mut [Block]) {}
    /// Encrypts `plain` into `sector`.
    fn encrypt(&self, iv: &Block, plain: &[u8], sector: &mut [u8]);
    /// Decrypts `sector` into `plain`.
    fn decrypt(&self, iv: &Block, sector: &[u8], plain: &mut [u8]);
}

/// dm-crypt counts sectors in these whatever their size.
pub(super) const UNIT: u64 = 512;

/// A mode, a key and the IVs: a cipher for sectors.
pub(super) struct Sectors<M> {
    pub(super) mode: M,
    pub(super) ivs: Ivs,
    pub(super) sector_bytes: usize,
}

/// Sectors whose IVs are made together: enough for a parallel cipher's longest wave.
const BATCH: usize = 32;

impl<M: Mode> Sectors<M> {
    #[inline(always)]
    fn each(
        &self,
        number: u64,
        from: &[u8],
        to: &mut [u8],
        run: impl Fn(&M, &Block, &[u8], &mut [u8]),
    ) {
        let mut ivs = [[0; 16]; BATCH];
        let step = self.sector_bytes as u64 / UNIT;
        let batch = BATCH * self.sector_bytes;
        let batches = from.chunks(batch).zip(to.chunks_mut(batch));
        for (place, (from, to)) in batches.enumerate() {
            let ivs = &mut ivs[..from.len() / self.sector_bytes];
            self.ivs.fill(number.wrapping_add((place * BATCH) as u64 * step), step, ivs);
            self.mode.prepare(ivs);
            let sectors =
                from.chunks_exact(self.sector_bytes).zip(to.chunks_exact_mut(self.sector_bytes));
            for (iv, (from, to)) in ivs.iter().zip(sectors) {
                run(&self.mode, iv, from, to);
            }
        }
    }
}

impl<M: Mode> SectorCipher for Sectors<M> {
    fn encrypt(&self, number: u64, plain: &[u8], sectors: &mut [u8], _tags: &mut [u8]) {
        self.each(number, plain, sectors, M::encrypt);
    }

    fn decrypt(
        &self,
        number: u64,
        sectors: &[u8],
        plain: &mut [u8],
        _tags: &[u8],
    ) -> Result<(), Forged> {
        self.each(number, sectors, plain, M::decrypt);
        Ok(())
    }
}

/// Every block by itself.
pub(super) struct Ecb<B>(pub(super) B);

impl<B: Blocks> Mode for Ecb<B> {
    fn encrypt(&self, _iv: &Block, plain: &[u8], sector: &mut [u8]) {
        sector.copy_from_slice(plain);
        self.0.encrypt(sector);
    }

    fn decrypt(&self, _iv: &Block, sector: &[u8], plain: &mut [u8]) {
        plain.copy_from_slice(sector);
        self.0.decrypt(plain);
    }
}

/// Every block with the one before: SP 800-38A §6.2.
pub(super) struct Cbc<B>(pub(super) B);

impl<B: Blocks> Mode for Cbc<B> {
    fn encrypt(&self, iv: &Block, plain: &[u8], sector: &mut [u8]) {
        let mut chain = *iv;
        let chain = &mut chain[..B::BYTES];
        for (plain, block) in plain.chunks_exact(B::BYTES).zip(sector.chunks_exact_mut(B::BYTES)) {
            add(chain, plain);
            self.0.encrypt(chain);
            block.copy_from_slice(chain);
        }
    }

    fn decrypt(&self, iv: &Block, sector: &[u8], plain: &mut [u8]) {
        plain.copy_from_slice(sector);
        self.0.decrypt(plain);
        let (first, rest) = plain.split_at_mut(B::BYTES);
        add(first, &iv[..B::BYTES]);
        add(rest, sector);
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
    fn prepare(&self, ivs: &mut [Block]) {
        self.tweaks.encrypt(ivs.as_flattened_mut());
    }

    fn encrypt(&self, tweak: &Block, plain: &[u8], sector: &mut [u8]) {
        self.whiten(tweak, plain, sector, B::encrypt);
    }

    fn decrypt(&self, tweak: &Block, sector: &[u8], plain: &mut [u8]) {
        self.whiten(tweak, sector, plain, B::decrypt);
    }
}

/// Adds bytes to bytes, as far as both go.
#[inline]
pub(super) fn add(bytes: &mut [u8], others: &[u8]) {
    for (byte, other) in bytes.iter_mut().zip(others) {
        *byte ^= other;
    }
}
