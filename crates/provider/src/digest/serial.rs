//! A message on the way, as bytes: the form in which OpenSSL 4.0's default provider writes SHA-2 contexts
//! down (providers/implementations/digests/sha2_prov.c, "SHA256v1" and "SHA512v1"), so that either provider
//! goes on where the other one stopped. Those of SHA-3 are in [`sponge`].
//!
//! Behind a name: the bytes of the hash, the bytes in the open block, the chaining value, the length of the
//! message in bits, its lower half first, and the open block; all little-endian.

mod sponge;

use wirespeed_cipher::{Compression, Digest, Hasher};
use zeroize::Zeroize;

/// The longest of all.
pub(crate) const LONGEST: usize = sponge::BYTES;

/// A name, two numbers, ten words and a block.
const fn bytes(block_bytes: usize) -> usize {
    8 + 4 + 4 + 10 * block_bytes / 16 + block_bytes
}

/// How a hash function's contexts are written down.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    name: &'static [u8; 8],
    digest: Digest,
}

impl Form {
    /// Only SHA-2, SHA-3 and SHAKE have one.
    pub(crate) const fn of(digest: Digest) -> Option<Self> {
        match digest.compression() {
            Compression::Sha256 => Some(Self { name: b"SHA256v1", digest }),
            Compression::Sha512 => Some(Self { name: b"SHA512v1", digest }),
            compression if compression.is_sponge() => Some(Self { name: sponge::NAME, digest }),
            _ => None,
        }
    }

    /// How long it is.
    pub(crate) const fn bytes(self) -> usize {
        if self.is_sponge() {
            return sponge::BYTES;
        }
        bytes(self.digest.compression().block_bytes())
    }

    const fn is_sponge(self) -> bool {
        self.digest.compression().is_sponge()
    }

    const fn word_bytes(self) -> usize {
        self.digest.compression().word_bytes()
    }

    /// Writes it to the front of `out`. The hash is to have `bytes`.
    pub(crate) fn write(self, message: &Hasher, bytes: usize, out: &mut [u8; LONGEST]) {
        if self.is_sponge() {
            return sponge::write(message, bytes, out);
        }
        let (chain, open, length) = message.standing();
        let mut rest = out.as_mut_slice();
        let mut put = |bytes: &[u8]| {
            let (here, behind) = std::mem::take(&mut rest).split_at_mut(bytes.len());
            here.copy_from_slice(bytes);
            rest = behind;
        };
        put(self.name);
        put(&(bytes as u32).to_le_bytes());
        put(&(open.len() as u32).to_le_bytes());
        for word in &chain[..8] {
            put(&word.to_le_bytes()[..self.word_bytes()]);
        }
        put(&(length * 8).to_le_bytes()[..2 * self.word_bytes()]);
        put(open);
    }

    /// Has `message` go on from there; tells whether that was possible. Like the default provider's, this
    /// takes any chaining value and any length: only what one trusts may be read back.
    pub(crate) fn read(self, message: &mut Hasher, bytes: usize, input: &[u8]) -> bool {
        if self.is_sponge() {
            return sponge::read(message, bytes, input).is_some();
        }
        let mut rest = input;
        let mut take = |count: usize| {
            let (here, behind) = rest.split_at_checked(count)?;
            rest = behind;
            Some(here)
        };
        let mut read = || {
            let number = |bytes: &[u8]| {
                let mut value = [0; 16];
                value[..bytes.len()].copy_from_slice(bytes);
                u128::from_le_bytes(value)
            };
            let named = take(8)? == self.name;
            let digest_bytes = number(take(4)?);
            let open_bytes = number(take(4)?) as usize;
            let mut chain = [0; 8];
            for word in &mut chain {
                *word = number(take(self.word_bytes())?) as u64;
            }
            let bits = number(take(2 * self.word_bytes())?);
            let block = take(self.digest.compression().block_bytes())?;
            let ours = named && digest_bytes == bytes as u128;
            if ours && open_bytes < block.len() {
                message.resume(&chain, &block[..open_bytes], bits / 8);
            }
            chain.zeroize();
            Some(ours && open_bytes < block.len())
        };
        input.len() == self.bytes() && read().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;
    use wirespeed_cpu::Features;

    use super::*;

    fn begun(digest: Digest) -> Hasher {
        let kernels =
            wirespeed_kernels::hash(Route::Portable, digest.compression(), Features::NONE).unwrap();
        Hasher::new(kernels, digest)
    }

    fn hash(mut message: Hasher) -> [u8; 64] {
        let mut hash = [0; 64];
        message.finish(&mut hash);
        hash
    }

    #[test]
    fn a_message_goes_on_where_it_stood() {
        for digest in Digest::ALL {
            let Some(form) = Form::of(digest) else { continue };
            for count in [0, 1, 63, 64, 127, 128, 1000] {
                let mut message = begun(digest);
                message.update(&vec![7; count]);
                let mut written = [0; LONGEST];
                form.write(&message, digest.bytes(), &mut written);
                let mut other = begun(digest);
                other.update(b"something else");
                assert!(form.read(&mut other, digest.bytes(), &written[..form.bytes()]));
                assert_eq!(hash(other), hash(message), "{digest} after {count} bytes");
            }
        }
    }

    #[test]
    fn output_goes_on_where_it_stood() {
        for digest in [Digest::Shake128, Digest::Shake256] {
            let form = Form::of(digest).unwrap();
            for count in [1, 135, 136, 137, 168, 169, 500] {
                let mut message = begun(digest);
                message.update(b"abc");
                message.squeeze(&mut vec![0; count]);
                let mut written = [0; LONGEST];
                form.write(&message, usize::MAX, &mut written);
                let mut other = begun(digest);
                assert!(form.read(&mut other, usize::MAX, &written));
                let [mut here, mut there] = [[0; 300]; 2];
                message.squeeze(&mut here);
                other.squeeze(&mut there);
                assert_eq!(here, there, "{digest} after {count} bytes");
                assert!(!form.read(&mut other, 32, &written), "another length");
            }
        }
    }

    #[test]
    fn what_is_not_its_own_is_refused() {
        let form = Form::of(Digest::Sha256).unwrap();
        let mut message = begun(Digest::Sha256);
        let before = hash(message.clone());
        let mut written = [0; LONGEST];
        form.write(&message, 32, &mut written);
        let written = &written[..form.bytes()];
        assert_eq!(written[..16], *b"SHA256v1\x20\0\0\0\0\0\0\0");
        let changed = |place: usize, value: u8| {
            let mut changed = written.to_vec();
            changed[place] = value;
            changed
        };
        let other_digest = Form::of(Digest::Sha224).unwrap();
        assert!(!other_digest.read(&mut begun(Digest::Sha224), 28, written));
        for wrong in [changed(0, b'X'), changed(8, 28), changed(12, 64), changed(15, 1)] {
            assert!(!form.read(&mut message, 32, &wrong));
        }
        assert!(!form.read(&mut message, 32, &written[..written.len() - 1]));
        assert!(!form.read(&mut message, 32, &[written, &[0]].concat()));
        assert_eq!(hash(message), before, "nothing has changed");
        let none = [Digest::Md5, Digest::Sha1, Digest::Sm3].map(Form::of);
        assert!(none.iter().all(Option::is_none));
    }
}
