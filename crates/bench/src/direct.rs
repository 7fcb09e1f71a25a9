//! The kernels alone, through the same stream state that the provider uses.

use std::sync::Arc;

use wirespeed_cipher::modes::{
    Ccm, ChaCha20, ChaCha20Poly1305, Feedback, Gcm, GcmSiv, Ocb, Stealing, Xts,
};
use wirespeed_cipher::{
    Algorithm, Block, BlockKernels, BlockKey, Direction, InOut, Mode, Route, StreamKernels,
    StreamKey, Use,
};
use wirespeed_cpu::Features;

use crate::candidate::Absent;
use crate::case::Case;
use crate::form::TAG_BYTES;
use crate::material::{Buffer, Material};
use crate::worker::{Message, Worker};

/// A case on one route's kernels.
pub(crate) struct Direct {
    case: Case,
    mode: Mode,
    material: Arc<Material>,
    state: State,
    output: Buffer,
    tag: Block,
}

enum State {
    /// ECB and CBC: a key and, but for ECB, the chaining value.
    Blocks {
        key: BlockKey,
        chain: Block,
    },
    Feedback {
        key: BlockKey,
        place: Feedback,
    },
    Xts(Box<Xts>),
    Gcm(Box<Gcm>),
    Ocb(Box<Ocb>),
    GcmSiv(Box<GcmSiv>),
    Ccm(Box<Ccm>),
    Stream {
        kernels: &'static StreamKernels,
        key: StreamKey,
        place: Box<ChaCha20>,
    },
    Sealed(Box<ChaCha20Poly1305>),
}

impl State {
    fn of_block(kernels: &'static BlockKernels, mode: Mode) -> Self {
        let key = BlockKey::empty(kernels);
        match mode {
            Mode::Ecb | Mode::Cbc | Mode::Cts => Self::Blocks { key, chain: [0; 16] },
            Mode::Xts => Self::Xts(Box::new(Xts::new(kernels))),
            Mode::Gcm => Self::Gcm(Box::new(Gcm::new(kernels))),
            Mode::Ocb => Self::Ocb(Box::new(Ocb::new(kernels))),
            Mode::GcmSiv => Self::GcmSiv(Box::new(GcmSiv::new(kernels))),
            Mode::Ccm => Self::Ccm(Box::new(Ccm::new(kernels))),
            _ => Self::Feedback { key, place: Feedback::default() },
        }
    }

    fn of_stream(kernels: &'static StreamKernels, mode: Mode) -> Self {
        if mode.has_tag() {
            return Self::Sealed(Box::new(ChaCha20Poly1305::new(kernels)));
        }
        Self::Stream { kernels, key: [0; 32], place: Box::new(ChaCha20::START) }
    }
}

/// A key of ChaCha20.
fn of_stream(bytes: &[u8]) -> StreamKey {
    *bytes.first_chunk().expect("a key of ChaCha20")
}

impl Direct {
    pub(crate) fn new(
        route: Route,
        features: Features,
        algorithm: Algorithm,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Self, wirespeed_kernels::Absent> {
        let mode = algorithm.mode();
        let state = match algorithm.block_cipher() {
            Some(cipher) => {
                State::of_block(wirespeed_kernels::kernels(route, cipher, features)?, mode)
            }
            None => State::of_stream(wirespeed_kernels::stream(route, features)?, mode),
        };
        let output = Buffer::new(case.size, 0);
        let mut direct = Self { case, mode, material, state, output, tag: [0; 16] };
        direct.set_key();
        direct.start();
        Ok(direct)
    }

    fn set_key(&mut self) {
        let (direction, bytes) = (self.case.direction, &self.material.key);
        match &mut self.state {
            State::Blocks { key, .. } => key.set(bytes, direction),
            State::Feedback { key, .. } => key.set(bytes, Direction::Encrypt),
            State::Xts(xts) => xts.set_key(bytes, direction),
            State::Gcm(gcm) => gcm.set_key(bytes),
            State::Ocb(ocb) => ocb.set_key(bytes),
            State::GcmSiv(siv) => siv.set_key(bytes),
            State::Ccm(ccm) => ccm.set_key(bytes, TAG_BYTES, self.material.iv.len()),
            State::Stream { key, .. } => *key = of_stream(bytes),
            State::Sealed(sealed) => sealed.set_key(&of_stream(bytes)),
        }
    }

    fn start(&mut self) {
        let iv = &self.material.iv;
        let block = || *iv.first_chunk().expect("an IV of one block");
        match &mut self.state {
            State::Blocks { chain, .. } => {
                if !iv.is_empty() {
                    *chain = block();
                }
            }
            State::Feedback { place, .. } => place.start(&block()),
            State::Xts(xts) => xts.start(&block()),
            State::Gcm(gcm) => gcm.start(iv),
            State::Ocb(ocb) => ocb.start(iv),
            State::GcmSiv(siv) => siv.start(iv.first_chunk().expect("a nonce")),
            State::Ccm(ccm) => ccm.start(iv, self.case.size as u64),
            State::Stream { place, .. } => place.start(&block()),
            State::Sealed(sealed) => sealed.start(iv.first_chunk().expect("a nonce")),
        }
    }

    fn update(&mut self) {
        let (mode, direction) = (self.mode, self.case.direction);
        let data = InOut::between(self.material.input.bytes(), self.output.bytes_mut());
        match &mut self.state {
            State::Blocks { key, chain } => {
                let (kernels, schedule) = (key.kernels(), key.schedule());
                match mode {
                    Mode::Ecb => (kernels.ecb[direction as usize])(schedule, data),
                    Mode::Cts => Stealing::Cs1.crypt(key, direction, chain, data),
                    _ => (kernels.cbc[direction as usize])(schedule, chain, data),
                }
            }
            State::Feedback { key, place } => place.update(mode, direction, key, data),
            State::Xts(xts) => xts.unit(direction, data).expect("at least one block"),
            State::Gcm(gcm) => gcm.crypt(direction, data).expect("a message of this size"),
            State::Ocb(ocb) => ocb.crypt(direction, data),
            State::GcmSiv(siv) => self.tag = siv.crypt(direction, &[], &self.material.tag, data),
            State::Ccm(ccm) => ccm.crypt(direction, data).expect("as long as announced"),
            State::Stream { kernels, key, place } => place.update(kernels, key, data),
            State::Sealed(sealed) => {
                sealed.crypt(direction, data).expect("a message of this size");
            }
        }
    }

    fn finish(&mut self) {
        if self.mode.has_tag() {
            self.tag = match &mut self.state {
                State::Gcm(gcm) => gcm.tag(),
                State::Ocb(ocb) => ocb.tag(),
                // It came with the data.
                State::GcmSiv(_) => self.tag,
                State::Ccm(ccm) => ccm.state.tag(),
                State::Sealed(sealed) => sealed.tag(),
                _ => unreachable!("the others have no tag"),
            };
            if self.case.direction == Direction::Decrypt {
                assert_eq!(self.tag, self.material.tag, "the tag of a message of our own");
            }
        }
    }

    /// The bytes and the tag of one message.
    pub(crate) fn message(&mut self) -> Message {
        self.start();
        self.update();
        self.finish();
        (self.output.bytes().to_vec(), self.tag)
    }
}

impl Worker for Direct {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            match self.case.usage {
                Use::Stream => self.update(),
                Use::Message => {
                    self.start();
                    self.update();
                    self.finish();
                }
                Use::Rekey => {
                    self.set_key();
                    self.start();
                    self.update();
                    self.finish();
                }
            }
        }
    }

    fn result(&mut self) -> Result<Message, Absent> {
        Ok(self.message())
    }
}
