//! A cipher of the host's default provider as a pure function over (key, IV, data), beside a context of
//! ours.

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use wirespeed_cipher::modes::CcmState;
use wirespeed_cipher::{Algorithm, Block, Direction, InOut, Mode};
use zeroize::Zeroize;

use super::host_context::{HostContext, HostContexts};
use crate::call::Call;
use crate::offload::call::OffloadFailed;
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::params::{END, entry};

/// A cipher context of the default provider beside one of ours.
#[derive(Clone)]
pub(crate) struct HostCipher {
    contexts: Arc<HostContexts>,
    context: Option<HostContext>,
    /// Whether it is still to be told that there is no padding, which it keeps in mind.
    pads: bool,
    /// Whether the length of the tag is set before each message, and data come by the one-shot function.
    is_ocb: bool,
    /// The length of IV that the context expects.
    iv_bytes: usize,
    /// The length of tag that the key of CCM was taken for.
    tag_bytes: usize,
    /// The key that was set last, kept until a call needs it.
    key: [u8; 64],
    key_bytes: usize,
    /// The direction in which it was set: default providers keep to it when only the direction changes.
    key_direction: Direction,
    /// Whether the context has it.
    ready: bool,
    /// The direction in which the context would go on, if its place is known.
    way: Option<Direction>,
    /// That place: an IV, which OFB makes of keystream, and how many bytes of a block are used.
    place: (Block, usize),
}

impl HostCipher {
    /// By a context of the default provider's, which has none before the first call: many never have one.
    pub(crate) fn new(contexts: &Arc<HostContexts>, algorithm: Algorithm) -> Self {
        Self {
            contexts: Arc::clone(contexts),
            context: None,
            pads: matches!(algorithm.mode(), Mode::Ecb | Mode::Cbc),
            is_ocb: matches!(algorithm.mode(), Mode::Ocb),
            iv_bytes: algorithm.iv_bytes(),
            tag_bytes: 0,
            key: [0; 64],
            key_bytes: 0,
            key_direction: Direction::Decrypt,
            ready: false,
            way: None,
            place: ([0; 16], 0),
        }
    }

    /// Whether there is a context, or memory for one.
    #[inline]
    pub(crate) fn is_there(&mut self) -> bool {
        self.context.is_some() || self.make()
    }

    #[cold]
    fn make(&mut self) -> bool {
        self.context = self.contexts.context();
        self.context.is_some()
    }

    #[inline]
    fn context(&mut self) -> Result<&mut HostContext, OffloadFailed> {
        self.is_there();
        self.context.as_mut().ok_or(OffloadFailed)
    }

    /// Takes a key of the algorithm's length; nothing is done with it before a call comes this way.
    #[inline]
    pub(crate) fn take_key(&mut self, key: &[u8], direction: Direction) {
        self.key[..key.len()].copy_from_slice(key);
        self.key_bytes = key.len();
        self.key_direction = direction;
        self.ready = false;
    }

    /// Begins at `iv`, with the key if that is new.
    fn start(&mut self, direction: Direction, iv: &[u8]) -> Result<(), OffloadFailed> {
        self.way = None;
        if self.key_bytes == 0 {
            return Err(OffloadFailed);
        }
        let iv = (!iv.is_empty()).then_some(iv);
        if !self.ready {
            self.is_there();
            let Self { context: Some(context), key, .. } = self else { return Err(OffloadFailed) };
            context.start(self.key_direction, Some(&key[..self.key_bytes]), iv, &[END])?;
            if self.pads {
                self.context()?.set_padding(false)?;
                self.pads = false;
            }
            self.ready = true;
            if self.key_direction == direction {
                return Ok(());
            }
        }
        self.context()?.start(direction, None, iv, &[END])
    }

