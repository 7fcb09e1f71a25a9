//! A unit without instructions for AES.
//!
//! Eight vectors go through planes. Where bytes can be shuffled, fewer go by [`permuted`](crate::permuted): planes take
//! as long for one vector as for eight.

use wirespeed_cipher::Schedule;

use super::vectors::{Turns, splat};
use super::{Key, Keys, Planes, moved};
use crate::modes::ghash::Run;
use crate::unit::{One, Unit, Vector, Work};

/// What such a unit is made of.
pub(crate) trait ByPlanes: Turns {
    /// The same machine, one block wide.
    type One: One + ByPlanes<One = Self::One>;
    /// GHASH.
    type Hash<'k>: Run<'k, Self>;
    /// Vectors at most that go by shuffles.
    const SHUFFLED: usize;

    /// The one-block unit.
    fn one(self) -> Self::One;
    /// See [`Unit::sum`].
    fn sum_of_blocks(self, v: Self::V) -> <Self::One as Vector>::V;
    /// See [`Unit::widen`].
    fn first_of_blocks(self, v: <Self::One as Vector>::V) -> Self::V;

    /// All of AES by [`vectors::crypt`](super::vectors::crypt), in a function of its own: it is long, and all modes
    /// share it.
    fn by_planes<const DECRYPT: bool>(self, keys: &[Planes<Self::V>], state: &mut Planes<Self::V>);

    /// All of AES by [`permuted::crypt`](crate::permuted::crypt), likewise. `N` is 1, 2 or 4.
    fn by_shuffles<const DECRYPT: bool, const N: usize>(
        self,
        schedule: &Schedule,
        rounds: usize,
        state: &mut [Self::V; N],
    );
}

impl<U: ByPlanes> Unit for U {
    type Single = U::One;
    type Room = Keys<U::V>;
    type Key<'k> = Key<'k, U::V>;
    type Hash<'k> = <U as ByPlanes>::Hash<'k>;

    #[inline(always)]
    fn key<'k, const DECRYPT: bool, const ROUNDS: usize>(
        self,
        schedule: &'k Schedule,
        room: &'k mut Self::Room,
        bytes: usize,
    ) -> Self::Key<'k> {
        if bytes > U::SHUFFLED * U::BYTES {
            for round in 0..=schedule.rounds.into() {
                room.push(splat(self, moved::<DECRYPT>(schedule, round)));
            }
        }
        Key { schedule, planes: room.planes() }
    }

    #[inline(always)]
    fn single(self) -> U::One {
        self.one()
    }

    #[inline(always)]
    fn sum(self, v: U::V) -> <U::One as Vector>::V {
        self.sum_of_blocks(v)
    }

    #[inline(always)]
    fn widen(self, v: <U::One as Vector>::V) -> U::V {
        self.first_of_blocks(v)
    }

    #[inline(always)]
    fn carry<const HIGH: bool>(self, v: U::V) -> U::V {
        let v = if HIGH { self.high_to_low(v) } else { v };
        let two = self.xor(self.shift_left_by::<1>(v), self.shift_left_by::<2>(v));
        self.xor3(v, two, self.shift_left_by::<7>(v))
    }

    #[inline(always)]
    fn rounds<const DECRYPT: bool, const ROUNDS: usize, const N: usize>(
        self,
        key: Self::Key<'_>,
        state: [U::V; N],
        work: &mut impl Work,
    ) -> [U::V; N] {
        let mut result = state;
        if N > U::SHUFFLED {
            let mut eight = [self.zero(); 8];
            eight[..N].copy_from_slice(&state);
            self.by_planes::<DECRYPT>(key.planes, &mut eight);
            result.copy_from_slice(&eight[..N]);
        } else {
            macro_rules! shuffled {
                ($count:literal) => {{
                    let mut vectors = [self.zero(); $count];
                    for i in 0..N.min($count) {
                        vectors[i] = state[i];
                    }
                    self.by_shuffles::<DECRYPT, $count>(
                        key.schedule,
                        key.schedule.rounds.into(),
                        &mut vectors,
                    );
                    for i in 0..N.min($count) {
                        result[i] = vectors[i];
                    }
                }};
            }
            match N {
                1 => shuffled!(1),
                2 => shuffled!(2),
                _ => shuffled!(4),
            }
        }
        for round in 1..10 {
            work.after(round);
        }
        result
    }

    #[inline(always)]
    fn last_round<const DECRYPT: bool, const ROUNDS: usize>(
        self,
        _key: Self::Key<'_>,
        state: U::V,
        fold: U::V,
    ) -> U::V {
        self.xor(state, fold)
    }
}
