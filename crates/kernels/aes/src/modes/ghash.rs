//! GHASH, SP 800-38D §6.4, on blocks with their bytes reversed.
//!
//! In that order GHASH's reflected polynomials become ordinary carry-less products, provided one
//! factor is multiplied by x beforehand (Gueron and Kounavis, "Intel Carry-Less Multiplication
//! Instruction and its Usage for Computing the GCM Mode", §"Bit-reflection"). The powers of H are
//! stored with that factor.
//!
//! POLYVAL, RFC 8452 §3, is the same without either: its blocks stand in that order, and its product has that factor.

use wirespeed_cipher::{Block, GcmForm, GcmKey, Schedule};

use crate::unit::{Idle, Room, Unit, Vector};

pub(crate) mod carryless;
pub(crate) mod tables;

/// A run of blocks being hashed, with as many powers of H as it has blocks.
pub(crate) trait Run<'k, U: Unit>: Sized {
    /// Blocks in the longest run.
    const LONGEST: usize;

    /// Makes sure that H^1 to H^`blocks` are there: doubling what is there, as far as it is needed.
    fn prepare(u: U, key: &mut GcmKey, blocks: usize);

    /// Begins a run of `blocks` blocks after the hash `before`.
    fn new(u: U, key: &'k GcmKey, blocks: usize, before: <U::Single as Vector>::V) -> Self;

    /// The unit.
    fn unit(&self) -> U;

    /// Takes the next vector of the run, the bytes of each block reversed.
    fn absorb_reversed(&mut self, x: U::V);

    /// The hash after the run.
    fn finish(self) -> <U::Single as Vector>::V;

    /// Takes the next vector of the run, its bytes in the message's order.
    #[inline(always)]
    fn absorb(&mut self, v: U::V) {
        self.absorb_reversed(self.unit().swap_bytes(v));
    }

    /// Takes the last vector of the run, with what is to be added to it, the bytes of each block reversed.
    #[inline(always)]
    fn absorb_last(&mut self, v: U::V, end: Option<U::V>) {
        let reversed = self.unit().swap_bytes(v);
        self.absorb_reversed(match end {
            Some(end) => self.unit().xor(reversed, end),
            None => reversed,
        });
    }
}

/// H = AES(0), times x, as the first power.
#[inline(always)]
pub(crate) fn key<U: Unit, const ROUNDS: usize>(u: U, schedule: &Schedule, key: &mut GcmKey) {
    let one = u.single();
    let mut room = Room::EMPTY;
    let round_keys = one.key::<false, ROUNDS>(schedule, &mut room, 16);
    let [state] = one.rounds::<false, ROUNDS, 1>(round_keys, [one.zero()], &mut Idle);
    let h = one.last_round::<false, ROUNDS>(round_keys, state, one.zero());
    let mut block = [0; 16];
    // SAFETY: a block fits.
    unsafe { one.store_first(block.as_mut_ptr(), h, 16) };
    set_key::<false>(block, key);
}

/// H from its bytes.
#[inline(always)]
pub(crate) fn set_key<const POLYVAL: bool>(block: Block, key: &mut GcmKey) {
    let value =
        if POLYVAL { u128::from_le_bytes(block) } else { times_x(u128::from_be_bytes(block)) };
    key.first = value.to_le_bytes();
    key.form = GcmForm::First;
}

/// Multiplies by x, in POLYVAL's order of bits (RFC 8452 §3): x^128 is x^127 + x^126 + x^121 + 1.
#[inline(always)]
const fn times_x(value: u128) -> u128 {
    let carry = (value as i128 >> 127) as u128;
    (value << 1) ^ (carry & (0xc2 << 120 | 1))
}

/// GHASH or POLYVAL over whole blocks; see [`BlockKernels::ghash`](wirespeed_cipher::BlockKernels).
#[inline(always)]
pub(crate) fn hash<U: Unit, const POLYVAL: bool>(
    u: U,
    key: &mut GcmKey,
    hash: &mut Block,
    data: &[u8],
) {
    let one = u.single();
    // SAFETY: a block is readable.
    let mut state = unsafe { one.load_first(hash.as_ptr(), 16) };
    let mut rest = &data[..data.len() & !15];
    while !rest.is_empty() {
        let count = (rest.len() / 16).min(U::Hash::LONGEST);
        let (now, then) = rest.split_at(16 * count);
        U::Hash::prepare(u, key, count);
        state = if count == 1 {
            blocks::<U::Single, POLYVAL>(one, key, now, state)
        } else {
            blocks::<U, POLYVAL>(u, key, now, state)
        };
        rest = then;
    }
    // SAFETY: a block is writable.
    unsafe { one.store_first(hash.as_mut_ptr(), state, 16) };
}

/// One run over whole blocks.
#[inline(always)]
fn blocks<U: Unit, const POLYVAL: bool>(
    u: U,
    key: &GcmKey,
    data: &[u8],
    before: <U::Single as Vector>::V,
) -> <U::Single as Vector>::V {
    let mut run = U::Hash::new(u, key, data.len() / 16, before);
    let mut vectors = data.chunks_exact(U::BYTES);
    for vector in &mut vectors {
        // SAFETY: the chunk is a vector long.
        take::<U, POLYVAL>(&mut run, unsafe { u.load(vector.as_ptr()) });
    }
    let end = vectors.remainder();
    if !end.is_empty() {
        // SAFETY: so many bytes are there.
        take::<U, POLYVAL>(&mut run, unsafe { u.load_first(end.as_ptr(), end.len()) });
    }
    run.finish()
}

/// The next vector of a run, in its order.
#[inline(always)]
fn take<'k, U: Unit, const POLYVAL: bool>(run: &mut U::Hash<'k>, v: U::V) {
    if POLYVAL {
        run.absorb_reversed(v);
    } else {
        run.absorb(v);
    }
}
