//! CBC, CFB and OFB encryption of as many streams as there are lanes, written once for every vector width.

use wirespeed_cipher::Block;

use super::ChainMode;
use super::lanes::MOST;

/// Blocks of each stream that are gathered together, at most.
pub(crate) const SQUARE: usize = 4;

/// How far ahead a stream's bytes are asked for: the next square, while this one is in the rounds. (Measured: farther
/// ahead they are lost again where buffers lie at like offsets of their pages, as those of an allocator do, and share few
/// places of the first cache.)
const AHEAD: usize = 16 * SQUARE;

/// One machine's way to take a block of each of [`Streams::LANES`] streams through AES.
///
/// A value proves that the machine has what it takes; only memory is the caller's to vouch for.
pub(crate) trait Streams: Copy {
    /// A block of each stream.
    type V: Copy;
    /// Streams in a vector.
    const LANES: usize;

    /// The same block in every lane.
    ///
    /// # Safety
    /// A block is readable at `from`.
    unsafe fn splat(self, from: *const Block) -> Self::V;
    /// Blocks that lie side by side.
    ///
    /// # Safety
    /// `LANES` blocks are readable at `from`.
    unsafe fn load(self, from: *const Block) -> Self::V;
    /// Writes blocks side by side.
    ///
    /// # Safety
    /// `LANES` blocks are writable at `to`.
    unsafe fn store(self, to: *mut Block, v: Self::V);
    /// A block of each stream, `offset` bytes on.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `from`, and a block at `offset` from each.
    unsafe fn gather(self, from: *const *const u8, offset: usize) -> Self::V;
    /// Writes a block of each stream, `offset` bytes on.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `to`, and a block writable at `offset` from each.
    unsafe fn scatter(self, to: *const *mut u8, offset: usize, v: Self::V);
    /// [`gather`](Self::gather) for `SQUARE` blocks in a row.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `from`, and `SQUARE` blocks at `offset` from each.
    #[inline(always)]
    unsafe fn gather_square(self, from: *const *const u8, offset: usize) -> [Self::V; SQUARE] {
        // SAFETY: the caller's promise.
        unsafe {
            [
                self.gather(from, offset),
                self.gather(from, offset + 16),
                self.gather(from, offset + 32),
                self.gather(from, offset + 48),
            ]
        }
    }
    /// [`scatter`](Self::scatter) for as many.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `to`, and `SQUARE` blocks writable at `offset` from each.
    #[inline(always)]
    unsafe fn scatter_square(self, to: *const *mut u8, offset: usize, square: [Self::V; SQUARE]) {
        let [first, second, third, fourth] = square;
        // SAFETY: the caller's promise.
        unsafe {
            self.scatter(to, offset, first);
            self.scatter(to, offset + 16, second);
            self.scatter(to, offset + 32, third);
            self.scatter(to, offset + 48, fourth);
        }
    }
    /// Asks for what lies `offset` bytes on in each stream, which may be behind its end.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `from`.
    #[inline(always)]
    unsafe fn prefetch(self, _from: *const *const u8, _offset: usize) {}
    /// Whether a round adds its key before all else, as ARM's does, and not at its end.
    const KEY_FIRST: bool = false;
    /// Exclusive or.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// A round of encryption, FIPS 197 §5.1.
    fn round(self, v: Self::V, key: Self::V) -> Self::V;
    /// The last round of encryption.
    fn last_round(self, v: Self::V, key: Self::V) -> Self::V;
    /// The same vector, but the compiler does not sort apart what comes before and after.
    fn pin(self, v: Self::V) -> Self::V;
}

/// Round keys in memory: a schedule for all lanes, or a table of [`Keys`](super::lanes::Keys).
#[derive(Clone, Copy)]
struct RoundKeys<U, const ONE_KEY: bool> {
    u: U,
    keys: *const Block,
}

impl<U: Streams, const ONE_KEY: bool> RoundKeys<U, ONE_KEY> {
    /// A round's key for vector `n`.
    ///
    /// # Safety
    /// There is such a round, and such a vector.
    #[inline(always)]
    unsafe fn of(self, round: usize, n: usize) -> U::V {
        // SAFETY: the caller's promise.
        unsafe {
            if ONE_KEY {
                self.u.splat(self.keys.add(round))
            } else {
                self.u.load(self.keys.add(round * MOST + n * U::LANES))
            }
        }
    }
}

