//! GCM's data, SP 800-38D §7: counter mode and GHASH stitched together.
//!
//! The rounds of AES leave the multiplier idle and GHASH leaves the AES unit idle, so a wave encrypts
//! some vectors and between its rounds hashes others: those of the same wave when decrypting, those
//! of the wave before when encrypting.

use wirespeed_cipher::{GcmKey, GcmState, InOut, Schedule};

use super::ctr::{first_counters, keep_block};
use super::ghash::{Hash, prepare};
use super::parallel::Vectors;
use crate::unit::{Unit, Work};

/// Vectors in a full wave.
const FULL: usize = 8;

/// A message being processed.
struct Message<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool> {
    u: U,
    schedule: &'k Schedule,
    key: &'k GcmKey,
    /// The next counters, in little-endian order.
    counters: U::V,
    /// GHASH so far, its bytes reversed.
    hash: <U::Single as Unit>::V,
    source: *const u8,
    destination: *mut u8,
    left: usize,
    /// Encryption: whether the full wave before `destination` is still to be hashed.
    unhashed: bool,
    keystream: &'k mut [u8; 16],
}

impl<U: Unit, const ROUNDS: usize, const DECRYPT: bool> Message<'_, U, ROUNDS, DECRYPT> {
    /// Encrypts or decrypts `T` vectors, the last one of `last` bytes, and meanwhile hashes `HASH`
    /// vectors at `from`, of `hashed` bytes together. Gives the result after writing it.
    ///
    /// # Safety
    /// So many bytes are left, and readable at `from`.
    #[inline(always)]
    unsafe fn wave<const T: usize, const HASH: usize>(
        &mut self,
        last: usize,
        from: *const u8,
        hashed: usize,
    ) -> [U::V; T] {
        let u = self.u;
        let width = U::WIDTH as u32;
        let counters = self.counters;
        let mut state = [u.zero(); T];
        for i in 0..T {
            state[i] = u.swap_bytes(u.add(counters, width * i as u32, false));
        }
        self.counters = u.add(counters, width * T as u32, false);
        let hash_before = self.hash;
        let last_hashed = hashed - (HASH.max(1) - 1) * U::BYTES;
        let mut work = Hashing::<U, HASH> {
            run: Hash::new(u, self.key, hashed / 16, hash_before),
            at: Vectors { u, count: HASH, last: last_hashed },
            from,
        };
        let (source, destination) = (self.source, self.destination);
        let at = Vectors { u, count: T, last };
        let partial = !last.is_multiple_of(16);
        state = u.encrypt::<ROUNDS, T>(self.schedule, state, &mut work);
        let run = work.run;
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            for i in 0..T {
                let input = at.load(source, i);
                state[i] = if i + 1 == T && partial {
                    let keystream = u.encrypt_end::<ROUNDS>(self.schedule, state[i], u.zero());
                    keep_block(u, keystream, last / 16, self.keystream);
                    u.xor(keystream, input)
                } else {
                    u.encrypt_end::<ROUNDS>(self.schedule, state[i], input)
                };
            }
            for i in 0..T {
                at.store(destination, i, state[i]);
            }
            self.hash = if hashed < 16 { hash_before } else { run.finish() };
            let done = (T - 1) * U::BYTES + last;
            self.source = source.add(done);
            self.destination = destination.add(done);
            self.left -= done;
        }
        state
    }

    /// # Safety
    /// A full wave is left.
    #[inline(always)]
    unsafe fn full_wave(&mut self) {
        let bytes = FULL * U::BYTES;
        // SAFETY: a full wave is left; when `unhashed` is set, one is behind as well.
        unsafe {
            if DECRYPT {
                self.wave::<FULL, FULL>(U::BYTES, self.source, bytes);
            } else if self.unhashed {
                let from = self.destination.sub(bytes);
                self.wave::<FULL, FULL>(U::BYTES, from, bytes);
            } else {
                self.wave::<FULL, 0>(U::BYTES, self.source, 0);
                self.unhashed = true;
            }
        }
    }

    /// The last wave: `T` vectors, of which the last may be cut short.
    ///
    /// # Safety
    /// `T - 1` vectors and at least a byte, at most a vector more, are left.
    #[inline(always)]
    unsafe fn last_wave<const T: usize>(&mut self) {
        let u = self.u;
        let last = self.left - (T - 1) * U::BYTES;
        let hashed = self.left & !15;
        // SAFETY: the caller vouches for what is left; when `unhashed` is set, a full wave is behind.
        unsafe {
            if DECRYPT {
                self.wave::<T, T>(last, self.source, hashed);
                return;
            }
            let output = if self.unhashed {
                let bytes = FULL * U::BYTES;
                self.wave::<T, FULL>(last, self.destination.sub(bytes), bytes)
            } else {
                self.wave::<T, 0>(last, self.source, 0)
            };
            self.unhashed = false;
            if hashed == 0 {
                return;
            }
            let mut run = Hash::new(u, self.key, hashed / 16, self.hash);
            for v in &output[..T - 1] {
                run.absorb(*v);
            }
            run.absorb(u.keep_first(output[T - 1], last & !15));
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
        let mut run = Hash::new(u, self.key, FULL * U::WIDTH, self.hash);
        for i in (1..=FULL).rev() {
            // SAFETY: the caller vouches for it.
            run.absorb(unsafe { u.load(self.destination.sub(i * U::BYTES)) });
        }
        self.hash = run.finish();
    }
}

