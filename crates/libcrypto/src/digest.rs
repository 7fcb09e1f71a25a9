//! A hash function as one provider implements it, and a hash at work.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::Error;
use crate::ffi::{EvpMd, EvpMdCtx, Functions, SerialFunctions, wide};
use crate::param::{self, Descriptor, Kind, List, Param};

/// A fetched hash function (`EVP_MD`); clones are the same one.
#[derive(Clone)]
pub struct Digest {
    inner: Arc<Inner>,
}

struct Inner {
    context: Context,
    raw: *mut EvpMd,
}

// SAFETY: a fetched hash function is constant and reference-counted (openssl-threads(7)).
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: our own reference, given back once.
        unsafe { (self.context.library().functions.md_free)(self.raw) };
    }
}

impl Digest {
    /// # Safety
    /// `raw` is a live hash function of `context`, and its reference becomes ours.
    pub(crate) unsafe fn from_raw(context: Context, raw: *mut EvpMd) -> Self {
        Self { inner: Arc::new(Inner { context, raw }) }
    }

    fn functions(&self) -> &'static Functions {
        self.inner.context.library().functions
    }

    /// The name under which its provider was loaded.
    pub fn provider(&self) -> String {
        let functions = self.functions();
        // SAFETY: a live hash function, and the provider it keeps alive, with its name.
        unsafe {
            let name = (functions.provider_name)((functions.md_provider)(self.inner.raw));
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    }

    /// Every name, aliases and object identifiers too, sorted.
    pub fn names(&self) -> Vec<String> {
        unsafe extern "C" fn collect(name: *const c_char, found: *mut c_void) {
            // SAFETY: a NUL-terminated name, and the vector below.
            unsafe {
                let name = CStr::from_ptr(name).to_string_lossy().into_owned();
                (*found.cast::<Vec<String>>()).push(name);
            }
        }
        let mut found: Vec<String> = Vec::new();
        // SAFETY: `collect` gets back the vector that it was given, during this call only.
        unsafe {
            (self.functions().md_names)(self.inner.raw, collect, (&raw mut found).cast());
        }
        found.sort_unstable();
        found
    }

    /// Bytes of output, bytes in a block, and `EVP_MD_FLAG_*` of openssl/evp.h.
    pub fn sizes_and_flags(&self) -> (i32, i32, u64) {
        let (functions, raw) = (self.functions(), self.inner.raw);
        // SAFETY: a live hash function.
        let (size, block, flags) = unsafe {
            ((functions.md_size)(raw), (functions.md_block)(raw), (functions.md_flags)(raw))
        };
        (size, block, wide(flags))
    }

    /// Whether the output may have any length.
    pub fn is_extendable(&self) -> bool {
        /// `EVP_MD_FLAG_XOF` of openssl/evp.h.
        const EXTENDABLE: u64 = 2;
        self.sizes_and_flags().2 & EXTENDABLE != 0
    }

    /// A context to work in.
    pub fn context(&self) -> Result<DigestContext, Error> {
        let functions = self.functions();
        // SAFETY: no precondition.
        let raw = unsafe { (functions.md_ctx_new)() };
        if raw.is_null() {
            return Err(Error::take(functions, "EVP_MD_CTX_new"));
        }
        Ok(DigestContext { digest: self.clone(), functions, raw, bound: false })
    }
}

/// A hash at work (`EVP_MD_CTX`).
pub struct DigestContext {
    digest: Digest,
    functions: &'static Functions,
    raw: *mut EvpMdCtx,
    /// Whether libcrypto was told the hash function; not telling it again is the fast way.
    bound: bool,
}

// SAFETY: a context may move between threads; only one may use it at a time, and all methods that change
// it take it exclusively.
unsafe impl Send for DigestContext {}

impl Drop for DigestContext {
    fn drop(&mut self) {
        // SAFETY: our own context, freed once.
        unsafe { (self.functions.md_ctx_free)(self.raw) };
    }
}

impl DigestContext {
    #[inline]
    fn succeeded(&self, result: c_int, call: &'static str) -> Result<(), Error> {
        if result == 1 { Ok(()) } else { Err(Error::take(self.functions, call)) }
    }

    /// The hash function.
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Begins a message (`EVP_DigestInit_ex2`).
    #[inline]
    pub fn init(&mut self) -> Result<(), Error> {
        let digest = if self.bound { ptr::null() } else { self.digest.inner.raw.cast_const() };
        // SAFETY: a live context and hash function, no parameters.
        let result = unsafe { (self.functions.md_init)(self.raw, digest, ptr::null()) };
        self.bound = true;
        self.succeeded(result, "EVP_DigestInit_ex2")
    }

