//! Modes whose blocks do not wait for one another, and the loop that keeps the unit busy.

use wirespeed_cipher::{Block, InOut, Schedule};

use crate::unit::{Idle, One, Room, Unit, Vector};

/// A mode that works on several vectors side by side.
pub(crate) trait Parallel<U: Unit> {
    /// Processes `T` vectors, all full but the last, which holds `last` bytes.
    ///
    /// # Safety
    /// `source` is readable and `destination` writable for so many bytes, and they are the same or
    /// apart.
    unsafe fn wave<const T: usize>(&mut self, source: *const u8, destination: *mut u8, last: usize);
}

/// Runs `mode` over the buffer, as many vectors as may be in flight at a time, and then the rest in one
/// wave: the rest's blocks too are in flight together.
#[inline(always)]
pub(crate) fn run<U: Unit>(mode: &mut impl Parallel<U>, data: InOut<'_>) {
    let (mut source, mut destination) = (data.source(), data.destination());
    let mut left = data.len();
    let full = U::FLIGHT * U::BYTES;
    while left >= full {
        // SAFETY: that many bytes are left.
        unsafe {
            if U::FLIGHT == 1 {
                mode.wave::<1>(source, destination, U::BYTES);
            } else {
                mode.wave::<8>(source, destination, U::BYTES);
            }
            source = source.add(full);
            destination = destination.add(full);
        }
        left -= full;
    }
    if left == 0 {
        return;
    }
    let full = (left - 1) / U::BYTES;
    let last = left - full * U::BYTES;
    // SAFETY: `full` vectors and `last` bytes are left.
    unsafe {
        match full {
            _ if U::FLIGHT == 1 => mode.wave::<1>(source, destination, last),
            0 => mode.wave::<1>(source, destination, last),
            1 => mode.wave::<2>(source, destination, last),
            2 => mode.wave::<3>(source, destination, last),
            3 => mode.wave::<4>(source, destination, last),
            4 => mode.wave::<5>(source, destination, last),
            5 => mode.wave::<6>(source, destination, last),
            6 => mode.wave::<7>(source, destination, last),
            _ => mode.wave::<8>(source, destination, last),
        }
    }
}

/// Runs `mode`, on a unit one block wide, over one block or less: the short way for short messages.
#[inline(always)]
pub(crate) fn run_one<U: One>(mode: &mut impl Parallel<U>, data: InOut<'_>) {
    if !data.is_empty() {
        // SAFETY: there are so many bytes.
        unsafe { mode.wave::<1>(data.source(), data.destination(), data.len()) };
    }
}

/// Vectors in memory of which the last may be cut short.
pub(crate) struct Vectors<U: Vector> {
    pub(crate) u: U,
    /// Vectors.
    pub(crate) count: usize,
    /// Bytes in the last one.
    pub(crate) last: usize,
}

impl<U: Vector> Vectors<U> {
    /// Reads vector `i`.
    ///
    /// # Safety
    /// The vectors are readable from `base`.
    #[inline(always)]
    pub(crate) unsafe fn load(&self, base: *const u8, i: usize) -> U::V {
        // SAFETY: the caller vouches for it.
        unsafe {
            let from = base.add(i * U::BYTES);
            if i + 1 < self.count || self.last == U::BYTES {
                self.u.load(from)
            } else {
                self.u.load_first(from, self.last)
            }
        }
    }

    /// Writes vector `i`.
    ///
    /// # Safety
    /// The vectors are writable from `base`.
    #[inline(always)]
    pub(crate) unsafe fn store(&self, base: *mut u8, i: usize, v: U::V) {
        // SAFETY: the caller vouches for it.
        unsafe {
            let to = base.add(i * U::BYTES);
            if i + 1 < self.count || self.last == U::BYTES {
                self.u.store(to, v);
            } else {
                self.u.store_first(to, v, self.last);
            }
        }
    }
}

/// Copies one block out of a vector.
#[inline(always)]
pub(crate) fn keep_block<U: Vector>(u: U, v: U::V, place: usize, block: &mut Block) {
    let mut blocks = [[0; 16]; 4];
    assert!(U::WIDTH <= 4);
    // SAFETY: a vector of at most four blocks fits.
    unsafe { u.store(blocks.as_mut_ptr().cast(), v) };
    *block = blocks[place & 3];
}

/// ECB, SP 800-38A §6.1.
struct Ecb<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool> {
    u: U,
    key: U::Key<'k>,
}

impl<U: Unit, const ROUNDS: usize, const DECRYPT: bool> Parallel<U>
    for Ecb<'_, U, ROUNDS, DECRYPT>
{
    #[inline(always)]
    unsafe fn wave<const T: usize>(
        &mut self,
        source: *const u8,
        destination: *mut u8,
        last: usize,
    ) {
        let u = self.u;
        let at = Vectors { u, count: T, last };
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            let mut state = [u.zero(); T];
            for i in 0..T {
                state[i] = at.load(source, i);
            }
            state = u.rounds::<DECRYPT, ROUNDS, T>(self.key, state, &mut Idle);
            for i in 0..T {
                let output = u.last_round::<DECRYPT, ROUNDS>(self.key, state[i], u.zero());
                at.store(destination, i, output);
            }
        }
    }
}

/// ECB over whole blocks.
#[inline(always)]
pub(crate) fn ecb<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    data: InOut<'_>,
) {
    let whole = data.len() & !15;
    let (data, _) = data.split_at(whole);
    if whole == 16 {
        let u = u.single();
        let mut room = Room::EMPTY;
        let key = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, 16);
        run_one(&mut Ecb::<U::Single, ROUNDS, DECRYPT> { u, key }, data);
    } else {
        let mut room = Room::EMPTY;
        let key = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, whole);
        run(&mut Ecb::<U, ROUNDS, DECRYPT> { u, key }, data);
    }
}

