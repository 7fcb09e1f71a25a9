//! A cipher as one provider implements it.

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::sync::Arc;

use crate::cipher_context::CipherContext;
use crate::context::Context;
use crate::error::Error;
use crate::ffi::{EvpCipher, Functions, wide};
use crate::library::Library;
use crate::param::{self, Descriptor, Kind};

/// A fetched cipher (`EVP_CIPHER`); clones are the same cipher.
#[derive(Clone)]
pub struct Cipher {
    inner: Arc<Inner>,
}

struct Inner {
    context: Context,
    raw: *mut EvpCipher,
    lengths: Lengths,
    aead: bool,
}

/// Asked once: every update and init is checked against them.
#[derive(Clone, Copy)]
pub(crate) struct Lengths {
    pub(crate) key: usize,
    pub(crate) iv: usize,
    pub(crate) block: usize,
}

/// `EVP_CIPH_FLAG_AEAD_CIPHER` of openssl/evp.h.
const AEAD: c_ulong = 0x20_0000;

// SAFETY: a fetched cipher is constant and reference-counted (openssl-threads(7)).
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Cipher {
    /// # Safety
    /// `raw` is a live cipher of `context`, and its reference becomes ours.
    pub(crate) unsafe fn from_raw(context: Context, raw: *mut EvpCipher) -> Self {
        let functions = context.library().functions;
        let length = |ask: unsafe extern "C" fn(*const EvpCipher) -> c_int| {
            // SAFETY: the caller vouches for a live cipher.
            usize::try_from(unsafe { ask(raw) }).unwrap_or(0)
        };
        let lengths = Lengths {
            key: length(functions.cipher_key),
            iv: length(functions.cipher_iv),
            block: length(functions.cipher_block),
        };
        // SAFETY: as above.
        let aead = unsafe { (functions.cipher_flags)(raw) } & AEAD != 0;
        Self { inner: Arc::new(Inner { context, raw, lengths, aead }) }
    }

    pub(crate) fn raw(&self) -> *mut EvpCipher {
        self.inner.raw
    }

    pub(crate) fn functions(&self) -> &'static Functions {
        self.library().functions
    }

    pub(crate) fn lengths(&self) -> Lengths {
        self.inner.lengths
    }

    /// The library that it belongs to.
    pub fn library(&self) -> Library {
        self.inner.context.library()
    }

    /// A context to work in.
    pub fn context(&self) -> Result<CipherContext, Error> {
        CipherContext::new(self)
    }

    /// The first of its names.
    pub fn name(&self) -> &str {
        // SAFETY: a live cipher.
        let name = unsafe { (self.functions().cipher_name)(self.raw()) };
        self.text(name).unwrap_or("")
    }

    /// What its provider says about it, where it says something.
    pub fn description(&self) -> Option<&str> {
        // SAFETY: a live cipher.
        let text = unsafe { (self.functions().cipher_description)(self.raw()) };
        self.text(text)
    }

    /// The name under which its provider was loaded.
    pub fn provider(&self) -> &str {
        let functions = self.functions();
        // SAFETY: a live cipher, and the provider it keeps alive.
        let name = unsafe { (functions.provider_name)((functions.cipher_provider)(self.raw())) };
        self.text(name).unwrap_or("")
    }

    fn text(&self, text: *const c_char) -> Option<&str> {
        if text.is_null() {
            return None;
        }
        // SAFETY: the cipher's own text, which lives as long as the cipher.
        unsafe { CStr::from_ptr(text) }.to_str().ok()
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
            (self.functions().cipher_names)(self.raw(), collect, (&raw mut found).cast());
        }
        found.sort_unstable();
        found
    }

    /// Bytes of key.
    pub fn key_bytes(&self) -> usize {
        self.inner.lengths.key
    }

    /// Bytes of IV.
    pub fn iv_bytes(&self) -> usize {
        self.inner.lengths.iv
    }

    /// Bytes in a block, 1 for a mode that takes any number.
    pub fn block_bytes(&self) -> usize {
        self.inner.lengths.block
    }

    /// The number of the name in openssl/obj_mac.h, 0 where it has none.
    pub fn nid(&self) -> i32 {
        // SAFETY: a live cipher.
        unsafe { (self.functions().cipher_nid)(self.raw()) }
    }

    /// `EVP_CIPH_*_MODE` of openssl/evp.h.
    pub fn mode(&self) -> i32 {
        // SAFETY: a live cipher.
        unsafe { (self.functions().cipher_mode)(self.raw()) }
    }

    /// `EVP_CIPH_FLAG_*` of openssl/evp.h.
    pub fn flags(&self) -> u64 {
        // SAFETY: a live cipher.
        let flags = unsafe { (self.functions().cipher_flags)(self.raw()) };
        wide(flags)
    }

    /// Whether it takes associated data and gives a tag.
    pub fn is_aead(&self) -> bool {
        self.inner.aead
    }

    /// The cipher's own parameters.
    pub fn gettable(&self) -> Vec<Descriptor> {
        // SAFETY: a live cipher; the list is null or ends with a null key.
        unsafe { param::descriptors((self.functions().cipher_gettable)(self.raw())) }
    }

    /// The parameters that a context of it answers.
    pub fn gettable_in_context(&self) -> Vec<Descriptor> {
        // SAFETY: as in `gettable`.
        unsafe { param::descriptors((self.functions().cipher_gettable_ctx)(self.raw())) }
    }

    /// The parameters that a context of it takes.
    pub fn settable_in_context(&self) -> Vec<Descriptor> {
        // SAFETY: as in `gettable`.
        unsafe { param::descriptors((self.functions().cipher_settable_ctx)(self.raw())) }
    }

    /// One of the cipher's own parameters into `buffer`: how many bytes came, or `None` if it is
    /// not answered. Without a buffer: how many would come.
    pub fn parameter(
        &self,
        key: &CStr,
        kind: Kind,
        buffer: Option<&mut [u8]>,
    ) -> Result<Option<usize>, Error> {
        let functions = self.functions();
        param::read(key, kind, buffer, |params| {
            // SAFETY: a live cipher and a terminated list.
            unsafe { (functions.cipher_params)(self.raw(), params) }
        })
        .map_err(|()| Error::take(functions, "EVP_CIPHER_get_params"))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: our own reference, given back once.
        unsafe { (self.context.library().functions.cipher_free)(self.raw) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetch(name: &str) -> Cipher {
        let context = Context::new(Library::host().expect("these tests need libcrypto")).unwrap();
        context.load("default").unwrap();
        context.fetch(name, Some("provider=default")).unwrap()
    }

    #[test]
    fn a_cipher_outlives_the_handle_on_its_context() {
        let cipher = fetch("aes-256-gcm");
        assert_eq!(cipher.name(), "AES-256-GCM");
        assert_eq!(cipher.provider(), "default");
        assert_eq!((cipher.key_bytes(), cipher.iv_bytes(), cipher.block_bytes()), (32, 12, 1));
        assert!(cipher.names().contains(&"id-aes256-GCM".to_owned()), "{:?}", cipher.names());
        assert_ne!(cipher.nid(), 0);
        assert_eq!(cipher.mode(), 6);
        assert_ne!(cipher.flags(), 0);
    }

    #[test]
    fn parameters_are_walked_and_read() {
        let cipher = fetch("AES-128-CBC");
        let keys: Vec<_> = cipher.gettable().into_iter().map(|found| found.key).collect();
        assert!(keys.iter().any(|key| key.as_c_str() == c"blocksize"), "{keys:?}");
        let mut size = [0; 8];
        let came = cipher.parameter(c"blocksize", Kind::Unsigned, Some(&mut size)).unwrap();
        assert_eq!((came, u64::from_ne_bytes(size)), (Some(8), 16));
        assert_eq!(cipher.parameter(c"nonsense", Kind::Unsigned, Some(&mut size)).unwrap(), None);
        assert!(!cipher.gettable_in_context().is_empty());
        assert!(!cipher.settable_in_context().is_empty());
    }
}
