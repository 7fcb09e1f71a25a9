//! The rounds of AES, one instruction each.

use std::arch::asm;
use std::ptr;

use wirespeed_cipher::{Block, Schedule};

use crate::unit::{Carryless, Idle, One, Unit, Work};

/// A unit whose machine has instructions for a round.
pub(crate) trait Rounds: Unit {
    /// Whether a round adds its key before all else, as ARM's does, and not at its end.
    const KEY_FIRST: bool = false;

    /// A round key in every place.
    fn round_key(self, key: &Block) -> Self::V;
    /// A round of encryption.
    fn encrypt_round(self, v: Self::V, key: Self::V) -> Self::V;
    /// The last round of encryption: without MixColumns.
    fn encrypt_last(self, v: Self::V, key: Self::V) -> Self::V;
    /// A round of the equivalent inverse cipher.
    fn decrypt_round(self, v: Self::V, key: Self::V) -> Self::V;
    /// The last round of the inverse cipher.
    fn decrypt_last(self, v: Self::V, key: Self::V) -> Self::V;
}

/// A schedule and how many rounds it is for.
#[derive(Clone, Copy)]
pub(crate) struct Key<'k> {
    schedule: &'k Schedule,
    rounds: usize,
}

impl<'k> Key<'k> {
    /// `ROUNDS` is 0 where the schedule knows.
    #[inline(always)]
    pub(crate) fn new<const ROUNDS: usize>(schedule: &'k Schedule) -> Self {
        let rounds = if ROUNDS == 0 { schedule.rounds.into() } else { ROUNDS };
        Self { schedule, rounds }
    }

    /// One of the round keys.
    #[inline(always)]
    fn of<U: Rounds>(self, u: U, round: usize) -> U::V {
        // There are 17, so that a mask spares the check of the index.
        u.round_key(&self.schedule.round_keys[round % 16])
    }

    /// The same, but with few registers the compiler loads each round key where that is used. Left to itself it
    /// loads all of them ahead of a loop, and spills them.
    #[inline(always)]
    fn unhoisted<U: Unit>(self) -> Self {
        if U::REGISTERS >= 32 {
            return self;
        }
        let mut address = ptr::from_ref(self.schedule);
        // SAFETY: no instruction; the address stays what it is, and the borrow goes on.
        let schedule = unsafe {
            asm!("/* {0} */", inout(reg) address, options(readonly, nostack, preserves_flags));
            &*address
        };
        Self { schedule, ..self }
    }
}

/// Unrolls over the inner rounds: nine, eleven or thirteen.
macro_rules! for_inner_rounds {
    ($rounds:expr, |$round:ident| $body:block) => {
        for_inner_rounds!(@ $round $body 1 2 3 4 5 6 7 8 9);
        if $rounds > 10 {
            for_inner_rounds!(@ $round $body 10 11);
            if $rounds > 12 {
                for_inner_rounds!(@ $round $body 12 13);
            }
        }
    };
    (@ $round:ident $body:block $($number:literal)*) => {
        $({
            let $round: usize = $number;
            $body
        })*
    };
}

/// See [`Unit::rounds`].
#[inline(always)]
pub(crate) fn rounds<U: Rounds, W: Work, const DECRYPT: bool, const N: usize>(
    u: U,
    key: Key<'_>,
    mut state: [U::V; N],
    work: &mut W,
) -> [U::V; N] {
    let key = key.unhoisted::<U>();
    if !U::KEY_FIRST {
        let first = key.of(u, 0);
        for v in &mut state {
            *v = u.xor(*v, first);
        }
    }
    if U::REGISTERS < 16 && N > 4 {
        // So many stay in registers beside a round key; a core looks ahead to the others.
        let (these, others) = state.split_at_mut(4);
        side_by_side::<_, _, DECRYPT>(u, key, these, &mut Idle);
        side_by_side::<_, _, DECRYPT>(u, key, others, work);
    } else {
        side_by_side::<_, _, DECRYPT>(u, key, &mut state, work);
    }
    state
}

