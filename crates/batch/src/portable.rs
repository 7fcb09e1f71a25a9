//! Lanes in plain integer arithmetic, which takes the same time for all data, on any machine.

use std::marker::PhantomData;

use crate::words::{Word, Words};

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
        #[inline(always)]
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
impl<W: Word, const LANES: usize> Words for Plain<W, LANES> {
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

    #[inline(always)]
    fn splat(self, word: W) -> Self::V {
        [word; LANES]
    }

    #[inline(always)]
    unsafe fn load(self, from: *const W) -> Self::V {
        // SAFETY: the caller vouches for as many words, and an array is aligned as its words are.
        unsafe { from.cast::<Self::V>().read() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut W, v: Self::V) {
        // SAFETY: as above.
        unsafe { to.cast::<Self::V>().write(v) }
    }

    #[inline(always)]
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
