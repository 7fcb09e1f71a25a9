//! The libcrypto that loaded us, as one more route: its own default provider.
//!
//! We do not link libcrypto. The address of a core function tells which file it came from, that file
//! is open already, and from it come the functions needed to load its default provider into a library
//! context of our own, away from the program's providers and properties. Its algorithms are then called
//! directly through their dispatch tables, without EVP in between.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

use crate::host::Core;
use crate::openssl::*;

type NewLibraryContext = unsafe extern "C" fn() -> *mut c_void;
type FreeLibraryContext = unsafe extern "C" fn(*mut c_void);
type LoadProvider = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type UnloadProvider = unsafe extern "C" fn(*mut c_void) -> c_int;
pub(super) type ProviderContext = unsafe extern "C" fn(*const c_void) -> *mut c_void;
type Mark = unsafe extern "C" fn() -> c_int;

/// The program's queue of errors, which what is no news to the program must leave alone.
#[derive(Clone, Copy)]
pub(super) struct Errors {
    set_mark: Mark,
    pop_to_mark: Mark,
}

impl Errors {
    pub(super) fn of(file: &OpenFile) -> Result<Self, String> {
        let (set_mark, pop_to_mark) = (c"ERR_set_mark", c"ERR_pop_to_mark");
        Ok(Self { set_mark: file.function(set_mark)?, pop_to_mark: file.function(pop_to_mark)? })
    }

    /// Runs what may leave errors, and takes them away.
    pub(super) fn forgetting<T>(self, run: impl FnOnce() -> T) -> T {
        // SAFETY: keeps to ERR_set_mark(3).
        unsafe { (self.set_mark)() };
        let done = run();
        // SAFETY: as above; the mark was set.
        unsafe { (self.pop_to_mark)() };
        done
    }
}

/// The default provider of the host's libcrypto, loaded for us alone; perhaps its legacy one, too.
pub(crate) struct HostLibrary {
    library: NonNull<c_void>,
    providers: Vec<HostProvider>,
    unload: UnloadProvider,
    free: FreeLibraryContext,
    errors: Errors,
}

/// One of its providers.
struct HostProvider {
    provider: NonNull<c_void>,
    /// What its functions take as their provider context.
    context: *mut c_void,
    ciphers: *const AlgorithmEntry,
    digests: *const AlgorithmEntry,
}

/// An algorithm of the host's.
#[derive(Clone, Copy)]
pub(crate) struct HostAlgorithm {
    /// All its names.
    pub(super) names: *const c_char,
    pub(super) functions: *const Dispatch,
    /// What makes its contexts takes this.
    pub(super) provider: *mut c_void,
}

// SAFETY: a provider's functions may be called from any thread (provider(7)); nothing here changes
// after it was made.
unsafe impl Send for HostLibrary {}
// SAFETY: as above.
unsafe impl Sync for HostLibrary {}
// SAFETY: as above.
unsafe impl Send for HostAlgorithm {}
// SAFETY: as above.
unsafe impl Sync for HostAlgorithm {}

impl HostLibrary {
    /// Reaches the libcrypto behind `core`; the error says why it cannot be reached. A legacy provider
    /// that is not installed is no error.
    pub(crate) fn reach(core: &Core, legacy: bool) -> Result<Arc<Self>, String> {
        let file = OpenFile::of(core)?;
        let new = file.function::<NewLibraryContext>(c"OSSL_LIB_CTX_new")?;
        let free = file.function::<FreeLibraryContext>(c"OSSL_LIB_CTX_free")?;
        let load = file.function::<LoadProvider>(c"OSSL_PROVIDER_load")?;
        let unload = file.function::<UnloadProvider>(c"OSSL_PROVIDER_unload")?;
        let query = file.function::<QueryOperation>(c"OSSL_PROVIDER_query_operation")?;
        let context_of = file.function::<ProviderContext>(c"OSSL_PROVIDER_get0_provider_ctx")?;
        let errors = Errors::of(&file)?;
        // SAFETY: keeps to OSSL_LIB_CTX(3).
        let library = NonNull::new(unsafe { new() }).ok_or("no memory for a library context")?;
        // What is made from here on is given up by `drop`.
        let mut host = Self { library, providers: Vec::new(), unload, free, errors };
        for name in [c"default", c"legacy"].into_iter().take(if legacy { 2 } else { 1 }) {
            // SAFETY: keeps to OSSL_PROVIDER(3).
            let load = || NonNull::new(unsafe { load(library.as_ptr(), name.as_ptr()) });
            let Some(provider) = errors.forgetting(load) else { continue };
            let mut no_cache = 0;
            // SAFETY: as above; the provider was loaded.
            unsafe {
                host.providers.push(HostProvider {
                    provider,
                    context: context_of(provider.as_ptr()),
                    ciphers: query(provider.as_ptr(), OPERATION_CIPHER, &raw mut no_cache),
                    digests: query(provider.as_ptr(), OPERATION_DIGEST, &raw mut no_cache),
                });
            }
        }
        if host.providers.is_empty() {
            return Err("the default provider of this libcrypto does not load".to_owned());
        }
        Ok(Arc::new(host))
    }

