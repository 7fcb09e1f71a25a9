//! Block ciphers over byte slices: sixteen vectors, of which each holds one byte of every block.
//!
//! Where no instruction has a cipher's rounds, its S-box still is inversion in a field of 256 elements between
//! affine maps, which GFNI computes for every byte of a vector, and AES-NI and plain logic nearly so. All bytes of a
//! vector go through one S-box, and where a cipher moves bytes around, only the vectors change their names.
//!
//! One block goes in one register, in the coordinates of the S-box: nothing but inversion and one linear map stands
//! between two rounds, and constants are added to the round keys. Camellia's goes in two registers, a half in each:
//! in chaining modes the half that is needed first is also finished first.
//!
//! A [`Core`] is a cipher, [`Slices`] is a unit, [`waves`] has the modes.

#![cfg_attr(
    not(all(target_feature = "sse2", target_pointer_width = "64")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "part of it is for units of x86 alone"
    )
)]
#![allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]

/// An array of what an expression gives for 0 to 15. Unlike a loop it is sure to leave no loop, which would keep
/// the vectors in memory.
macro_rules! sixteen {
    (|$i:ident| $each:expr) => {
        sixteen!(@ $i $each; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident $each:expr; $($number:literal)*) => {
        [$({
            const $i: usize = $number;
            $each
        }),*]
    };
}

mod arch;
mod aria;
mod bytes;
mod camellia;
mod circuits;
mod field;
mod machine;
mod nibbles;
mod planes;
mod portable;
mod serial;
mod sm4;
#[cfg(test)]
mod tests;
mod waves;

use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockCipher, BlockKernels, InOut, Route, Schedule};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

use serial::{One, Register};
use waves::Mode;
use wirespeed_kernels_core::Chain;
use wirespeed_kernels_core::engine::{self, Engine, Galois, by_ecb};

/// The kernels of a route for such a cipher, if `features` allow it.
pub fn kernels(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    if route == Route::Portable {
        return portable::kernels(cipher).ok_or(Absent::Without(cipher));
    }
    let table = arch::table(route, cipher, features)?;
    table.iter().find(|kernels| kernels.cipher == cipher).ok_or(Absent::Without(cipher))
}

/// A round key of which each byte is there four times, to be broadcast by the load.
pub(crate) type Wide = [u32; 16];

/// A unit that works on so many blocks at once. Its value proves that its instructions are there.
pub(crate) trait Slices: Copy {
    /// One byte of every block. In another order, as in memory, it is some blocks: a row.
    type V: Copy;
    /// The unit for fewer blocks, or this one.
    type Narrow: Slices;
    /// Blocks, 128 at most.
    const BLOCKS: usize;
    /// Bytes in a vector.
    const BYTES: usize = size_of::<Self::V>();

    fn narrow(self) -> Self::Narrow;

    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    fn or(self, a: Self::V, b: Self::V) -> Self::V;

    /// The sum of three.
    #[inline(always)]
    fn xor3(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.xor(self.xor(a, b), c)
    }

    /// In each byte the bits of `MASK` from `a` and the others from `b`.
    fn select<const MASK: u8>(self, a: Self::V, b: Self::V) -> Self::V;

    /// Each byte rotated to the left by a bit.
    fn rotate_by_one(self, v: Self::V) -> Self::V;

    /// All bits of each byte as its highest.
    fn spread_top_bit(self, v: Self::V) -> Self::V;

    /// A byte, given four times, for every block.
    fn splat(self, byte: u32) -> Self::V;

    /// For every block a byte and the block's place.
    fn count(self, from: u8) -> Self::V;

    /// The S-box of that number; see [`field::BOXES`].
    fn substitute<const BOX: usize>(self, v: Self::V) -> Self::V;

    /// The same of the sum with a byte of a round key, which is given four times. Not by value, as some vectors are
    /// memory.
    #[inline(always)]
    fn substitute_sum<const BOX: usize>(self, v: &Self::V, key: u32, result: &mut Self::V) {
        *result = self.substitute::<BOX>(self.xor(*v, self.splat(key)));
    }

