//! Hashes against implementations in software: whole messages, their ends, and blocks.

use sha1::Digest as _;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sm3::Sm3;
use wirespeed_cipher::{Compression, Digest};
use wirespeed_cpu::padlock::PadLock;
use wirespeed_cpu::x86::ThisCpu;
use wirespeed_cpu::{Ccs, Features, Phe, Phe2, Token};
use wirespeed_padlock::hash::{Blocks, ByFault, Chain, Message};

use crate::checks::message;

const LENGTHS: [usize; 14] = [0, 1, 3, 55, 56, 63, 64, 65, 119, 128, 200, 256, 1000, 5000];

/// A digest in software.
fn expected(digest: Digest, data: &[u8]) -> Vec<u8> {
    match digest {
        Digest::Sha1 => Sha1::digest(data).to_vec(),
        Digest::Sha224 => Sha224::digest(data).to_vec(),
        Digest::Sha256 => Sha256::digest(data).to_vec(),
        Digest::Sha384 => Sha384::digest(data).to_vec(),
        Digest::Sha512 => Sha512::digest(data).to_vec(),
        Digest::Sm3 => Sm3::digest(data).to_vec(),
        _ => panic!("PadLock has no {digest}"),
    }
}

/// The digest that a chaining value is.
fn bytes_of(digest: Digest, chain: &Chain) -> Vec<u8> {
    let word = digest.compression().block_bytes() / 16;
    let words = chain.iter().flat_map(|it| it.to_be_bytes()[8 - word..].to_vec());
    words.take(digest.bytes()).collect()
}

/// A message padded as the standards say.
fn padded(digest: Digest, data: &[u8]) -> Vec<u8> {
    let block = digest.compression().block_bytes();
    let mut padded = [data, &[0x80]].concat();
    padded.resize((padded.len() + block / 8).next_multiple_of(block), 0);
    let end = padded.len();
    padded[end - 8..].copy_from_slice(&(8 * data.len() as u64).to_be_bytes());
    padded
}

/// Blocks from unaligned memory, in two calls.
fn compare_blocks(digest: Digest, blocks: Blocks) {
    for bytes in LENGTHS {
        let data = message(bytes);
        let mut memory = vec![0];
        memory.extend(padded(digest, &data));
        let block = digest.compression().block_bytes();
        let (first, second) =
            memory[1..].split_at((memory.len() / 2).next_multiple_of(block) - block);
        let mut chain = digest.initial();
        blocks.run(&mut chain, first);
        blocks.run(&mut chain, second);
        assert_eq!(bytes_of(digest, &chain), expected(digest, &data), "{digest} {bytes} bytes");
    }
}

/// Leaves the alternate stack for signals that Rust's runtime asked for: it has room for one handler, and
/// an emulated instruction that meets a fault needs two.
fn leave_small_stack() {
    let none =
        libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
    // SAFETY: no handler is running.
    let left = unsafe { libc::sigaltstack(&none, std::ptr::null_mut()) };
    assert_eq!(left, 0, "sigaltstack");
}

/// Whole messages, messages of which a part is hashed already, blocks if the unit takes them, and blocks the
/// way a C7 does them.
pub(crate) fn check_phe(features: Features) {
    let phe = Phe::probe(features).expect("PHE");
    leave_small_stack();
    let takes_blocks = PadLock::of(&ThisCpu).is_some_and(PadLock::is_64_bit);
    for digest in [Digest::Sha1, Digest::Sha224, Digest::Sha256] {
        let unit = Message::new(phe, digest).expect("PHE's");
        for bytes in LENGTHS {
            let data = message(bytes);
            let right = expected(digest, &data);
            let mut out = vec![0; digest.bytes()];
            unit.hash(&data, &mut out);
            assert_eq!(out, right, "{digest} {bytes} bytes");
            let mut fault = ByFault::new(phe).expect("memory");
            for before in [64, 128, 4096].into_iter().filter(|before| *before <= bytes) {
                let (head, rest) = data.split_at(before);
                let mut chain = digest.initial();
                fault.run(digest.compression(), &mut chain, head);
                unit.finish(&mut chain, before, rest);
                assert_eq!(bytes_of(digest, &chain), right, "{digest} {before} of {bytes} bytes");
            }
        }
        let blocks = Blocks::sha(phe, digest.compression());
        assert_eq!(blocks.is_some(), takes_blocks, "{digest}");
        if let Some(blocks) = blocks {
            compare_blocks(digest, blocks);
        }
    }
    assert!(Message::new(phe, Digest::Sha512).is_none());
    assert!(Blocks::sha(phe, Compression::Sm3).is_none());
}

/// SHA-384 and SHA-512.
pub(crate) fn check_phe2(features: Features) {
    let unit = Blocks::sha512(Phe2::probe(features).expect("PHE2"));
    compare_blocks(Digest::Sha384, unit);
    compare_blocks(Digest::Sha512, unit);
}

/// SM3.
pub(crate) fn check_sm3(features: Features) {
    compare_blocks(Digest::Sm3, Blocks::sm3(Ccs::probe(features).expect("CCS")));
}
