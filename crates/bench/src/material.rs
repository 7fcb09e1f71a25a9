//! What every contender of a case works on: the same key, IV and bytes.

use wirespeed_cipher::{Algorithm, Direction, Mode, Route};
use wirespeed_cpu::Features;

use crate::case::Case;
use crate::direct::Direct;

/// Key, IV and input of a case; for decryption the input is a real message with its tag.
pub(crate) struct Material {
    pub(crate) key: Vec<u8>,
    pub(crate) iv: Vec<u8>,
    pub(crate) input: Buffer,
    pub(crate) tag: [u8; 16],
}

impl Material {
    pub(crate) fn of(case: Case) -> Self {
        let algorithm = case.subject.cipher();
        let (key, iv) = algorithm.map(key_and_iv).unwrap_or_default();
        let mut input = Buffer::new(case.size, 0);
        // A cycle of 251, a prime: swapped or repeated blocks never look alike.
        input.bytes_mut().iter_mut().zip((0..251u8).cycle()).for_each(|(byte, i)| *byte = i);
        let plain = Self { key, iv, input, tag: [0; 16] };
        let Some(algorithm) = algorithm.filter(|_| case.direction == Direction::Decrypt) else {
            return plain;
        };
        let portable =
            wirespeed_native::kernels(Route::Portable, algorithm.cipher(), Features::NONE);
        let mut encrypt = Direct::new(
            portable.expect("the portable route needs nothing"),
            algorithm,
            Case { direction: Direction::Encrypt, ..case },
            plain.into(),
        );
        let (cipher, tag) = encrypt.result();
        let (key, iv) = key_and_iv(algorithm);
        let mut input = Buffer::new(case.size, 0);
        input.bytes_mut().copy_from_slice(&cipher);
        Self { key, iv, input, tag }
    }
}

/// Fixed, and for XTS two different halves: OpenSSL refuses equal ones.
fn key_and_iv(algorithm: Algorithm) -> (Vec<u8>, Vec<u8>) {
    let key = (0..algorithm.key_bytes()).map(|i| (i * 7 + 3) as u8).collect();
    let iv = (0..algorithm.iv_bytes()).map(|i| (i * 5 + 1) as u8).collect();
    (key, iv)
}

/// Whether a message of the mode ends with a tag.
pub(crate) const fn has_tag(mode: Mode) -> bool {
    matches!(mode, Mode::Gcm)
}

/// Bytes that begin on a cache line, so that every contender meets the same alignment.
pub(crate) struct Buffer {
    storage: Vec<u8>,
    at: usize,
    length: usize,
}

impl Buffer {
    const LINE: usize = 64;

    /// `length` zero bytes, with room for `margin` more behind them.
    pub(crate) fn new(length: usize, margin: usize) -> Self {
        let storage = vec![0; length + margin + Self::LINE];
        let at = storage.as_ptr().align_offset(Self::LINE).min(Self::LINE);
        Self { storage, at, length }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.storage[self.at..self.at + self.length]
    }

    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.at..self.at + self.length]
    }

    /// The bytes and the room behind them.
    #[inline]
    pub(crate) fn with_margin(&mut self) -> &mut [u8] {
        &mut self.storage[self.at..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_on_a_line() {
        for length in [0, 1, 1420, 65536] {
            let mut buffer = Buffer::new(length, 32);
            assert_eq!(buffer.bytes().as_ptr() as usize % 64, 0);
            assert_eq!(buffer.bytes().len(), length);
            assert!(buffer.with_margin().len() >= length + 32);
        }
    }
}