    /// A host of these ciphers, which nothing stands behind.
    #[cfg(test)]
    pub(crate) fn forged(ciphers: *const AlgorithmEntry) -> Arc<Self> {
        unsafe extern "C" fn unload(_: *mut c_void) -> c_int {
            1
        }
        unsafe extern "C" fn free(_: *mut c_void) {}
        unsafe extern "C" fn mark() -> c_int {
            1
        }
        let errors = Errors { set_mark: mark, pop_to_mark: mark };
        let provider = NonNull::dangling();
        let provider = HostProvider { provider, context: null_mut(), ciphers, digests: null() };
        let (library, providers) = (NonNull::dangling(), vec![provider]);
        Arc::new(Self { library, providers, unload, free, errors })
    }

    pub(super) const fn errors(&self) -> Errors {
        self.errors
    }

    /// A cipher, if the host has it.
    pub(super) fn cipher(&self, name: &str) -> Option<HostAlgorithm> {
        self.providers.iter().find_map(|it| find(it.ciphers, name, it.context))
    }

    /// Whether the host has a hash function.
    pub(crate) fn has_digest(&self, name: &str) -> bool {
        self.digest(name).is_some()
    }

    /// A hash function, if the host has it.
    pub(super) fn digest(&self, name: &str) -> Option<HostAlgorithm> {
        self.providers.iter().find_map(|it| find(it.digests, name, it.context))
    }
}

/// A cipher that we offer under all of the host's names, with the host's constant parameters.
pub(crate) struct Adopted {
    pub(crate) names: *const c_char,
    pub(crate) functions: Box<[Dispatch]>,
}

impl HostLibrary {
    /// Puts the host's constant parameters into a table of ours, if the host has the cipher.
    pub(crate) fn adopt(&self, name: &str, mut ours: *const Dispatch) -> Option<Adopted> {
        let host = self.cipher(name)?;
        // SAFETY: the table is the host's own, and keeps to core_dispatch.h.
        let get_params = unsafe { CIPHER_GET_PARAMS.find(host.functions)? };
        let mut functions = Vec::new();
        loop {
            // SAFETY: our own tables have an end, which has not been seen.
            let entry = unsafe { *ours };
            functions.push(match entry.is(&CIPHER_GET_PARAMS) {
                true => Dispatch::new(CIPHER_GET_PARAMS, get_params),
                false => entry,
            });
            if entry.is_end() {
                return Some(Adopted { names: host.names, functions: functions.into() });
            }
            // SAFETY: as above.
            ours = unsafe { ours.add(1) };
        }
    }
}

/// An algorithm in the list of a provider with that context.
pub(super) fn find(
    list: *const AlgorithmEntry,
    wanted: &str,
    provider: *mut c_void,
) -> Option<HostAlgorithm> {
    let mut entry = NonNull::new(list.cast_mut())?;
    loop {
        // SAFETY: the list ends with a null name, which has not been seen.
        let found = unsafe { entry.as_ref() };
        if found.names.is_null() {
            return None;
        }
        // SAFETY: names are NUL-terminated.
        let names = unsafe { CStr::from_ptr(found.names) }.to_bytes();
        if names.split(|byte| *byte == b':').any(|name| name == wanted.as_bytes()) {
            let (names, functions) = (found.names, found.functions);
            return Some(HostAlgorithm { names, functions, provider });
        }
        // SAFETY: the end has not been seen.
        entry = unsafe { entry.add(1) };
    }
}

impl Drop for HostLibrary {
    fn drop(&mut self) {
        // SAFETY: all were made by `reach` and are given up once; the providers go first, as
        // OSSL_LIB_CTX(3) wants.
        unsafe {
            for it in &self.providers {
                (self.unload)(it.provider.as_ptr());
            }
            (self.free)(self.library.as_ptr());
        }
    }
}

/// A shared object that is open already.
pub(super) struct OpenFile(NonNull<c_void>);

impl OpenFile {
    /// The one that the core's functions lie in.
    pub(super) fn of(core: &Core) -> Result<Self, String> {
        let address = core.address().ok_or("this core has no functions")?;
        let mut found = libc::Dl_info {
            dli_fname: null(),
            dli_fbase: null_mut(),
            dli_sname: null(),
            dli_saddr: null_mut(),
        };
        // SAFETY: any address may be asked about.
        if unsafe { libc::dladdr(address, &raw mut found) } == 0 || found.dli_fname.is_null() {
            return Err("nobody knows which file this libcrypto is".to_owned());
        }
        // SAFETY: a name that dladdr(3) gave, and nothing is loaded: it is open or it is not.
        let handle = unsafe { libc::dlopen(found.dli_fname, libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
        NonNull::new(handle)
            .map(Self)
            .ok_or_else(|| "this program has its own libcrypto".to_owned())
    }

    /// A function of the file.
    pub(super) fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) }
        // SAFETY: an open handle and a NUL-terminated name.
        let address =
            unsafe { libc::dlsym(self.0.as_ptr(), name.to_bytes_with_nul().as_ptr().cast()) };
        if address.is_null() {
            let name = name.to_string_lossy();
            return Err(format!("this program's own libcrypto does not export {name}"));
        }
        // SAFETY: the name belongs to this signature in every libcrypto since 3.0.
        Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // SAFETY: the handle is ours; the library stays open for whoever opened it.
        unsafe { libc::dlclose(self.0.as_ptr()) };
    }
}
