//! One block at a time in a register or two, as chains need it and messages too short for a wave: what counts is the
//! time from one block to the next.
//!
//! A round of such a cipher is an S-box on every byte and a linear layer. So that nothing but inversion stands in its
//! way, the state is kept in the S-box's own coordinates, which makes one linear map of all that lies between two
//! inversions; constants are added to the round keys, and round keys beside the way.

use std::marker::PhantomData;

use wirespeed_cipher::{Block, InOut};

use super::Core;
use super::field::Affine;
use super::waves::{From, Mode};
use wirespeed_kernels_core::Chain;
use wirespeed_kernels_core::engine::after;

/// A unit that works on the sixteen bytes of a register. Its value proves that its instructions are there.
pub(crate) trait Register: Copy {
    type V: Copy;

    fn load(self, block: &Block) -> Self::V;
    fn store(self, v: Self::V) -> Block;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    fn or(self, a: Self::V, b: Self::V) -> Self::V;

    /// The sum of three, of which the last comes last.
    #[inline(always)]
    fn xor3(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.xor(self.xor(a, b), c)
    }

    /// The first, and where any of the others has a bit, that too.
    #[inline(always)]
    fn xor_or(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.xor(a, self.or(b, c))
    }

    /// Each word of 32 bits, the lowest byte first, to the left.
    fn rotate_words<const LEFT: i32>(self, v: Self::V) -> Self::V;

