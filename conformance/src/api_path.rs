//! An API path: one way to hand a message to a route.

use wirespeed_cipher::{Algorithm, Block, BlockCipher, Direction, InOut};

use crate::data::same;

/// All that a message needs before its data.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Encrypt or decrypt.
    pub direction: Direction,
    /// The key; for XTS both.
    pub key: &'a [u8],
    /// The IV; empty for ECB.
    pub iv: &'a [u8],
    /// Associated data of an AEAD, in two pieces.
    pub aad: [&'a [u8]; 2],
    /// The tag, for modes that want it before the data to decrypt. The others are told at the end of a message.
    pub tag: &'a [u8],
}

/// What the measure of all API paths makes of a message.
#[derive(Clone, Debug)]
pub struct Right {
    /// The data.
    pub output: Vec<u8>,
    /// The tag of an AEAD; of the ciphertext, whichever way the message goes.
    pub tag: Option<Block>,
}

/// A message in progress. CBC and ECB take whole blocks here; padding has tests of its own.
pub trait Work {
    /// Processes the next bytes, all of them at once.
    fn update(&mut self, data: InOut<'_>) -> Result<(), String>;
    /// Ends a message of an AEAD: an error unless this is its tag, or the beginning of it.
    fn close(&mut self, tag: &[u8]) -> Result<(), String>;
    /// The same message once more, to go another way from here.
    fn duplicate(&self) -> Box<dyn Work>;
}

/// One way to hand a message to a route.
pub trait ApiPath: Send + Sync {
    /// Begins a message.
    fn begin(&self, setup: &Setup<'_>) -> Result<Box<dyn Work>, String>;

    /// Whether there is such an algorithm behind this API path.
    fn has(&self, algorithm: Algorithm) -> bool;

    /// The algorithms behind this API path.
    fn algorithms(&self) -> Vec<Algorithm> {
        Algorithm::ALL.iter().copied().filter(|algorithm| self.has(*algorithm)).collect()
    }

    /// The longest IV that GCM takes here.
    fn longest_iv(&self) -> usize;

    /// Whether ciphers run on instructions of their own here.
    fn is_fast(&self) -> bool;

    /// How long messages are cut in every way, where the API path goes through all of it.
    fn longest_cut(&self, _algorithm: Algorithm) -> usize {
        100
    }

    /// Whether a message of this algorithm takes so long here that a part of each schedule must do: a block for each byte,
    /// or plain integers, where a larger key is only more rounds of what the smallest goes through, and some ciphers
    /// compute 64 blocks, however few there are.
    fn is_slow(&self, algorithm: Algorithm) -> bool {
        let goes_through = |it| matches!(it, BlockCipher::Aes128 | BlockCipher::Sm4);
        let in_plain_integers =
            !self.is_fast() && algorithm.block_cipher().is_some_and(|it| !goes_through(it));
        in_plain_integers || algorithm.mode().has_byte_segments()
    }

    /// Compares a message with what is right, in one call, into another place and in place; a wrong tag
    /// must be refused.
    fn agree(
        &self,
        what: &dyn Fn() -> String,
        setup: &Setup<'_>,
        data: &[u8],
        right: &Right,
    ) -> Result<(), String> {
        let failed = |error| format!("{}: {error}", what());
        let mut output = vec![0; data.len()];
        let mut work = self.begin(setup).map_err(failed)?;
        let mut in_place = work.duplicate();
        work.update(InOut::between(data, &mut output)).map_err(failed)?;
        same(what, &right.output, &output)?;
        output.copy_from_slice(data);
        in_place.update(InOut::in_place(&mut output)).map_err(failed)?;
        same(|| format!("{} in place", what()), &right.output, &output)?;
        if let Some(tag) = right.tag {
            work.close(&tag).map_err(failed)?;
            let mut wrong = tag;
            wrong[data.len() % 16] ^= 1 << (data.len() % 8);
            if in_place.close(&wrong).is_ok() {
                return Err(format!("{}: a wrong tag passed", what()));
            }
        }
        Ok(())
    }
}

/// Whether messages of this algorithm end in a tag.
pub fn has_tag(algorithm: Algorithm) -> bool {
    algorithm.mode().has_tag()
}
