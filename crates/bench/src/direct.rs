//! The kernels alone, through the same stream state that the provider uses.

use std::hint::black_box;
use std::sync::Arc;

use wirespeed_cipher::modes::{self, Kernels};
use wirespeed_cipher::{Algorithm, Block, Direction, InOut, Route, Use};
use wirespeed_cpu::Features;

use crate::candidate::Absent;
use crate::case::Case;
use crate::form::TAG_BYTES;
use crate::material::{Buffer, Material};
use crate::worker::{Message, WRONG_TAG, Worker};

/// A case on one route's kernels.
pub(crate) struct Direct {
    case: Case,
    material: Arc<Material>,
    message: modes::Message,
    output: Buffer,
}

impl Direct {
    pub(crate) fn new(
        route: Route,
        features: Features,
        algorithm: Algorithm,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Self, wirespeed_kernels::Absent> {
        let kernels = match algorithm.block_cipher() {
            Some(cipher) => Kernels::Block(wirespeed_kernels::kernels(route, cipher, features)?),
            None => Kernels::Stream(wirespeed_kernels::stream(route, features)?),
        };
        let mut message = modes::Message::new(kernels, algorithm.mode(), case.direction);
        message.expect(material.tag);
        let output = Buffer::new(case.size, 0);
        let mut direct = Self { case, material, message, output };
        direct.set_key();
        direct.start();
        Ok(direct)
    }

    fn set_key(&mut self) {
        self.message.set_key(&self.material.key, self.material.iv.len(), TAG_BYTES);
    }

    fn start(&mut self) {
        self.message.start(&self.material.iv).expect("an IV of the mode's length");
    }

    fn update(&mut self) {
        let data = InOut::between(self.material.input.bytes(), self.output.bytes_mut());
        self.message.crypt(data).expect("a message of this size");
    }

    /// The tag, which is looked at in decryption; zeros where the mode has none.
    fn finish(&mut self) -> Result<Block, Absent> {
        let Some(tag) = self.message.tag() else { return Ok([0; 16]) };
        match self.case.direction == Direction::Decrypt && tag != self.material.tag {
            true => Err(Absent(WRONG_TAG.to_owned())),
            false => Ok(tag),
        }
    }

    /// The bytes and the tag of one message.
    pub(crate) fn message(&mut self) -> Message {
        self.start();
        self.update();
        let tag = self.message.tag().unwrap_or([0; 16]);
        (self.output.bytes().to_vec(), tag)
    }
}

impl Worker for Direct {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        for _ in 0..calls {
            match self.case.usage {
                Use::Stream => self.update(),
                Use::Message => {
                    self.start();
                    self.update();
                    black_box(self.finish()?);
                }
                Use::Rekey => {
                    self.set_key();
                    self.start();
                    self.update();
                    black_box(self.finish()?);
                }
            }
        }
        Ok(())
    }

    fn result(&mut self) -> Result<Message, Absent> {
        Ok(self.message())
    }
}