/// Decryption of CBC (SP 800-38A §6.2) or CFB (§6.3): every block needs the ciphertext before it.
struct Chained<'k, U: Unit, const ROUNDS: usize, const CFB: bool> {
    u: U,
    key: U::Key<'k>,
    /// The ciphertext block before this wave, in the last place.
    previous: U::V,
    /// CFB: receives the register after a last partial block.
    register: &'k mut Block,
}

impl<U: Unit, const ROUNDS: usize, const CFB: bool> Parallel<U> for Chained<'_, U, ROUNDS, CFB> {
    #[inline(always)]
    unsafe fn wave<const T: usize>(
        &mut self,
        source: *const u8,
        destination: *mut u8,
        last: usize,
    ) {
        let u = self.u;
        let at = Vectors { u, count: T, last };
        // Of the block before a partial block all is needed.
        let before_at = Vectors { u, count: T, last: last.next_multiple_of(16) };
        // SAFETY: the caller vouches for the vectors at both places; from the second vector on, the
        // block before it is inside too. Nothing is written until all is read.
        unsafe {
            let before = source.wrapping_sub(16);
            let first = at.load(source, 0);
            let shifted = u.shift_in(self.previous, first);
            if last == U::BYTES {
                self.previous = at.load(source, T - 1);
            }
            let (mut ciphertext, mut chained) = ([first; T], [shifted; T]);
            for i in 1..T {
                ciphertext[i] = at.load(source, i);
                chained[i] = before_at.load(before, i);
            }
            let mut state;
            if CFB {
                state = u.rounds::<false, ROUNDS, T>(self.key, chained, &mut Idle);
                for i in 0..T {
                    state[i] = if i + 1 == T && !last.is_multiple_of(16) {
                        let keystream = u.last_round::<false, ROUNDS>(self.key, state[i], u.zero());
                        let output = u.xor(keystream, ciphertext[i]);
                        let register = u.xor(keystream, u.keep_first(output, last));
                        keep_block(u, register, last / 16, self.register);
                        output
                    } else {
                        u.last_round::<false, ROUNDS>(self.key, state[i], ciphertext[i])
                    };
                }
            } else {
                state = u.rounds::<true, ROUNDS, T>(self.key, ciphertext, &mut Idle);
                for i in 0..T {
                    state[i] = u.last_round::<true, ROUNDS>(self.key, state[i], chained[i]);
                }
            }
            for i in 0..T {
                at.store(destination, i, state[i]);
            }
        }
    }
}

/// Decryption of CBC over whole blocks, or of CFB over any length; see
/// [`FeedbackFn`](wirespeed_cipher::FeedbackFn).
#[inline(always)]
pub(crate) fn chained<U: Unit, const ROUNDS: usize, const CFB: bool>(
    u: U,
    schedule: &Schedule,
    iv: &mut Block,
    data: InOut<'_>,
) {
    let length = if CFB { data.len() } else { data.len() & !15 };
    let (data, _) = data.split_at(length);
    if length == 0 {
        return;
    } else if length == 16 {
        return one_block::<_, ROUNDS, CFB>(u.single(), schedule, iv, data);
    }
    // Where the data ends with a whole block that is the next chaining value, unless it is overwritten:
    // so it is read first.
    let mut next = [0; 16];
    if length.is_multiple_of(16) {
        data.read(length - 16, &mut next);
    }
    let register = &mut next;
    if length < 16 {
        let u = u.single();
        let mut room = Room::EMPTY;
        let key = chained_key::<_, ROUNDS, CFB>(u, schedule, &mut room, length);
        let previous = u.splat(*iv);
        run_one(&mut Chained::<_, ROUNDS, CFB> { u, key, previous, register }, data);
    } else {
        let mut room = Room::EMPTY;
        let key = chained_key::<_, ROUNDS, CFB>(u, schedule, &mut room, length);
        let previous = u.splat(*iv);
        run(&mut Chained::<U, ROUNDS, CFB> { u, key, previous, register }, data);
    }
    *iv = next;
}

/// The round keys: CFB encrypts in both directions.
#[inline(always)]
fn chained_key<'k, U: Unit, const ROUNDS: usize, const CFB: bool>(
    u: U,
    schedule: &'k Schedule,
    room: &'k mut U::Room,
    bytes: usize,
) -> U::Key<'k> {
    if CFB {
        u.key::<false, ROUNDS>(schedule, room, bytes)
    } else {
        u.key::<true, ROUNDS>(schedule, room, bytes)
    }
}

/// A block by itself, as in a stream of single ones.
#[inline(always)]
fn one_block<U: One, const ROUNDS: usize, const CFB: bool>(
    u: U,
    schedule: &Schedule,
    iv: &mut Block,
    data: InOut<'_>,
) {
    let mut room = Room::EMPTY;
    let key = chained_key::<_, ROUNDS, CFB>(u, schedule, &mut room, 16);
    // SAFETY: the data are a block, and so is the chaining value. All is read before anything is written.
    unsafe {
        let (ciphertext, previous) = (u.load(data.source()), u.load(iv.as_ptr()));
        u.store(iv.as_mut_ptr(), ciphertext);
        let output = if CFB {
            let [state] = u.rounds::<false, ROUNDS, 1>(key, [previous], &mut Idle);
            u.last_round::<false, ROUNDS>(key, state, ciphertext)
        } else {
            let [state] = u.rounds::<true, ROUNDS, 1>(key, [ciphertext], &mut Idle);
            u.last_round::<true, ROUNDS>(key, state, previous)
        };
        u.store(data.destination(), output);
    }
}
