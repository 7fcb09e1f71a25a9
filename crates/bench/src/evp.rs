//! A case through EVP, call for call as programs do it.

use std::sync::Arc;

use wirespeed_cipher::{Algorithm, Direction, Use};
use wirespeed_libcrypto::{self as libcrypto, Cipher, CipherContext, Param};

use crate::case::Case;
use crate::material::{Buffer, Material, has_tag};

/// A case in one cipher context.
pub(crate) struct Evp {
    case: Case,
    tagged: bool,
    material: Arc<Material>,
    work: CipherContext,
    output: Buffer,
    tag: [u8; 16],
}

impl Evp {
    /// Room that an update and a final may need beyond the data: a block each.
    const MARGIN: usize = 32;

    pub(crate) fn new(
        cipher: &Cipher,
        algorithm: Algorithm,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Self, libcrypto::Error> {
        let output = Buffer::new(case.size, Self::MARGIN);
        let mode = algorithm.mode();
        let tagged = has_tag(mode);
        let mut evp =
            Self { case, tagged, material, work: cipher.context()?, output, tag: [0; 16] };
        let unpadded = [Param::uint(c"padding", 0)];
        let params = if mode.takes_partial_blocks() { &[][..] } else { &unpadded };
        evp.init(true, params)?;
        Ok(evp)
    }

    #[inline]
    fn init(&mut self, with_key: bool, params: &[Param<'_>]) -> Result<(), libcrypto::Error> {
        let material = &*self.material;
        let direction = match self.case.direction {
            Direction::Encrypt => libcrypto::Direction::Encrypt,
            Direction::Decrypt => libcrypto::Direction::Decrypt,
        };
        let iv = if material.iv.is_empty() { None } else { Some(&*material.iv) };
        self.work.init(direction, with_key.then_some(&*material.key), iv, params)
    }

    #[inline]
    fn update(&mut self) -> Result<usize, libcrypto::Error> {
        self.work.update(self.material.input.bytes(), self.output.with_margin())
    }

    #[inline]
    fn finish(&mut self, at: usize) -> Result<(), libcrypto::Error> {
        if self.tagged && self.case.direction == Direction::Decrypt {
            self.work.set_tag(&self.material.tag)?;
        }
        self.work.finish(&mut self.output.with_margin()[at..])?;
        if self.tagged && self.case.direction == Direction::Encrypt {
            self.work.tag(&mut self.tag)?;
        }
        Ok(())
    }

    #[inline]
    fn message(&mut self, with_key: bool) -> Result<(), libcrypto::Error> {
        self.init(with_key, &[])?;
        let written = self.update()?;
        self.finish(written)
    }

    /// Does the work `calls` times.
    ///
    /// # Panics
    /// If libcrypto fails: the same calls succeeded before the contest.
    pub(crate) fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            let result = match self.case.usage {
                Use::Stream => self.update().map(|_| ()),
                Use::Message => self.message(false),
                Use::Rekey => self.message(true),
            };
            if let Err(why) = result {
                panic!("{}: {why}", self.case);
            }
        }
    }

    /// The bytes and the tag of one message.
    pub(crate) fn result(&mut self) -> Result<(Vec<u8>, [u8; 16]), libcrypto::Error> {
        self.message(false)?;
        let tag =
            if self.case.direction == Direction::Encrypt { self.tag } else { self.material.tag };
        Ok((self.output.bytes().to_vec(), tag))
    }
}