    /// Each byte from where a number says, or zero where that is [`NONE`].
    fn shuffle(self, v: Self::V, from: &'static Block) -> Self::V;

    /// A linear map of each byte of the first half, and another of the second.
    fn map(self, v: Self::V, maps: &'static Maps) -> Self::V;

    /// The same of each byte's inverse.
    fn map_inverse(self, v: Self::V, maps: &'static Maps) -> Self::V;

    /// Each byte as a sum of bytes of its half: of those whose bits are in its row, the first the highest.
    fn sums(self, v: Self::V, rows: &'static Block) -> Self::V;
}

/// [`Register::sums`] as it is defined.
#[inline(always)]
pub(crate) fn sums<R: Register>(u: R, v: R::V, rows: &'static Block) -> R::V {
    let (bytes, mut sums) = (u.store(v), [0; 16]);
    for i in 0..16 {
        for from in 0..8 {
            let bit: u8 = rows[i] >> (7 - from) & 1;
            sums[i] ^= bytes[i / 8 * 8 + from] & bit.wrapping_neg();
        }
    }
    u.load(&sums)
}

/// In a shuffle, no byte.
pub(crate) const NONE: u8 = 0x80;

/// Two linear maps.
pub(crate) struct Maps {
    /// As GF2P8AFFINEQB takes them; see [`Affine::matrix`].
    pub(crate) matrices: [u64; 2],
    /// As tables; see [`Affine::nibbles`].
    pub(crate) nibbles: [[Block; 2]; 2],
    /// The same where AES's S-box takes the place of inversion.
    pub(crate) nibbles_after_aes: [[Block; 2]; 2],
    /// Whether both are the same, and whether they do nothing.
    pub(crate) is_one: bool,
    pub(crate) is_identity: bool,
}

impl Maps {
    pub(crate) const NONE: Self = Self::both(&Affine::IDENTITY);

    pub(crate) const fn of(first: &Affine, second: &Affine) -> Self {
        let (first, second) = (first.without_constant(), second.without_constant());
        let undo = Affine::AES.inverse();
        Self {
            matrices: [first.matrix(), second.matrix()],
            nibbles: [first.nibbles(), second.nibbles()],
            nibbles_after_aes: [first.after(&undo).nibbles(), second.after(&undo).nibbles()],
            is_one: first.matrix() == second.matrix(),
            is_identity: first.is_identity() && second.is_identity(),
        }
    }

    pub(crate) const fn both(map: &Affine) -> Self {
        Self::of(map, map)
    }
}

/// The bytes of a linear layer's result as sums of bytes that stand in one register: so many shuffles, of which the
/// nth has the nth summand of each byte. `sums[i]` has a bit for each summand of byte i, `present` for each that
/// this register holds.
pub(crate) const fn summands<const N: usize>(sums: &[u16; 16], present: u16) -> [Block; N] {
    let mut shuffles = [[NONE; 16]; N];
    let mut i = 0;
    while i < 16 {
        let (mut from, mut n) = (0, 0);
        while from < 16 {
            if sums[i] & present & 1 << from != 0 {
                shuffles[n][i] = from as u8;
                n += 1;
            }
            from += 1;
        }
        i += 1;
    }
    shuffles
}

/// A block in registers, as a cipher wants it.
pub(crate) trait One<R: Register>: Copy {
    fn load(u: R, block: &Block) -> Self;
    fn store(self, u: R) -> Block;
    fn xor(self, u: R, other: Self) -> Self;
}

/// A block in one register, as it is.
#[derive(Clone, Copy)]
pub(crate) struct Whole<R: Register>(pub(crate) R::V);

impl<R: Register> One<R> for Whole<R> {
    #[inline(always)]
    fn load(u: R, block: &Block) -> Self {
        Self(u.load(block))
    }

    #[inline(always)]
    fn store(self, u: R) -> Block {
        u.store(self.0)
    }

    #[inline(always)]
    fn xor(self, u: R, other: Self) -> Self {
        Self(u.xor(self.0, other.0))
    }
}

/// What holds blocks as a cipher wants them.
pub(crate) trait Holder: Copy {
    /// A block.
    type V: Copy;

    fn load(self, block: &Block) -> Self::V;
    fn store(self, v: Self::V) -> Block;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
}

/// What takes one block after the other.
pub(crate) trait Serial: Holder {
    /// Takes a block through the cipher.
    fn one(self, round_keys: &[Block], block: Self::V) -> Self::V;
}

/// A cipher in a register.
#[derive(Clone, Copy)]
pub(crate) struct In<R, C>(pub(crate) R, pub(crate) PhantomData<C>);

/// A function that takes a block through a cipher.
#[derive(Clone, Copy)]
pub(crate) struct By<F>(pub(crate) F);

impl<R: Register, C: Core> Holder for In<R, C> {
    type V = C::One<R>;

    #[inline(always)]
    fn load(self, block: &Block) -> C::One<R> {
        One::load(self.0, block)
    }

    #[inline(always)]
    fn store(self, v: C::One<R>) -> Block {
        v.store(self.0)
    }

    #[inline(always)]
    fn xor(self, a: C::One<R>, b: C::One<R>) -> C::One<R> {
        a.xor(self.0, b)
    }
}

impl<R: Register, C: Core> Serial for In<R, C> {
    #[inline(always)]
    fn one(self, round_keys: &[Block], block: C::One<R>) -> C::One<R> {
        C::one(self.0, round_keys, block)
    }
}

impl<F: Copy> Holder for By<F> {
    type V = u128;

    fn load(self, block: &Block) -> u128 {
        u128::from_ne_bytes(*block)
    }

    fn store(self, v: u128) -> Block {
        v.to_ne_bytes()
    }

    fn xor(self, a: u128, b: u128) -> u128 {
        a ^ b
    }
}

impl<F: Fn(&[Block], Block) -> Block + Copy> Serial for By<F> {
    fn one(self, round_keys: &[Block], block: u128) -> u128 {
        u128::from_ne_bytes((self.0)(round_keys, block.to_ne_bytes()))
    }
}

/// Runs a chain over whole blocks.
#[inline(always)]
pub(crate) fn chain<S: Serial>(
    u: S,
    kind: Chain,
    round_keys: &[Block],
    register: &mut Block,
    data: InOut<'_>,
) {
    let (source, destination) = (data.source().cast::<Block>(), data.destination().cast::<Block>());
    let mut last = u.load(register);
    for i in 0..data.len() / 16 {
        // SAFETY: so many blocks are readable there.
        let input = u.load(&unsafe { source.add(i).read() });
        let fed = if kind == Chain::Cbc { u.xor(last, input) } else { last };
        let result = u.one(round_keys, fed);
        let output = if kind == Chain::Cbc { result } else { u.xor(result, input) };
        last = if kind == Chain::Ofb { result } else { output };
        // SAFETY: and writable there.
        unsafe { destination.add(i).write(u.store(output)) };
    }
    *register = u.store(last);
}

/// Runs a mode over whole blocks, one by one.
#[inline(always)]
pub(crate) fn few<S: Serial>(
    u: S,
    mode: Mode,
    round_keys: &[Block],
    chain: &mut Block,
    data: InOut<'_>,
) {
    let (source, destination) = (data.source().cast::<Block>(), data.destination().cast::<Block>());
    for i in 0..data.len() / 16 {
        // SAFETY: so many blocks are readable there.
        let block = unsafe { source.add(i).read() };
        let previous = *chain;
        if let From::Counter(bits) = mode.input {
            *chain = after(chain, bits, 1);
        } else if mode.is_chained() {
            *chain = block;
        }
        let input = if mode.input == From::Data { block } else { previous };
        let mut output = u.one(round_keys, u.load(&input));
        match mode.addend {
            From::Data => output = u.xor(output, u.load(&block)),
            From::Previous => output = u.xor(output, u.load(&previous)),
            From::Counter(_) | From::Nothing => {}
        }
        // SAFETY: and writable there.
        unsafe { destination.add(i).write(u.store(output)) };
    }
}
