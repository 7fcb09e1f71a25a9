//! The compression functions in plain integer arithmetic, which takes the same time for all data.

mod sha1;
mod sha2;
mod sm3;

use wirespeed_cipher::{Compression, HashKernels, Route};

/// The portable kernels.
pub(crate) fn kernels(compression: Compression) -> &'static HashKernels {
    match compression {
        Compression::Sha1 => const { &table(Compression::Sha1, each::<sha1::Sha1>) },
        Compression::Sha256 => const { &table(Compression::Sha256, each::<sha2::Sha256>) },
        Compression::Sha512 => const { &table(Compression::Sha512, each::<sha2::Sha512>) },
        Compression::Sm3 => const { &table(Compression::Sm3, each::<sm3::Sm3>) },
    }
}

const fn table(compression: Compression, blocks: fn(&mut [u64; 8], &[u8])) -> HashKernels {
    HashKernels { route: Route::Portable, compression, blocks }
}

/// One step from block to block.
trait Step {
    /// A word: `u32` or `u64`.
    type Word: Copy;

    /// Takes the chaining value over one block, given as sixteen words.
    fn block(chain: &mut [Self::Word; 8], block: &[Self::Word; 16]);
}

/// A word in its two forms.
trait Word: Copy {
    const BYTES: usize;
    fn of(value: u64) -> Self;
    fn value(self) -> u64;
    fn from_be(bytes: &[u8]) -> Self;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const BYTES: usize = size_of::<Self>();
            fn of(value: u64) -> Self {
                value as Self
            }
            fn value(self) -> u64 {
                self.into()
            }
            fn from_be(bytes: &[u8]) -> Self {
                Self::from_be_bytes(bytes.try_into().expect("a word"))
            }
        }
    };
}
word!(u32);
word!(u64);

/// Runs a step over every block.
fn each<S: Step<Word: Word>>(chain: &mut [u64; 8], blocks: &[u8]) {
    let mut words = chain.map(S::Word::of);
    for block in blocks.chunks_exact(16 * S::Word::BYTES) {
        let word = |i: usize| S::Word::from_be(&block[i * S::Word::BYTES..][..S::Word::BYTES]);
        S::block(&mut words, &std::array::from_fn(word));
    }
    *chain = words.map(Word::value);
}
