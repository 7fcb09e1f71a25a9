//! The modes whose blocks do not wait for one another, in waves as wide as the unit.

use wirespeed_cipher::{Block, InOut};

use super::{Core, Slices, Wide};
use wirespeed_kernels_core::Wiped;
use wirespeed_kernels_core::engine::after;

/// Where vectors of blocks come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// The data.
    Data,
    /// The block before each block of the data.
    Previous,
    /// A counter, whose last bits wrap: so many.
    Counter(u32),
    /// Nowhere: zeros.
    Nothing,
}

/// A mode: what goes through the cipher, and what is added to the result. Not a type: a wave is long enough to ask.
#[derive(Clone, Copy)]
pub(crate) struct Mode {
    pub(crate) input: From,
    pub(crate) addend: From,
}

impl Mode {
    /// ECB, SP 800-38A §6.1. No chain.
    pub(crate) const ECB: Self = Self { input: From::Data, addend: From::Nothing };
    /// Decryption of CBC, §6.2. The chain is the ciphertext before.
    pub(crate) const CBC: Self = Self { input: From::Data, addend: From::Previous };
    /// Decryption of CFB, §6.3. The chain is the ciphertext before.
    pub(crate) const CFB: Self = Self { input: From::Previous, addend: From::Data };

    /// CTR, §6.5. The chain is the next counter.
    pub(crate) const fn ctr(bits: u32) -> Self {
        Self { input: From::Counter(bits), addend: From::Data }
    }

    /// Whether the chain is the block before.
    pub(crate) fn is_chained(self) -> bool {
        self.input == From::Previous || self.addend == From::Previous
    }
}

/// A cipher over a unit's slices.
type Run<S> = fn(S, &[Wide], &mut [<S as Slices>::V; 16]);

/// A cipher with its round keys.
struct Keyed<'k, S: Slices> {
    run: Run<S>,
    keys: &'k [Wide],
}

/// A cipher on a unit and on the narrower ones. Not a type, so that ciphers share their modes.
pub(crate) struct Runs<S: Slices> {
    whole: Run<S>,
    half: Run<S::Narrow>,
    quarter: Run<<S::Narrow as Slices>::Narrow>,
}

impl<S: Slices> Runs<S> {
    pub(crate) const fn of<C: Core>() -> Self {
        Self {
            whole: S::run::<C>,
            half: S::Narrow::run::<C>,
            quarter: <S::Narrow as Slices>::Narrow::run::<C>,
        }
    }
}

/// Runs a mode over whole blocks: waves of the unit, and the rest in one wave of the narrowest that will do.
#[inline(always)]
pub(crate) fn drive<S: Slices>(
    u: S,
    mode: Mode,
    runs: &Runs<S>,
    round_keys: &[Block],
    chain: &mut Block,
    data: InOut<'_>,
) {
    let mut left = data.len() / 16;
    if left == 0 {
        return;
    }
    let mut wide = Wiped([[0; 16]; 17]);
    let keys = &mut wide.0[..round_keys.len()];
    for (wide, round_key) in keys.iter_mut().zip(round_keys) {
        for i in 0..16 {
            wide[i] = u32::from(round_key[i]) * 0x0101_0101;
        }
    }
    let keys = &*keys;
    let whole = Keyed { run: runs.whole, keys };
    let (mut source, mut destination) = (data.source(), data.destination());
    while left >= S::BLOCKS {
        // SAFETY: so many blocks are left.
        unsafe {
            wave(u, mode, &whole, chain, source, destination, S::BLOCKS);
            source = source.add(16 * S::BLOCKS);
            destination = destination.add(16 * S::BLOCKS);
        }
        left -= S::BLOCKS;
    }
    if left == 0 {
        return;
    }
    let half = u.narrow();
    let quarter = half.narrow();
    // SAFETY: `left` blocks are left, and fewer than the unit's.
    unsafe {
        if is_narrower::<S>() && left <= <S::Narrow as Slices>::Narrow::BLOCKS {
            rest(
                quarter,
                mode,
                &Keyed { run: runs.quarter, keys },
                chain,
                source,
                destination,
                left,
            );
        } else if is_narrower::<S>() && left <= S::Narrow::BLOCKS {
            rest(half, mode, &Keyed { run: runs.half, keys }, chain, source, destination, left);
        } else {
            rest(u, mode, &whole, chain, source, destination, left);
        }
    }
}

