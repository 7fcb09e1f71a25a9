//! The route for any machine: constant-time Rust, `W` blocks in a vector.

use std::array;
use std::ptr;

use wirespeed_cipher::{Block, BlockKernels, Schedule};

use crate::bitsliced::words::{self, Native, Word};
use crate::bitsliced::{self, Key, Keys, Planes, moved};
use crate::modes::ghash::carryless::Sums;
use crate::unit::{Carryless, One, Unit, Vector, Work};
use wirespeed_kernels_core::clmul::carryless_product;
use wirespeed_kernels_core::engine::Galois;

/// The portable unit; it needs no proof.
#[derive(Clone, Copy)]
pub(crate) struct Portable<const W: usize>;

/// Blocks as little-endian numbers, so that "first" and "low" mean what they mean on x86.
type Blocks<const W: usize> = [u128; W];

impl<const W: usize> Portable<W> {
    fn each(v: Blocks<W>, f: impl Fn(u128) -> u128) -> Blocks<W> {
        v.map(f)
    }
}

/// Applies `f` to both halves of a block.
fn halves(x: u128, f: impl Fn(u64) -> u64) -> u128 {
    u128::from(f((x >> 64) as u64)) << 64 | u128::from(f(x as u64))
}

impl<const W: usize> Vector for Portable<W> {
    type V = Blocks<W>;
    const WIDTH: usize = W;

    unsafe fn load(self, from: *const u8) -> Self::V {
        // SAFETY: the caller vouches for `BYTES` bytes.
        unsafe { self.load_first(from, Self::BYTES) }
    }

    unsafe fn load_first(self, from: *const u8, count: usize) -> Self::V {
        let mut blocks = [[0u8; 16]; W];
        assert!(count <= Self::BYTES);
        // SAFETY: the caller vouches for `count` bytes, and they fit.
        unsafe { ptr::copy_nonoverlapping(from, blocks.as_mut_ptr().cast(), count) };
        blocks.map(u128::from_le_bytes)
    }

    unsafe fn store(self, to: *mut u8, v: Self::V) {
        // SAFETY: the caller vouches for `BYTES` bytes.
        unsafe { self.store_first(to, v, Self::BYTES) };
    }

    unsafe fn store_first(self, to: *mut u8, v: Self::V, count: usize) {
        let blocks = v.map(u128::to_le_bytes);
        assert!(count <= Self::BYTES);
        // SAFETY: the caller vouches for `count` bytes, and so many are there.
        unsafe { ptr::copy_nonoverlapping(blocks.as_ptr().cast(), to, count) };
    }

    fn keep_first(self, v: Self::V, count: usize) -> Self::V {
        array::from_fn(|i| {
            let bytes = count.saturating_sub(16 * i).min(16) as u32;
            if bytes == 0 { 0 } else { v[i] & (!0 >> (128 - 8 * bytes)) }
        })
    }

    fn splat(self, block: Block) -> Self::V {
        [u128::from_le_bytes(block); W]
    }

    fn zero(self) -> Self::V {
        [0; W]
    }

    fn xor(self, a: Self::V, b: Self::V) -> Self::V {
        array::from_fn(|i| a[i] ^ b[i])
    }

    fn swap_bytes(self, v: Self::V) -> Self::V {
        Self::each(v, u128::swap_bytes)
    }

    fn swap_halves(self, v: Self::V) -> Self::V {
        Self::each(v, |x| x.rotate_left(64))
    }

    fn low_to_high(self, v: Self::V) -> Self::V {
        Self::each(v, |x| x << 64)
    }

    fn high_to_low(self, v: Self::V) -> Self::V {
        Self::each(v, |x| x >> 64)
    }

    fn shift_up(self, v: Self::V) -> Self::V {
        Self::each(v, |x| x << W)
    }

    fn shifted_out(self, v: Self::V) -> Self::V {
        Self::each(v, |x| x >> (128 - W))
    }

    fn shift_left(self, v: Self::V, bits: u32) -> Self::V {
        array::from_fn(|i| halves(v[i], |x| x << (bits + i as u32)))
    }

    fn shift_right_rest(self, v: Self::V, bits: u32) -> Self::V {
        array::from_fn(|i| halves(v[i], |x| x.checked_shr(64 - bits - i as u32).unwrap_or(0)))
    }

    fn add(self, v: Self::V, count: u32, spread: bool) -> Self::V {
        array::from_fn(|i| {
            let place = if spread { i as u32 } else { 0 };
            let low = (v[i] as u32).wrapping_add(count).wrapping_add(place);
            v[i] >> 32 << 32 | u128::from(low)
        })
    }

    fn add_to_last_byte(self, v: Self::V, count: u8) -> Self::V {
        Self::each(v, |x| x.wrapping_add(u128::from(count) << 120))
    }

    fn shift_in(self, previous: Self::V, current: Self::V) -> Self::V {
        array::from_fn(|i| if i == 0 { previous[W - 1] } else { current[i - 1] })
    }
}

impl<const W: usize> Unit for Portable<W> {
    type Single = Portable<1>;
    const FLIGHT: usize = 1;

    type Room = Keys<Native>;
    type Key<'k> = Key<'k, Native>;
    type Hash<'k> = Sums<'k, Self>;