/// Carries out the same for each vector. (A loop, or an iterator's closure, might stay one.)
macro_rules! each {
    ($count:ident, |$n:ident| $body:block) => {
        each!(@ $count $n $body 0 1 2 3 4 5 6 7)
    };
    (@ $count:ident $n:ident $body:block $($number:literal)*) => {
        $(if $number < $count {
            let $n: usize = $number;
            $body
        })*
    };
}

/// `N` vectors of streams.
struct Chains<U: Streams, const N: usize, const ONE_KEY: bool> {
    keys: RoundKeys<U, ONE_KEY>,
    chain: ChainMode,
    state: [U::V; N],
}

impl<U: Streams, const N: usize, const ONE_KEY: bool> Chains<U, N, ONE_KEY> {
    /// A block of each.
    ///
    /// # Safety
    /// The keys are of so many rounds.
    #[inline(always)]
    unsafe fn step<const ROUNDS: usize>(&mut self, data: &mut [U::V; N]) {
        let Self { keys, chain, state } = self;
        let (u, chain) = (keys.u, *chain);
        // SAFETY: every round is one of them, and every index below a vector's.
        unsafe {
            each!(N, |n| {
                let first = keys.of(0, n);
                state[n] = match (chain, U::KEY_FIRST) {
                    // What is added to the data is off the chain, which only waits for one addition.
                    (ChainMode::Cbc, false) => u.xor(state[n], u.xor(data[n], first)),
                    (_, false) => u.xor(state[n], first),
                    (ChainMode::Cbc, true) => u.xor(state[n], data[n]),
                    (_, true) => state[n],
                };
            });
            for round in 1..ROUNDS {
                let key = if U::KEY_FIRST { round - 1 } else { round };
                each!(N, |n| {
                    state[n] = u.pin(u.round(state[n], keys.of(key, n)));
                });
            }
            each!(N, |n| {
                let last = keys.of(ROUNDS, n);
                let add = if chain == ChainMode::Cfb { u.xor(data[n], last) } else { last };
                state[n] = if U::KEY_FIRST {
                    u.xor(u.last_round(state[n], keys.of(ROUNDS - 1, n)), add)
                } else {
                    u.last_round(state[n], add)
                };
                data[n] = if chain == ChainMode::Ofb { u.xor(data[n], state[n]) } else { state[n] };
            });
        }
    }
}

/// Takes `N` vectors of streams on by `count` blocks.
///
/// # Safety
/// There are `N` vectors of lanes at `chains`, `from` and `to`; `count` blocks are readable at each of `from`
/// and writable at each of `to`, the same blocks or others. The keys are of so many rounds, as `ONE_KEY` says.
#[inline(always)]
pub(crate) unsafe fn encrypt<
    U: Streams,
    const ROUNDS: usize,
    const N: usize,
    const ONE_KEY: bool,
>(
    u: U,
    chain: ChainMode,
    keys: *const Block,
    chains: *mut Block,
    from: *const *const u8,
    to: *const *mut u8,
    count: usize,
) {
    const { assert!(N * U::LANES <= MOST) };
    // SAFETY: every index below is a vector's, and every offset that of blocks within the count.
    unsafe {
        let keys = RoundKeys::<U, ONE_KEY> { u, keys };
        let mut streams = Chains { keys, chain, state: [u.load(chains); N] };
        each!(N, |n| {
            streams.state[n] = u.load(chains.add(n * U::LANES));
        });
        // With many vectors the unit would wait for loads and stores of single blocks.
        let squares = if U::LANES == SQUARE && N == 4 { count / SQUARE } else { 0 };
        let mut room = [streams.state; SQUARE];
        for square in 0..squares {
            let offset = 16 * SQUARE * square;
            each!(N, |n| {
                u.prefetch(from.add(n * U::LANES), offset + AHEAD);
                let square = u.gather_square(from.add(n * U::LANES), offset);
                each!(SQUARE, |block| {
                    room[block][n] = square[block];
                });
            });
            each!(SQUARE, |block| {
                streams.step::<ROUNDS>(&mut room[block]);
            });
            each!(N, |n| {
                let square = [room[0][n], room[1][n], room[2][n], room[3][n]];
                u.scatter_square(to.add(n * U::LANES), offset, square);
            });
        }
        let data = &mut room[0];
        for block in squares * SQUARE..count {
            let offset = 16 * block;
            each!(N, |n| {
                data[n] = u.gather(from.add(n * U::LANES), offset);
            });
            streams.step::<ROUNDS>(data);
            each!(N, |n| {
                u.scatter(to.add(n * U::LANES), offset, data[n]);
            });
        }
        each!(N, |n| {
            u.store(chains.add(n * U::LANES), streams.state[n]);
        });
    }
}
