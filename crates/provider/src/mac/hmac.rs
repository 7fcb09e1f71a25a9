//! HMAC (RFC 2104) on kernels of our own: a key as the two states that it leaves behind.

use wirespeed_cipher::{Chain, Compression, Digest, HashKernels, Hasher};
use zeroize::optimization_barrier;

use crate::digest::message::Message;
use crate::error::CallError;

/// The longest block of a hash function with a fixed length, SHA3-224's.
const LONGEST_KEY: usize = 144;

/// A chaining value, as long as they get.
type Kept = [u64; 25];

/// A key, and perhaps a message under it.
pub(crate) struct Keyed {
    message: Hasher,
    stage: Stage,
    /// After the block that the key makes with `ipad`, and with `opad`.
    inner: Kept,
    outer: Kept,
    /// The key, or its hash if it is longer than a block, which comes to the same.
    key: [u8; LONGEST_KEY],
    key_bytes: usize,
}

/// How far the message is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Begun,
    /// There are bytes in it.
    Running,
    /// There is none.
    Over,
}

impl Keyed {
    /// No key yet. Nothing secret is in what is moved; a key is written where it stays.
    #[inline]
    pub(crate) fn idle(kernels: &'static HashKernels, digest: Digest) -> Self {
        Self {
            message: Hasher::idle(kernels, digest),
            stage: Stage::Over,
            inner: [0; 25],
            outer: [0; 25],
            key: [0; LONGEST_KEY],
            key_bytes: 0,
        }
    }

    /// Takes a key, and begins a message.
    pub(crate) fn take_key(&mut self, key: &[u8]) {
        let digest = self.digest();
        self.key = [0; LONGEST_KEY];
        if key.len() > digest.block_bytes() {
            self.key_bytes = digest.bytes();
            self.message.reset();
            self.message.update(key);
            self.message.finish(&mut self.key[..digest.bytes()]);
        } else {
            self.key_bytes = key.len();
            self.key[..key.len()].copy_from_slice(key);
        }
        let mut pad = [0; LONGEST_KEY];
        for (chain, byte) in [(&mut self.inner, 0x36), (&mut self.outer, 0x5c)] {
            for (to, from) in pad.iter_mut().zip(&self.key) {
                *to = from ^ byte;
            }
            self.message.reset();
            self.message.update(&pad[..digest.block_bytes()]);
            let (left, ..) = self.message.standing();
            chain[..left.len()].copy_from_slice(left);
        }
        wipe(&mut pad);
        self.start();
    }

    /// Goes on from where another one stands.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.message.clone_from(&other.message);
        (self.stage, self.inner, self.outer) = (other.stage, other.inner, other.outer);
        (self.key, self.key_bytes) = (other.key, other.key_bytes);
    }

    pub(crate) const fn digest(&self) -> Digest {
        self.message.digest()
    }

    pub(crate) const fn kernels(&self) -> &'static HashKernels {
        self.message.kernels()
    }

    pub(crate) fn key(&self) -> &[u8] {
        &self.key[..self.key_bytes]
    }

    pub(crate) const fn stage(&self) -> Stage {
        self.stage
    }

    /// Begins a message.
    #[inline]
    pub(crate) fn start(&mut self) {
        resume(&mut self.message, &self.inner);
        self.stage = Stage::Begun;
    }

    /// The next bytes.
    #[inline]
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        // As EVP_DigestUpdate has it, even behind the end.
        if data.is_empty() {
            return Ok(());
        }
        if self.stage == Stage::Over {
            return Err(CallError::SILENT);
        }
        self.stage = Stage::Running;
        Message::update(&mut self.message, data)
    }

    /// The code, which has the length of a hash; the message is over.
    #[inline]
    pub(crate) fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        if self.stage == Stage::Over {
            return Err(CallError::SILENT);
        }
        self.stage = Stage::Over;
        let digest = self.digest();
        let (bytes, block_bytes) = (digest.bytes(), digest.block_bytes());
        let mut block = [0; LONGEST_KEY];
        self.message.finish(&mut block[..bytes]);
        resume(&mut self.message, &self.outer);
        if digest.compression().is_sponge() {
            self.message.update(&block[..bytes]);
            self.message.finish(output);
        } else {
            // All that is left is one block, the same but for the hash. Made here it goes through memory once.
            block[bytes] = digest.first_padding_byte();
            let bits = 8 * (block_bytes + bytes) as u16;
            match digest.compression().is_little_endian() {
                true => block[block_bytes - 8..][..2].copy_from_slice(&bits.to_le_bytes()),
                false => block[block_bytes - 2..][..2].copy_from_slice(&bits.to_be_bytes()),
            }
            self.message.update(&block[..block_bytes]);
            write(self.message.standing().0, digest.compression(), output);
        }
        wipe(&mut block);
        Ok(())
    }
}

