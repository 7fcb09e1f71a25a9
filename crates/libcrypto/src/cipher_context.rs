//! The state of one message or stream, and the calls that move it on.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use crate::cipher::{Cipher, Lengths};
use crate::error::Error;
use crate::ffi::{EvpCipherCtx, Functions};
use crate::param::{self, Kind, List, Param, RawParam, Value};

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ciphertext to plaintext.
    Decrypt = 0,
    /// Plaintext to ciphertext.
    Encrypt = 1,
    /// As the last time: EVP's -1.
    Unchanged = -1,
}

/// A cipher at work (`EVP_CIPHER_CTX`).
pub struct CipherContext {
    cipher: Cipher,
    functions: &'static Functions,
    raw: *mut EvpCipherCtx,
    /// Whether libcrypto was told the cipher; passing it again would cost time and reset the state.
    bound: bool,
    lengths: Lengths,
    /// Whether updates are whole TLS 1.2 records: encryption then adds MAC room and padding.
    records: bool,
}

/// `EVP_CIPH_CCM_MODE` of openssl/evp.h.
const CCM_MODE: i32 = 7;

/// What one call of `EVP_Cipher` adds at most: a block, by padding or wrapping.
const ONE_SHOT_MARGIN: usize = 16;

/// What a TLS 1.2 record of CBC may grow by: 256 bytes of padding (RFC 5246 §6.2.3.2) and a MAC.
const RECORD_MARGIN: usize = 256 + 64;

// SAFETY: a cipher context may move between threads; only one may use it at a time, and all methods
// that change it take it exclusively.
unsafe impl Send for CipherContext {}

impl CipherContext {
    pub(crate) fn new(cipher: &Cipher) -> Result<Self, Error> {
        let functions = cipher.functions();
        // SAFETY: no precondition.
        let raw = unsafe { (functions.ctx_new)() };
        if raw.is_null() {
            return Err(Error::take(functions, "EVP_CIPHER_CTX_new"));
        }
        Ok(Self {
            cipher: cipher.clone(),
            functions,
            raw,
            bound: false,
            lengths: cipher.lengths(),
            records: false,
        })
    }

    /// One that was a pipeline's.
    pub(crate) fn taken_over(cipher: Cipher, raw: *mut EvpCipherCtx, bound: bool) -> Self {
        let (functions, lengths) = (cipher.functions(), cipher.lengths());
        Self { cipher, functions, raw, bound, lengths, records: false }
    }

    /// The cipher.
    pub const fn cipher(&self) -> &Cipher {
        &self.cipher
    }

    #[inline]
    fn succeeded(&self, result: c_int, call: &'static str) -> Result<(), Error> {
        if result == 1 { Ok(()) } else { Err(Error::take(self.functions, call)) }
    }

