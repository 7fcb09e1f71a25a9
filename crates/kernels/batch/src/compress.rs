//! The compression functions, each written once for any number of lanes.

mod md5;
mod sha1;
mod sha2;

pub(crate) use md5::Md5;
pub(crate) use sha1::Sha1;
pub(crate) use sha2::{Sha256, Sha512};

use crate::words::{Word, Words};

/// Repeats a macro's steps for each number, which the compiler then knows.
macro_rules! sixteen {
    ($step:ident) => {
        crate::compress::each! { $step 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 }
    };
}

/// The same for some numbers.
macro_rules! each {
    ($step:ident $($number:literal)*) => { $($step!($number);)* };
}

use {each, sixteen};

/// What takes a hash function from one block to the next, in every lane at once.
pub(crate) trait Compress {
    /// A word of the chaining value and of the message.
    type Word: Word;
    /// Words in the chaining value.
    const WORDS: usize;
    /// Whether the message's words are big-endian.
    const BIG: bool;

    /// Takes the chaining value over a block. Words from [`Self::WORDS`] on stay as they are.
    fn block<U: Words<Word = Self::Word>>(u: U, chain: &mut [U::V; 8], message: [U::V; 16]);
}

/// How far ahead a lane's bytes are asked for. As many streams as there are lanes are more than a CPU follows by itself.
const AHEAD: usize = 256;

/// Takes the chaining values of a vector's lanes over `count` blocks of each. A row of words is
/// [`Word::ROW`] long.
///
/// # Safety
/// Eight rows are writable at `chains`, from which the vector takes its first lanes; `LANES` pointers are
/// readable at `from`, and `count` blocks at each.
#[inline(always)]
pub(crate) unsafe fn blocks<C: Compress, U: Words<Word = C::Word>>(
    u: U,
    chains: *mut C::Word,
    from: *const *const u8,
    count: usize,
) {
    let mut chain = [u.splat(C::Word::default()); 8];
    for i in 0..C::WORDS {
        // SAFETY: the caller vouches for eight rows, and a vector is no longer than a row.
        chain[i] = unsafe { u.load(chains.add(i * C::Word::ROW)) };
    }
    for block in 0..count {
        // SAFETY: the caller vouches for the pointers and for so many blocks.
        let message = unsafe {
            let offset = block * 16 * size_of::<C::Word>();
            u.prefetch(from, offset + AHEAD);
            if C::BIG { u.message::<true>(from, offset) } else { u.message::<false>(from, offset) }
        };
        let before = chain;
        C::block(u, &mut chain, message);
        for i in 0..C::WORDS {
            chain[i] = u.add(chain[i], before[i]);
        }
    }
    for i in 0..C::WORDS {
        // SAFETY: as for loading.
        unsafe { u.store(chains.add(i * C::Word::ROW), chain[i]) };
    }
}
