//! GCM's data, SP 800-38D §7: counter mode and GHASH stitched together.
//!
//! The rounds of AES leave the multiplier idle and GHASH leaves the AES unit idle, so a wave encrypts
//! some vectors and between its rounds hashes others: those of the same wave when decrypting, those
//! of the wave before when encrypting.

use wirespeed_cipher::{Block, GcmEnd, GcmKey, GcmState, InOut, Schedule};

use super::ctr::{Counters, Ctr};
use super::ghash::{self, Run};
use super::parallel::{Vectors, keep_block, run};
use crate::unit::{Idle, One, Room, Unit, Vector, Work};

/// Vectors in a full wave.
const FULL: usize = 8;

/// A message being processed.
struct Message<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool> {
    u: U,
    round_keys: U::Key<'k>,
    key: &'k GcmKey,
    counters: Counters<U>,
    /// GHASH so far, its bytes reversed.
    hash: <U::Single as Vector>::V,
    source: *const u8,
    destination: *mut u8,
    left: usize,
    /// Encryption: whether the full wave before `destination` is still to be hashed.
    unhashed: bool,
    /// The message's lengths as GHASH's last block, its bytes reversed, in every place, if all its data are here;
    /// none when they have been hashed.
    lengths: Option<U::V>,
    /// Receive the keystream and the ciphertext of a last partial block.
    keystream: &'k mut Block,
    pending: &'k mut Block,
}

