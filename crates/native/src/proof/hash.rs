//! The proof of a route's hash functions: the standards' answers, then differences against the portable
//! route.

use wirespeed_cipher::{Compression, Digest, HashKernels, Hasher, Route};
use wirespeed_cpu::Features;

use super::{Failure, Proof};
use crate::{hash, portable};

/// Lengths around every border that padding and blocks have, in bytes.
const LENGTHS: [usize; 27] = [
    0, 1, 3, 55, 56, 63, 64, 65, 71, 72, 104, 111, 112, 119, 127, 128, 129, 135, 136, 144, 167,
    168, 191, 255, 256, 1000, 4111,
];

/// Proves every compression function that `route` has here; none is no failure.
pub fn prove_hashes(route: Route, features: Features) -> Result<Proof, Failure> {
    let mut checks = 0;
    for compression in Compression::ALL {
        if let Ok(kernels) = hash(route, compression, features) {
            checks += prove_hash(kernels)?.checks;
        }
    }
    Ok(Proof { checks })
}

/// Compares every hash function of one table with the portable route, whole and in pieces.
pub fn prove_hash(kernels: &'static HashKernels) -> Result<Proof, Failure> {
    let mut checks = 0;
    let reference = portable::hash(kernels.compression);
    for digest in digests(kernels.compression) {
        let wrong = |bytes| Failure::WrongHash { digest, bytes };
        if !known(kernels, digest) {
            return Err(wrong(ABC.len()));
        }
        for bytes in LENGTHS {
            let message: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
            let right = whole(reference, digest, &message);
            let (first, second) = message.split_at(bytes / 3);
            if whole(kernels, digest, &message) != right
                || in_pieces(kernels, digest, &[first, second]) != right
            {
                return Err(wrong(bytes));
            }
            checks += 2;
        }
    }
    Ok(Proof { checks })
}

/// A quick proof for the moment of loading: the standards' answers, and a message of several blocks.
pub fn self_test_hash(kernels: &'static HashKernels) -> bool {
    digests(kernels.compression).all(|digest| {
        let message: [u8; 500] = std::array::from_fn(|i| (i % 251) as u8);
        let right = whole(portable::hash(kernels.compression), digest, &message);
        known(kernels, digest)
            && in_pieces(kernels, digest, &[&message[..130], &message[130..]]) == right
    })
}

fn digests(compression: Compression) -> impl Iterator<Item = Digest> {
    Digest::ALL.into_iter().filter(move |digest| digest.compression() == compression)
}

const ABC: &[u8] = b"abc";

/// "abc": RFC 1321 appendix A.5, FIPS 180-4's examples, GB/T 32905 appendix A.1, FIPS 202. The first 16 bytes of
/// each.
fn known(kernels: &'static HashKernels, digest: Digest) -> bool {
    let right: u128 = match digest {
        Digest::Md5 => 0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72,
        Digest::Sha1 => 0xa999_3e36_4706_816a_ba3e_2571_7850_c26c,
        Digest::Sha224 => 0x2309_7d22_3405_d822_8642_a477_bda2_55b3,
        Digest::Sha256 => 0xba78_16bf_8f01_cfea_4141_40de_5dae_2223,
        Digest::Sha384 => 0xcb00_753f_45a3_5e8b_b5a0_3d69_9ac6_5007,
        Digest::Sha512 => 0xddaf_35a1_9361_7aba_cc41_7349_ae20_4131,
        Digest::Sha3_224 => 0xe642_824c_3f8c_f24a_d092_34ee_7d3c_766f,
        Digest::Sha3_256 => 0x3a98_5da7_4fe2_25b2_045c_172d_6bd3_90bd,
        Digest::Sha3_384 => 0xec01_4982_8851_6fc9_2645_9f58_e2c6_ad8d,
        Digest::Sha3_512 => 0xb751_850b_1a57_168a_5693_cd92_4b6b_096e,
        Digest::Shake128 => 0x5881_092d_d818_bf5c_f8a3_ddb7_93fb_cba7,
        Digest::Shake256 => 0x4833_6660_1360_a877_1c68_6308_0cc4_114d,
        Digest::Sm3 => 0x66c7_f0f4_62ee_edd9_d1f2_d46b_dc10_e4e2,
    };
    whole(kernels, digest, ABC)[..16] == right.to_be_bytes()
}

fn whole(kernels: &'static HashKernels, digest: Digest, message: &[u8]) -> [u8; 64] {
    in_pieces(kernels, digest, &[message])
}

fn in_pieces(kernels: &'static HashKernels, digest: Digest, pieces: &[&[u8]]) -> [u8; 64] {
    let mut hasher = Hasher::new(kernels, digest);
    pieces.iter().for_each(|piece| hasher.update(piece));
    let mut hash = [0; 64];
    hasher.finish(&mut hash);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of messages; the self-test below is the same code")]
    fn every_hash_here_is_proved() {
        for route in crate::ROUTES {
            let proof = prove_hashes(route, Features::detect());
            let proof = proof.unwrap_or_else(|failure| panic!("{route}: {failure}"));
            match proof.checks {
                0 => println!("skipped {route}: it has no hash functions here"),
                checks => assert!(checks >= 40, "{route}: {checks}"),
            }
        }
    }

    #[test]
    fn a_wrong_kernel_is_found() {
        static WRONG: HashKernels = HashKernels {
            route: Route::Portable,
            compression: Compression::Sha256,
            blocks: |chain, blocks| {
                (portable::hash(Compression::Sha256).blocks)(chain, blocks);
                chain[7] ^= u64::from(blocks.len() > 64);
            },
        };
        assert!(self_test_hash(portable::hash(Compression::Sha256)));
        assert!(!self_test_hash(&WRONG) && prove_hash(&WRONG).is_err());
    }
}