    /// SM4's S-box with its value rotated by two bits, of what the S-box itself made of `v` already.
    #[inline(always)]
    fn rotated_box(self, v: Self::V, _substituted: Self::V) -> Self::V {
        self.substitute::<{ field::SM4 + 1 }>(v)
    }

    /// Adds a linear layer's sums.
    #[inline(always)]
    fn linear<L: Linear<N>, const N: usize>(self, from: &[Self::V; N], to: &mut [Self::V; N]) {
        *to = L::sums(self, *from, *to);
    }

    /// # Safety
    /// A row is readable there.
    unsafe fn load(self, from: *const u8) -> Self::V;

    /// # Safety
    /// A row is writable there.
    unsafe fn store(self, to: *mut u8, row: Self::V);

    /// From rows to slices.
    fn slice(self, rows: [Self::V; 16]) -> [Self::V; 16];

    /// From slices to rows.
    fn unslice(self, slices: [Self::V; 16]) -> [Self::V; 16];

    /// The cipher, in a function of its own with the unit's target features: all modes share it.
    fn run<C: Core>(self, keys: &[Wide], state: &mut [Self::V; 16]);
}

/// What adds vectors, or parts of them.
pub(crate) trait Adder: Copy {
    type Summand: Copy;

    fn sum(self, a: Self::Summand, b: Self::Summand) -> Self::Summand;

    #[inline(always)]
    fn sum_of_three(self, a: Self::Summand, b: Self::Summand, c: Self::Summand) -> Self::Summand {
        self.sum(self.sum(a, b), c)
    }
}

impl<S: Slices> Adder for S {
    type Summand = S::V;

    #[inline(always)]
    fn sum(self, a: S::V, b: S::V) -> S::V {
        self.xor(a, b)
    }

    #[inline(always)]
    fn sum_of_three(self, a: S::V, b: S::V, c: S::V) -> S::V {
        self.xor3(a, b, c)
    }
}

/// A linear layer, which does to each bit of a byte what it does to the others.
pub(crate) trait Linear<const N: usize> {
    /// Sums of the first, added to the second or in their place.
    fn sums<A: Adder>(u: A, from: [A::Summand; N], to: [A::Summand; N]) -> [A::Summand; N];
}

/// A cipher over slices. Both directions are the same function over round keys in another order.
pub(crate) trait Core: Copy {
    /// The same cipher as it goes in waves.
    type Waves: Core;

    /// Takes blocks through the cipher.
    fn run<S: Slices>(u: S, keys: &[Wide], state: &mut [S::V; 16]);

    /// So few blocks are done sooner one by one than in a wave, where a map is an instruction.
    const FEW: usize;
    /// The same where it is looked up.
    const FEW_BY_TABLES: usize;

    /// A block by itself.
    type One<R: Register>: One<R>;

    /// Takes a block through the cipher by itself.
    fn one<R: Register>(u: R, round_keys: &[Block], block: Self::One<R>) -> Self::One<R>;

    /// The same where there is no such register.
    fn plain(round_keys: &[Block], block: Block) -> Block;

    /// The key schedule, of a key of any size that the cipher has.
    fn expand(key: &[u8], decrypt: bool, out: &mut Schedule);

    /// The same in a register.
    fn expand_in<R: Register>(u: R, key: &[u8], decrypt: bool, out: &mut Schedule);
}

/// A cipher with one key size.
pub(crate) trait Cipher {
    type Core: Core;
    const CIPHER: BlockCipher;

    /// Where the round keys are.
    fn round_keys(key: &Schedule) -> &[Block];
}

/// What runs every mode of such ciphers over whole blocks: a route.
pub(crate) trait Machine {
    const ROUTE: Route;
    /// How GCM hashes.
    const GALOIS: Galois = wirespeed_aes::portable::GALOIS;