impl<U: Unit, const ROUNDS: usize, const DECRYPT: bool> Message<'_, U, ROUNDS, DECRYPT> {
    /// Encrypts or decrypts `T` vectors, the last one of `last` bytes, and meanwhile hashes `HASH`
    /// vectors at `from`, of `hashed` bytes together, and `end`. Gives the result after writing it.
    ///
    /// # Safety
    /// So many bytes are left, and readable at `from`.
    #[inline(always)]
    unsafe fn wave<const T: usize, const HASH: usize>(
        &mut self,
        last: usize,
        from: *const u8,
        hashed: usize,
        end: Option<U::V>,
    ) -> [U::V; T] {
        let u = self.u;
        let mut state = self.counters.take::<T>();
        let hash_before = self.hash;
        let last_hashed = hashed - (HASH.max(1) - 1) * U::BYTES;
        let blocks = blocks(hashed, end.is_some());
        let mut work = Hashing::<U, HASH> {
            run: U::Hash::new(u, self.key, blocks, hash_before),
            at: Vectors { u, count: HASH, last: last_hashed },
            from,
            end,
        };
        let (source, destination) = (self.source, self.destination);
        let at = Vectors { u, count: T, last };
        let partial = !last.is_multiple_of(16);
        state = u.rounds::<false, ROUNDS, T>(self.round_keys, state, &mut work);
        let run = work.run;
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            for i in 0..T {
                let input = at.load(source, i);
                state[i] = if i + 1 == T && partial {
                    let keystream =
                        u.last_round::<false, ROUNDS>(self.round_keys, state[i], u.zero());
                    keep_block(u, keystream, last / 16, self.keystream);
                    let output = u.xor(keystream, input);
                    let ciphertext = if DECRYPT { input } else { u.keep_first(output, last) };
                    keep_block(u, ciphertext, last / 16, self.pending);
                    output
                } else {
                    u.last_round::<false, ROUNDS>(self.round_keys, state[i], input)
                };
            }
            for i in 0..T {
                at.store(destination, i, state[i]);
            }
            self.hash = if blocks == 0 { hash_before } else { run.finish() };
            let done = (T - 1) * U::BYTES + last;
            self.source = source.add(done);
            self.destination = destination.add(done);
            self.left -= done;
        }
        state
    }

    /// All that is left.
    #[inline(always)]
    fn run(&mut self) {
        self.full_waves();
        if self.left != 0 {
            // SAFETY: the vectors left are counted here.
            unsafe {
                match (self.left - 1) / U::BYTES {
                    0 => self.last_wave::<1>(),
                    1 => self.last_wave::<2>(),
                    2 => self.last_wave::<3>(),
                    3 => self.last_wave::<4>(),
                    4 => self.last_wave::<5>(),
                    5 => self.last_wave::<6>(),
                    6 => self.last_wave::<7>(),
                    _ => self.last_wave::<8>(),
                }
            }
        } else if self.unhashed {
            // SAFETY: the wave that set `unhashed` is behind.
            unsafe { self.hash_behind() };
        }
    }

    /// As many full waves as there are.
    #[inline(always)]
    fn full_waves(&mut self) {
        let bytes = FULL * U::BYTES;
        // SAFETY: a full wave is left each time; when encrypting, the first leaves one behind.
        unsafe {
            if !DECRYPT && self.left >= bytes {
                self.wave::<FULL, 0>(U::BYTES, self.source, 0, None);
                self.unhashed = true;
            }
            while self.left >= bytes {
                let from = if DECRYPT { self.source } else { self.destination.sub(bytes) };
                self.wave::<FULL, FULL>(U::BYTES, from, bytes, None);
            }
        }
    }

    /// The last wave: `T` vectors, of which the last may be cut short.
    ///
    /// # Safety
    /// `T - 1` vectors and at least a byte are left; what is beyond `T` vectors stays.
    #[inline(always)]
    unsafe fn last_wave<const T: usize>(&mut self) {
        let u = self.u;
        let last = (self.left - (T - 1) * U::BYTES).min(U::BYTES);
        // Behind the data the lengths, if the last vector has room for them.
        let end = match self.lengths {
            Some(lengths) if last + 16 <= U::BYTES => {
                self.lengths = None;
                let place = last.div_ceil(16) * 16;
                Some(u.xor(u.keep_first(lengths, place + 16), u.keep_first(lengths, place)))
            }
            _ => None,
        };
        let last_hashed = if end.is_some() { last } else { last & !15 };
        let hashed = (T - 1) * U::BYTES + last_hashed;
        // SAFETY: the caller vouches for what is left; when `unhashed` is set, a full wave is behind.
        unsafe {
            if DECRYPT {
                self.wave::<T, T>(last, self.source, hashed, end);
                return;
            }
            let output = if self.unhashed {
                let bytes = FULL * U::BYTES;
                self.wave::<T, FULL>(last, self.destination.sub(bytes), bytes, None)
            } else {
                self.wave::<T, 0>(last, self.source, 0, None)
            };
            self.unhashed = false;
            if hashed == 0 {
                return;
            }
            let mut run = U::Hash::new(u, self.key, blocks(hashed, end.is_some()), self.hash);
            for v in &output[..T - 1] {
                run.absorb(*v);
            }
            run.absorb_last(u.keep_first(output[T - 1], last_hashed), end);
            self.hash = run.finish();
        }
    }

    /// Encryption: hashes a full wave that no further wave follows.
    ///
    /// # Safety
    /// A full wave is behind `destination`.
    #[inline(always)]
    unsafe fn hash_behind(&mut self) {
        let u = self.u;
        let mut run = U::Hash::new(u, self.key, FULL * U::WIDTH, self.hash);
        for i in (1..=FULL).rev() {
            // SAFETY: the caller vouches for it.
            run.absorb(unsafe { u.load(self.destination.sub(i * U::BYTES)) });
        }
        self.hash = run.finish();
    }
}

/// Hashes `HASH` vectors at `from` between rounds, one after each.
struct Hashing<'k, U: Unit, const HASH: usize> {
    run: U::Hash<'k>,
    at: Vectors<U>,
    from: *const u8,
    end: Option<U::V>,
}

impl<U: Unit, const HASH: usize> Work for Hashing<'_, U, HASH> {
    const BUSY: bool = HASH > 0;

    #[inline(always)]
    fn after(&mut self, round: usize) {
        if round <= HASH {
            let i = round - 1;
            // Of the last vector perhaps nothing is hashed.
            let v = if i + 1 == HASH && self.at.last == 0 {
                self.at.u.zero()
            } else {
                // SAFETY: the wave's caller vouches for `HASH` vectors at `from`.
                unsafe { self.at.load(self.from, i) }
            };
            if i + 1 == HASH {
                self.run.absorb_last(v, self.end);
            } else {
                self.run.absorb(v);
            }
        }
    }
}

