//! The proof of a route's hash functions: the standards' answers, then differences against the portable
//! route.

use wirespeed_cipher::{Compression, Digest, HashKernels, Hasher};
use wirespeed_kernels_core::proof::{CYCLE, Failure, Proof};

use crate::portable;

/// Lengths around every border that padding and blocks have, in bytes.
const LENGTHS: [usize; 27] = [
    0, 1, 3, 55, 56, 63, 64, 65, 71, 72, 104, 111, 112, 119, 127, 128, 129, 135, 136, 144, 167,
    168, 191, 255, 256, 1000, 4111,
];

/// Compares every hash function of one table with the portable route, whole and in pieces.
pub fn prove_hash(kernels: &'static HashKernels) -> Result<Proof, Failure> {
    let mut checks = 0;
    let reference = portable::kernels(kernels.compression);
    for digest in digests(kernels.compression) {
        let wrong = |bytes| Failure::WrongHash { digest, bytes };
        if !known(kernels, digest) {
            return Err(wrong(ABC.len()));
        }
        for bytes in LENGTHS {
            let message = &CYCLE[..bytes];
            let right = whole(reference, digest, message);
            let (first, second) = message.split_at(bytes / 3);
            if whole(kernels, digest, message) != right
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
        let message = &CYCLE[..500];
        let right = whole(portable::kernels(kernels.compression), digest, message);
        known(kernels, digest)
            && in_pieces(kernels, digest, &[&message[..130], &message[130..]]) == right
    })
}

fn digests(compression: Compression) -> impl Iterator<Item = Digest> {
    Digest::ALL.into_iter().filter(move |digest| digest.compression() == compression)
}

const ABC: &[u8] = b"abc";

fn known(kernels: &'static HashKernels, digest: Digest) -> bool {
    whole(kernels, digest, ABC)[..16] == digest.of_abc()
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
    use wirespeed_cipher::Route;

    use super::*;

    #[test]
    fn a_copy_goes_on_whatever_was_there() {
        for (there, here) in
            Digest::ALL.into_iter().flat_map(|it| Digest::ALL.map(|digest| (it, digest)))
        {
            let [mut copy, mut hasher] = [there, here].map(|digest| {
                let mut hasher = Hasher::new(portable::kernels(digest.compression()), digest);
                hasher.update(ABC);
                hasher
            });
            copy.clone_from(&hasher);
            let mut hashes = [[0; 64]; 2];
            copy.finish(&mut hashes[0]);
            hasher.finish(&mut hashes[1]);
            assert_eq!(hashes[0], hashes[1], "{here} over {there}");
            assert_eq!(hashes[1][..16], here.of_abc(), "{here}");
        }
    }

    /// The end of a message counts on zeros behind what is open.
    #[test]
    #[cfg_attr(miri, ignore = "hundreds of messages; the copies above are the same code")]
    fn nothing_is_left_of_a_message_that_another_follows() {
        for digest in Digest::ALL {
            let kernels = portable::kernels(digest.compression());
            let right = in_pieces(kernels, digest, &[ABC]);
            for length in [7, 8, 100, 111, 300] {
                for (ended, forgotten) in
                    [(false, false), (false, true), (true, false), (true, true)]
                {
                    let mut hasher = Hasher::new(kernels, digest);
                    hasher.update(&[0xff]);
                    hasher.update(&vec![0xff; length]);
                    if ended {
                        hasher.finish(&mut [0; 64]);
                    }
                    if forgotten {
                        hasher.forget();
                    }
                    hasher.reset();
                    hasher.update(ABC);
                    let mut hash = [0; 64];
                    hasher.finish(&mut hash);
                    assert_eq!(hash, right, "{digest}, {length} bytes, {ended}, {forgotten}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_kernel_is_found() {
        static WRONG: HashKernels = HashKernels {
            route: Route::Portable,
            compression: Compression::Sha256,
            blocks: |chain, blocks| {
                (portable::kernels(Compression::Sha256).blocks)(chain, blocks);
                chain[7] ^= u64::from(blocks.len() > 64);
            },
        };
        assert!(self_test_hash(portable::kernels(Compression::Sha256)));
        assert!(!self_test_hash(&WRONG) && prove_hash(&WRONG).is_err());
    }
}
