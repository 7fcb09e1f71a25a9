//! A hash by a route's kernels alone, and through EVP.

use std::sync::Arc;

use wirespeed_cipher::{Digest, HashKernels, Hasher, Use};
use wirespeed_libcrypto::{self as libcrypto, DigestContext};

use crate::case::Case;
use crate::material::Material;

/// Who hashes.
pub(crate) enum Work {
    Kernels(Box<Hasher>),
    Evp(DigestContext),
}

/// A case of a hash function.
pub(crate) struct Hashing {
    case: Case,
    material: Arc<Material>,
    work: Work,
    hash: [u8; 64],
}

impl Hashing {
    pub(crate) fn on(
        kernels: &'static HashKernels,
        digest: Digest,
        case: Case,
        material: Arc<Material>,
    ) -> Self {
        let work = Work::Kernels(Box::new(Hasher::new(kernels, digest)));
        Self { case, material, work, hash: [0; 64] }
    }

    pub(crate) fn through_evp(
        digest: &libcrypto::Digest,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Self, libcrypto::Error> {
        let mut hashing =
            Self { case, material, work: Work::Evp(digest.context()?), hash: [0; 64] };
        hashing.start()?;
        Ok(hashing)
    }

    #[inline]
    fn start(&mut self) -> Result<(), libcrypto::Error> {
        match &mut self.work {
            Work::Kernels(hasher) => hasher.reset(),
            Work::Evp(context) => context.init()?,
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self) -> Result<(), libcrypto::Error> {
        let data = self.material.input.bytes();
        match &mut self.work {
            Work::Kernels(hasher) => hasher.update(data),
            Work::Evp(context) => context.update(data)?,
        }
        Ok(())
    }

    #[inline]
    fn message(&mut self) -> Result<(), libcrypto::Error> {
        self.start()?;
        self.update()?;
        match &mut self.work {
            Work::Kernels(hasher) => hasher.finish(&mut self.hash),
            Work::Evp(context) => drop(context.finish(&mut self.hash)?),
        }
        Ok(())
    }

    /// Does the work `calls` times.
    ///
    /// # Panics
    /// If libcrypto fails: the same calls succeeded before the contest.
    pub(crate) fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            let result = match self.case.usage {
                Use::Stream => self.update(),
                Use::Message | Use::Rekey => self.message(),
            };
            if let Err(why) = result {
                panic!("{}: {why}", self.case);
            }
        }
    }

    /// The hash of one message. The next update of a stream begins another.
    pub(crate) fn result(&mut self) -> Result<Vec<u8>, libcrypto::Error> {
        self.message()?;
        self.start()?;
        Ok(self.hash.to_vec())
    }
}
