//! CBC encryption, CFB encryption and OFB: each block waits for the one before.
//!
//! The time of such a chain is the latency of the rounds, so nothing else may stand in it: what would
//! be added between two blocks (plaintext, first round key) is folded into the last round key of the
//! block before.

use wirespeed_cipher::{Block, InOut, Schedule};
use wirespeed_kernels_core::Chain;

use crate::unit::{One, Room, Unit, Vector};

/// Runs a chain, CBC over whole blocks, the others over any length; see
/// [`FeedbackFn`](wirespeed_cipher::FeedbackFn).
#[inline(always)]
pub(crate) fn chain<U: Unit, const ROUNDS: usize>(
    u: U,
    kind: Chain,
    schedule: &Schedule,
    iv: &mut Block,
    data: InOut<'_>,
) {
    let u = u.single();
    let count = data.len() / 16;
    let rest = if kind == Chain::Cbc { 0 } else { data.len() % 16 };
    if count == 0 && rest == 0 {
        return;
    }
    let (source, destination) = (data.source(), data.destination());
    // SAFETY: every `i` below is less than `count`, so the block is inside the buffer.
    let input = |i: usize| unsafe { u.load_first(source.add(16 * i), 16) };
    // SAFETY: as above.
    let output = |i: usize, v| unsafe { u.store_first(destination.add(16 * i), v, 16) };

    let sum = |[a, b]: [_; 2]| u.xor(a, b);

    let mut room = Room::EMPTY;
    let key = u.key::<false, ROUNDS>(schedule, &mut room, data.len());
    let whitening = u.splat(schedule.round_keys[0]);
    // In this order: in a stream of single blocks the call before has made the IV just now.
    let first = if kind == Chain::Cbc { u.pin(u.xor(whitening, input(0))) } else { whitening };
    let mut link = u.link(u.splat(*iv), first);
    let mut state;
    match kind {
        Chain::Cbc => {
            for i in 1..count {
                let feed = u.xor(input(i), whitening);
                link = u.chain::<ROUNDS>(key, whitening, link, feed);
                output(i - 1, u.xor(sum(link), feed));
            }
            state = sum(u.chain::<ROUNDS>(key, whitening, link, u.zero()));
            output(count - 1, state);
        }
        Chain::Cfb => {
            for i in 0..count {
                let feed = u.xor(input(i), whitening);
                link = u.chain::<ROUNDS>(key, whitening, link, feed);
                output(i, u.xor(sum(link), whitening));
            }
            state = u.xor(sum(link), whitening);
        }
        Chain::Ofb => {
            for i in 0..count {
                link = u.chain::<ROUNDS>(key, whitening, link, whitening);
                output(i, u.xor3(sum(link), whitening, input(i)));
            }
            state = u.xor(sum(link), whitening);
        }
    }
    if rest > 0 {
        let keystream = sum(u.chain::<ROUNDS>(key, whitening, u.link(state, whitening), u.zero()));
        // SAFETY: `rest` bytes follow the whole blocks.
        unsafe {
            // Behind `rest` bytes the input reads as zero, so the output goes on as keystream.
            let output = u.xor(keystream, u.load_first(source.add(16 * count), rest));
            u.store_first(destination.add(16 * count), output, rest);
            state = if kind == Chain::Cfb { output } else { keystream };
        }
    }
    // SAFETY: `iv` is a block.
    unsafe { u.store_first(iv.as_mut_ptr(), state, 16) };
}
