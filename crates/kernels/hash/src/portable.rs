//! The compression functions in plain integer arithmetic, which takes the same time for all data.

mod keccak;
mod md5;
mod sha1;
mod sha2;
mod sm3;

pub(crate) use keccak::{Lane, absorb};

use wirespeed_cipher::{Chain, Compression, HashKernels, Route};

use crate::of;

/// The portable kernels.
pub(crate) fn kernels(compression: Compression) -> &'static HashKernels {
    &KERNELS[compression as usize]
}

static KERNELS: [HashKernels; Compression::ALL.len()] = [
    table(Compression::Md5, each::<md5::Md5>),
    table(Compression::Sha1, each::<sha1::Sha1>),
    table(Compression::Sha256, each::<sha2::Sha256>),
    table(Compression::Sha512, each::<sha2::Sha512>),
    table(Compression::Sm3, each::<sm3::Sm3>),
    table(Compression::Keccak168, absorb::<u64, 168>),
    table(Compression::Keccak144, absorb::<u64, 144>),
    table(Compression::Keccak136, absorb::<u64, 136>),
    table(Compression::Keccak104, absorb::<u64, 104>),
    table(Compression::Keccak72, absorb::<u64, 72>),
];

const fn table(compression: Compression, blocks: fn(&mut Chain, &[u8])) -> HashKernels {
    of(Route::Portable, compression, blocks)
}

/// One step from block to block.
trait Step {
    /// A word: `u32` or `u64`.
    type Word: Copy;
    /// Whether a word begins with its lowest byte.
    const LITTLE_ENDIAN: bool = false;

    /// Takes the chaining value over one block, given as sixteen words.
    fn block(chain: &mut [Self::Word; 8], block: &[Self::Word; 16]);
}

/// A word in its two forms.
trait Word: Copy {
    const BYTES: usize;
    fn of(value: u64) -> Self;
    fn value(self) -> u64;
    fn from_be(bytes: &[u8]) -> Self;
    fn swap(self) -> Self;
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
            fn swap(self) -> Self {
                self.swap_bytes()
            }
        }
    };
}
word!(u32);
word!(u64);

/// Runs a step over every block.
fn each<S: Step<Word: Word>>(chain: &mut Chain, blocks: &[u8]) {
    let mut words = std::array::from_fn(|i| S::Word::of(chain[i]));
    for block in blocks.chunks_exact(16 * S::Word::BYTES) {
        let word = |i: usize| {
            let word = S::Word::from_be(&block[i * S::Word::BYTES..][..S::Word::BYTES]);
            if S::LITTLE_ENDIAN { word.swap() } else { word }
        };
        S::block(&mut words, &std::array::from_fn(word));
    }
    chain[..8].copy_from_slice(&words.map(Word::value));
}
