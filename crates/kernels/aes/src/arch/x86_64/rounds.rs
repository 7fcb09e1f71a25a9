//! The rounds of AES, one instruction each.

use std::arch::asm;
use std::ptr;

use wirespeed_cipher::{Block, Schedule};

use crate::unit::{Unit, Work};

/// A unit whose machine has instructions for a round.
pub(super) trait Rounds: Unit {
    /// A round key in every place.
    fn round_key(self, key: &Block) -> Self::V;
    /// A round of encryption.
    fn encrypt_round(self, v: Self::V, key: Self::V) -> Self::V;
    /// The last round of encryption.
    fn encrypt_last(self, v: Self::V, key: Self::V) -> Self::V;
    /// A round of the equivalent inverse cipher.
    fn decrypt_round(self, v: Self::V, key: Self::V) -> Self::V;
    /// The last round of the inverse cipher.
    fn decrypt_last(self, v: Self::V, key: Self::V) -> Self::V;
}

/// The schedule, but with few registers the compiler loads each round key where that is used. Left to
/// itself it loads all of them ahead of a loop, and spills them.
#[inline(always)]
fn unhoisted<U: Unit>(key: &Schedule) -> &Schedule {
    if U::REGISTERS >= 32 {
        return key;
    }
    let mut address = ptr::from_ref(key);
    // SAFETY: no instruction; the address stays what it is, and the borrow goes on.
    unsafe {
        asm!("/* {0} */", inout(reg) address, options(readonly, nostack, preserves_flags));
        &*address
    }
}

/// Unrolls over the inner rounds.
macro_rules! for_inner_rounds {
    ($rounds:ident, |$round:ident| $body:block) => {
        for_inner_rounds!(@ $rounds $round $body 1 2 3 4 5 6 7 8 9 10 11 12 13)
    };
    (@ $rounds:ident $round:ident $body:block $($number:literal)*) => {
        $(if $number < $rounds {
            let $round: usize = $number;
            $body
        })*
    };
}

/// See [`Unit::rounds`].
#[inline(always)]
pub(super) fn rounds<
    U: Rounds,
    W: Work,
    const DECRYPT: bool,
    const ROUNDS: usize,
    const N: usize,
>(
    u: U,
    key: &Schedule,
    mut state: [U::V; N],
    work: &mut W,
) -> [U::V; N] {
    let key = unhoisted::<U>(key);
    let first = u.round_key(&key.round_keys[0]);
    for v in &mut state {
        *v = u.xor(*v, first);
    }
    for_inner_rounds!(ROUNDS, |round| {
        let round_key = u.round_key(&key.round_keys[round]);
        for v in &mut state {
            *v = if DECRYPT {
                u.decrypt_round(*v, round_key)
            } else {
                u.encrypt_round(*v, round_key)
            };
        }
        work.after(round);
        keep_order(u, &mut state, W::BUSY);
    });
    state
}

/// Keeps the instructions of one round together. Where there is work between rounds the compiler would
/// sort it apart; with few registers it would take the vectors one after another.
#[inline(always)]
fn keep_order<U: Rounds>(u: U, state: &mut [U::V], busy: bool) {
    if busy || U::REGISTERS < 32 {
        for v in state {
            *v = u.pin(*v);
        }
    }
}

/// See [`One::chain`](crate::unit::One::chain).
#[inline(always)]
pub(super) fn chain<U: Rounds, const ROUNDS: usize>(
    u: U,
    key: &Schedule,
    mut state: U::V,
    feed: U::V,
) -> U::V {
    let last = u.xor(u.round_key(&key.round_keys[ROUNDS]), feed);
    for_inner_rounds!(ROUNDS, |round| {
        state = u.encrypt_round(state, u.round_key(&key.round_keys[round]));
    });
    u.encrypt_last(state, last)
}

/// The methods of [`Unit`] that are rounds of AES, within an `impl Unit`.
macro_rules! unit_methods {
    () => {
        type Room = ();
        type Key<'k> = &'k Schedule;
        type Hash<'k> = $crate::modes::ghash::carryless::Sums<'k, Self>;

        #[inline(always)]
        fn key<'k, const DECRYPT: bool, const ROUNDS: usize>(
            self,
            schedule: &'k Schedule,
            _room: &'k mut (),
            _bytes: usize,
        ) -> &'k Schedule {
            schedule
        }

        #[inline(always)]
        fn carry<const HIGH: bool>(self, v: Self::V) -> Self::V {
            let polynomial = self.splat([0x87, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            self.multiply::<HIGH, false>(v, polynomial)
        }

        #[inline(always)]
        fn rounds<const DECRYPT: bool, const ROUNDS: usize, const N: usize>(
            self,
            key: &Schedule,
            state: [Self::V; N],
            work: &mut impl $crate::unit::Work,
        ) -> [Self::V; N] {
            $crate::arch::x86_64::rounds::rounds::<_, _, DECRYPT, ROUNDS, N>(self, key, state, work)
        }

        #[inline(always)]
        fn last_round<const DECRYPT: bool, const ROUNDS: usize>(
            self,
            key: &Schedule,
            state: Self::V,
            fold: Self::V,
        ) -> Self::V {
            let last = self.xor(self.round_key(&key.round_keys[ROUNDS]), fold);
            if DECRYPT { self.decrypt_last(state, last) } else { self.encrypt_last(state, last) }
        }
    };
}

pub(super) use unit_methods;