/// Whether there is another unit for fewer blocks.
const fn is_narrower<S: Slices>() -> bool {
    S::Narrow::BLOCKS < S::BLOCKS
}

/// A wave that may not be full, in memory of its own.
///
/// # Safety
/// So many blocks, no more than the unit's, are readable and writable.
#[inline(always)]
unsafe fn rest<S: Slices>(
    u: S,
    mode: Mode,
    by: &Keyed<'_, S>,
    chain: &mut Block,
    source: *const u8,
    destination: *mut u8,
    blocks: usize,
) {
    let mut room = Wiped([u.splat(0); 16]);
    let work: *mut u8 = room.0.as_mut_ptr().cast();
    // SAFETY: the unit's blocks fit in the room, and the caller vouches for the others.
    unsafe {
        source.copy_to_nonoverlapping(work, 16 * blocks);
        wave(u, mode, by, chain, work, work, blocks);
        destination.copy_from_nonoverlapping(work, 16 * blocks);
    }
}

/// One wave, of whose blocks the first so many count.
///
/// # Safety
/// The unit's blocks are readable at the source and writable at the destination, which are the same or apart.
#[inline(always)]
unsafe fn wave<S: Slices>(
    u: S,
    mode: Mode,
    by: &Keyed<'_, S>,
    chain: &mut Block,
    source: *const u8,
    destination: *mut u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for the memory. All is read before anything is written.
    unsafe {
        let mut state = match mode.input {
            From::Counter(bits) => count(u, chain, bits, blocks),
            input => u.slice(read(u, input, chain, source)),
        };
        (by.run)(u, by.keys, &mut state);
        let mut rows = u.unslice(state);
        if mode.addend != From::Nothing {
            let addend = read(u, mode.addend, chain, source);
            rows = sixteen!(|I| u.xor(rows[I], addend[I]));
        }
        if mode.is_chained() {
            *chain = source.add(16 * (blocks - 1)).cast::<Block>().read();
        }
        sixteen!(|I| u.store(destination.add(I * S::BYTES), rows[I]));
    }
}

/// Rows of the data, or of the blocks before them.
///
/// # Safety
/// The unit's blocks are readable at the source.
#[inline(always)]
unsafe fn read<S: Slices>(u: S, from: From, chain: &Block, source: *const u8) -> [S::V; 16] {
    // SAFETY: the caller vouches for the memory; before the second row there is the first.
    unsafe {
        if from == From::Data {
            return sixteen!(|I| u.load(source.add(I * S::BYTES)));
        }
        // Before the first block there is the chain.
        let mut first = [[0; 16]; 9];
        const { assert!(S::BYTES < 16 * 9) };
        first[0] = *chain;
        u.store(first[1..].as_mut_ptr().cast(), u.load(source));
        let first = u.load(first.as_ptr().cast());
        sixteen!(|I| if I == 0 {
            first
        } else {
            u.load(source.add((I * S::BYTES).wrapping_sub(16)))
        })
    }
}

/// Counters, as slices; the chain moves on by so many.
#[inline(always)]
fn count<S: Slices>(u: S, chain: &mut Block, bits: u32, blocks: usize) -> [S::V; 16] {
    let first = *chain;
    *chain = after(&first, bits, blocks as u128);
    let last = u.count(first[15]);
    // A counter is no secret.
    if usize::from(first[15]) + S::BLOCKS <= 256 {
        // No carry: all blocks have the same bytes but for the last.
        return sixteen!(|I| match I {
            15 => last,
            _ => u.splat(u32::from(first[I]) * 0x0101_0101),
        });
    }
    // The last byte ends above half of its range, and begins again below: its highest bit tells the blocks before the
    // carry.
    let before = u.spread_top_bit(last);
    let next = after(&first, bits, 256 - u128::from(first[15]));
    sixteen!(|I| match I {
        15 => last,
        _ => {
            let change = u.splat(u32::from(first[I] ^ next[I]) * 0x0101_0101);
            u.xor(u.splat(u32::from(next[I]) * 0x0101_0101), u.and(change, before))
        }
    })
}