/// The start of a message; see [`GcmStartFn`](wirespeed_cipher::GcmStartFn).
#[inline(always)]
pub(crate) fn start<U: Unit, const ROUNDS: usize>(
    u: U,
    schedule: &Schedule,
    state: &mut GcmState,
    first: u128,
) {
    let one = u.single();
    let first = one.splat(first.to_le_bytes());
    let second = one.swap_bytes(one.add(one.swap_bytes(first), 1, false));
    let mask = encrypt_block::<U, ROUNDS>(u, schedule, first, one.zero());
    // SAFETY: a block is writable at each place.
    unsafe {
        one.store(state.counter.as_mut_ptr(), second);
        one.store(state.mask.as_mut_ptr(), mask);
        one.store(state.hash.as_mut_ptr(), one.zero());
        one.store(state.pending.as_mut_ptr(), one.zero());
    }
}

/// One block of AES, with `fold` added to the result.
#[inline(always)]
fn encrypt_block<U: Unit, const ROUNDS: usize>(
    u: U,
    schedule: &Schedule,
    block: <U::Single as Vector>::V,
    fold: <U::Single as Vector>::V,
) -> <U::Single as Vector>::V {
    let one = u.single();
    let mut room = Room::EMPTY;
    let round_keys = one.key::<false, ROUNDS>(schedule, &mut room, 16);
    let [state] = one.rounds::<false, ROUNDS, 1>(round_keys, [block], &mut Idle);
    one.last_round::<false, ROUNDS>(round_keys, state, fold)
}

/// GCM over any length; see [`GcmCryptFn`](wirespeed_cipher::GcmCryptFn).
#[inline(always)]
pub(crate) fn crypt<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    key: &mut GcmKey,
    state: &mut GcmState,
    data: InOut<'_>,
) {
    let counter = u128::from_be_bytes(state.counter);
    let next = (counter as u32).wrapping_add(data.len().div_ceil(16) as u32);
    let one = u.single();
    if data.len() <= 16 {
        let block = one.splat(state.counter);
        let keystream = encrypt_block::<U, ROUNDS>(u, schedule, block, one.zero());
        // SAFETY: the data is at most a block, and not empty; the keystream's place is a block.
        unsafe {
            one.store(state.keystream.as_mut_ptr(), keystream);
            let input = one.load_first(data.source(), data.len());
            let output = one.xor(input, keystream);
            one.store_first(data.destination(), output, data.len());
            let ciphertext = if DECRYPT { input } else { one.keep_first(output, data.len()) };
            one.store(state.pending.as_mut_ptr(), ciphertext);
        }
    } else if U::STITCHED {
        stitched::<U, ROUNDS, DECRYPT>(u, schedule, key, state, data);
    } else {
        in_turns::<U, ROUNDS, DECRYPT>(u, schedule, key, state, data);
    }
    state.counter = (counter >> 32 << 32 | u128::from(next)).to_be_bytes();
}

/// More than a block, hashed between the rounds.
#[inline(always)]
fn stitched<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    key: &mut GcmKey,
    state: &mut GcmState,
    data: InOut<'_>,
) {
    let one = u.single();
    let lengths = match state.end {
        GcmEnd::Lengths(lengths) => Some(length_block(u, lengths)),
        _ => None,
    };
    let blocks = blocks(data.len(), lengths.is_some());
    U::Hash::prepare(u, key, blocks.min(FULL * U::WIDTH));
    let mut room = Room::EMPTY;
    let round_keys = u.key::<false, ROUNDS>(schedule, &mut room, data.len());
    let mut message = Message::<U, ROUNDS, DECRYPT> {
        u,
        round_keys,
        key,
        counters: Counters::new(u, u128::from_be_bytes(state.counter)),
        // SAFETY: a block is readable.
        hash: unsafe { one.load(state.hash.as_ptr()) },
        source: data.source(),
        destination: data.destination(),
        left: data.len(),
        unhashed: false,
        lengths,
        keystream: &mut state.keystream,
        pending: &mut state.pending,
    };
    message.run();
    // SAFETY: a block is writable.
    unsafe { one.store(state.hash.as_mut_ptr(), message.hash) };
    if lengths.is_some() && message.lengths.is_none() {
        state.end = GcmEnd::Hashed;
    }
}

