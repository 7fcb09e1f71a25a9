//! Messages under one key that go through each call side by side (EVP_CipherPipelineEncryptInit(3)).

use std::ffi::{c_int, c_uchar};
use std::ptr;

use crate::cipher::Cipher;
use crate::cipher_context::{CipherContext, Direction};
use crate::error::Error;
use crate::ffi::{EvpCipherCtx, Functions, PipelineFunctions};
use crate::param;

/// A pipeline at work: an `EVP_CIPHER_CTX` with several messages.
pub struct Pipeline {
    cipher: Cipher,
    functions: &'static Functions,
    pipelines: &'static PipelineFunctions,
    raw: *mut EvpCipherCtx,
    /// Whether libcrypto was told the cipher.
    bound: bool,
    pipes: usize,
}

// SAFETY: as for a cipher context: one thread at a time uses it, and all methods take it exclusively.
unsafe impl Send for Pipeline {}

impl Pipeline {
    /// A pipeline of a cipher, before its first init.
    pub fn new(cipher: &Cipher) -> Result<Self, Error> {
        let Some(pipelines) = cipher.library().pipelines else {
            return Err(Error::refused(
                "EVP_CipherPipelineEncryptInit: OpenSSL 3.5 or later has it",
            ));
        };
        let functions = cipher.functions();
        // SAFETY: no precondition.
        let raw = unsafe { (functions.ctx_new)() };
        if raw.is_null() {
            return Err(Error::take(functions, "EVP_CIPHER_CTX_new"));
        }
        Ok(Self { cipher: cipher.clone(), functions, pipelines, raw, bound: false, pipes: 0 })
    }

    /// The cipher.
    pub const fn cipher(&self) -> &Cipher {
        &self.cipher
    }

    /// The same context for ordinary messages, as a program may use it after its pipelines.
    pub fn into_context(mut self) -> CipherContext {
        let raw = std::mem::replace(&mut self.raw, ptr::null_mut());
        CipherContext::taken_over(self.cipher.clone(), raw, self.bound)
    }

    /// Whether the cipher's provider has pipelines for that direction (`EVP_CIPHER_can_pipeline`).
    pub fn is_offered(cipher: &Cipher, direction: Direction) -> bool {
        cipher.library().pipelines.is_some_and(|pipelines| {
            // SAFETY: a live cipher.
            let offered = unsafe { (pipelines.can_pipeline)(cipher.raw(), direction as c_int) };
            offered == 1
        })
    }

    fn succeeded(&self, result: c_int, call: &'static str) -> Result<(), Error> {
        if result == 1 { Ok(()) } else { Err(Error::take(self.functions, call)) }
    }

    /// Begins a message for each IV; without a key the last one stays.
    pub fn init(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        ivs: &[&[u8]],
    ) -> Result<(), Error> {
        const CALL: &str = "EVP_CipherPipelineInit";
        let lengths = self.cipher.lengths();
        if key.is_some_and(|key| key.len() != lengths.key)
            || ivs.iter().any(|iv| iv.len() != lengths.iv)
        {
            return Err(Error::refused("EVP_CipherPipelineInit: a key or an IV of another length"));
        }
        let init = match direction {
            Direction::Encrypt => self.pipelines.encrypt_init,
            Direction::Decrypt => self.pipelines.decrypt_init,
            Direction::Unchanged => return Err(Error::refused(CALL)),
        };
        let cipher = if self.bound { ptr::null() } else { self.cipher.raw().cast_const() };
        let starts: Vec<*const c_uchar> = ivs.iter().map(|iv| iv.as_ptr()).collect();
        let (key, key_bytes) = key.map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        // SAFETY: a live context and cipher; the key is null or as long as told, and there is an IV of that
        // length for each pipe.
        let result = unsafe {
            init(self.raw, cipher, key, key_bytes, ivs.len(), starts.as_ptr(), lengths.iv)
        };
        self.bound = true;
        self.succeeded(result, CALL)?;
        self.pipes = ivs.len();
        Ok(())
    }

