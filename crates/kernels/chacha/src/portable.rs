//! ChaCha20 in plain integer arithmetic, four blocks at a time.

use std::array::from_fn;

use super::poly1305::Chain;
use super::{BLOCK, Rows};

/// The portable unit; it needs no proof.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

const BLOCKS: usize = 4;

/// A row of each matrix: word `w` of matrix `m` at `[w][m]`, so that loops over matrices become vectors.
type Words = [[u32; BLOCKS]; 4];

#[inline(always)]
fn each(a: Words, b: Words, f: impl Fn(u32, u32) -> u32) -> Words {
    from_fn(|word| from_fn(|block| f(a[word][block], b[word][block])))
}

impl Rows for Portable {
    type V = Words;
    type Hash = Chain;
    const BLOCKS: usize = BLOCKS;
    const FLIGHT: usize = 1;

    #[inline(always)]
    fn splat(self, row: [u32; 4]) -> Words {
        row.map(|word| [word; BLOCKS])
    }

    #[inline(always)]
    fn number(self, mut v: Words, count: u32) -> Words {
        v[0] = from_fn(|block| v[0][block].wrapping_add(count).wrapping_add(block as u32));
        v
    }

    #[inline(always)]
    fn first_row(self, v: Words) -> [u32; 4] {
        v.map(|word| word[0])
    }

    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        each(a, b, u32::wrapping_add)
    }

    #[inline(always)]
    fn xor(self, a: Words, b: Words) -> Words {
        each(a, b, |a, b| a ^ b)
    }

    #[inline(always)]
    fn rotate<const LEFT: i32>(self, v: Words) -> Words {
        v.map(|words| words.map(|word| word.rotate_left(LEFT as u32)))
    }

    #[inline(always)]
    fn turn<const PLACES: i32>(self, v: Words) -> Words {
        from_fn(|word| v[(word + PLACES as usize) % 4])
    }

    #[inline(always)]
    unsafe fn store<const ADD: bool>(
        self,
        rows: [Words; 4],
        blocks: usize,
        from: *const u8,
        to: *mut u8,
    ) {
        for block in 0..blocks {
            for (i, word) in rows.as_flattened().iter().enumerate() {
                let (mut word, place) = (word[block], BLOCK * block + 4 * i);
                // SAFETY: 16 words in each of the blocks that the caller vouches for.
                unsafe {
                    if ADD {
                        word ^= u32::from_le_bytes(from.add(place).cast::<[u8; 4]>().read());
                    }
                    to.add(place).cast::<[u8; 4]>().write(word.to_le_bytes());
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn combine(self, keystream: *const u8, from: *const u8, to: *mut u8, count: usize) {
        for at in 0..count {
            // SAFETY: byte by byte, within what the caller vouches for.
            unsafe { *to.add(at) = *from.add(at) ^ *keystream.add(at) };
        }
    }
}

mod table {
    use wirespeed_cipher::Route;

    use super::Portable;

    crate::table_of!(Route::Portable, false, Portable, Portable);
}

pub(crate) use table::KERNELS;
