//! A message authentication code at work: HMAC, with one of the hash functions.

use std::ffi::{CStr, CString, c_int};
use std::ptr;

use crate::context::Context;
use crate::error::Error;
use crate::ffi::{EvpMacCtx, Functions};
use crate::param::{self, Descriptor, Kind, List, Param};

/// HMAC at work (`EVP_MAC_CTX`).
pub struct MacContext {
    /// Keeps the library context alive.
    context: Context,
    functions: &'static Functions,
    raw: *mut EvpMacCtx,
}

// SAFETY: a context may move between threads; only one may use it at a time, and all methods take it
// exclusively.
unsafe impl Send for MacContext {}

impl Drop for MacContext {
    fn drop(&mut self) {
        // SAFETY: our own context, freed once.
        unsafe { (self.functions.mac_ctx_free)(self.raw) };
    }
}

impl Context {
    /// HMAC with a hash function, by OpenSSL's name, and a key.
    pub fn hmac(&self, digest: &str, key: &[u8]) -> Result<MacContext, Error> {
        let digest = CString::new(digest).map_err(|_| Error::refused("EVP_MAC_init"))?;
        let mut work = self.bare_hmac()?;
        work.start(Some(key), &[Param::utf8(c"digest", &digest)])?;
        Ok(work)
    }

    /// HMAC that knows neither yet.
    pub fn bare_hmac(&self) -> Result<MacContext, Error> {
        let functions = self.library().functions;
        // SAFETY: our live context, NUL-terminated texts.
        let mac = unsafe { (functions.mac_fetch)(self.raw(), c"HMAC".as_ptr(), ptr::null()) };
        if mac.is_null() {
            return Err(Error::take(functions, "EVP_MAC_fetch"));
        }
        // SAFETY: fetched just now; the context takes a reference of its own.
        let raw = unsafe { (functions.mac_ctx_new)(mac) };
        // SAFETY: our own reference, given back once.
        unsafe { (functions.mac_free)(mac) };
        if raw.is_null() {
            return Err(Error::take(functions, "EVP_MAC_CTX_new"));
        }
        Ok(MacContext { context: self.clone(), functions, raw })
    }
}

impl MacContext {
    #[inline]
    fn succeeded(&self, result: c_int, call: &'static str) -> Result<(), Error> {
        if result == 1 { Ok(()) } else { Err(Error::take(self.functions, call)) }
    }

    /// Begins a message, with parameters, and with another key if there is one.
    pub fn start(&mut self, key: Option<&[u8]>, params: &[Param<'_>]) -> Result<(), Error> {
        let list = List::new(params);
        let (key, length) = key.map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        let init = self.functions.mac_init;
        // SAFETY: a live context, a key of that length or none, null or a terminated list.
        let result = unsafe { init(self.raw, key, length, list.as_ptr()) };
        self.succeeded(result, "EVP_MAC_init")
    }

    /// The same message once more, to go another way from here (`EVP_MAC_CTX_dup`).
    pub fn duplicate(&self) -> Result<Self, Error> {
        // SAFETY: a live context.
        let raw = unsafe { (self.functions.mac_ctx_dup)(self.raw) };
        if raw.is_null() {
            return Err(Error::take(self.functions, "EVP_MAC_CTX_dup"));
        }
        Ok(Self { context: self.context.clone(), functions: self.functions, raw })
    }

    /// The parameters that it takes (`EVP_MAC_CTX_settable_params`).
    pub fn settable(&self) -> Vec<Descriptor> {
        // SAFETY: a live context; the list is its provider's, null or terminated.
        unsafe { param::descriptors((self.functions.mac_ctx_settable)(self.raw)) }
    }

    /// The parameters that it tells (`EVP_MAC_CTX_gettable_params`).
    pub fn gettable(&self) -> Vec<Descriptor> {
        // SAFETY: a live context; the list is its provider's, null or terminated.
        unsafe { param::descriptors((self.functions.mac_ctx_gettable)(self.raw)) }
    }

    /// Sets parameters (`EVP_MAC_CTX_set_params`).
    pub fn set(&mut self, params: &[Param<'_>]) -> Result<(), Error> {
        let list = List::new(params);
        // SAFETY: a live context, a terminated list.
        let result = unsafe { (self.functions.mac_ctx_set)(self.raw, list.as_ptr()) };
        self.succeeded(result, "EVP_MAC_CTX_set_params")
    }

    /// One number (`EVP_MAC_CTX_get_params`).
    pub fn get(&mut self, key: &CStr) -> Result<Option<usize>, Error> {
        let (get, raw) = (self.functions.mac_ctx_get, self.raw);
        let mut value = [0; size_of::<usize>()];
        // SAFETY: a live context, a terminated list.
        let ask = |params| unsafe { get(raw, params) };
        match param::read(key, Kind::Unsigned, Some(&mut value), ask) {
            Ok(length) => Ok(length.map(|_| usize::from_ne_bytes(value))),
            Err(()) => Err(Error::take(self.functions, "EVP_MAC_CTX_get_params")),
        }
    }

    /// Begins a message with another key.
    #[inline]
    pub fn rekey(&mut self, key: &[u8]) -> Result<(), Error> {
        self.start(Some(key), &[])
    }

    /// Begins a message with the same key.
    #[inline]
    pub fn init(&mut self) -> Result<(), Error> {
        // SAFETY: a live context that has a key; null keeps it.
        let result = unsafe { (self.functions.mac_init)(self.raw, ptr::null(), 0, ptr::null()) };
        self.succeeded(result, "EVP_MAC_init")
    }

    /// The next bytes.
    #[inline]
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        // SAFETY: a live context and as many bytes as are told.
        let result = unsafe { (self.functions.mac_update)(self.raw, data.as_ptr(), data.len()) };
        self.succeeded(result, "EVP_MAC_update")
    }

    /// The end of the message: how many bytes the tag has.
    #[inline]
    pub fn finish(&mut self, tag: &mut [u8; 64]) -> Result<usize, Error> {
        let mut length = 0;
        let finish = self.functions.mac_finish;
        // SAFETY: a live context, and as much room as is told.
        let result = unsafe { finish(self.raw, tag.as_mut_ptr(), &raw mut length, tag.len()) };
        self.succeeded(result, "EVP_MAC_final").map(|()| length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;

    /// RFC 4231, test case 2, twice; then RFC 2202, test case 2 for SHA-1.
    #[test]
    fn hmac_by_the_standard() {
        let context = Context::new(Library::host().expect("these tests need libcrypto")).unwrap();
        context.load("default").unwrap();
        let mut work = context.hmac("SHA2-256", b"another key").unwrap();
        let mut tag = [0; 64];
        work.rekey(b"Jefe").unwrap();
        for _ in 0..2 {
            work.update(b"what do ya want ").unwrap();
            work.update(b"for nothing?").unwrap();
            assert_eq!(work.finish(&mut tag).unwrap(), 32);
            assert_eq!(tag[..4], [0x5b, 0xdc, 0xc1, 0x46]);
            work.init().unwrap();
        }
        let mut work = context.hmac("SHA1", b"Jefe").unwrap();
        work.update(b"what do ya want for nothing?").unwrap();
        assert_eq!(work.finish(&mut tag).unwrap(), 20);
        assert_eq!(tag[..4], [0xef, 0xfc, 0xdf, 0x6a]);
        assert!(context.hmac("no such hash", b"Jefe").is_err());
    }
}
