//! The IV of the next call, as SP 800-38A has it: computed here, whatever the driver makes of its own.

use wirespeed_cipher::Direction;

use crate::transform::Chain;
use crate::wire::Control;

/// The longest IV.
pub(crate) type Block = [u8; Control::LONGEST_IV];

/// The most bytes in one request from `iv` on: drivers of ChaCha20 count in 32 bits, and OpenSSL carries on into the
/// nonce.
pub(crate) fn within(chain: Chain, iv: &[u8]) -> usize {
    match (chain, iv) {
        (Chain::Number, [a, b, c, d, ..]) => {
            let left = (1_u64 << 32) - u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
            usize::try_from(64 * left).unwrap_or(usize::MAX)
        }
        _ => usize::MAX,
    }
}

/// Moves `iv` on over what was read and what was written: at least a block, except for counters.
pub(crate) fn following(
    chain: Chain,
    direction: Direction,
    iv: &mut [u8],
    input: &[u8],
    output: &[u8],
) {
    let last = |bytes: &[u8], iv: &mut [u8]| iv.copy_from_slice(&bytes[bytes.len() - iv.len()..]);
    match chain {
        Chain::Still => {}
        Chain::Ciphertext => match direction {
            Direction::Encrypt => last(output, iv),
            Direction::Decrypt => last(input, iv),
        },
        Chain::Keystream => {
            last(output, iv);
            let input = &input[input.len() - iv.len()..];
            iv.iter_mut().zip(input).for_each(|(byte, read)| *byte ^= read);
        }
        Chain::Counter => {
            let blocks = input.len().div_ceil(iv.len());
            add(iv.iter_mut().rev(), blocks);
        }
        // Number and nonce are one: that is how OpenSSL goes on.
        Chain::Number => add(iv[..8].iter_mut(), input.len().div_ceil(64)),
    }
}

/// Adds to a number that wraps, given from its lowest byte on.
fn add<'a>(number: impl Iterator<Item = &'a mut u8>, count: usize) {
    let mut carry = count;
    for byte in number {
        carry += usize::from(*byte);
        *byte = carry as u8;
        carry >>= 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Decrypt, Encrypt};

    fn moved(
        chain: Chain,
        direction: Direction,
        iv: &[u8],
        input: &[u8],
        output: &[u8],
    ) -> Vec<u8> {
        let mut iv = iv.to_vec();
        following(chain, direction, &mut iv, input, output);
        iv
    }

    #[test]
    fn each_mode_goes_on_from_its_last_block() {
        let input: Vec<u8> = (0..48).collect();
        let output: Vec<u8> = (100..148).collect();
        let iv = [7; 16];
        let of = |chain, direction| moved(chain, direction, &iv, &input, &output);
        assert_eq!(of(Chain::Still, Encrypt), iv);
        assert_eq!(of(Chain::Ciphertext, Encrypt), output[32..]);
        assert_eq!(of(Chain::Ciphertext, Decrypt), input[32..]);
        let keystream: Vec<u8> = (32..48).map(|at| input[at] ^ output[at]).collect();
        for direction in Direction::BOTH {
            assert_eq!(of(Chain::Keystream, direction), keystream);
        }
        assert_eq!(moved(Chain::Still, Decrypt, &[], &input, &output), [0u8; 0]);
        // A block of eight bytes.
        assert_eq!(moved(Chain::Ciphertext, Encrypt, &[0; 8], &input, &output), output[40..]);
    }

    #[test]
    fn counters_carry_and_wrap_as_numbers() {
        let after = |counter: u128, bytes: usize| {
            let data = vec![0; bytes];
            let iv = moved(Chain::Counter, Encrypt, &counter.to_be_bytes(), &data, &data);
            u128::from_be_bytes(iv.try_into().expect("16 bytes"))
        };
        for counter in [0, 0xff, u128::from(u32::MAX), u128::from(u64::MAX), u128::MAX, 1 << 127] {
            for (bytes, blocks) in [(1, 1), (16, 1), (17, 2), (65536, 4096)] {
                assert_eq!(after(counter, bytes), counter.wrapping_add(blocks), "{counter:x}");
            }
        }
    }

    #[test]
    fn a_block_number_carries_into_the_nonce() {
        let data = [0; 65];
        let iv = moved(Chain::Number, Encrypt, &0xffff_fffe_u128.to_le_bytes(), &data, &data);
        assert_eq!(iv, (1_u128 << 32).to_le_bytes());
        let iv = moved(Chain::Number, Encrypt, &u128::MAX.to_le_bytes(), &data, &data);
        assert_eq!(u128::from_le_bytes(iv.try_into().expect("16 bytes")), !0 << 64 | 1);
    }

    #[test]
    fn no_request_goes_beyond_a_block_number() {
        let of = |chain, number: u128| within(chain, &number.to_le_bytes());
        assert_eq!(of(Chain::Number, u128::from(u32::MAX)), 64);
        assert_eq!(of(Chain::Number, u128::MAX - 1), 128);
        let all = usize::try_from(64_u64 << 32).unwrap_or(usize::MAX);
        assert_eq!(of(Chain::Number, 0), all);
        assert_eq!(of(Chain::Counter, u128::MAX), usize::MAX);
    }
}
