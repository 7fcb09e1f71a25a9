//! A message being hashed, and the kernels of our own that hash one when nobody else has a part in it.

use wirespeed_cipher::{Digest, HashKernels, Hasher, Subject};
use zeroize::Zeroize;

use crate::boundary::digest::Context;
use crate::boundary::spare::Spares;
use crate::digest::Facts;
use crate::error::CallError;
use crate::provider::Provider;

/// A message being hashed. The C edge is in [`crate::boundary`]; nothing here is `extern "C"`.
pub(crate) trait Message: Sized {
    /// Whether a copy always succeeds.
    const ALWAYS_COPIES: bool;

    /// What a context is made from.
    type Seed;

    /// For a hash function, if it is served.
    fn seed(provider: &Provider, facts: &Facts) -> Option<Self::Seed>;

    /// A context, in which no message has begun.
    fn new(seed: Self::Seed, provider: &Provider) -> Self;

    /// Where those are that have been freed, if they can be used again.
    #[inline]
    fn spares(_provider: &Provider) -> Option<&Spares<Context<Self>>> {
        None
    }

    /// Whether a new one from this seed would be no other.
    #[inline]
    fn is_of(&self, _seed: &Self::Seed) -> bool {
        false
    }

    /// Wipes whatever there is, and begins in advance, if that spares a part of the first [`Self::reset`].
    #[inline]
    fn forget(&mut self) {}

    /// A copy, which goes on from here by itself.
    fn duplicate(&self) -> Result<Self, CallError>;

    /// Where copies always succeed: what one is made from.
    fn twin(&self) -> Option<Self::Seed> {
        None
    }

    /// Makes a copy of this in a context that is there already.
    fn copy_to(&self, to: &mut Self) -> Result<(), CallError> {
        *to = self.duplicate()?;
        Ok(())
    }

    /// Begins again.
    fn reset(&mut self) -> Result<(), CallError>;

    /// The next bytes.
    fn update(&mut self, data: &[u8]) -> Result<(), CallError>;

    /// The hash; the message is over.
    fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError>;

    /// Bytes in the hash, of a function whose name does not tell.
    fn length(&self) -> Option<usize> {
        None
    }

    /// The message itself, if it is with kernels of our own.
    fn own(&mut self) -> Option<&mut Hasher>;

    /// Makes of the hash of a handshake the one that SSL 3.0 proves a certificate with: RFC 6101 §5.6.8.
    fn add_master_secret(&mut self, secret: &[u8]) -> Result<(), CallError> {
        /// Of SHA-1, which alone is asked for it.
        const PAD_BYTES: usize = 40;
        if secret.len() != 48 {
            return Err(CallError::SILENT);
        }
        let mut inner = [0; 20];
        self.update(secret)?;
        self.update(&[0x36; PAD_BYTES])?;
        self.finish(&mut inner)?;
        self.reset()?;
        self.update(secret)?;
        self.update(&[0x5c; PAD_BYTES])?;
        let result = self.update(&inner);
        inner.zeroize();
        result
    }
}

/// Kernels of our own, and nobody watches: a short message takes hardly longer than its blocks do.
impl Message for Hasher {
    const ALWAYS_COPIES: bool = true;

    type Seed = (&'static HashKernels, Digest);

    #[inline]
    fn seed(provider: &Provider, facts: &Facts) -> Option<Self::Seed> {
        let Subject::Digest(digest) = facts.subject else { return None };
        Some((provider.hash_kernels(digest)?, digest))
    }

    #[inline]
    fn new((kernels, digest): Self::Seed, _: &Provider) -> Self {
        Self::idle(kernels, digest)
    }

    #[inline]
    fn spares(provider: &Provider) -> Option<&Spares<Context<Self>>> {
        Some(&provider.spares)
    }

    #[inline]
    fn is_of(&self, (kernels, digest): &Self::Seed) -> bool {
        std::ptr::eq(self.kernels(), *kernels) && self.digest() == *digest
    }

    #[inline]
    fn forget(&mut self) {
        Self::forget(self);
    }

    #[inline]
    fn duplicate(&self) -> Result<Self, CallError> {
        Ok(self.clone())
    }

    #[inline]
    fn twin(&self) -> Option<Self::Seed> {
        Some((self.kernels(), self.digest()))
    }

    #[inline]
    fn copy_to(&self, to: &mut Self) -> Result<(), CallError> {
        to.clone_from(self);
        Ok(())
    }

    #[inline]
    fn reset(&mut self) -> Result<(), CallError> {
        Self::reset(self);
        Ok(())
    }

    #[inline(always)]
    fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        #[cfg(feature = "trace")]
        crate::trace::count(self.route());
        Self::update(self, data);
        Ok(())
    }

    #[inline(always)]
    fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        Self::finish(self, output);
        Ok(())
    }

    fn own(&mut self) -> Option<&mut Hasher> {
        Some(self)
    }
}
