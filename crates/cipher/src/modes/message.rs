//! A message of any mode: the one way to all of them, for measurements and tests.

use std::fmt;

use super::{
    Ccm, ChaCha20, ChaCha20Poly1305, Feedback, Gcm, GcmError, GcmSiv, MessageTooLong, Ocb,
    Standard, Stealing, WrongLength, Xts, XtsError,
};
use crate::{Block, BlockKernels, BlockKey, Direction, InOut, Mode, StreamKernels, StreamKey};

/// The kernels of a route, of either kind.
#[derive(Clone, Copy)]
pub enum Kernels {
    /// Of a block cipher.
    Block(&'static BlockKernels),
    /// Of ChaCha20.
    Stream(&'static StreamKernels),
}

/// Why a message cannot be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// An IV of so many bytes does not fit the mode.
    Iv(usize),
    /// The mode has no tag.
    NoTag,
    /// What GCM refuses.
    Gcm(GcmError),
    /// What XTS refuses.
    Xts(XtsError),
    /// What CCM refuses.
    Ccm(WrongLength),
    /// What ChaCha20-Poly1305 refuses.
    Poly1305(MessageTooLong),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iv(bytes) => write!(f, "an IV of {bytes} bytes"),
            Self::NoTag => f.write_str("this mode has no tag"),
            Self::Gcm(error) => error.fmt(f),
            Self::Xts(error) => error.fmt(f),
            Self::Ccm(error) => error.fmt(f),
            Self::Poly1305(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MessageError {}

/// A message under a key, in one direction.
#[derive(Clone)]
pub struct Message {
    mode: Mode,
    direction: Direction,
    state: State,
}

#[derive(Clone)]
enum State {
    /// ECB, CBC and CTS: a key and the chaining value.
    Blocks(BlockKey, Block),
    Feedback(BlockKey, Feedback),
    Xts(Box<Xts>),
    Gcm(Box<Gcm>),
    Ocb(Box<Ocb>),
    GcmSiv {
        siv: Box<GcmSiv>,
        aad: Vec<u8>,
        expected: Block,
        tag: Block,
    },
    /// It begins with its data, when its length is known.
    Ccm {
        ccm: Box<Ccm>,
        nonce: Vec<u8>,
        aad: Vec<u8>,
    },
    Stream(&'static StreamKernels, StreamKey, Box<ChaCha20>),
    Poly1305(Box<ChaCha20Poly1305>),
}

/// A key of ChaCha20.
fn stream_key(bytes: &[u8]) -> StreamKey {
    bytes.try_into().expect("a key of ChaCha20 has 32 bytes")
}

impl Message {
    /// Without a key yet.
    ///
    /// # Panics
    /// If the kernels are not of the mode's kind.
    pub fn new(kernels: Kernels, mode: Mode, direction: Direction) -> Self {
        let block = || match kernels {
            Kernels::Block(table) => table,
            Kernels::Stream(_) => panic!("kernels of ChaCha20 for {mode:?}"),
        };
        let stream = || match kernels {
            Kernels::Stream(table) => table,
            Kernels::Block(_) => panic!("kernels of a block cipher for {mode:?}"),
        };
        let state = match mode {
            Mode::Ecb | Mode::Cbc | Mode::Cts => State::Blocks(BlockKey::empty(block()), [0; 16]),
            Mode::Cfb | Mode::Cfb8 | Mode::Ofb | Mode::Ctr => {
                State::Feedback(BlockKey::empty(block()), Feedback::default())
            }
            Mode::Xts => State::Xts(Box::new(Xts::new(block()))),
            Mode::Gcm => State::Gcm(Box::new(Gcm::new(block()))),
            Mode::Ocb => State::Ocb(Box::new(Ocb::new(block()))),
            Mode::GcmSiv => State::GcmSiv {
                siv: Box::new(GcmSiv::new(block())),
                aad: Vec::new(),
                expected: [0; 16],
                tag: [0; 16],
            },
            Mode::Ccm => {
                State::Ccm { ccm: Box::new(Ccm::new(block())), nonce: Vec::new(), aad: Vec::new() }
            }
            Mode::Stream => State::Stream(stream(), [0; 32], Box::new(ChaCha20::START)),
            Mode::Poly1305 => State::Poly1305(Box::new(ChaCha20Poly1305::new(stream()))),
        };
        Self { mode, direction, state }
    }

    /// Takes a key, and the lengths of IV and tag, which CCM wants to know with it.
    ///
    /// # Panics
    /// If the key has another length than the cipher's.
    pub fn set_key(&mut self, key: &[u8], iv_bytes: usize, tag_bytes: usize) {
        match &mut self.state {
            State::Blocks(block_key, _) => block_key.set(key, self.direction),
            State::Feedback(block_key, _) => block_key.set(key, Direction::Encrypt),
            State::Xts(xts) => xts.set_key(key, self.direction),
            State::Gcm(gcm) => gcm.set_key(key),
            State::Ocb(ocb) => ocb.set_key(key),
            State::GcmSiv { siv, .. } => siv.set_key(key),
            State::Ccm { ccm, .. } => ccm.set_key(key, tag_bytes, iv_bytes),
            State::Stream(_, whole, _) => *whole = stream_key(key),
            State::Poly1305(sealed) => sealed.set_key(&stream_key(key)),
        }
    }

    /// Begins a message.
    #[inline]
    pub fn start(&mut self, iv: &[u8]) -> Result<(), MessageError> {
        let wrong = MessageError::Iv(iv.len());
        let block = || Block::try_from(iv).map_err(|_| wrong);
        match &mut self.state {
            State::Blocks(..) if self.mode == Mode::Ecb => {}
            State::Blocks(_, chain) => *chain = block()?,
            State::Feedback(_, place) => place.start(&block()?),
            State::Xts(xts) => xts.start(&block()?),
            State::Gcm(gcm) => gcm.start(iv),
            State::Ocb(ocb) => ocb.start(iv),
            State::GcmSiv { siv, aad, .. } => {
                aad.clear();
                siv.start(iv.try_into().map_err(|_| wrong)?);
            }
            State::Ccm { nonce, aad, .. } => {
                aad.clear();
                nonce.clear();
                nonce.extend_from_slice(iv);
            }
            State::Stream(_, _, place) => place.start(&block()?),
            State::Poly1305(sealed) => sealed.start(iv.try_into().map_err(|_| wrong)?),
        }
        Ok(())
    }

    /// By another standard than the usual one, where the mode has several.
    pub const fn set_standard(&mut self, standard: Standard) {
        if let State::Xts(xts) = &mut self.state {
            xts.set_standard(standard);
        }
    }

    /// The tag that decryption will be held to: GCM-SIV needs it before the data.
    pub const fn expect(&mut self, tag: Block) {
        if let State::GcmSiv { expected, .. } = &mut self.state {
            *expected = tag;
        }
    }

    /// The next associated data.
    pub fn aad(&mut self, data: &[u8]) -> Result<(), MessageError> {
        match &mut self.state {
            State::Gcm(gcm) => gcm.aad(data).map_err(MessageError::Gcm)?,
            State::Ocb(ocb) => ocb.aad(data),
            State::GcmSiv { aad, .. } | State::Ccm { aad, .. } => aad.extend_from_slice(data),
            State::Poly1305(sealed) => sealed.aad(data),
            _ => return Err(MessageError::NoTag),
        }
        Ok(())
    }

    /// The next data, or all where the mode [takes whole messages](Mode::takes_whole_messages).
    #[inline]
    pub fn crypt(&mut self, data: InOut<'_>) -> Result<(), MessageError> {
        let direction = self.direction;
        match &mut self.state {
            State::Blocks(key, chain) => {
                let (kernels, schedule) = (key.kernels(), key.schedule());
                match self.mode {
                    Mode::Ecb => (kernels.ecb[direction as usize])(schedule, data),
                    Mode::Cbc => (kernels.cbc[direction as usize])(schedule, chain, data),
                    _ => Stealing::Cs1.crypt(key, direction, chain, data),
                }
            }
            State::Feedback(key, place) => place.update(self.mode, direction, key, data),
            State::Xts(xts) => xts.unit(direction, data).map_err(MessageError::Xts)?,
            State::Gcm(gcm) => gcm.crypt(direction, data).map_err(MessageError::Gcm)?,
            State::Ocb(ocb) => ocb.crypt(direction, data),
            State::GcmSiv { siv, aad, expected, tag } => {
                *tag = siv.crypt(direction, aad, expected, data);
            }
            State::Ccm { ccm, nonce, aad } => {
                ccm.start(nonce, data.len() as u64);
                ccm.aad(aad);
                ccm.crypt(direction, data).map_err(MessageError::Ccm)?;
            }
            State::Stream(kernels, key, place) => place.update(kernels, key, data),
            State::Poly1305(sealed) => {
                sealed.crypt(direction, data).map_err(MessageError::Poly1305)?;
            }
        }
        Ok(())
    }

    /// The tag of what has been, if the mode has one.
    #[inline]
    pub fn tag(&mut self) -> Option<Block> {
        Some(match &mut self.state {
            State::Gcm(gcm) => gcm.tag(),
            State::Ocb(ocb) => ocb.tag(),
            State::GcmSiv { tag, .. } => *tag,
            State::Ccm { ccm, .. } => ccm.state.tag(),
            State::Poly1305(sealed) => sealed.tag(),
            _ => return None,
        })
    }

    /// Goes on with another route's kernels.
    ///
    /// # Panics
    /// If the kernels are of another kind, or the mode chooses once for each message.
    pub fn reroute(&mut self, kernels: Kernels) {
        match (&mut self.state, kernels) {
            (State::Blocks(key, _) | State::Feedback(key, _), Kernels::Block(table)) => {
                key.reroute(table);
            }
            (State::Stream(own, ..), Kernels::Stream(table)) => *own = table,
            (State::Poly1305(sealed), Kernels::Stream(table)) => sealed.reroute(table),
            _ => panic!("this mode keeps its route, or has kernels of another kind"),
        }
    }
}