/// More than a block, encrypted and hashed by turns: so many bytes that they stay in the nearest cache.
#[inline(always)]
fn in_turns<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    key: &mut GcmKey,
    state: &mut GcmState,
    data: InOut<'_>,
) {
    const TURN: usize = 4096;
    let (whole, open) = (data.len() & !15, data.len() % 16);
    let (source, destination) = (data.source(), data.destination());
    let one = u.single();
    let mut room = Room::EMPTY;
    let round_keys = u.key::<false, ROUNDS>(schedule, &mut room, data.len());
    let counters = Counters::new(u, u128::from_be_bytes(state.counter));
    let keystream = &mut state.keystream;
    let mut mode = Ctr::<U, ROUNDS, false> { u, key: round_keys, counters, keystream };
    if DECRYPT && open > 0 {
        // SAFETY: so many bytes are there.
        unsafe { keep_open(one, source.add(whole), open, &mut state.pending) };
    }
    let mut rest = data;
    while !rest.is_empty() {
        let bytes = TURN.min(rest.len());
        let (mut now, then) = rest.split_at(bytes);
        let blocks = now.len() & !15;
        if DECRYPT {
            ghash::hash::<U, false>(u, key, &mut state.hash, &now.input()[..blocks]);
        }
        run(&mut mode, now.reborrow());
        if !DECRYPT {
            ghash::hash::<U, false>(u, key, &mut state.hash, &now.output()[..blocks]);
        }
        rest = then;
    }
    if !DECRYPT && open > 0 {
        // SAFETY: as above.
        unsafe { keep_open(one, destination.add(whole), open, &mut state.pending) };
    }
}

/// Keeps a partial block for the tag to hash.
///
/// # Safety
/// So many bytes are readable.
#[inline(always)]
unsafe fn keep_open<U: One>(u: U, from: *const u8, bytes: usize, pending: &mut Block) {
    // SAFETY: the caller vouches for the bytes, and a block is writable.
    unsafe { u.store(pending.as_mut_ptr(), u.load_first(from, bytes)) };
}

/// The tag; see [`GcmTagFn`](wirespeed_cipher::GcmTagFn).
#[inline(always)]
pub(crate) fn tag<U: Unit>(
    u: U,
    key: &mut GcmKey,
    state: &GcmState,
    pending: bool,
    lengths: [u64; 2],
    tag: &mut Block,
) {
    let one = u.single();
    // SAFETY: a block is readable or writable at each place.
    unsafe {
        let mut hash = one.load(state.hash.as_ptr());
        if state.end != GcmEnd::Hashed {
            let blocks = 1 + usize::from(pending);
            <U::Single as Unit>::Hash::prepare(one, key, blocks);
            let mut run = <U::Single as Unit>::Hash::new(one, key, blocks, hash);
            if pending {
                run.absorb(one.load(state.pending.as_ptr()));
            }
            run.absorb_reversed(length_block(one, lengths));
            hash = run.finish();
        }
        let hash = one.swap_bytes(hash);
        one.store(tag.as_mut_ptr(), one.xor(hash, one.load(state.mask.as_ptr())));
    }
}

/// Blocks to hash: whole ones of the data, or with the lengths behind them all.
#[inline(always)]
const fn blocks(bytes: usize, with_lengths: bool) -> usize {
    if with_lengths { bytes.div_ceil(16) + 1 } else { bytes / 16 }
}

/// GHASH's last block, SP 800-38D §7.1 step 5, its bytes reversed.
#[inline(always)]
fn length_block<U: Unit>(u: U, [aad_bits, data_bits]: [u64; 2]) -> U::V {
    u.splat((u128::from(aad_bits) << 64 | u128::from(data_bits)).to_le_bytes())
}