    /// A cipher's key schedule.
    fn expand<C: Core>(key: &[u8], decrypt: bool, out: &mut Schedule) {
        C::expand(key, decrypt, out);
    }

    /// `chain` is what the mode says.
    fn drive<C: Core>(mode: Mode, round_keys: &[Block], chain: &mut Block, data: InOut<'_>);

    /// The modes in which each block waits for the one before.
    fn chain<C: Core>(kind: Chain, round_keys: &[Block], register: &mut Block, data: InOut<'_>);
}

/// Adds a round key to the state.
#[inline(always)]
fn add_key<S: Slices>(u: S, state: &mut [S::V; 16], key: &Wide) {
    for i in 0..16 {
        state[i] = u.xor(state[i], u.splat(key[i]));
    }
}

/// A cipher on a machine.
struct On<M, C>(PhantomData<(M, C)>);

impl<M: Machine, C: Cipher> Engine for On<M, C> {
    const ROUTE: Route = M::ROUTE;
    const CIPHER: BlockCipher = C::CIPHER;
    const GALOIS: Galois = M::GALOIS;

    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
        M::expand::<C::Core>(key, DECRYPT, out);
    }

    fn ecb<const DECRYPT: bool>(key: &Schedule, data: InOut<'_>) {
        M::drive::<C::Core>(Mode::ECB, C::round_keys(key), &mut [0; 16], data);
    }

    fn cbc<const DECRYPT: bool>(key: &Schedule, chain: &mut Block, data: InOut<'_>) {
        if DECRYPT {
            M::drive::<C::Core>(Mode::CBC, C::round_keys(key), chain, data);
        } else {
            M::chain::<C::Core>(Chain::Cbc, C::round_keys(key), chain, data);
        }
    }

    fn cfb<const DECRYPT: bool>(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        with_rest(
            register,
            data,
            |register, blocks| match DECRYPT {
                true => M::drive::<C::Core>(Mode::CFB, C::round_keys(key), register, blocks),
                false => M::chain::<C::Core>(Chain::Cfb, C::round_keys(key), register, blocks),
            },
            |register, rest| by_ecb::cfb(Self::ecb::<false>, DECRYPT, key, register, rest),
        );
    }

    fn ofb(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        with_rest(
            register,
            data,
            |register, blocks| {
                M::chain::<C::Core>(Chain::Ofb, C::round_keys(key), register, blocks);
            },
            |register, rest| by_ecb::ofb(Self::ecb::<false>, key, register, rest),
        );
    }

    fn count<const BITS: u32>(key: &Schedule, counter: &mut Block, data: InOut<'_>) {
        M::drive::<C::Core>(Mode::ctr(BITS), C::round_keys(key), counter, data);
    }
}

/// Whole blocks in one way, and what is less than a block behind them in another.
#[inline(always)]
fn with_rest(
    register: &mut Block,
    data: InOut<'_>,
    run: impl FnOnce(&mut Block, InOut<'_>),
    rest: impl FnOnce(&mut Block, InOut<'_>),
) {
    let whole = data.len() & !15;
    if whole == data.len() {
        // As it came: copies of a buffer's description cost a call of one block a tenth.
        return run(register, data);
    }
    let (blocks, end) = data.split_at(whole);
    run(register, blocks);
    rest(register, end);
}

/// The tables of a machine, Camellia's by sums or not.
pub(crate) const fn tables<M: Machine, const SUMS: bool>() -> [BlockKernels; 7] {
    [
        engine::table::<On<M, camellia::OfKey<16, SUMS>>>(),
        engine::table::<On<M, camellia::OfKey<24, SUMS>>>(),
        engine::table::<On<M, camellia::OfKey<32, SUMS>>>(),
        engine::table::<On<M, aria::OfKey<16>>>(),
        engine::table::<On<M, aria::OfKey<24>>>(),
        engine::table::<On<M, aria::OfKey<32>>>(),
        engine::table::<On<M, sm4::Sm4>>(),
    ]
}