    /// The same, telling libcrypto the cipher again.
    pub fn init_with_cipher(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        ivs: &[&[u8]],
    ) -> Result<(), Error> {
        self.bound = false;
        self.init(direction, key, ivs)
    }

    /// Whether there is padding, for all messages from now on.
    pub fn set_padding(&mut self, on: bool) -> Result<(), Error> {
        // SAFETY: a live context.
        let result = unsafe { (self.functions.ctx_padding)(self.raw, c_int::from(on)) };
        self.succeeded(result, "EVP_CIPHER_CTX_set_padding")
    }

    /// The next bytes of each message; stores how many came out.
    ///
    /// # Panics
    /// Unless there is an input, an output and a place in `written` for each message, and each output has
    /// room for its input plus, for a mode that works in blocks, one block.
    pub fn update(
        &mut self,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        written: &mut [usize],
    ) -> Result<(), Error> {
        assert!([inputs.len(), outputs.len(), written.len()] == [self.pipes; 3], "one for each");
        let margin = self.margin();
        let fits = |(input, output): (&&[u8], &&mut [u8])| output.len() >= input.len() + margin;
        assert!(inputs.iter().zip(&*outputs).all(fits), "room for the output");
        let starts: Vec<_> = inputs.iter().map(|input| input.as_ptr()).collect();
        let lengths: Vec<_> = inputs.iter().map(|input| input.len()).collect();
        let (outputs, sizes) = parts(outputs);
        // SAFETY: one entry for each pipe; inputs and outputs are slices with the room just asked for.
        unsafe { self.update_raw(&outputs, &sizes, &starts, &lengths, written) }
    }

    /// The same in place, over the first so many bytes of each.
    ///
    /// # Panics
    /// As [`Self::update`].
    pub fn update_in_place(
        &mut self,
        data: &mut [&mut [u8]],
        lengths: &[usize],
        written: &mut [usize],
    ) -> Result<(), Error> {
        assert!([data.len(), lengths.len(), written.len()] == [self.pipes; 3], "one for each");
        let margin = self.margin();
        assert!(data.iter().zip(lengths).all(|(data, length)| data.len() >= length + margin));
        let (outputs, sizes) = parts(data);
        let inputs: Vec<_> = outputs.iter().map(|output| output.cast_const()).collect();
        // SAFETY: one entry for each pipe, with the room just asked for.
        unsafe { self.update_raw(&outputs, &sizes, &inputs, lengths, written) }
    }

    /// # Safety
    /// Every slice has an entry for each pipe; each input is readable for its length, each output writable
    /// for its size, which is the length and a block; nobody else uses them.
    unsafe fn update_raw(
        &mut self,
        outputs: &[*mut c_uchar],
        sizes: &[usize],
        inputs: &[*const c_uchar],
        lengths: &[usize],
        written: &mut [usize],
    ) -> Result<(), Error> {
        // SAFETY: a live context; the caller vouches for the rest.
        let result = unsafe {
            (self.pipelines.update)(
                self.raw,
                outputs.as_ptr(),
                written.as_mut_ptr(),
                sizes.as_ptr(),
                inputs.as_ptr(),
                lengths.as_ptr(),
            )
        };
        self.succeeded(result, "EVP_CipherPipelineUpdate")
    }

    /// Associated data of each message of an AEAD.
    ///
    /// # Panics
    /// Unless there is a piece for each message.
    pub fn aad(&mut self, pieces: &[&[u8]]) -> Result<(), Error> {
        assert_eq!(pieces.len(), self.pipes, "one for each");
        if !self.cipher.is_aead() {
            return Err(Error::refused(
                "EVP_CipherPipelineUpdate: associated data without an AEAD",
            ));
        }
        let starts: Vec<_> = pieces.iter().map(|piece| piece.as_ptr()).collect();
        let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
        let mut written = vec![0; self.pipes];
        // SAFETY: a live context; one piece for each pipe, and no outputs, which is how an AEAD tells them.
        let result = unsafe {
            (self.pipelines.update)(
                self.raw,
                ptr::null(),
                written.as_mut_ptr(),
                lengths.as_ptr(),
                starts.as_ptr(),
                lengths.as_ptr(),
            )
        };
        self.succeeded(result, "EVP_CipherPipelineUpdate")
    }

