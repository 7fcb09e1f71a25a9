//! Where a sector's initialisation vector comes from.
//!
//! As the generators of the kernel's `drivers/md/dm-crypt.c` (`crypt_iv_plain_gen` and those beside it) and
//! `crypto/essiv.c` make them.

use wirespeed_cipher::Block;

use super::blocks::Blocks;
use crate::Iv;

/// The IVs of one key. A cipher with blocks of 8 bytes takes the first half of each.
pub(super) struct Ivs {
    numbers: Numbers,
    /// ESSIV's second key.
    salt: Option<Box<dyn Salt>>,
}

/// What an IV holds before it is encrypted.
#[derive(Clone, Copy)]
enum Numbers {
    Zero,
    Low,
    Whole,
}

impl Ivs {
    /// IVs without a second key; none of a kind that takes a key or a tag.
    pub(super) fn plain(kind: Iv) -> Option<Self> {
        let numbers = match kind {
            Iv::None | Iv::Null => Numbers::Zero,
            Iv::Plain => Numbers::Low,
            Iv::Plain64 => Numbers::Whole,
            Iv::EssivSha256 | Iv::Random => return None,
        };
        Some(Self { numbers, salt: None })
    }

    /// ESSIV by the cipher with the key for it.
    pub(super) fn essiv(salted: impl Blocks) -> Self {
        Self { numbers: Numbers::Whole, salt: Some(Box::new(salted)) }
    }

    /// The IVs of the sectors from `number` on, which are `step` apart.
    pub(super) fn fill(&self, number: u64, step: u64, ivs: &mut [Block]) {
        for (place, iv) in ivs.iter_mut().enumerate() {
            let number = number.wrapping_add(step * place as u64);
            let kept = match self.numbers {
                Numbers::Zero => 0,
                Numbers::Low => u64::from(number as u32),
                Numbers::Whole => number,
            };
            *iv = u128::from(kept).to_le_bytes();
        }
        if let Some(salt) = &self.salt {
            salt.encrypt(ivs);
        }
    }
}

trait Salt: Send + Sync {
    /// Encrypts each IV, as a block by itself.
    fn encrypt(&self, ivs: &mut [Block]);
}

impl<B: Blocks> Salt for B {
    fn encrypt(&self, ivs: &mut [Block]) {
        if B::BYTES == 16 {
            return Blocks::encrypt(self, ivs.as_flattened_mut());
        }
        for iv in ivs {
            Blocks::encrypt(self, &mut iv[..B::BYTES]);
        }
    }
}