/// Goes on behind the one block that was hashed.
#[inline]
fn resume(message: &mut Hasher, chain: &Kept) {
    let digest = message.digest();
    message.resume(&chain[..digest.compression().words()], &[], digest.block_bytes() as u128);
}

/// Writes words as bytes.
#[inline]
fn write(chain: &Chain, compression: Compression, output: &mut [u8]) {
    if compression.word_bytes() == 8 {
        for (to, word) in output.as_chunks_mut().0.iter_mut().zip(chain) {
            *to = word.to_be_bytes();
        }
        return;
    }
    for (to, word) in output.as_chunks_mut().0.iter_mut().zip(chain) {
        let word = *word as u32;
        *to = if compression.is_little_endian() { word.to_le_bytes() } else { word.to_be_bytes() };
    }
}

/// In vectors, as a [`Hasher`] does it.
#[inline]
fn wipe<T: Copy + Default, const COUNT: usize>(secret: &mut [T; COUNT]) {
    *secret = [T::default(); COUNT];
    optimization_barrier(secret);
}

impl Drop for Keyed {
    fn drop(&mut self) {
        wipe(&mut self.inner);
        wipe(&mut self.outer);
        wipe(&mut self.key);
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;
    use wirespeed_cpu::Features;

    use super::*;

    fn keyed(digest: Digest, key: &[u8]) -> Keyed {
        let kernels =
            wirespeed_kernels::hash(Route::Portable, digest.compression(), Features::NONE);
        let mut keyed = Keyed::idle(kernels.unwrap(), digest);
        keyed.take_key(key);
        keyed
    }

    fn code(keyed: &mut Keyed, message: &[u8]) -> [u8; 8] {
        keyed.start();
        keyed.update(message).unwrap();
        let mut code = [0; 64];
        keyed.finish(&mut code[..keyed.digest().bytes()]).unwrap();
        *code.first_chunk().unwrap()
    }

    /// RFC 2202 test cases 2 of MD5 and SHA-1; RFC 4231 test cases 2 and 6.
    #[test]
    fn codes_by_the_standards() {
        let (jefe, question) = (b"Jefe", b"what do ya want for nothing?");
        for (digest, right) in [
            (Digest::Md5, 0x750c_783e_6ab0_b503_u64),
            (Digest::Sha1, 0xeffc_df6a_e5eb_2fa2),
            (Digest::Sha224, 0xa30e_0109_8bc6_dbbf),
            (Digest::Sha256, 0x5bdc_c146_bf60_754e),
            (Digest::Sha384, 0xaf45_d2e3_7648_4031),
            (Digest::Sha512, 0x164b_7a7b_fcf8_19e2),
        ] {
            let mut keyed = keyed(digest, jefe);
            for _ in 0..2 {
                assert_eq!(code(&mut keyed, question), right.to_be_bytes(), "{digest}");
            }
        }
        let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
        for (digest, right) in
            [(Digest::Sha256, 0x60e4_3159_1ee0_b67f_u64), (Digest::Sha512, 0x80b2_4263_c7c1_a3eb)]
        {
            assert_eq!(code(&mut keyed(digest, &[0xaa; 131]), message), right.to_be_bytes());
        }
    }

    #[test]
    fn a_message_that_is_over_takes_no_more() {
        let mut keyed = keyed(Digest::Sha256, b"key");
        code(&mut keyed, b"message");
        assert!(keyed.update(b"more").is_err() && keyed.finish(&mut [0; 32]).is_err());
        keyed.start();
        assert!(keyed.update(b"more").is_ok());
    }
}
