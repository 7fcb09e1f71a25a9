//! AES (FIPS 197), with what PadLock lets one choose: the number of rounds, and an output in mid-way.

use super::{Block, BlockCipher, Direction};

/// Round keys for as many rounds as the control word can ask for.
pub(crate) const MOST_ROUND_KEYS: usize = 16;

/// A key schedule for one direction.
pub(crate) struct Aes {
    /// In order of use. For decryption it is the schedule of the equivalent inverse cipher (FIPS 197,
    /// section 5.3.5).
    keys: [[u32; 4]; MOST_ROUND_KEYS],
    rounds: usize,
    /// The last round is one like all others, not the final one.
    intermediate: bool,
}

impl Aes {
    /// The schedule as it is in memory: round keys in order of use, bytes in FIPS 197's order.
    pub(crate) fn of_schedule(schedule: &[Block], intermediate: bool) -> Self {
        let mut keys = [[0; 4]; MOST_ROUND_KEYS];
        for (key, bytes) in keys.iter_mut().zip(schedule) {
            *key = words(bytes);
        }
        Self { keys, rounds: schedule.len() - 1, intermediate }
    }

    /// Expands a key of 16, 24 or 32 bytes, for as many rounds as asked for (FIPS 197, section 5.2).
    pub(crate) fn expand(
        key: &[u8],
        rounds: usize,
        use_for: Direction,
        intermediate: bool,
    ) -> Self {
        let key_words = key.len() / 4;
        let mut keys = [[0; 4]; MOST_ROUND_KEYS];
        let expanded = keys.as_flattened_mut();
        let (given, _) = key.as_chunks();
        for (word, bytes) in expanded.iter_mut().zip(given) {
            *word = u32::from_be_bytes(*bytes);
        }
        let mut round_constant = 1;
        for at in key_words..4 * (rounds + 1) {
            let mut word = expanded[at - 1];
            if at % key_words == 0 {
                word = substitute(word.rotate_left(8)) ^ u32::from(round_constant) << 24;
                round_constant = product(round_constant, 2);
            } else if key_words > 6 && at % key_words == 4 {
                word = substitute(word);
            }
            expanded[at] = expanded[at - key_words] ^ word;
        }
        if use_for == Direction::Decrypt {
            keys[..=rounds].reverse();
            for key in keys.iter_mut().take(rounds).skip(1) {
                // The table holds InvMixColumns of InvSubBytes; SubBytes in front leaves InvMixColumns.
                *key = key.map(|word| mix(&BACKWARD, substitute(word).to_be_bytes()));
            }
        }
        Self { keys, rounds, intermediate }
    }

    /// All rounds. `offset` is how far ShiftRows moves from one column to the next.
    fn run(&self, block: &mut Block, direction: Direction) {
        let (tables, boxes, offset) = match direction {
            Direction::Encrypt => (&FORWARD, &SUBSTITUTION, 1),
            Direction::Decrypt => (&BACKWARD, &INVERSE_SUBSTITUTION, 3),
        };
        let mut state = add_key(words(block), self.keys[0]);
        for round in 1..=self.rounds {
            let is_final = round == self.rounds && !self.intermediate;
            let shifted = core::array::from_fn(|column| {
                let byte = |row: usize| state[(column + offset * row) % 4].to_be_bytes()[row];
                let bytes = [byte(0), byte(1), byte(2), byte(3)];
                if is_final {
                    u32::from_be_bytes(bytes.map(|byte| boxes[usize::from(byte)]))
                } else {
                    mix(tables, bytes)
                }
            });
            state = add_key(shifted, self.keys[round]);
        }
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(state) {
            *bytes = word.to_be_bytes();
        }
    }
}

impl BlockCipher for Aes {
    fn encrypt(&self, block: &mut Block) {
        self.run(block, Direction::Encrypt);
    }

    fn decrypt(&self, block: &mut Block) {
        self.run(block, Direction::Decrypt);
    }
}

/// The columns of a block.
fn words(block: &Block) -> [u32; 4] {
    let (columns, _) = block.as_chunks();
    core::array::from_fn(|column| u32::from_be_bytes(columns[column]))
}

fn add_key(state: [u32; 4], key: [u32; 4]) -> [u32; 4] {
    core::array::from_fn(|column| state[column] ^ key[column])
}

/// SubWord.
fn substitute(word: u32) -> u32 {
    u32::from_be_bytes(word.to_be_bytes().map(|byte| SUBSTITUTION[usize::from(byte)]))
}

/// Substitution and mixing of one column.
fn mix(table: &[u32; 256], bytes: [u8; 4]) -> u32 {
    let [first, second, third, fourth] = bytes.map(|byte| table[usize::from(byte)]);
    first ^ second.rotate_right(8) ^ third.rotate_right(16) ^ fourth.rotate_right(24)
}

/// SubBytes, and its inverse.
static SUBSTITUTION: [u8; 256] = substitutions().0;
static INVERSE_SUBSTITUTION: [u8; 256] = substitutions().1;

/// For each byte, the column that MixColumns makes of its substitute in the first row.
static FORWARD: [u32; 256] = columns(&substitutions().0, [2, 1, 1, 3]);
static BACKWARD: [u32; 256] = columns(&substitutions().1, [14, 9, 13, 11]);

/// The S-box (FIPS 197, section 5.1.1): inverses in GF(2^8), then an affine map.
const fn substitutions() -> ([u8; 256], [u8; 256]) {
    let mut forward = [0; 256];
    let mut backward = [0; 256];
    // 3 generates the field, F6h is its inverse: together they meet every element and its inverse.
    let (mut element, mut inverse) = (1_u8, 1_u8);
    forward[0] = 0x63;
    backward[0x63] = 0;
    loop {
        let substitute = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        forward[element as usize] = substitute;
        backward[substitute as usize] = element;
        element = product(element, 3);
        inverse = product(inverse, 0xf6);
        if element == 1 {
            return (forward, backward);
        }
    }
}

const fn columns(boxes: &[u8; 256], factors: [u8; 4]) -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = boxes[at];
        table[at] = u32::from_be_bytes([
            product(byte, factors[0]),
            product(byte, factors[1]),
            product(byte, factors[2]),
            product(byte, factors[3]),
        ]);
        at += 1;
    }
    table
}

/// Multiplication in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2).
const fn product(mut left: u8, mut right: u8) -> u8 {
    let mut sum = 0;
    while right != 0 {
        if right & 1 != 0 {
            sum ^= left;
        }
        left = (left << 1) ^ ((left >> 7) * 0x1b);
        right >>= 1;
    }
    sum
}
