//! XTS: one data unit (sector) at a time, with ciphertext stealing.

use std::fmt;

use zeroize::Zeroize;

use crate::{Block, BlockKernels, BlockKey, Direction, InOut};

/// Why a data unit cannot be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XtsError {
    /// Below one block there is nothing to steal from.
    TooShort,
    /// IEEE 1619 allows 2^20 blocks in a data unit.
    TooLong,
}

impl fmt::Display for XtsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooShort => "an XTS data unit has at least 16 bytes",
            Self::TooLong => "an XTS data unit has at most 2^20 blocks",
        })
    }
}

impl std::error::Error for XtsError {}

/// The two keys of XTS and the encrypted tweak of the current data unit.
#[derive(Clone)]
pub struct Xts {
    data_key: BlockKey,
    tweak_key: BlockKey,
    tweak: Block,
}

impl Xts {
    const MAX_BYTES: usize = 16 << 20;

    /// No key yet.
    pub const fn new(kernels: &'static BlockKernels) -> Self {
        Self {
            data_key: BlockKey::empty(kernels),
            tweak_key: BlockKey::empty(kernels),
            tweak: [0; 16],
        }
    }

    /// Takes both keys, the data key first.
    ///
    /// # Panics
    /// If `keys` is not twice the kernels' key size.
    pub fn set_key(&mut self, keys: &[u8], direction: Direction) {
        let (data, tweak) = keys.split_at(keys.len() / 2);
        self.data_key.set(data, direction);
        self.tweak_key.set(tweak, Direction::Encrypt);
    }

    /// Takes another route for the data from the next call on. Its kernels must be for the same cipher.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        self.data_key.reroute(kernels);
    }

    /// Takes another route for tweaks.
    #[inline]
    pub fn reroute_tweaks(&mut self, kernels: &'static BlockKernels) {
        self.tweak_key.reroute(kernels);
    }

    /// The encrypted tweak of the unit's first block.
    #[inline]
    pub const fn tweak(&self) -> &Block {
        &self.tweak
    }

    /// A part of a data unit, from the tweak of its first block, which moves on: whole blocks, or the
    /// end of the unit from its last whole block or before.
    pub fn part(&self, direction: Direction, tweak: &mut Block, data: InOut<'_>) {
        let blocks = data.len() / 16;
        let run = self.data_key.kernels().xts[direction as usize];
        run(self.data_key.schedule(), tweak, data);
        for _ in 0..blocks {
            *tweak = next_tweak(u128::from_le_bytes(*tweak)).to_le_bytes();
        }
    }

    /// Names the data unit: encrypts its number.
    #[inline]
    pub fn start(&mut self, iv: &Block) {
        self.tweak = *iv;
        let kernels = self.tweak_key.kernels();
        (kernels.ecb[0])(self.tweak_key.schedule(), InOut::in_place(&mut self.tweak));
    }

    /// Whether a data unit may have so many bytes.
    #[inline]
    pub const fn check(bytes: usize) -> Result<(), XtsError> {
        match bytes {
            0..16 => Err(XtsError::TooShort),
            16..=Self::MAX_BYTES => Ok(()),
            _ => Err(XtsError::TooLong),
        }
    }

    /// One whole data unit. Every call starts again at the same tweak, as OpenSSL's updates do.
    #[inline]
    pub fn unit(&self, direction: Direction, data: InOut<'_>) -> Result<(), XtsError> {
        Self::check(data.len())?;
        let run = self.data_key.kernels().xts[direction as usize];
        run(self.data_key.schedule(), &self.tweak, data);
        Ok(())
    }
}

/// IEEE 1619 §5.2: the tweak of the next block, multiplied by alpha, in constant time. The first byte is the
/// lowest.
pub const fn next_tweak(tweak: u128) -> u128 {
    (tweak << 1) ^ ((tweak >> 127) * 0x87)
}

impl Drop for Xts {
    fn drop(&mut self) {
        self.tweak.zeroize();
    }
}
