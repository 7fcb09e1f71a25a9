//! The response files of hash functions, `conformance/vectors/hashes`.

use std::fs;
use std::path::Path;

use wirespeed_cipher::Digest;

use crate::data::unhex;

/// One message and its hash.
#[derive(Clone, Debug)]
pub struct HashVector {
    /// The message.
    pub message: Vec<u8>,
    /// Its hash; of an extendable function as many bytes as the file has.
    pub hash: Vec<u8>,
}

/// The file of a hash function.
const fn file(digest: Digest) -> &'static str {
    match digest {
        Digest::Md5 => "MD5",
        Digest::Sm3 => "SM3",
        Digest::Sha1 => "SHA1ShortMsg",
        Digest::Sha224 => "SHA224ShortMsg",
        Digest::Sha256 => "SHA256ShortMsg",
        Digest::Sha384 => "SHA384ShortMsg",
        Digest::Sha512 => "SHA512ShortMsg",
        Digest::Sha3_224 => "SHA3_224ShortMsg",
        Digest::Sha3_256 => "SHA3_256ShortMsg",
        Digest::Sha3_384 => "SHA3_384ShortMsg",
        Digest::Sha3_512 => "SHA3_512ShortMsg",
        Digest::Shake128 => "SHAKE128ShortMsg",
        Digest::Shake256 => "SHAKE256ShortMsg",
    }
}

/// The vectors of a hash function.
///
/// # Panics
/// If the file cannot be read or understood: it is part of the source.
pub fn of(digest: Digest) -> Vec<HashVector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/hashes");
    let text = fs::read_to_string(folder.join(file(digest)).with_extension("rsp"));
    let text = text.expect("the vectors are part of the source");
    let (mut vectors, mut bits, mut message) = (Vec::new(), 0, Vec::new());
    for (key, value) in text.lines().filter_map(|line| line.trim().split_once(" = ")) {
        match key {
            "Len" => bits = value.parse().expect("a number of bits"),
            // An empty message stands there as a byte of zeros.
            "Msg" => message = unhex(value)[..bits / 8].to_vec(),
            "MD" | "Output" => {
                let hash = unhex(value);
                vectors.push(HashVector { message: std::mem::take(&mut message), hash });
            }
            _ => {}
        }
    }
    vectors
}
