//! Lanes in plain integer arithmetic, for tests: every machine has them, and Miri can interpret them.

use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shr};

use crate::words::{Word, Words};

/// Arithmetic on a word.
pub(crate) trait Arithmetic:
    Word
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shr<i32, Output = Self>
{
    fn sum(self, other: Self) -> Self;
    fn rotate(self, left: u32) -> Self;
    fn swap(self) -> Self;
}

macro_rules! arithmetic {
    ($type:ty) => {
        impl Arithmetic for $type {
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn rotate(self, left: u32) -> Self {
                self.rotate_left(left)
            }
            fn swap(self) -> Self {
                self.swap_bytes()
            }
        }
    };
}
arithmetic!(u32);
arithmetic!(u64);

/// Words side by side in an array.
#[derive(Clone, Copy)]
pub(crate) struct Plain<W, const LANES: usize>(PhantomData<W>);

impl<W, const LANES: usize> Plain<W, LANES> {
    /// Any machine has it.
    pub(crate) const HERE: Self = Self(PhantomData);
}

/// Carries an operation out on every lane.
macro_rules! each {
    ($(fn $name:ident $([const $constant:ident])? ($first:ident $(, $operand:ident)*) = $result:expr;)*) => {$(
        #[inline(never)]
        fn $name $(<const $constant: i32>)? (self, $first: Self::V $(, $operand: Self::V)*) -> Self::V {
            let mut out = $first;
            for i in 0..LANES {
                let $first = $first[i];
                $(let $operand = $operand[i];)*
                out[i] = $result;
            }
            out
        }
    )*};
}

#[allow(clippy::needless_range_loop, reason = "one index walks several arrays")]
impl<W: Arithmetic, const LANES: usize> Words for Plain<W, LANES> {
    type Word = W;
    type V = [W; LANES];
    const LANES: usize = LANES;

    each! {
        fn add(a, b) = a.sum(b);
        fn xor(a, b) = a ^ b;
        fn xor3(a, b, c) = a ^ b ^ c;
        fn choose(a, b, c) = c ^ (a & (b ^ c));
        fn majority(a, b, c) = (a & b) | (c & (a | b));
        fn or_not(a, b, c) = b ^ (a | !c);
        fn rotate[const LEFT](a) = a.rotate(LEFT as u32);
        fn shift[const RIGHT](a) = a >> RIGHT;
    }

    #[inline(never)]
    fn splat(self, word: W) -> Self::V {
        [word; LANES]
    }

    #[inline(never)]
    unsafe fn load(self, from: *const W) -> Self::V {
        // SAFETY: the caller vouches for as many words, and an array is aligned as its words are.
        unsafe { from.cast::<Self::V>().read() }
    }

    #[inline(never)]
    unsafe fn store(self, to: *mut W, v: Self::V) {
        // SAFETY: as above.
        unsafe { to.cast::<Self::V>().write(v) }
    }

    #[inline(never)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [Self::V; 16] {
        let mut words = [[W::default(); LANES]; 16];
        for lane in 0..LANES {
            for (i, row) in words.iter_mut().enumerate() {
                // SAFETY: the caller vouches for the pointer, and for sixteen words from there.
                let word = unsafe {
                    let block = (*from.add(lane)).add(offset);
                    block.cast::<W>().add(i).read_unaligned()
                };
                let foreign = cfg!(target_endian = "big") != BIG;
                row[lane] = if foreign { word.swap() } else { word };
            }
        }
        words
    }
}
