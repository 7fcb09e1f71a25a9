//! Library contexts: a world of providers apart from the rest of the process.

use std::ffi::{CStr, CString, OsStr, c_int, c_ulong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cipher::Cipher;
use crate::digest::Digest;
use crate::error::{Entry, Error};
use crate::ffi::{EvpCipher, LibCtx, Provider};
use crate::library::Library;
use crate::param::{self, Kind};

/// The signature of `OSSL_provider_init` (openssl/core.h). A provider may give its own names to the
/// handle and to the dispatch tables, of which only pointers are passed.
pub type ProviderInit<Handle = c_void, Dispatch = c_void> = unsafe extern "C" fn(
    handle: *const Handle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int;

/// A library context (`OSSL_LIB_CTX`) of our own; clones are the same context.
///
/// Until the first provider is loaded, libcrypto falls back on its default provider; from then on
/// only loaded providers count. They stay until the last clone, cipher and cipher context of
/// it are gone.
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

struct Inner {
    library: Library,
    raw: *mut LibCtx,
    providers: Mutex<Vec<Loaded>>,
}

struct Loaded {
    name: CString,
    raw: *mut Provider,
}

// SAFETY: a library context may be used by many threads (openssl-threads(7)); a provider handle is
// only passed back to it, under the lock.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Context {
    /// A context without loaded providers.
    pub fn new(library: Library) -> Result<Self, Error> {
        // SAFETY: no precondition.
        let raw = unsafe { (library.functions.lib_ctx_new)() };
        if raw.is_null() {
            return Err(Error::take(library.functions, "OSSL_LIB_CTX_new"));
        }
        let providers = Mutex::new(Vec::new());
        Ok(Self { inner: Arc::new(Inner { library, raw, providers }) })
    }

    /// The library that the context belongs to.
    pub fn library(&self) -> Library {
        self.inner.library
    }

    pub(crate) fn raw(&self) -> *mut LibCtx {
        self.inner.raw
    }

    fn succeeded(&self, result: c_int, call: &'static str) -> Result<(), Error> {
        if result == 1 { Ok(()) } else { Err(Error::take(self.library().functions, call)) }
    }

    /// Reads a configuration file into this context.
    pub fn load_config(&self, file: &Path) -> Result<(), Error> {
        const CALL: &str = "OSSL_LIB_CTX_load_config";
        let file = text(file.as_os_str(), CALL)?;
        let load = self.library().functions.lib_ctx_load_config;
        // SAFETY: our live context, a NUL-terminated name.
        self.succeeded(unsafe { load(self.raw(), file.as_ptr()) }, CALL)
    }

    /// Reads a configuration file as libcrypto does for a program that starts: what cannot be had is left out without a
    /// word, unless the file says `config_diagnostics` (crypto/conf/conf_sap.c).
    pub fn configure(&self, file: &Path) -> Result<(), Error> {
        const CALL: &str = "CONF_modules_load_file_ex";
        // CONF_MFLAGS_DEFAULT_SECTION, _IGNORE_MISSING_FILE and _IGNORE_RETURN_CODES.
        const AS_AT_THE_START: c_ulong = 0x20 | 0x10 | 0x2;
        let file = text(file.as_os_str(), CALL)?;
        let load = self.library().functions.modules_load_file;
        // SAFETY: our live context, a NUL-terminated name; without a name of the program that of every program is taken.
        let done = unsafe { load(self.raw(), file.as_ptr(), ptr::null(), AS_AT_THE_START) };
        self.succeeded(done, CALL)
    }

    /// Makes a provider of this program known under `name`; [`Context::load`] then loads it.
    ///
    /// # Safety
    /// `init` must be a provider's entry point as provider-base(7) describes it, and must stay valid
    /// as long as the context.
    pub unsafe fn add_builtin<Handle, Dispatch>(
        &self,
        name: &str,
        init: ProviderInit<Handle, Dispatch>,
    ) -> Result<(), Error> {
        const CALL: &str = "OSSL_PROVIDER_add_builtin";
        let name = text(name, CALL)?;
        // SAFETY: only the names of what is pointed to differ.
        let init: ProviderInit =
            unsafe { std::mem::transmute::<ProviderInit<Handle, Dispatch>, ProviderInit>(init) };
        let add = self.library().functions.provider_add_builtin;
        // SAFETY: our live context, a NUL-terminated name, and the caller vouches for `init`.
        self.succeeded(unsafe { add(self.raw(), name.as_ptr(), init) }, CALL)
    }

    /// Loads a provider: "default", a builtin, or a module from the search path.
    pub fn load(&self, name: &str) -> Result<(), Error> {
        const CALL: &str = "OSSL_PROVIDER_load";
        let functions = self.library().functions;
        let name = text(name, CALL)?;
        // SAFETY: our live context, a NUL-terminated name.
        let raw = unsafe { (functions.provider_load)(self.raw(), name.as_ptr()) };
        if raw.is_null() {
            return Err(Error::take(functions, CALL));
        }
        self.providers().push(Loaded { name, raw });
        Ok(())
    }

    /// What is left in this thread's error queue, which is empty from then on: a call that succeeds may leave something
    /// for whoever looks.
    pub fn left(&self) -> Vec<Entry> {
        Error::take(self.library().functions, "ERR_get_error_all").queue
    }

    /// Unloads a provider that [`Context::load`] loaded.
    pub fn unload(&self, name: &str) -> Result<(), Error> {
        const CALL: &str = "OSSL_PROVIDER_unload";
        let mut providers = self.providers();
        let place = providers.iter().position(|loaded| loaded.name.as_bytes() == name.as_bytes());
        let Some(place) = place else { return Err(Error::refused(CALL)) };
        let loaded = providers.remove(place);
        drop(providers);
        // SAFETY: loaded once and forgotten just now.
        self.succeeded(unsafe { (self.library().functions.provider_unload)(loaded.raw) }, CALL)
    }

    fn providers(&self) -> std::sync::MutexGuard<'_, Vec<Loaded>> {
        self.inner.providers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `f` on a provider that [`Context::load`] loaded.
    fn with_provider<T>(
        &self,
        name: &str,
        call: &'static str,
        f: impl FnOnce(*const Provider) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let providers = self.providers();
        let loaded = providers.iter().find(|loaded| loaded.name.as_bytes() == name.as_bytes());
        f(loaded.ok_or(Error::refused(call))?.raw)
    }

    /// Whether a provider of that name is loaded here.
    pub fn has(&self, name: &str) -> bool {
        let functions = self.library().functions;
        // SAFETY: our live context, a NUL-terminated name.
        CString::new(name).is_ok_and(|name| unsafe {
            (functions.provider_available)(self.raw(), name.as_ptr()) == 1
        })
    }

    /// A text parameter of a loaded provider: "name", "version", "buildinfo".
    pub fn provider_text(&self, provider: &str, key: &CStr) -> Result<Option<String>, Error> {
        const CALL: &str = "OSSL_PROVIDER_get_params";
        let functions = self.library().functions;
        self.with_provider(provider, CALL, |raw| {
            let found = param::read_pointer(key, Kind::Utf8Pointer, |params| {
                // SAFETY: a live provider and a terminated list of parameters.
                unsafe { (functions.provider_params)(raw, params) }
            });
            let bytes = found.map_err(|()| Error::take(functions, CALL))?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        })
    }

    /// Runs a loaded provider's self-test.
    pub fn self_test(&self, provider: &str) -> Result<(), Error> {
        const CALL: &str = "OSSL_PROVIDER_self_test";
        self.with_provider(provider, CALL, |raw| {
            // SAFETY: a live provider.
            self.succeeded(unsafe { (self.library().functions.provider_self_test)(raw) }, CALL)
        })
    }

    /// The property query added to every fetch in this context, such as `?provider=wirespeed`.
    pub fn set_default_properties(&self, query: &str) -> Result<(), Error> {
        const CALL: &str = "EVP_set_default_properties";
        let query = text(query, CALL)?;
        let set = self.library().functions.set_default_properties;
        // SAFETY: our live context, a NUL-terminated query.
        self.succeeded(unsafe { set(self.raw(), query.as_ptr()) }, CALL)
    }

    /// Finds a cipher by name among the loaded providers.
    pub fn fetch(&self, name: &str, properties: Option<&str>) -> Result<Cipher, Error> {
        const CALL: &str = "EVP_CIPHER_fetch";
        let functions = self.library().functions;
        let name = text(name, CALL)?;
        let properties = properties.map(|query| text(query, CALL)).transpose()?;
        let query = properties.as_ref().map_or(ptr::null(), |query| query.as_ptr());
        // SAFETY: our live context, NUL-terminated texts.
        let raw = unsafe { (functions.fetch)(self.raw(), name.as_ptr(), query) };
        if raw.is_null() {
            return Err(Error::take(functions, CALL));
        }
        // SAFETY: fetched just now, so the reference is ours.
        Ok(unsafe { Cipher::from_raw(self.clone(), raw) })
    }

    /// Finds a hash function by name among the loaded providers.
    pub fn digest(&self, name: &str, properties: Option<&str>) -> Result<Digest, Error> {
        const CALL: &str = "EVP_MD_fetch";
        let functions = self.library().functions;
        let name = text(name, CALL)?;
        let properties = properties.map(|query| text(query, CALL)).transpose()?;
        let query = properties.as_ref().map_or(ptr::null(), |query| query.as_ptr());
        // SAFETY: our live context, NUL-terminated texts.
        let raw = unsafe { (functions.md_fetch)(self.raw(), name.as_ptr(), query) };
        if raw.is_null() {
            return Err(Error::take(functions, CALL));
        }
        // SAFETY: fetched just now, so the reference is ours.
        Ok(unsafe { Digest::from_raw(self.clone(), raw) })
    }

    /// Every cipher of every loaded provider.
    pub fn ciphers(&self) -> Vec<Cipher> {
        unsafe extern "C" fn collect(cipher: *mut EvpCipher, found: *mut c_void) {
            // SAFETY: `found` is the vector below.
            unsafe { (*found.cast::<Vec<*mut EvpCipher>>()).push(cipher) };
        }
        let functions = self.library().functions;
        let mut found: Vec<*mut EvpCipher> = Vec::new();
        // SAFETY: `collect` gets back the vector that it was given, during this call only.
        unsafe { (functions.all_ciphers)(self.raw(), collect, (&raw mut found).cast()) };
        let reference = |raw| {
            // SAFETY: libcrypto's method store keeps the cipher alive; we take a reference.
            unsafe {
                (functions.cipher_up_ref)(raw);
                Cipher::from_raw(self.clone(), raw)
            }
        };
        found.into_iter().map(reference).collect()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let functions = self.library.functions;
        let providers = self.providers.get_mut().unwrap_or_else(PoisonError::into_inner);
        for loaded in providers.drain(..).rev() {
            // SAFETY: loaded once, unloaded once, and no cipher of it is left.
            unsafe { (functions.provider_unload)(loaded.raw) };
        }
        // SAFETY: the last owner; nothing of the context is left.
        unsafe { (functions.lib_ctx_free)(self.raw) };
    }
}

fn text(given: impl AsRef<OsStr>, call: &'static str) -> Result<CString, Error> {
    CString::new(given.as_ref().as_bytes()).map_err(|_| Error::refused(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        Context::new(Library::host().expect("these tests need libcrypto")).expect("a context")
    }

    unsafe extern "C" fn declines(
        _: *const c_void,
        _: *const c_void,
        _: *mut *const c_void,
        _: *mut *mut c_void,
    ) -> c_int {
        0
    }

    #[test]
    fn contexts_are_apart() {
        let (one, other) = (context(), context());
        one.load("base").unwrap();
        assert!(one.has("base") && !other.has("base"));
        assert!(one.fetch("AES-128-CBC", None).is_err(), "no fall-back once a provider is loaded");
        assert!(other.fetch("AES-128-CBC", None).is_ok());
        one.unload("base").unwrap();
        assert!(!one.has("base"));
    }

    #[test]
    fn a_provider_tells_its_name() {
        let context = context();
        context.load("default").unwrap();
        let name = context.provider_text("default", c"name").unwrap();
        assert_eq!(name.as_deref(), Some("OpenSSL Default Provider"));
        assert_eq!(context.provider_text("default", c"no-such-thing").unwrap(), None);
        context.self_test("default").unwrap();
    }

    #[test]
    fn failures_carry_the_queue() {
        let context = context();
        context.load("default").unwrap();
        let error = context.fetch("NO-SUCH-CIPHER", None).err().expect("no such cipher");
        assert_eq!(error.call, "EVP_CIPHER_fetch");
        assert!(error.to_string().contains("NO-SUCH-CIPHER"), "{error}");
        let error = context.load("libnothing").expect_err("no such module");
        assert!(error.to_string().contains("/libnothing.so"), "{error}");
        assert!(context.load_config(Path::new("/nowhere/openssl.cnf")).is_err());
    }

    #[test]
    fn a_builtin_that_declines_is_an_error() {
        let context = context();
        // SAFETY: an entry point may decline.
        unsafe { context.add_builtin("declines", declines) }.unwrap();
        assert!(context.load("declines").is_err());
        assert!(context.unload("declines").is_err());
    }

    #[test]
    fn ciphers_are_listed() {
        let context = context();
        context.load("default").unwrap();
        let names: Vec<String> =
            context.ciphers().iter().map(|cipher| cipher.name().to_owned()).collect();
        assert!(names.iter().any(|name| name == "AES-128-GCM"), "{names:?}");
    }
}