/// All rounds but the last, without what stands before the first.
#[inline(always)]
fn side_by_side<U: Rounds, W: Work, const DECRYPT: bool>(
    u: U,
    key: Key<'_>,
    state: &mut [U::V],
    work: &mut W,
) {
    for_inner_rounds!(key.rounds, |round| {
        let round_key = key.of(u, if U::KEY_FIRST { round - 1 } else { round });
        for v in &mut *state {
            *v = if DECRYPT {
                u.decrypt_round(*v, round_key)
            } else {
                u.encrypt_round(*v, round_key)
            };
        }
        work.after(round);
        keep_order(u, state, W::BUSY);
    });
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

/// See [`One::chain`]. Where a round begins with a sum, nothing but rounds stands between two blocks.
#[inline(always)]
pub(crate) fn chain<U: Rounds + One>(
    u: U,
    key: Key<'_>,
    [mut state, with]: [U::V; 2],
    feed: U::V,
) -> [U::V; 2] {
    let mut last = u.xor(key.of(u, key.rounds), feed);
    if U::KEY_FIRST {
        // In this order: cores that execute in order would wait for the input at the end.
        last = u.pin(last);
        state = u.pin(state);
    }
    for_inner_rounds!(key.rounds, |round| {
        let round_key = match (U::KEY_FIRST, round) {
            (false, _) => key.of(u, round),
            // The state already holds the first one.
            (true, 1) => with,
            (true, _) => key.of(u, round - 1),
        };
        state = u.encrypt_round(state, round_key);
    });
    if U::KEY_FIRST {
        [u.encrypt_last(state, key.of(u, key.rounds - 1)), last]
    } else {
        [u.encrypt_last(state, last), u.zero()]
    }
}

/// See [`Unit::last_round`].
#[inline(always)]
pub(crate) fn last_round<U: Rounds, const DECRYPT: bool>(
    u: U,
    key: Key<'_>,
    state: U::V,
    fold: U::V,
) -> U::V {
    let last = u.xor(key.of(u, key.rounds), fold);
    let added = if U::KEY_FIRST { key.of(u, key.rounds - 1) } else { last };
    let end = if DECRYPT { u.decrypt_last(state, added) } else { u.encrypt_last(state, added) };
    if U::KEY_FIRST { u.xor(end, last) } else { end }
}

/// See [`Unit::carry`].
#[inline(always)]
pub(crate) fn carry<U: Carryless, const HIGH: bool>(u: U, v: U::V) -> U::V {
    let polynomial = u.splat([0x87, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    u.multiply::<HIGH, false>(v, polynomial)
}

/// The methods of [`Unit`] that are rounds of AES, within an `impl Unit`.
macro_rules! unit_methods {
    () => {
        type Room = ();
        type Key<'k> = $crate::rounds::Key<'k>;
        type Hash<'k> = $crate::modes::ghash::carryless::Sums<'k, Self>;

        #[inline(always)]
        fn key<'k, const DECRYPT: bool, const ROUNDS: usize>(
            self,
            schedule: &'k Schedule,
            _room: &'k mut (),
            _bytes: usize,
        ) -> Self::Key<'k> {
            $crate::rounds::Key::new::<ROUNDS>(schedule)
        }

        #[inline(always)]
        fn rounds<const DECRYPT: bool, const ROUNDS: usize, const N: usize>(
            self,
            key: Self::Key<'_>,
            state: [Self::V; N],
            work: &mut impl $crate::unit::Work,
        ) -> [Self::V; N] {
            $crate::rounds::rounds::<_, _, DECRYPT, N>(self, key, state, work)
        }

        #[inline(always)]
        fn last_round<const DECRYPT: bool, const ROUNDS: usize>(
            self,
            key: Self::Key<'_>,
            state: Self::V,
            fold: Self::V,
        ) -> Self::V {
            $crate::rounds::last_round::<_, DECRYPT>(self, key, state, fold)
        }
    };
}

pub(crate) use unit_methods;