    /// Begins a message with parameters.
    pub fn init_with(&mut self, params: &[Param<'_>]) -> Result<(), Error> {
        let list = List::new(params);
        let digest = self.digest.inner.raw;
        // SAFETY: a live context and hash function, a terminated list.
        let result = unsafe { (self.functions.md_init)(self.raw, digest, list.as_ptr()) };
        self.bound = true;
        self.succeeded(result, "EVP_DigestInit_ex2")
    }

    /// The parameters that it takes (`EVP_MD_CTX_settable_params`).
    pub fn settable(&self) -> Vec<Descriptor> {
        // SAFETY: a live context; the list is its provider's, null or terminated.
        unsafe { param::descriptors((self.functions.md_ctx_settable)(self.raw)) }
    }

    /// Sets parameters (`EVP_MD_CTX_set_params`).
    pub fn set(&mut self, params: &[Param<'_>]) -> Result<(), Error> {
        let list = List::new(params);
        // SAFETY: a live context, a terminated list.
        let result = unsafe { (self.functions.md_ctx_set)(self.raw, list.as_ptr()) };
        self.succeeded(result, "EVP_MD_CTX_set_params")
    }

    /// The next bytes (`EVP_DigestUpdate`).
    #[inline]
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: a live context and as many bytes as are told.
        let result =
            unsafe { (self.functions.md_update)(self.raw, data.as_ptr().cast(), data.len()) };
        self.succeeded(result, "EVP_DigestUpdate")
    }

    /// The end of the message (`EVP_DigestFinal_ex`): how many bytes the hash has.
    #[inline]
    pub fn finish(&mut self, hash: &mut [u8; 64]) -> Result<usize, Error> {
        let mut length: c_uint = 0;
        // SAFETY: a live context, and room for the longest hash (EVP_MAX_MD_SIZE).
        let result =
            unsafe { (self.functions.md_finish)(self.raw, hash.as_mut_ptr(), &raw mut length) };
        self.succeeded(result, "EVP_DigestFinal_ex").map(|()| length as usize)
    }

    /// The end of the message, with as many bytes of an extendable function's output as there is room for
    /// (`EVP_DigestFinalXOF`).
    #[inline]
    pub fn finish_long(&mut self, output: &mut [u8]) -> Result<(), Error> {
        // SAFETY: a live context, and as much room as is told.
        let result =
            unsafe { (self.functions.md_finish_long)(self.raw, output.as_mut_ptr(), output.len()) };
        self.succeeded(result, "EVP_DigestFinalXOF")
    }

    /// Whether this libcrypto gives output in pieces.
    pub fn knows_squeezing(&self) -> bool {
        self.digest.inner.context.library().squeeze.is_some()
    }

    /// The next bytes of an extendable function's output (`EVP_DigestSqueeze`).
    pub fn squeeze(&mut self, output: &mut [u8]) -> Result<(), Error> {
        const CALL: &str = "EVP_DigestSqueeze";
        let found = self.digest.inner.context.library().squeeze;
        let squeeze = found.ok_or_else(|| Error::refused("EVP_DigestSqueeze: 3.3 has it"))?.squeeze;
        // SAFETY: a live context, and as much room as is told.
        let result = unsafe { squeeze(self.raw, output.as_mut_ptr(), output.len()) };
        self.succeeded(result, CALL)
    }

    /// The parameters that it tells (`EVP_MD_CTX_gettable_params`).
    pub fn gettable(&self) -> Vec<Descriptor> {
        // SAFETY: a live context; the list is its provider's, null or terminated.
        unsafe { param::descriptors((self.functions.md_ctx_gettable)(self.raw)) }
    }

    /// One of them, a number (`EVP_MD_CTX_get_params`).
    pub fn get(&mut self, key: &CStr) -> Result<Option<usize>, Error> {
        let (get, raw) = (self.functions.md_ctx_get, self.raw);
        let mut value = [0; size_of::<usize>()];
        // SAFETY: a live context, a terminated list.
        let ask = |params| unsafe { get(raw, params) };
        match param::read(key, Kind::Unsigned, Some(&mut value), ask) {
            Ok(length) => Ok(length.map(|_| usize::from_ne_bytes(value))),
            Err(()) => Err(Error::take(self.functions, "EVP_MD_CTX_get_params")),
        }
    }

    /// The same message once more, to go another way from here (`EVP_MD_CTX_copy_ex`).
    pub fn duplicate(&self) -> Result<Self, Error> {
        let mut copy = self.digest.context()?;
        // SAFETY: two live contexts.
        let result = unsafe { (self.functions.md_ctx_copy)(copy.raw, self.raw) };
        self.succeeded(result, "EVP_MD_CTX_copy_ex")?;
        copy.bound = self.bound;
        Ok(copy)
    }

    /// Goes on from where another message stands (`EVP_MD_CTX_copy_ex`); what was begun here is lost.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), Error> {
        // SAFETY: two live contexts.
        let result = unsafe { (self.functions.md_ctx_copy)(self.raw, other.raw) };
        (self.digest, self.bound) = (other.digest.clone(), other.bound);
        self.succeeded(result, "EVP_MD_CTX_copy_ex")
    }

    fn serial(&self) -> Result<&'static SerialFunctions, Error> {
        let found = self.digest.inner.context.library().serial;
        found.ok_or_else(|| Error::refused("EVP_MD_CTX_serialize: OpenSSL 4.0 or later has it"))
    }

    /// Whether this libcrypto can write messages down.
    pub fn knows_serialisation(&self) -> bool {
        self.serial().is_ok()
    }

    /// The message so far, written down (`EVP_MD_CTX_serialize`).
    pub fn serialise(&mut self) -> Result<Vec<u8>, Error> {
        const CALL: &str = "EVP_MD_CTX_serialize";
        let write = self.serial()?.write;
        let mut length = 0;
        // SAFETY: a live context; null asks for the length.
        let result = unsafe { write(self.raw, ptr::null_mut(), &raw mut length) };
        self.succeeded(result, CALL)?;
        let mut written = vec![0; length];
        // SAFETY: as above, and as much room as is told.
        let result = unsafe { write(self.raw, written.as_mut_ptr(), &raw mut length) };
        self.succeeded(result, CALL)?;
        written.truncate(length);
        Ok(written)
    }

    /// Goes on from where a message stood that was written down (`EVP_MD_CTX_deserialize`).
    pub fn deserialise(&mut self, written: &[u8]) -> Result<(), Error> {
        let read = self.serial()?.read;
        // SAFETY: a live context, and as many bytes as are told.
        let result = unsafe { read(self.raw, written.as_ptr(), written.len()) };
        self.succeeded(result, "EVP_MD_CTX_deserialize")
    }
}