    /// Ends each message: its last block, or the verdict on its tag.
    ///
    /// # Panics
    /// Unless there is an output and a place in `written` for each message, with room for a block where the
    /// mode works in blocks.
    pub fn finish(
        &mut self,
        outputs: &mut [&mut [u8]],
        written: &mut [usize],
    ) -> Result<(), Error> {
        assert!([outputs.len(), written.len()] == [self.pipes; 2], "one for each");
        let margin = self.margin();
        assert!(outputs.iter().all(|output| output.len() >= margin), "room for the last block");
        let (outputs, sizes) = parts(outputs);
        let finish = self.pipelines.finish;
        // SAFETY: a live context; an output for each pipe with the room just asked for.
        let result =
            unsafe { finish(self.raw, outputs.as_ptr(), written.as_mut_ptr(), sizes.as_ptr()) };
        self.succeeded(result, "EVP_CipherPipelineFinal")
    }

    /// Sets the tag that each decryption must find.
    ///
    /// # Panics
    /// Unless there is a tag for each message.
    pub fn set_tags(&mut self, tags: &[[u8; 16]]) -> Result<(), Error> {
        assert_eq!(tags.len(), self.pipes, "one for each");
        let each: Vec<*const [u8; 16]> = tags.iter().map(ptr::from_ref).collect();
        let set = self.functions.ctx_set;
        let result = param::with_pointer(c"pipeline-tag", each.as_ptr().cast(), 16, |list| {
            // SAFETY: a live context and a terminated list, which points to a tag for each pipe.
            unsafe { set(self.raw, list) }
        });
        self.succeeded(result, "EVP_CIPHER_CTX_set_params")
    }

    /// The tag of each encrypted message.
    pub fn tags(&mut self) -> Result<Vec<[u8; 16]>, Error> {
        let mut tags = vec![[0; 16]; self.pipes];
        let each: Vec<*mut [u8; 16]> = tags.iter_mut().map(ptr::from_mut).collect();
        let ask = self.functions.ctx_get;
        let result = param::with_pointer(c"pipeline-tag", each.as_ptr().cast(), 16, |list| {
            // SAFETY: a live context and a terminated list, which points to room for a tag of each pipe.
            unsafe { ask(self.raw, list) }
        });
        self.succeeded(result, "EVP_CIPHER_CTX_get_params")?;
        Ok(tags)
    }

    /// A second pipeline in the same state (`EVP_CIPHER_CTX_copy`).
    pub fn duplicate(&self) -> Result<Self, Error> {
        let mut copy = Self::new(&self.cipher)?;
        // SAFETY: two live contexts; copying does not change the first.
        let result = unsafe { (self.functions.ctx_copy)(copy.raw, self.raw) };
        (copy.bound, copy.pipes) = (self.bound, self.pipes);
        self.succeeded(result, "EVP_CIPHER_CTX_copy")?;
        Ok(copy)
    }

    /// Bytes that an update or a final may write beyond what goes in.
    fn margin(&self) -> usize {
        let block = self.cipher.lengths().block;
        if block == 1 { 0 } else { block }
    }
}

/// Where each begins, and its size.
fn parts(outputs: &mut [&mut [u8]]) -> (Vec<*mut c_uchar>, Vec<usize>) {
    outputs.iter_mut().map(|output| (output.as_mut_ptr(), output.len())).unzip()
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: null, or freed once, by its owner.
        unsafe { (self.functions.ctx_free)(self.raw) };
    }
}