    /// Takes a key, an IV or both (`EVP_CipherInit_ex2`); what is `None` stays as it was.
    ///
    /// The first call also tells libcrypto the cipher, the next ones do not. A key or an IV of the
    /// wrong length is refused without asking libcrypto, which would read past its end; so are lengths among the parameters
    /// that come twice or as [`Value::Raw`], of which libcrypto may take another than is checked here.
    #[inline]
    pub fn init(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: &[Param<'_>],
    ) -> Result<(), Error> {
        // Most calls, and those that are counted in nanoseconds, bring no parameters.
        if params.is_empty() {
            return self.init_held_to(self.lengths, direction, key, iv, ptr::null());
        }
        self.init_with_params(direction, key, iv, params)
    }

    #[cold]
    fn init_with_params(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: &[Param<'_>],
    ) -> Result<(), Error> {
        let lengths = Lengths {
            key: length_among(params, c"keylen")?.unwrap_or(self.lengths.key),
            iv: length_among(params, c"ivlen")?.unwrap_or(self.lengths.iv),
            ..self.lengths
        };
        self.records |= names_records(params);
        let result = self.init_held_to(lengths, direction, key, iv, List::new(params).as_ptr());
        self.ask_lengths();
        result
    }

    #[inline]
    fn init_held_to(
        &mut self,
        lengths: Lengths,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: *const RawParam,
    ) -> Result<(), Error> {
        if key.is_some_and(|key| key.len() != lengths.key) {
            return Err(Error::refused("EVP_CipherInit_ex2: a key of another length"));
        }
        if iv.is_some_and(|iv| iv.len() != lengths.iv) {
            return Err(Error::refused("EVP_CipherInit_ex2: an IV of another length"));
        }
        let cipher = if self.bound { ptr::null() } else { self.cipher.raw().cast_const() };
        // SAFETY: a live context and cipher; key and IV are as long as libcrypto will read; the
        // parameters are null or a terminated list.
        let result = unsafe {
            (self.functions.init)(
                self.raw,
                cipher,
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                iv.map_or(ptr::null(), <[u8]>::as_ptr),
                direction as c_int,
                params,
            )
        };
        // Told even by a call that fails later.
        self.bound = true;
        self.succeeded(result, "EVP_CipherInit_ex2")
    }

    /// The same, telling libcrypto the cipher again as many programs do for every message.
    pub fn init_with_cipher(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: &[Param<'_>],
    ) -> Result<(), Error> {
        self.bound = false;
        self.lengths = self.cipher.lengths();
        self.init(direction, key, iv, params)
    }

    /// Forgets everything (`EVP_CIPHER_CTX_reset`); the next init tells the cipher again.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.bound = false;
        self.records = false;
        self.lengths = self.cipher.lengths();
        // SAFETY: a live context.
        let result = unsafe { (self.functions.ctx_reset)(self.raw) };
        self.succeeded(result, "EVP_CIPHER_CTX_reset")
    }

    /// A parameter may have changed the lengths that `init` must hold callers to.
    #[cold]
    fn ask_lengths(&mut self) {
        let functions = self.functions;
        // SAFETY: a live context.
        if unsafe { (functions.ctx_cipher)(self.raw) }.is_null() {
            return;
        }
        // SAFETY: a live context that knows its cipher; without one libcrypto would follow null.
        let (key, iv) = unsafe { ((functions.ctx_key)(self.raw), (functions.ctx_iv)(self.raw)) };
        self.lengths.key = usize::try_from(key).unwrap_or(self.lengths.key);
        self.lengths.iv = usize::try_from(iv).unwrap_or(self.lengths.iv);
    }

    /// Bytes that an update or a final may write beyond what goes in.
    #[inline]
    fn margin(&self) -> usize {
        match (self.records, self.lengths.block) {
            (true, _) => RECORD_MARGIN,
            (false, 1) => 0,
            (false, block) => block,
        }
    }

    /// Processes the next bytes (`EVP_CipherUpdate`) and gives how many came out.
    ///
    /// # Panics
    /// If `output` is shorter than `input` plus, for a mode that works in blocks, one block (once
    /// `tls-version` was set: plus 320 bytes).
    #[inline]
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        assert!(output.len() >= input.len() + self.margin(), "room for the output");
        // SAFETY: readable as a slice; EVP_EncryptInit(3) bounds what is written by the assertion.
        unsafe { self.update_raw(input.as_ptr(), input.len(), output.as_mut_ptr()) }
    }

    /// The same in place, over the first `length` bytes of `data`.
    ///
    /// # Panics
    /// If `data` is shorter than `length` plus, for a mode that works in blocks, one block.
    #[inline]
    pub fn update_in_place(&mut self, data: &mut [u8], length: usize) -> Result<usize, Error> {
        assert!(data.len() >= length + self.margin(), "room for the output");
        let at = data.as_mut_ptr();
        // SAFETY: both ranges are within `data`, as in `update`.
        unsafe { self.update_raw(at.cast_const(), length, at) }
    }

    /// The same with pointers, which may overlap; null `output` gives associated data to an AEAD.
    ///
    /// # Safety
    /// `input` is readable for `length` bytes; `output` is null or writable for `length` bytes plus a
    /// block (for a TLS 1.2 record of CBC: plus all the padding); nobody else writes to either.
    #[inline]
    pub unsafe fn update_raw(
        &mut self,
        input: *const u8,
        length: usize,
        output: *mut u8,
    ) -> Result<usize, Error> {
        const CALL: &str = "EVP_CipherUpdate";
        let Ok(length) = c_int::try_from(length) else { return Err(Error::refused(CALL)) };
        let mut written = 0;
        // SAFETY: a live context; the caller vouches for both ranges.
        let result =
            unsafe { (self.functions.update)(self.raw, output, &mut written, input, length) };
        self.succeeded(result, CALL)?;
        Ok(usize::try_from(written).unwrap_or(0))
    }

    /// Associated data of an AEAD; refused for any other cipher, which would write to null.
    #[inline]
    pub fn aad(&mut self, data: &[u8]) -> Result<(), Error> {
        if !self.cipher.is_aead() {
            return Err(Error::refused("EVP_CipherUpdate: associated data without an AEAD"));
        }
        // SAFETY: an AEAD takes a null output as the sign of associated data (EVP_EncryptInit(3)).
        unsafe { self.update_raw(data.as_ptr(), data.len(), ptr::null_mut()) }.map(|_| ())
    }

    /// Tells CCM how long its message will be, which it must know before associated data
    /// (EVP_EncryptInit(3), "CCM mode"); refused for a cipher of another mode.
    #[inline]
    pub fn message_length(&mut self, bytes: usize) -> Result<(), Error> {
        if self.cipher.mode() != CCM_MODE {
            return Err(Error::refused("EVP_CipherUpdate: a length without CCM"));
        }
        // SAFETY: CCM without input and output takes the length alone (ccm_cipher_internal).
        unsafe { self.update_raw(ptr::null(), bytes, ptr::null_mut()) }.map(|_| ())
    }

    /// Ends the message (`EVP_CipherFinal_ex`): the last block or the tag's verdict.
    ///
    /// # Panics
    /// If `output` has less than a block where the mode works in blocks.
    #[inline]
    pub fn finish(&mut self, output: &mut [u8]) -> Result<usize, Error> {
        assert!(output.len() >= self.margin(), "room for the last block");
        let mut written = 0;
        // SAFETY: a live context; at most one block is written.
        let result =
            unsafe { (self.functions.finish)(self.raw, output.as_mut_ptr(), &mut written) };
        self.succeeded(result, "EVP_CipherFinal_ex")?;
        Ok(usize::try_from(written).unwrap_or(0))
    }

    /// `EVP_Cipher`, one call without buffering: what libssl uses for records. Gives its own result.
    ///
    /// # Safety
    /// As for [`CipherContext::update_raw`].
    pub unsafe fn one_shot_raw(&mut self, input: *const u8, length: u32, output: *mut u8) -> i32 {
        // SAFETY: a live context; the caller vouches for both ranges.
        unsafe { (self.functions.one_shot)(self.raw, output, input, length as c_uint) }
    }

    /// The same over slices: a negative result is a failure.
    ///
    /// # Panics
    /// If `output` is not a block longer than [`CipherContext::update`] asks for.
    pub fn one_shot(&mut self, input: &[u8], output: &mut [u8]) -> i32 {
        assert!(
            output.len() >= input.len() + ONE_SHOT_MARGIN + self.margin(),
            "room for the output"
        );
        let length = u32::try_from(input.len()).expect("a call of less than 4 GiB");
        // SAFETY: readable as a slice; the assertion bounds what any cipher adds.
        unsafe { self.one_shot_raw(input.as_ptr(), length, output.as_mut_ptr()) }
    }

    /// `EVP_Cipher` without input, by which a message ends: a negative result is a failure.
    ///
    /// # Panics
    /// As for [`CipherContext::one_shot`].
    pub fn finish_by_one_shot(&mut self, output: &mut [u8]) -> i32 {
        assert!(output.len() >= ONE_SHOT_MARGIN + self.margin(), "room for the last block");
        // SAFETY: no input is what ends a message; the assertion bounds what is written.
        unsafe { self.one_shot_raw(ptr::null(), 0, output.as_mut_ptr()) }
    }

    /// `EVP_CIPHER_CTX_ctrl`, which libssl uses for TLS 1.2 records. Gives its own result.
    ///
    /// # Safety
    /// `data` must be what the control of that number asks for.
    pub unsafe fn control_raw(&mut self, number: i32, argument: i32, data: *mut c_void) -> i32 {
        // SAFETY: a live context; the caller vouches for the rest.
        unsafe { (self.functions.ctx_ctrl)(self.raw, number, argument, data) }
    }

    /// `EVP_CIPHER_CTX_set_padding`.
    pub fn set_padding(&mut self, on: bool) -> Result<(), Error> {
        // SAFETY: a live context.
        let result = unsafe { (self.functions.ctx_padding)(self.raw, c_int::from(on)) };
        self.succeeded(result, "EVP_CIPHER_CTX_set_padding")
    }

    /// Sets parameters.
    pub fn set(&mut self, params: &[Param<'_>]) -> Result<(), Error> {
        self.records |= names_records(params);
        let list = List::new(params);
        // SAFETY: a live context and a terminated list.
        let result = unsafe { (self.functions.ctx_set)(self.raw, list.as_ptr()) };
        self.ask_lengths();
        self.succeeded(result, "EVP_CIPHER_CTX_set_params")
    }

    /// Sets the tag that decryption must find; allocates nothing.
    #[inline]
    pub fn set_tag(&mut self, tag: &[u8]) -> Result<(), Error> {
        let set = self.functions.ctx_set;
        // SAFETY: a live context and a terminated list.
        let result = param::with_octets(c"tag", tag, |list| unsafe { set(self.raw, list) });
        self.succeeded(result, "EVP_CIPHER_CTX_set_params")
    }

    /// Reads the tag of an encrypted message; allocates nothing.
    #[inline]
    pub fn tag(&mut self, tag: &mut [u8]) -> Result<(), Error> {
        match self.parameter(c"tag", Kind::Octets, Some(tag))? {
            Some(_) => Ok(()),
            // OpenSSL's CCM and ChaCha20-Poly1305 give it without saying so (ossl_ccm_get_ctx_params,
            // chacha20_poly1305_get_ctx_params).
            None if self.cipher.is_aead() => Ok(()),
            None => Err(Error::refused("EVP_CIPHER_CTX_get_params: no tag")),
        }
    }

    /// One parameter into `buffer`: how many bytes came, or `None` if it is not answered. Without a
    /// buffer: how many would come.
    #[inline]
    pub fn parameter(
        &mut self,
        key: &CStr,
        kind: Kind,
        buffer: Option<&mut [u8]>,
    ) -> Result<Option<usize>, Error> {
        let functions = self.functions;
        param::read(key, kind, buffer, |params| {
            // SAFETY: a live context and a terminated list.
            unsafe { (functions.ctx_get)(self.raw, params) }
        })
        .map_err(|()| Error::take(functions, "EVP_CIPHER_CTX_get_params"))
    }

    /// One parameter that is a number.
    pub fn number(&mut self, key: &CStr) -> Result<Option<u64>, Error> {
        let mut value = [0; 8];
        let came = self.parameter(key, Kind::Unsigned, Some(&mut value))?;
        Ok(came.map(|_| u64::from_ne_bytes(value)))
    }

    /// One parameter that is given by pointer, copied.
    pub fn pointed(&mut self, key: &CStr) -> Result<Option<Vec<u8>>, Error> {
        let functions = self.functions;
        param::read_pointer(key, Kind::OctetPointer, |params| {
            // SAFETY: a live context and a terminated list.
            unsafe { (functions.ctx_get)(self.raw, params) }
        })
        .map_err(|()| Error::take(functions, "EVP_CIPHER_CTX_get_params"))
    }

    /// A second context in the same state (`EVP_CIPHER_CTX_copy`).
    pub fn duplicate(&self) -> Result<Self, Error> {
        let mut copy = Self::new(&self.cipher)?;
        // SAFETY: two live contexts; copying does not change the first.
        let result = unsafe { (self.functions.ctx_copy)(copy.raw, self.raw) };
        copy.bound = self.bound;
        copy.lengths = self.lengths;
        copy.records = self.records;
        self.succeeded(result, "EVP_CIPHER_CTX_copy")?;
        Ok(copy)
    }
}

/// The length of that name that libcrypto will take, if the parameters have one.
fn length_among(params: &[Param<'_>], name: &CStr) -> Result<Option<usize>, Error> {
    let mut named = params.iter().filter(|param| param.key == name);
    let Some(param) = named.next() else { return Ok(None) };
    if named.next().is_some() {
        return Err(Error::refused("EVP_CipherInit_ex2: a length that comes twice"));
    }
    if let Value::Raw(..) = param.value {
        return Err(Error::refused("EVP_CipherInit_ex2: a length as bytes"));
    }
    Ok(param.as_length())
}

/// Whether the parameters turn updates into TLS 1.2 records.
fn names_records(params: &[Param<'_>]) -> bool {
    params.iter().any(|param| param.key == c"tls-version")
}

impl Drop for CipherContext {
    fn drop(&mut self) {
        // SAFETY: freed once, by its owner.
        unsafe { (self.functions.ctx_free)(self.raw) };
    }
}

#[cfg(test)]
mod tests;
