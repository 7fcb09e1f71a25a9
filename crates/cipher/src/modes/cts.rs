//! CBC with ciphertext stealing, the addendum to SP 800-38A: a message of any length from a block on, at once.

use std::ffi::CStr;

use crate::{Block, BlockKey, Direction, InOut, wipe};

/// In which order the last two parts of a message's ciphertext stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stealing {
    /// The short one first; nothing is stolen where there is none.
    Cs1,
    /// The short one last; nothing is stolen where there is none.
    Cs2,
    /// The second of the last two parts first, always: Kerberos (RFC 3962 §5).
    Cs3,
}

impl Stealing {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Cs1, Self::Cs2, Self::Cs3];

    /// The name in the addendum, and OpenSSL's.
    pub const fn name(self) -> &'static CStr {
        match self {
            Self::Cs1 => c"CS1",
            Self::Cs2 => c"CS2",
            Self::Cs3 => c"CS3",
        }
    }

    /// One message of at least a block; the chaining value moves on to the block that stole. Decryption takes a key for
    /// that.
    ///
    /// # Panics
    /// If there is less than a block.
    pub fn crypt(self, key: &BlockKey, direction: Direction, chain: &mut Block, data: InOut<'_>) {
        let bytes = data.len();
        assert!(bytes >= 16, "nothing to steal from");
        let is_whole = bytes.is_multiple_of(16) && (bytes == 16 || self != Self::Cs3);
        // Bytes in the last part, and before the last two.
        let last = if bytes.is_multiple_of(16) { 16 } else { bytes % 16 };
        let before = if is_whole { bytes } else { bytes - 16 - last };
        let (blocks, mut end) = data.split_at(before);
        let cbc = key.kernels().cbc[direction as usize];
        cbc(key.schedule(), chain, blocks);
        if is_whole {
            return;
        }
        let mut parts = [0; 32];
        let swap = |parts: &mut [u8; 32]| {
            let (first, second) = parts.split_at_mut(16);
            first.swap_with_slice(second);
        };
        match direction {
            Direction::Encrypt => {
                end.save(&mut parts[..16 + last]);
                cbc(key.schedule(), chain, InOut::in_place(&mut parts));
                match self {
                    Self::Cs1 => parts.copy_within(16.., last),
                    Self::Cs2 | Self::Cs3 => swap(&mut parts),
                }
            }
            Direction::Decrypt => {
                match self {
                    Self::Cs1 => {
                        end.save(&mut parts[16 - last..]);
                        parts.copy_within(16 - last..16, 0);
                    }
                    Self::Cs2 | Self::Cs3 => {
                        end.save(&mut parts[..16 + last]);
                        swap(&mut parts);
                    }
                }
                // What was stolen is in the last block.
                let mut stolen: Block = *parts.last_chunk().expect("two blocks");
                (key.kernels().ecb[1])(key.schedule(), InOut::in_place(&mut stolen));
                parts[last..16].copy_from_slice(&stolen[last..]);
                wipe(&mut stolen);
                cbc(key.schedule(), chain, InOut::in_place(&mut parts));
            }
        }
        end.overwrite(&parts[..16 + last]);
        wipe(&mut parts);
    }
}
