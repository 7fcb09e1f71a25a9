//! A hash context on kernels of our own whose calls are counted.

use wirespeed_cipher::{Digest, Direction, HashKernels, Hasher};
use wirespeed_stats::Tally;

use crate::boundary::digest::Context;
use crate::boundary::spare::Spares;
use crate::digest::Facts;
use crate::digest::message::Message;
use crate::error::CallError;
use crate::provider::Provider;

/// A message, and what counts.
pub(crate) struct Counted {
    hasher: Hasher,
    tally: Option<Tally>,
}

impl Message for Counted {
    const ALWAYS_COPIES: bool = true;

    type Seed = (&'static HashKernels, Digest);

    #[inline]
    fn seed(provider: &Provider, facts: &Facts) -> Option<Self::Seed> {
        Hasher::seed(provider, facts)
    }

    fn new((kernels, digest): Self::Seed, provider: &Provider) -> Self {
        Self { hasher: Hasher::idle(kernels, digest), tally: provider.tally(digest.into()) }
    }

    #[inline]
    fn spares(provider: &Provider) -> Option<&Spares<Context<Self>>> {
        Some(&provider.counted_spares)
    }

    #[inline]
    fn is_of(&self, seed: &Self::Seed) -> bool {
        self.hasher.is_of(seed)
    }

    #[inline]
    fn forget(&mut self) {
        self.hasher.forget();
    }

    fn duplicate(&self) -> Result<Self, CallError> {
        Ok(Self { hasher: self.hasher.clone(), tally: self.tally.clone() })
    }

    #[inline]
    fn twin(&self) -> Option<Self::Seed> {
        self.hasher.twin()
    }

    #[inline]
    fn copy_to(&self, to: &mut Self) -> Result<(), CallError> {
        self.hasher.copy_to(&mut to.hasher)
    }

    #[inline]
    fn reset(&mut self) -> Result<(), CallError> {
        self.hasher.reset();
        Ok(())
    }

    #[inline]
    fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        Message::update(&mut self.hasher, data)?;
        if let Some(tally) = &self.tally {
            tally.count(Direction::Encrypt, self.hasher.route(), data.len());
        }
        Ok(())
    }

    #[inline]
    fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        Message::finish(&mut self.hasher, output)
    }

    fn own(&mut self) -> Option<&mut Hasher> {
        Some(&mut self.hasher)
    }
}
