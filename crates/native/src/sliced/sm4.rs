//! SM4, GB/T 32907-2016 and ISO/IEC 18033-3.

use wirespeed_cipher::{Block, BlockCipher, Schedule};

use super::field::{Affine, SM4, Substitution};
use super::{Cipher, Core, Slices, Wide};
use crate::portable::sm4::{self, AFTER, BEFORE};

/// The S-box, and the S-box with its value rotated by two bits.
pub(super) const BOXES: [Substitution; 2] = {
    let (before, after) =
        (Affine::from_rows(BEFORE.0, BEFORE.1), Affine::from_rows(AFTER.0, AFTER.1));
    let plain = Substitution { before, after: after.after(&Affine::AES) };
    [plain, plain.then(&Affine::rotation(2))]
};

/// The cipher over slices. A round key is a word.
pub(crate) struct Sm4;

impl Core for Sm4 {
    #[inline(always)]
    fn run<S: Slices>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
        for four in keys {
            round::<S, 0>(u, state, four);
            round::<S, 4>(u, state, four);
            round::<S, 8>(u, state, four);
            round::<S, 12>(u, state, four);
        }
        // §7.1.2: the words in reverse.
        for i in 0..4 {
            state.swap(i, 12 + i);
            state.swap(4 + i, 8 + i);
        }
    }
}

/// One round (§6.1), in which the word at `WORD` is the oldest and becomes the newest.
#[inline(always)]
fn round<S: Slices, const WORD: usize>(u: S, state: &mut [S::V; 16], key: &Wide) {
    let mut plain = [state[0]; 4];
    let mut rotated = [state[0]; 4];
    for i in 0..4 {
        let others = u.xor3(
            state[(WORD + 4) % 16 + i],
            state[(WORD + 8) % 16 + i],
            state[(WORD + 12) % 16 + i],
        );
        let x = u.xor(others, u.splat(key[WORD + i]));
        plain[i] = u.substitute::<{ SM4 }>(x);
        rotated[i] = u.substitute::<{ SM4 + 1 }>(x);
    }
    // L: the word, itself rotated by 24 bits, and by 2, 10 and 18. Rotations by whole bytes only say where to
    // look; in the one by two bits, the two lowest of each byte are those of the byte behind it.
    let mut sums = [state[0]; 4];
    for i in 0..4 {
        sums[i] = u.xor3(rotated[i], rotated[(i + 1) % 4], rotated[(i + 2) % 4]);
    }
    for i in 0..4 {
        let shifted = u.select::<0xfc>(sums[i], sums[(i + 1) % 4]);
        let bytes = u.xor3(state[WORD + i], plain[i], plain[(i + 3) % 4]);
        state[WORD + i] = u.xor(bytes, shifted);
    }
}

impl Cipher for Sm4 {
    type Core = Self;
    const CIPHER: BlockCipher = BlockCipher::Sm4;

    fn round_keys(key: &Schedule) -> &[Block] {
        &key.round_keys[1..9]
    }

    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
        sm4::expand::<DECRYPT>(key, out);
    }
}