    /// One run over `data` from `iv` on. Modes over whole blocks must get whole blocks.
    #[inline]
    pub(crate) fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        data: InOut<'_>,
    ) -> Result<(), OffloadFailed> {
        // Without an IV all places are one.
        if !self.is_at(direction, iv.first_chunk().unwrap_or(&[0; 16]), 0) {
            self.start(direction, iv)?;
        }
        self.go_on(data)
    }

    /// A run that goes on from where the last has ended.
    #[inline]
    pub(crate) fn go_on(&mut self, data: InOut<'_>) -> Result<(), OffloadFailed> {
        self.way = None;
        self.update(data)
    }

    /// Whether the last run has ended there: behind so many bytes of a block that was begun.
    #[inline]
    pub(crate) fn is_at(&self, direction: Direction, place: &Block, used: usize) -> bool {
        let (stands, of_block) = self.place;
        let is_there = u128::from_ne_bytes(stands) == u128::from_ne_bytes(*place);
        self.ready && self.way == Some(direction) && is_there && of_block == used
    }

    /// Tells where the last run has ended; the next need not begin anew if it goes on from there.
    pub(crate) const fn stands_at(&mut self, direction: Direction, place: Block, used: usize) {
        (self.way, self.place) = (Some(direction), (place, used));
    }

    /// The chaining value or counter, behind a run.
    pub(crate) fn chain(&mut self, chain: &mut Block) -> Result<(), OffloadFailed> {
        self.context()?.chain(chain)
    }

    /// Begins a message with a tag, perhaps of a certain length, with its associated data.
    pub(crate) fn begin(
        &mut self,
        direction: Direction,
        iv: &[u8],
        tag_bytes: Option<usize>,
        aad: &[u8],
    ) -> Result<(), OffloadFailed> {
        if iv.len() != self.iv_bytes {
            self.set_iv_length(iv.len())?;
        }
        self.start(direction, iv)?;
        if let Some(bytes) = tag_bytes {
            self.set_tag_length(bytes)?;
            // An update puts the IV in use; the one-shot function does not.
            self.hash(&[])?;
        }
        self.associate(aad)
    }

    /// The length of the tag, of OCB and of CCM.
    fn set_tag_length(&mut self, bytes: usize) -> Result<(), OffloadFailed> {
        let length = entry(c"tag", data_type::OCTET_STRING, null_mut(), bytes);
        self.context()?.set(Given::of(&[length, END]))
    }

    /// Goes on with the message in this direction, without what waits for the rest of a block.
    pub(crate) fn turn(&mut self, direction: Direction) -> Result<(), OffloadFailed> {
        self.context()?.start(direction, None, None, &[END])
    }

    fn set_iv_length(&mut self, mut bytes: usize) -> Result<(), OffloadFailed> {
        let size = size_of::<usize>();
        let length = entry(c"ivlen", data_type::UNSIGNED, (&raw mut bytes).cast(), size);
        let set = self.context()?.set(Given::of(&[length, END]));
        self.iv_bytes = if set.is_ok() { bytes } else { 0 };
        set
    }

    /// The next associated data.
    pub(crate) fn associate(&mut self, aad: &[u8]) -> Result<(), OffloadFailed> {
        if aad.is_empty() { Ok(()) } else { self.hash(aad) }
    }

    /// The same without sparing a call that has nothing. How many bytes were hashed tells nothing: OCB waits for blocks.
    fn hash(&mut self, aad: &[u8]) -> Result<(), OffloadFailed> {
        let length = aad.len();
        // SAFETY: there is no output, whatever its room, and the input is a slice.
        let run = unsafe { self.context()?.update(null_mut(), length + 16, aad.as_ptr(), length) };
        run.map(|_| ())
    }

    /// The next bytes.
    #[inline]
    pub(crate) fn update(&mut self, data: InOut<'_>) -> Result<(), OffloadFailed> {
        let length = data.len();
        let run = if self.is_ocb { HostContext::one_shot } else { HostContext::run };
        if run(self.context()?, data)? == length { Ok(()) } else { Err(OffloadFailed) }
    }

    /// Ends a message that was encrypted; gives the whole tag.
    pub(crate) fn tag(&mut self) -> Result<[u8; 16], OffloadFailed> {
        let mut tag = [0; 16];
        if self.is_ocb {
            self.set_tag_length(tag.len())?;
        }
        self.finish()?;
        self.answer_tag(&mut tag)?;
        Ok(tag)
    }

    fn answer_tag(&mut self, tag: &mut [u8]) -> Result<(), OffloadFailed> {
        let mut wanted =
            [entry(c"tag", data_type::OCTET_STRING, tag.as_mut_ptr().cast(), tag.len()), END];
        self.context()?.answer(Asked::of(&mut wanted))
    }

    /// Ends a message that was decrypted; an error unless `tag` is the beginning of its tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), OffloadFailed> {
        if self.is_ocb {
            self.set_tag_length(tag.len())?;
        }
        self.give_tag(tag)?;
        self.finish()
    }

    fn give_tag(&mut self, tag: &[u8]) -> Result<(), OffloadFailed> {
        let given =
            entry(c"tag", data_type::OCTET_STRING, tag.as_ptr().cast_mut().cast(), tag.len());
        self.context()?.set(Given::of(&[given, END]))
    }

    /// One whole message of CBC with ciphertext stealing, in an order of OpenSSL's; the chaining value moves on.
    pub(crate) fn steal(
        &mut self,
        direction: Direction,
        chain: &mut Block,
        order: &CStr,
        data: InOut<'_>,
    ) -> Result<(), OffloadFailed> {
        self.start(direction, chain)?;
        self.set_text(c"cts_mode", order)?;
        self.update(data)?;
        self.context()?.chain(chain)
    }

    /// One whole data unit of SM4 in XTS by a standard of OpenSSL's.
    pub(crate) fn sector(
        &mut self,
        direction: Direction,
        iv: &Block,
        standard: &CStr,
        data: InOut<'_>,
    ) -> Result<(), OffloadFailed> {
        self.start(direction, iv)?;
        self.set_text(c"xts_standard", standard)?;
        self.update(data)
    }

    fn set_text(&mut self, key: &CStr, text: &CStr) -> Result<(), OffloadFailed> {
        let place = text.as_ptr().cast_mut().cast();
        let param = entry(key, data_type::UTF8_STRING, place, text.count_bytes());
        self.context()?.set(Given::of(&[param, END]))
    }

    /// One whole message of GCM-SIV, of which decryption must be given the tag first. Gives its tag, or none if that is not
    /// known: the host tells of decryption only whether it comes to a certain one.
    pub(crate) fn message(
        &mut self,
        direction: Direction,
        iv: &[u8],
        aad: &[u8],
        given: &Block,
        data: InOut<'_>,
    ) -> Result<Option<Block>, OffloadFailed> {
        self.start(direction, iv)?;
        // An update of none, for they stay from message to message.
        self.hash(&[])?;
        self.associate(aad)?;
        if direction == Direction::Encrypt {
            self.update(data)?;
            return self.tag().map(Some);
        }
        self.give_tag(given)?;
        self.update(data)?;
        // The highest bit of the last byte is not part of the counter (RFC 8452 §4): either may be right.
        let mut other = *given;
        other[15] ^= 0x80;
        Ok([*given, other].into_iter().find(|tag| self.verify(tag).is_ok()))
    }

    /// One whole message of CCM that stands at its beginning, with its associated data. Gives its tag; of decryption, which
    /// is held to the `given` one, that one or another.
    pub(crate) fn counted(
        &mut self,
        direction: Direction,
        state: &CcmState,
        aad: &[u8],
        given: &[u8],
        data: InOut<'_>,
    ) -> Result<Block, OffloadFailed> {
        let (nonce, tag_bytes) = (state.nonce(), state.tag_bytes());
        if (self.iv_bytes, self.tag_bytes, self.key_direction)
            != (nonce.len(), tag_bytes, direction)
        {
            // The key takes the lengths and the direction with it.
            self.set_iv_length(nonce.len())?;
            self.set_tag_length(tag_bytes)?;
            (self.tag_bytes, self.key_direction, self.ready) = (tag_bytes, direction, false);
        }
        self.start(direction, nonce)?;
        // SAFETY: there is neither input nor output: a length is told.
        unsafe { self.context()?.update(null_mut(), data.len() + 16, null(), data.len())? };
        self.associate(aad)?;
        let mut tag = [0; 16];
        if direction == Direction::Decrypt {
            self.give_tag(given)?;
            tag[..given.len()].copy_from_slice(given);
            if self.context()?.try_run(data).is_err() {
                tag.iter_mut().for_each(|byte| *byte = !*byte);
            }
            return Ok(tag);
        }
        self.update(data)?;
        self.answer_tag(&mut tag[..tag_bytes])?;
        Ok(tag)
    }

    /// There is room for more than GCM's last bytes.
    fn finish(&mut self) -> Result<(), OffloadFailed> {
        let mut nothing = [0; 16];
        // SAFETY: a buffer of this size.
        let call = unsafe { Call::last(nothing.as_mut_ptr(), nothing.len()) };
        self.context()?.finish(call).map(|_| ())
    }
}

impl Drop for HostCipher {
    fn drop(&mut self) {
        self.key.zeroize();
        self.place.0.zeroize();
    }
}
