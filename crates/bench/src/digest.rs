//! A hash function, with a key or without, by a route's kernels alone and through EVP.

use std::sync::Arc;

use wirespeed_cipher::{Digest, HashKernels, Hasher, Use};
use wirespeed_libcrypto::{self as libcrypto, DigestContext, MacContext};

use crate::candidate::Absent;
use crate::case::Case;
use crate::form::LONGEST_HASH;
use crate::material::Material;
use crate::worker::{Message, Worker};

/// Who hashes.
pub(crate) enum Work {
    Kernels(Box<Hasher>),
    Evp(DigestContext),
    Mac(MacContext),
}

/// A case of a hash function.
pub(crate) struct Hashing {
    case: Case,
    material: Arc<Material>,
    work: Work,
    hash: [u8; LONGEST_HASH],
}

type Tried<T> = Result<T, libcrypto::Error>;

impl Hashing {
    pub(crate) fn on(
        kernels: &'static HashKernels,
        digest: Digest,
        case: Case,
        material: Arc<Material>,
    ) -> Self {
        let work = Work::Kernels(Box::new(Hasher::new(kernels, digest)));
        Self { case, material, work, hash: [0; LONGEST_HASH] }
    }

    pub(crate) fn through_evp(
        digest: &libcrypto::Digest,
        case: Case,
        material: Arc<Material>,
    ) -> Tried<Self> {
        let mut hashing =
            Self { case, material, work: Work::Evp(digest.context()?), hash: [0; LONGEST_HASH] };
        hashing.start(false)?;
        Ok(hashing)
    }

    /// HMAC with the hash function of that name, begun with the material's key.
    pub(crate) fn hmac(
        context: &libcrypto::Context,
        digest: &str,
        case: Case,
        material: Arc<Material>,
    ) -> Tried<Self> {
        let work = Work::Mac(context.hmac(digest, &material.key)?);
        Ok(Self { case, material, work, hash: [0; LONGEST_HASH] })
    }

    // These three are of the bench, not of what is measured: a call for each would be a tenth of a short message.
    #[inline(always)]
    fn start(&mut self, with_key: bool) -> Tried<()> {
        match &mut self.work {
            Work::Kernels(hasher) => hasher.reset(),
            Work::Evp(context) => context.init()?,
            Work::Mac(context) if with_key => context.rekey(&self.material.key)?,
            Work::Mac(context) => context.init()?,
        }
        Ok(())
    }

    #[inline(always)]
    fn update(&mut self) -> Tried<()> {
        let data = self.material.input.bytes();
        match &mut self.work {
            Work::Kernels(hasher) => hasher.update(data),
            Work::Evp(context) => context.update(data)?,
            Work::Mac(context) => context.update(data)?,
        }
        Ok(())
    }

    #[inline(always)]
    fn message(&mut self, with_key: bool) -> Tried<()> {
        self.start(with_key)?;
        self.update()?;
        match &mut self.work {
            Work::Kernels(hasher) => hasher.finish(&mut self.hash),
            Work::Evp(context) if self.case.subject.is_extendable() => {
                context.finish_long(&mut self.hash)?;
            }
            Work::Evp(context) => drop(context.finish(&mut self.hash)?),
            Work::Mac(context) => drop(context.finish(&mut self.hash)?),
        }
        Ok(())
    }
}

impl Worker for Hashing {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        for _ in 0..calls {
            let result = match self.case.usage {
                Use::Stream => self.update(),
                Use::Message => self.message(false),
                Use::Rekey => self.message(true),
            };
            result.map_err(|why| Absent(why.to_string()))?;
        }
        Ok(())
    }

    /// The next update of a stream begins another message.
    fn result(&mut self) -> Result<Message, Absent> {
        let done = self.message(false).and_then(|()| self.start(false));
        done.map_err(|why| Absent(why.to_string()))?;
        Ok((self.hash.to_vec(), [0; 16]))
    }
}