/// Hashes `HASH` vectors at `from` between rounds, one after each.
struct Hashing<'k, U: Unit, const HASH: usize> {
    run: Hash<'k, U>,
    at: Vectors<U>,
    from: *const u8,
}

impl<U: Unit, const HASH: usize> Work for Hashing<'_, U, HASH> {
    #[inline(always)]
    fn after(&mut self, round: usize) {
        if round <= HASH {
            let i = round - 1;
            // Of the last vector only whole blocks are hashed, perhaps none.
            let v = if i + 1 == HASH && self.at.last < 16 {
                self.at.u.zero()
            } else {
                // SAFETY: the wave's caller vouches for `HASH` vectors at `from`.
                unsafe { self.at.load(self.from, i) }
            };
            self.run.absorb(v);
        }
    }
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
    prepare(u, key, (data.len() / 16).min(FULL * U::WIDTH));
    let one = u.single();
    let mut message = Message::<U, ROUNDS, DECRYPT> {
        u,
        schedule,
        key,
        counters: first_counters(u, &state.counter),
        // SAFETY: a block is readable.
        hash: one.swap_bytes(unsafe { one.load_first(state.hash.as_ptr(), 16) }),
        source: data.source(),
        destination: data.destination(),
        left: data.len(),
        unhashed: false,
        keystream: &mut state.keystream,
    };
    while message.left >= FULL * U::BYTES {
        // SAFETY: a full wave is left.
        unsafe { message.full_wave() };
    }
    if message.left != 0 {
        // SAFETY: the vectors left are counted here.
        unsafe {
            match (message.left - 1) / U::BYTES {
                0 => message.last_wave::<1>(),
                1 => message.last_wave::<2>(),
                2 => message.last_wave::<3>(),
                3 => message.last_wave::<4>(),
                4 => message.last_wave::<5>(),
                5 => message.last_wave::<6>(),
                6 => message.last_wave::<7>(),
                _ => message.last_wave::<8>(),
            }
        }
    } else if message.unhashed {
        // SAFETY: the wave that set `unhashed` is behind.
        unsafe { message.hash_behind() };
    }
    let hash = one.swap_bytes(message.hash);
    // SAFETY: a block is writable.
    unsafe { one.store_first(state.hash.as_mut_ptr(), hash, 16) };
    let (_, last) = state.counter.split_last_chunk_mut::<4>().expect("a block has 16 bytes");
    let blocks = data.len().div_ceil(16) as u32;
    *last = u32::from_be_bytes(*last).wrapping_add(blocks).to_be_bytes();
}
