//! Messages of CCM through EVP: their length comes before all else, their tag before what is opened.

use wirespeed_cipher::{Block, Direction, InOut};
use wirespeed_libcrypto::{self as libcrypto, Cipher, CipherContext, Param, Value};

use crate::api_path::{Right, Setup, Work};
use crate::data::same;
use crate::evp::direction;

/// A message that waits for its data, and for the tag that it will be held to.
pub(crate) struct Counted {
    work: CipherContext,
    direction: Direction,
    iv: Vec<u8>,
    aad: Vec<u8>,
    tag_bytes: usize,
    input: Vec<u8>,
}

/// Sets the lengths that a key is taken for, and takes it.
pub(crate) fn start(work: &mut CipherContext, setup: &Setup<'_>) -> Result<(), libcrypto::Error> {
    let tag_length = Param { key: c"tag", value: Value::NoOctets(setup.tag.len()) };
    let lengths = [Param::size(c"ivlen", setup.iv.len()), tag_length];
    let to = direction(setup.direction);
    work.init(to, None, None, &lengths)?;
    work.init(to, Some(setup.key), Some(setup.iv), &[])
}

impl Counted {
    pub(crate) fn begin(cipher: &Cipher, setup: &Setup<'_>) -> Result<Self, libcrypto::Error> {
        let mut work = cipher.context()?;
        start(&mut work, setup)?;
        Ok(Self {
            work,
            direction: setup.direction,
            iv: setup.iv.to_vec(),
            aad: setup.aad.concat(),
            tag_bytes: setup.tag.len(),
            input: Vec::new(),
        })
    }

    /// What a provider makes of a message, whose data are right whatever the tag.
    pub(crate) fn right(&mut self, data: &[u8]) -> Result<Right, libcrypto::Error> {
        let (output, mut tag) = self.sealed(data)?;
        if self.direction == Direction::Decrypt {
            tag = self.sealed(&output)?.1;
        }
        Ok(Right { output, tag: Some(tag) })
    }

    fn sealed(&mut self, data: &[u8]) -> Result<(Vec<u8>, Block), libcrypto::Error> {
        let mut output = data.to_vec();
        self.run(Direction::Encrypt, InOut::in_place(&mut output), &[])?;
        let mut tag = [0; 16];
        self.work.finish(&mut [0; 16])?;
        self.work.tag(&mut tag[..self.tag_bytes])?;
        Ok((output, tag))
    }

    /// One message; what is opened must have this tag.
    fn run(&mut self, to: Direction, data: InOut<'_>, tag: &[u8]) -> Result<(), libcrypto::Error> {
        self.work.init(direction(to), None, Some(&self.iv), &[])?;
        self.work.message_length(data.len())?;
        if !self.aad.is_empty() {
            self.work.aad(&self.aad)?;
        }
        if to == Direction::Decrypt {
            self.work.set_tag(tag)?;
        }
        let length = data.len();
        // SAFETY: `data` vouches for both ranges, and CCM gives as many bytes as it takes.
        let written = unsafe { self.work.update_raw(data.source(), length, data.destination()) }?;
        assert_eq!(written, length, "as many bytes out as in");
        Ok(())
    }

    fn try_update(&mut self, data: InOut<'_>) -> Result<(), libcrypto::Error> {
        self.input = data.input().to_vec();
        if self.direction == Direction::Encrypt {
            return self.run(Direction::Encrypt, data, &[]);
        }
        let tag = self.right(&self.input.clone())?.tag.expect("a tag");
        self.run(Direction::Decrypt, data, &tag[..self.tag_bytes])
    }
}

impl Work for Counted {
    /// What is opened here is opened with the right tag; whether another one opens it, the end tells.
    fn update(&mut self, data: InOut<'_>) -> Result<(), String> {
        self.try_update(data).map_err(|error| error.to_string())
    }

    fn close(&mut self, tag: &[u8]) -> Result<(), String> {
        let failed = |error: libcrypto::Error| error.to_string();
        let tag = &tag[..self.tag_bytes.min(tag.len())];
        if self.direction == Direction::Encrypt {
            let mut found = vec![0; tag.len()];
            self.work.finish(&mut [0; 16]).map_err(failed)?;
            self.work.tag(&mut found).map_err(failed)?;
            return same(|| "tag".to_owned(), tag, &found);
        }
        let (input, mut output) = (self.input.clone(), vec![7; self.input.len()]);
        let opened = self.run(Direction::Decrypt, InOut::between(&input, &mut output), tag);
        if opened.is_err() && output.iter().any(|byte| *byte != 0) {
            // What is refused must be wiped. To let it out is to let the tag pass.
            return Ok(());
        }
        opened.map_err(failed)
    }

    fn duplicate(&self) -> Box<dyn Work> {
        let work = self.work.duplicate().expect("a context can be copied");
        let (iv, aad, input) = (self.iv.clone(), self.aad.clone(), self.input.clone());
        Box::new(Self { work, iv, aad, input, ..*self })
    }
}
