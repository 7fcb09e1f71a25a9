//! What every candidate of a case works on: the same key, IV and bytes.

use wirespeed_cipher::Direction::{Decrypt, Encrypt};
use wirespeed_cipher::Route;
use wirespeed_cpu::Features;

use crate::case::Case;
use crate::direct::Direct;
use crate::form::{Form, TAG_BYTES};
use crate::worker::Message;

/// Key, IV and input of a case; for decryption the input is a real message with its tag.
pub(crate) struct Material {
    pub(crate) key: Vec<u8>,
    pub(crate) iv: Vec<u8>,
    pub(crate) input: Buffer,
    pub(crate) tag: [u8; TAG_BYTES],
}

impl Material {
    /// Of a case of our own algorithms: a message is encrypted by the portable route.
    pub(crate) fn of(case: Case) -> Self {
        let plain = Self::plain(case);
        let Some(algorithm) = case.subject.cipher().filter(|_| case.direction == Decrypt) else {
            return plain;
        };
        let encrypt = Case { direction: Encrypt, ..case };
        let portable =
            Direct::new(Route::Portable, Features::NONE, algorithm, encrypt, plain.into());
        Self::sealed(case, &portable.expect("the portable route needs nothing").message())
    }

    /// With a message to decrypt.
    pub(crate) fn sealed(case: Case, (cipher, tag): &Message) -> Self {
        let mut material = Self::plain(case);
        material.input.bytes_mut().copy_from_slice(cipher);
        Self { tag: *tag, ..material }
    }

    /// With bytes that are no message: where a tag is wanted, they can only be encrypted.
    pub(crate) fn plain(case: Case) -> Self {
        let Form { key_bytes, iv_bytes, .. } = Form::of(case.subject);
        // For XTS two different halves: OpenSSL refuses equal ones.
        let key = (0..key_bytes).map(|i| (i * 7 + 3) as u8).collect();
        let iv = (0..iv_bytes).map(|i| (i * 5 + 1) as u8).collect();
        let mut input = Buffer::new(case.size, 0);
        // A cycle of 251, a prime: swapped or repeated blocks never look alike.
        input.bytes_mut().iter_mut().zip((0..251u8).cycle()).for_each(|(byte, i)| *byte = i);
        Self { key, iv, input, tag: [0; TAG_BYTES] }
    }
}

/// Bytes that begin on a cache line, so that every candidate meets the same alignment.
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
