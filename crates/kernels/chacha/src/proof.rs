//! The proof of a route's ChaCha20 and Poly1305: RFC 8439's answers, then differences against the portable
//! route.

use wirespeed_cipher::modes::{ChaCha20, ChaCha20Poly1305};
use wirespeed_cipher::{Algorithm, Block, Direction, InOut, Mode, StreamKernels};
use wirespeed_kernels_core::proof::{CYCLE, Failure, LENGTHS, Proof, digest};

use crate::portable::KERNELS as PORTABLE;

/// Compares everything in one table with the portable route: whole and in two pieces, with little and with
/// much associated data, at lengths around every border, with a counter about to wrap.
pub fn prove_stream(kernels: &'static StreamKernels) -> Result<Proof, Failure> {
    let mut checks = 0;
    for (algorithm, direction) in cases() {
        let wrong = |bytes| Failure::Wrong { algorithm, direction, bytes };
        if !known_answers(kernels) {
            return Err(wrong(SPEECH.len()));
        }
        for bytes in LENGTHS.into_iter().chain([1, 15, 960, 961, 3000, 4200]) {
            for cut in [0, bytes / 3, bytes & !63] {
                let made = |kernels| message(kernels, algorithm, direction, bytes, cut);
                if made(kernels) != made(&PORTABLE) {
                    return Err(wrong(bytes));
                }
                checks += 1;
            }
        }
    }
    Ok(Proof { checks })
}

/// A quick proof before a first context: RFC 8439's answers, and messages longer than any wave.
pub fn self_test_stream(kernels: &'static StreamKernels) -> bool {
    known_answers(kernels) && long_messages(kernels).eq(KNOWN_MESSAGES)
}

/// The digests of messages with a whole wave of the longest, and with more associated data than a stride.
fn long_messages(kernels: &'static StreamKernels) -> impl Iterator<Item = u64> {
    let long = move |(algorithm, direction)| message(kernels, algorithm, direction, 3101, 130);
    cases().map(move |case| digest(&long(case)))
}

/// Those that the portable route gives, which tests hold against an independent implementation.
const KNOWN_MESSAGES: [u64; 3] =
    [0x2117_bda0_943a_9416, 0x24a1_3323_9e65_bcd1, 0xbfd8_f16b_954a_819e];

/// Both algorithms in the directions that differ.
fn cases() -> impl Iterator<Item = (Algorithm, Direction)> {
    let algorithms = Algorithm::ALL.iter().filter(|it| it.block_cipher().is_none());
    algorithms.flat_map(|it| it.directions().iter().map(|direction| (*it, *direction)))
}

/// One message that any length and place makes different, in place, in two pieces, and its tag.
fn message(
    kernels: &'static StreamKernels,
    algorithm: Algorithm,
    direction: Direction,
    bytes: usize,
    cut: usize,
) -> (Vec<u8>, Block) {
    let mut data = CYCLE[..bytes].to_vec();
    let key = std::array::from_fn(|i| (i * 7 + bytes) as u8);
    let (first, second) = data.split_at_mut(cut);
    let pieces = [first, second].map(InOut::in_place);
    let tag = if algorithm.mode() == Mode::Stream {
        let mut stream = ChaCha20::START;
        // The counter wraps after seven blocks.
        stream.start(&0xffff_fff9_u128.to_le_bytes());
        pieces.into_iter().for_each(|piece| stream.update(kernels, &key, piece));
        stream.place()
    } else {
        let mut sealed = ChaCha20Poly1305::new(kernels);
        sealed.set_key(&key);
        sealed.start(&[7; 12]);
        let aad = [0x5a; 300];
        sealed.aad(&aad[..if bytes.is_multiple_of(2) { 13 } else { 300 }]);
        for piece in pieces {
            sealed.crypt(direction, piece).expect("a short message");
        }
        sealed.tag()
    };
    (data, tag)
}

/// RFC 8439 §2.4.2 and §2.8.2.
const SPEECH: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for \
the future, sunscreen would be it.";

