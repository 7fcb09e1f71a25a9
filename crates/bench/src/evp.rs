//! A case through EVP, call for call as programs do it.

use std::sync::Arc;

use wirespeed_cipher::{Direction, Use};
use wirespeed_libcrypto::{self as libcrypto, Cipher, CipherContext, Param, Value};

use crate::candidate::Absent;
use crate::case::Case;
use crate::form::{Form, Kind, TAG_BYTES};
use crate::material::{Buffer, Material};
use crate::worker::{Message, Worker};

/// A case in one cipher context.
pub(crate) struct Evp {
    case: Case,
    form: Form,
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
        case: Case,
        material: Arc<Material>,
    ) -> Result<Self, libcrypto::Error> {
        let (form, output) = (Form::of(case.subject), Buffer::new(case.size, Self::MARGIN));
        let work = cipher.context()?;
        let mut evp = Self { case, form, material, work, output, tag: [0; TAG_BYTES] };
        let unpadded = [Param::uint(c"padding", 0)];
        match form.kind {
            Kind::Ccm => {
                // EVP_EncryptInit(3), "CCM mode": both lengths before the key.
                let lengths = [
                    Param::size(c"ivlen", form.iv_bytes),
                    Param { key: c"tag", value: Value::NoOctets(TAG_BYTES) },
                ];
                evp.work.init(evp.direction(), None, None, &lengths)?;
                evp.init(true, &[])?;
            }
            _ if form.block_bytes > 1 => evp.init(true, &unpadded)?,
            _ => evp.init(true, &[])?,
        }
        Ok(evp)
    }

    #[inline]
    const fn direction(&self) -> libcrypto::Direction {
        match self.case.direction {
            Direction::Encrypt => libcrypto::Direction::Encrypt,
            Direction::Decrypt => libcrypto::Direction::Decrypt,
        }
    }

    #[inline]
    fn init(&mut self, with_key: bool, params: &[Param<'_>]) -> Result<(), libcrypto::Error> {
        let (material, direction) = (&*self.material, self.direction());
        let iv = if material.iv.is_empty() { None } else { Some(&*material.iv) };
        self.work.init(direction, with_key.then_some(&*material.key), iv, params)?;
        if self.form.wants_tag_first() && self.case.direction == Direction::Decrypt {
            self.work.set_tag(&self.material.tag)?;
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self) -> Result<usize, libcrypto::Error> {
        self.work.update(self.material.input.bytes(), self.output.with_margin())
    }

    #[inline]
    fn finish(&mut self, at: usize) -> Result<(), libcrypto::Error> {
        if self.form.kind == Kind::Aead && self.case.direction == Direction::Decrypt {
            self.work.set_tag(&self.material.tag)?;
        }
        self.work.finish(&mut self.output.with_margin()[at..])?;
        if self.form.has_tag() && self.case.direction == Direction::Encrypt {
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
}

impl Worker for Evp {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        for _ in 0..calls {
            let result = match self.case.usage {
                Use::Stream => self.update().map(|_| ()),
                Use::Message => self.message(false),
                Use::Rekey => self.message(true),
            };
            result.map_err(|why| Absent(why.to_string()))?;
        }
        Ok(())
    }

    fn result(&mut self) -> Result<Message, Absent> {
        self.message(false).map_err(|why| Absent(why.to_string()))?;
        let tag =
            if self.case.direction == Direction::Encrypt { self.tag } else { self.material.tag };
        Ok((self.output.bytes().to_vec(), tag))
    }
}