    fn key<'k, const DECRYPT: bool, const ROUNDS: usize>(
        self,
        schedule: &'k Schedule,
        room: &'k mut Self::Room,
        _bytes: usize,
    ) -> Self::Key<'k> {
        for round in 0..=schedule.rounds.into() {
            let key = u128::from_le_bytes(moved::<DECRYPT>(schedule, round));
            room.push(Native::pack(&[key; Native::BLOCKS]));
        }
        Key { schedule, planes: room.planes() }
    }

    fn single(self) -> Portable<1> {
        Portable
    }

    fn sum(self, v: Self::V) -> Blocks<1> {
        [v.iter().fold(0, |sum, x| sum ^ x)]
    }

    fn widen(self, v: Blocks<1>) -> Self::V {
        array::from_fn(|i| if i == 0 { v[0] } else { 0 })
    }

    fn carry<const HIGH: bool>(self, v: Self::V) -> Self::V {
        let of = |x: u128| u128::from((if HIGH { x >> 64 } else { x }) as u64);
        Self::each(v, |x| of(x) ^ of(x) << 1 ^ of(x) << 2 ^ of(x) << 7)
    }

    // Planes are unpacked after the last round, so this does all the rounds and `last_round` none.
    fn rounds<const DECRYPT: bool, const ROUNDS: usize, const N: usize>(
        self,
        key: Self::Key<'_>,
        state: [Self::V; N],
        work: &mut impl Work,
    ) -> [Self::V; N] {
        let result = state.map(|mut blocks| {
            crypt::<DECRYPT, W>(key.planes, &mut blocks);
            blocks
        });
        (1..10).for_each(|round| work.after(round));
        result
    }

    fn last_round<const DECRYPT: bool, const ROUNDS: usize>(
        self,
        _key: Self::Key<'_>,
        state: Self::V,
        fold: Self::V,
    ) -> Self::V {
        self.xor(state, fold)
    }
}

impl<const W: usize> Carryless for Portable<W> {
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: Self::V, b: Self::V) -> Self::V {
        let half = |x: u128, high: bool| if high { (x >> 64) as u64 } else { x as u64 };
        array::from_fn(|i| carryless_product(half(a[i], A_HIGH), half(b[i], B_HIGH)))
    }
}

impl One for Portable<1> {
    fn every_column<const COLUMN: usize, const ROTATE: bool>(self, [v]: Self::V) -> Self::V {
        let word = ((v >> (32 * COLUMN)) as u32).rotate_right(if ROTATE { 8 } else { 0 });
        [in_every_column(word)]
    }

    fn sub_columns(self, v: Self::V, constant: u32) -> Self::V {
        self.xor(v.map(words::sub_bytes), [in_every_column(constant)])
    }

    fn running_sum(self, [v]: Self::V) -> Self::V {
        let pairs = v ^ (v << 32);
        [pairs ^ (pairs << 64)]
    }

    fn inverse_mix(self, [block]: Self::V) -> Self::V {
        // InvMixColumns is MixColumns after multiplication by 04·x^2 + 05 (Daemen and Rijmen, "The Design of
        // Rijndael", §4.1.3).
        let pair = block ^ rows(block, 2);
        let block = block ^ times_x(times_x(pair));
        let pair = block ^ rows(block, 1);
        [times_x(pair) ^ rows(block, 1) ^ rows(pair, 2)]
    }
}

/// All of AES, in functions of their own: all modes share them.
#[inline(never)]
fn crypt<const DECRYPT: bool, const W: usize>(keys: &[Planes<Native>], blocks: &mut Blocks<W>) {
    const { assert!(W <= Native::BLOCKS) };
    let mut planes = Native::pack(blocks);
    crypt_planes::<DECRYPT>(keys, &mut planes);
    Native::unpack(planes, blocks);
}

/// Apart from the packing: its rounds take long to compile, and are the same for any number of blocks.
#[inline(never)]
fn crypt_planes<const DECRYPT: bool>(keys: &[Planes<Native>], planes: &mut Planes<Native>) {
    *planes = bitsliced::crypt::<_, DECRYPT>(keys, *planes);
}

/// Each byte becomes the one so many rows below.
fn rows(block: u128, rows: u32) -> u128 {
    let low = in_every_column(u32::MAX >> (8 * rows));
    block >> (8 * rows) & low | block << (32 - 8 * rows) & !low
}

/// Multiplies every byte by x in GF(2^8).
fn times_x(block: u128) -> u128 {
    const LOWEST: u128 = u128::MAX / 255;
    ((block & !(LOWEST << 7)) << 1) ^ ((block >> 7 & LOWEST) * 0x1b)
}

/// A word in all four columns.
fn in_every_column(word: u32) -> u128 {
    u128::from(word) * 0x1_0000_0001_0000_0001_0000_0001
}

mod aes {
    use super::{Native, Portable, Word};
    use wirespeed_cipher::Route;

    crate::table::table!(Route::Portable, Portable<{ Native::BLOCKS }>, Portable, ByKeySize::NONE);

    pub(super) static KERNELS: &[BlockKernels; 3] = &TABLE;
}

/// The portable kernels by key size.
pub fn table() -> &'static [BlockKernels; 3] {
    aes::KERNELS
}

/// GCM's hash for ciphers whose route has none.
pub const GALOIS: Galois = crate::table::galois(&aes::KERNELS[0]);