fn known_answers(kernels: &'static StreamKernels) -> bool {
    known_keystream(kernels) && known_seal(kernels)
}

/// RFC 8439 §2.4.2.
fn known_keystream(kernels: &'static StreamKernels) -> bool {
    let mut data = SPEECH.to_vec();
    let mut stream = ChaCha20::START;
    let mut iv = [0; 16];
    (iv[0], iv[11]) = (1, 0x4a);
    stream.start(&iv);
    stream.update(kernels, &std::array::from_fn(|i| i as u8), InOut::in_place(&mut data));
    data[..16] == 0x6e2e_359a_2568_f980_41ba_0728_dd0d_6981_u128.to_be_bytes()
        && data[98..] == 0x0bbf_74a3_5be6_b40b_8eed_f278_5e42_874d_u128.to_be_bytes()[..]
}

/// RFC 8439 §2.8.2.
fn known_seal(kernels: &'static StreamKernels) -> bool {
    let mut data = SPEECH.to_vec();
    let mut sealed = ChaCha20Poly1305::new(kernels);
    sealed.set_key(&std::array::from_fn(|i| 0x80 + i as u8));
    Direction::BOTH.into_iter().all(|direction| {
        sealed.start(&[7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47]);
        sealed.aad(&[0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7]);
        sealed.crypt(direction, InOut::in_place(&mut data)).is_ok()
            && sealed.tag() == 0x1ae1_0b59_4f09_e26a_7e90_2ecb_d060_0691_u128.to_be_bytes()
    }) && data == SPEECH
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::{AeadInPlace, KeyInit};
    use wirespeed_cipher::{Poly1305, Route};
    use wirespeed_cpu::{Feature, Features};

    use super::*;
    use crate::kernels;

    /// Every table here. AVX-512 has others where IFMA is, and where 512 bits take two turns.
    fn tables() -> Vec<&'static StreamKernels> {
        let features = if cfg!(miri) { Features::NONE } else { Features::detect() };
        let lesser = [Feature::Avx512ifma, Feature::Avx512Bf16, Feature::AvxVnni];
        let lesser = lesser.map(|it| kernels(Route::Avx512, features.without(it)));
        let routes = [Route::Avx512, Route::Avx2, Route::Portable];
        let routes = routes.into_iter().map(|route| kernels(route, features));
        routes.chain(lesser).flatten().collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of messages; the short ones below are the same code")]
    fn every_stream_here_is_proved() {
        for kernels in tables() {
            let proof = prove_stream(kernels);
            let proof = proof.unwrap_or_else(|failure| panic!("{}: {failure}", kernels.route));
            assert!(proof.checks > 200, "{}", kernels.route);
        }
    }

    /// For Miri, which fails where anything is undefined; the self-test's longer messages would take it minutes.
    #[test]
    #[cfg(miri)]
    fn short_messages_are_defined() {
        assert!(known_answers(&PORTABLE));
        for (algorithm, direction) in cases() {
            let (data, _) = message(&PORTABLE, algorithm, direction, 331, 130);
            assert!(data.iter().any(|byte| *byte != data[0]), "{algorithm}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "long messages; the short ones above are the same code")]
    fn every_stream_here_passes_its_self_test() {
        let tables = tables();
        assert!(tables.iter().all(|kernels| self_test_stream(kernels)));
        assert!(tables.iter().any(|kernels| std::ptr::eq(*kernels, &raw const PORTABLE)));
    }

    #[test]
    fn known_messages_are_those_of_the_portable_route() {
        let made: Vec<u64> = long_messages(&PORTABLE).collect();
        assert_eq!(made, KNOWN_MESSAGES, "{made:#x?}");
    }

    /// A sum modulo 2^130 - 5, bit by bit as the standard has it; words from the lowest on.
    fn sum(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
        let add = |a: [u64; 3], b: [u64; 3]| {
            let wide = |a: [u64; 3]| u128::from(a[1]) << 64 | u128::from(a[0]);
            let (low, carry) = wide(a).overflowing_add(wide(b));
            [low as u64, (low >> 64) as u64, a[2] + b[2] + u64::from(carry)]
        };
        let sum = add(a, b);
        let more = add(sum, [5, 0, 0]);
        if more[2] >= 4 { [more[0], more[1], more[2] - 4] } else { sum }
    }

    fn slow_poly1305(r: u128, data: &[u8]) -> Block {
        let mut hash = [0; 3];
        for block in data.chunks(16) {
            let mut bytes = [0; 17];
            bytes[..block.len()].copy_from_slice(block);
            bytes[block.len()] = 1;
            let number = u128::from_le_bytes(bytes[..16].try_into().unwrap());
            let number = sum(hash, [number as u64, (number >> 64) as u64, bytes[16].into()]);
            hash = (0..128).rev().fold([0; 3], |product, bit| {
                let twice = sum(product, product);
                if r >> bit & 1 == 1 { sum(twice, number) } else { twice }
            });
        }
        (u128::from(hash[1]) << 64 | u128::from(hash[0])).to_le_bytes()
    }

    /// Poly1305 of blocks in two calls, of which the second goes on from a hash, and a last part of a block.
    fn poly1305(kernels: &StreamKernels, r: u128, data: &[u8]) -> Block {
        let mut poly1305 = Poly1305::EMPTY;
        poly1305.r = [r as u64, (r >> 64) as u64];
        let (blocks, last) = data.split_at(data.len() & !15);
        let (first, second) = blocks.split_at((blocks.len() / 3) & !15);
        (kernels.poly1305)(&mut poly1305, first);
        (kernels.poly1305)(&mut poly1305, second);
        (kernels.poly1305_tag)(&poly1305, last)
    }

    #[test]
    fn poly1305_carries_what_is_largest() {
        const LARGEST: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
        let most = if cfg!(miri) { 5 } else { 220 };
        let fills: [fn(usize) -> u8; 3] = [|_| 0xff, |_| 0, |at| (at * 151) as u8];
        for (r, fill) in [LARGEST, 1, (LARGEST / 3) & LARGEST]
            .into_iter()
            .flat_map(|r| fills.map(|fill| (r, fill)))
        {
            let data: Vec<u8> = (0..16 * most + 7).map(fill).collect();
            for length in (0..=most).map(|blocks| 16 * blocks + 7 * (blocks & 1)) {
                let expected = slow_poly1305(r, &data[..length]);
                for kernels in tables() {
                    let got = poly1305(kernels, r, &data[..length]);
                    assert_eq!(got, expected, "{}: {length} bytes under {r:x}", kernels.route);
                }
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of messages; the short ones above are the same code")]
    fn a_wrong_kernel_is_found() {
        static WRONG: StreamKernels = StreamKernels {
            poly1305: |poly1305, data| {
                (PORTABLE.poly1305)(poly1305, data);
                poly1305.hash[1] ^= u64::from(data.len() > 64);
            },
            ..PORTABLE
        };
        assert!(!self_test_stream(&WRONG) && prove_stream(&WRONG).is_err());
    }

    /// Every length up to more than two waves, against another implementation, with all cuts' lengths in one
    /// place or another.
    #[test]
    #[cfg_attr(miri, ignore = "thousands of messages; the short ones above are the same code")]
    fn every_length_is_as_others_make_it() {
        let key: [u8; 32] = std::array::from_fn(|i| (i * 11 + 3) as u8);
        let nonce: [u8; 12] = std::array::from_fn(|i| (i * 5 + 1) as u8);
        let other = chacha20poly1305::ChaCha20Poly1305::new(&key.into());
        let plaintext: Vec<u8> = (0..4300).map(|i| (i * 7 + i / 251) as u8).collect();
        for bytes in 0..plaintext.len() {
            let aad = &plaintext[..bytes % 67];
            let mut right = plaintext[..bytes].to_vec();
            let tag = other.encrypt_in_place_detached(&nonce.into(), aad, &mut right);
            let tag: Block = tag.expect("a short message").into();
            for kernels in tables() {
                for direction in Direction::BOTH {
                    let (from, to) = match direction {
                        Direction::Encrypt => (&plaintext[..bytes], &right[..]),
                        Direction::Decrypt => (&right[..], &plaintext[..bytes]),
                    };
                    let mut sealed = ChaCha20Poly1305::new(kernels);
                    sealed.set_key(&key);
                    sealed.start(&nonce);
                    sealed.aad(&aad[..aad.len() / 2]);
                    sealed.aad(&aad[aad.len() / 2..]);
                    // Into another place, misaligned, with a cut that walks through all places.
                    let mut data = vec![0; bytes + 3];
                    let data = &mut data[3..];
                    let cut = (bytes * 37) % (bytes + 1);
                    let (head, tail) = data.split_at_mut(cut);
                    sealed.crypt(direction, InOut::between(&from[..cut], head)).expect("short");
                    sealed.crypt(direction, InOut::between(&from[cut..], tail)).expect("short");
                    assert!(data == to, "{} {direction} {bytes} {cut}", kernels.route);
                    assert_eq!(sealed.tag(), tag, "{} {direction} {bytes} {cut}", kernels.route);
                    let mut data = from.to_vec();
                    sealed.start(&nonce);
                    sealed.aad(aad);
                    sealed.crypt(direction, InOut::in_place(&mut data)).expect("short");
                    assert!(data == to && sealed.tag() == tag, "{} {bytes}", kernels.route);
                }
            }
        }
    }

    #[test]
    fn the_block_number_carries_into_the_nonce() {
        let key = [9; 32];
        let mut iv = [0xff; 16];
        iv[0] = 0xfe;
        let mut next = [0; 16];
        next[8..].copy_from_slice(&[0xff; 8]);
        next[4..8].copy_from_slice(&[0; 4]);
        for kernels in tables() {
            let (mut whole, mut tail) = ([0; 640], [0; 512]);
            let mut stream = ChaCha20::START;
            stream.start(&iv);
            stream.update(kernels, &key, InOut::in_place(&mut whole));
            stream.start(&next);
            stream.update(kernels, &key, InOut::in_place(&mut tail));
            assert!(whole[128..] == tail, "{}", kernels.route);
        }
    }

    /// Associated data behind data: padded where they end, as OpenSSL before 4.0 does.
    #[test]
    fn associated_data_may_follow_data() {
        for kernels in tables() {
            let mut sealed = ChaCha20Poly1305::new(kernels);
            sealed.set_key(&[1; 32]);
            sealed.start(&[2; 12]);
            let mut data = [3; 40];
            sealed.crypt(Direction::Encrypt, InOut::in_place(&mut data[..5])).expect("short");
            sealed.aad(&[4; 7]);
            sealed.crypt(Direction::Encrypt, InOut::in_place(&mut data[5..])).expect("short");
            // The same input to Poly1305 in one piece.
            let mut hashed = data[..5].to_vec();
            hashed.extend([4; 7]);
            hashed.extend([0; 9]);
            hashed.extend(&data[5..]);
            hashed.extend([0; 8]);
            hashed.extend([7_u64, 40].map(u64::to_le_bytes).as_flattened());
            let mut other = ChaCha20Poly1305::new(kernels);
            other.set_key(&[1; 32]);
            other.start(&[2; 12]);
            other.aad(&[]);
            let mut right = wirespeed_cipher::SealState::EMPTY;
            right.counter = [0, 0x0202_0202, 0x0202_0202, 0x0202_0202];
            (kernels.one_time_key)(&[1; 32], &mut right);
            let (blocks, rest) = hashed.split_at(hashed.len() & !15);
            (kernels.poly1305)(&mut right.poly1305, blocks);
            assert_eq!(sealed.tag(), (kernels.poly1305_tag)(&right.poly1305, rest));
        }
    }
}
