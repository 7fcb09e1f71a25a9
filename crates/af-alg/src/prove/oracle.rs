//! The right answers: the host's OpenSSL, for tests.

#[path = "../../tests/guest/oracle.rs"]
mod openssl;

use wirespeed_cipher::Direction;

use crate::{Kind, Transform};

/// What a [`Machine`](super::Machine) of that algorithm must compute.
pub(super) fn compute(
    transform: &Transform,
    key: &[u8],
    iv: &[u8],
    associated: &[u8],
    input: &[u8],
) -> Vec<u8> {
    match transform.kind {
        Kind::Cipher { .. } => openssl::crypt(transform.name, Direction::Encrypt, key, iv, input),
        Kind::Aead { .. } => {
            let (text, tag) = openssl::seal(transform.name, key, iv, associated, input);
            [text, tag].concat()
        }
        Kind::Hash { keyed, .. } => openssl::hash(transform.name, keyed.then_some(key), input),
    }
}
