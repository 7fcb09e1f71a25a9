//! The route for any machine: constant-time Rust, `W` blocks in a vector.

mod clmul;

use std::array;
use std::ptr;

use wirespeed_cipher::{Block, BlockKernels, GcmKey, GcmState, Schedule};

use crate::modes::{gcm, ghash as hashing};
use crate::unit::{Idle, One, Unit, Work};
use wirespeed_kernels_core::bitslice::{self, Planes};
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

impl<const W: usize> Unit for Portable<W> {
    type V = Blocks<W>;
    type Single = Portable<1>;
    const WIDTH: usize = W;
    const FLIGHT: usize = 1;

    fn single(self) -> Portable<1> {
        Portable
    }

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

    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: Self::V, b: Self::V) -> Self::V {
        let half = |x: u128, high: bool| if high { (x >> 64) as u64 } else { x as u64 };
        array::from_fn(|i| clmul::carryless_product(half(a[i], A_HIGH), half(b[i], B_HIGH)))
    }

    fn sum(self, v: Self::V) -> Blocks<1> {
        [v.iter().fold(0, |sum, x| sum ^ x)]
    }

    fn widen(self, v: Blocks<1>) -> Self::V {
        array::from_fn(|i| if i == 0 { v[0] } else { 0 })
    }

    // Planes are unpacked after the last round, so this does all the rounds and `last_round` none.
    fn rounds<const DECRYPT: bool, const ROUNDS: usize, const N: usize>(
        self,
        key: &Schedule,
        state: [Self::V; N],
        work: &mut impl Work,
    ) -> [Self::V; N] {
        let keys = planes_of::<ROUNDS>(key);
        let cipher = if DECRYPT { decrypt::<ROUNDS> } else { encrypt::<ROUNDS> };
        let result = state.map(|v| through_planes(v, |planes| cipher(&keys, planes)));
        (1..ROUNDS).for_each(|round| work.after(round));
        result
    }

    fn last_round<const DECRYPT: bool, const ROUNDS: usize>(
        self,
        _key: &Schedule,
        state: Self::V,
        fold: Self::V,
    ) -> Self::V {
        self.xor(state, fold)
    }
}

impl One for Portable<1> {
    fn chain<const ROUNDS: usize>(self, key: &Schedule, state: Self::V, feed: Self::V) -> Self::V {
        // The state already holds the first round key, which `encrypt` adds again.
        let first = self.splat(key.round_keys[0]);
        let [end] = self.rounds::<false, ROUNDS, 1>(key, [self.xor(state, first)], &mut Idle);
        self.xor(end, feed)
    }

    fn every_column<const COLUMN: usize, const ROTATE: bool>(self, [v]: Self::V) -> Self::V {
        let word = ((v >> (32 * COLUMN)) as u32).rotate_right(if ROTATE { 8 } else { 0 });
        [in_every_column(word)]
    }

    fn sub_columns(self, v: Self::V, constant: u32) -> Self::V {
        self.xor(through_planes(v, bitslice::sub_bytes), [in_every_column(constant)])
    }

    fn running_sum(self, [v]: Self::V) -> Self::V {
        let pairs = v ^ (v << 32);
        [pairs ^ (pairs << 64)]
    }

    fn inverse_mix(self, block: Self::V) -> Self::V {
        through_planes(block, bitslice::inverse_mix_columns)
    }
}

/// A word in all four columns.
fn in_every_column(word: u32) -> u128 {
    u128::from(word) * 0x1_0000_0001_0000_0001_0000_0001
}

/// Round keys as planes, the same key for each of the four blocks.
fn planes_of<const ROUNDS: usize>(key: &Schedule) -> [Planes; 15] {
    array::from_fn(|round| {
        if round <= ROUNDS { bitslice::pack(&[key.round_keys[round]; 4]) } else { [0; 8] }
    })
}

/// Runs `f` over up to four blocks at once.
fn through_planes<const W: usize>(v: Blocks<W>, f: impl Fn(&mut Planes)) -> Blocks<W> {
    const { assert!(W <= 4) };
    let mut planes =
        bitslice::pack(&array::from_fn(|i| v.get(i).copied().unwrap_or(0).to_le_bytes()));
    f(&mut planes);
    let blocks = bitslice::unpack(&planes);
    array::from_fn(|i| u128::from_le_bytes(blocks[i]))
}

fn add_key(planes: &mut Planes, key: &Planes) {
    for (plane, key) in planes.iter_mut().zip(key) {
        *plane ^= key;
    }
}

/// FIPS 197 §5.1.
fn encrypt<const ROUNDS: usize>(keys: &[Planes; 15], planes: &mut Planes) {
    add_key(planes, &keys[0]);
    for key in &keys[1..ROUNDS] {
        bitslice::sub_bytes(planes);
        bitslice::shift_rows(planes);
        bitslice::mix_columns(planes);
        add_key(planes, key);
    }
    bitslice::sub_bytes(planes);
    bitslice::shift_rows(planes);
    add_key(planes, &keys[ROUNDS]);
}

/// FIPS 197 §5.3.5, the equivalent inverse cipher.
fn decrypt<const ROUNDS: usize>(keys: &[Planes; 15], planes: &mut Planes) {
    add_key(planes, &keys[0]);
    for key in &keys[1..ROUNDS] {
        bitslice::inverse_sub_bytes(planes);
        bitslice::inverse_shift_rows(planes);
        bitslice::inverse_mix_columns(planes);
        add_key(planes, key);
    }
    bitslice::inverse_sub_bytes(planes);
    bitslice::inverse_shift_rows(planes);
    add_key(planes, &keys[ROUNDS]);
}

mod aes {
    use super::Portable;
    use wirespeed_cipher::Route;

    crate::table::table!(Route::Portable, Portable<4>, Portable);

    pub(super) static KERNELS: &[BlockKernels; 3] = &TABLE;
}

/// The portable kernels by key size.
pub fn table() -> &'static [BlockKernels; 3] {
    aes::KERNELS
}

/// GCM's hash for ciphers whose route has none.
pub const GALOIS: Galois = Galois { set_key, ghash, tag, polyval_key, polyval };

fn set_key(hash_key: Block, key: &mut GcmKey) {
    hashing::set_key::<_, false>(Portable::<4>, hash_key, key);
}

fn ghash(key: &mut GcmKey, hash: &mut Block, data: &[u8]) {
    hashing::hash::<_, false>(Portable::<4>, key, hash, data);
}

fn polyval_key(hash_key: Block, key: &mut GcmKey) {
    hashing::set_key::<_, true>(Portable::<4>, hash_key, key);
}

fn polyval(key: &mut GcmKey, hash: &mut Block, data: &[u8]) {
    hashing::hash::<_, true>(Portable::<4>, key, hash, data);
}

fn tag(key: &mut GcmKey, state: &GcmState, pending: bool, lengths: [u64; 2]) -> Block {
    gcm::tag(Portable::<4>, key, state, pending, lengths)
}
