//! The libcrypto that loaded us, as one more route: its own default provider.
//!
//! We do not link libcrypto. The address of a core function tells which file it came from, that file
//! is open already, and from it come the six functions needed to load its default provider into a
//! library context of our own, away from the program's providers and properties. Its ciphers are then
//! called directly through their dispatch tables, without EVP in between.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

use wirespeed_cipher::{Algorithm, Direction, InOut, Mode};
use zeroize::Zeroize;

use crate::host::Core;
use crate::openssl::*;
use crate::params::{END, entry};

type NewLibraryContext = unsafe extern "C" fn() -> *mut c_void;
type FreeLibraryContext = unsafe extern "C" fn(*mut c_void);
type LoadProvider = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type UnloadProvider = unsafe extern "C" fn(*mut c_void) -> c_int;
type ProviderContext = unsafe extern "C" fn(*const c_void) -> *mut c_void;

/// The default provider of the host's libcrypto, loaded for us alone.
pub(crate) struct HostLibrary {
    library: NonNull<c_void>,
    provider: NonNull<c_void>,
    /// What its functions take as their provider context.
    context: *mut c_void,
    ciphers: *const AlgorithmEntry,
    unload: UnloadProvider,
    free: FreeLibraryContext,
}

// SAFETY: a provider's functions may be called from any thread (provider(7)); nothing here changes
// after it was made.
unsafe impl Send for HostLibrary {}
// SAFETY: as above.
unsafe impl Sync for HostLibrary {}

impl HostLibrary {
    /// Reaches the libcrypto behind `core`; the error says why it cannot be reached.
    pub(crate) fn reach(core: &Core) -> Result<Arc<Self>, String> {
        let file = OpenFile::of(core)?;
        let new = file.function::<NewLibraryContext>(c"OSSL_LIB_CTX_new")?;
        let free = file.function::<FreeLibraryContext>(c"OSSL_LIB_CTX_free")?;
        let load = file.function::<LoadProvider>(c"OSSL_PROVIDER_load")?;
        let unload = file.function::<UnloadProvider>(c"OSSL_PROVIDER_unload")?;
        let query = file.function::<QueryOperation>(c"OSSL_PROVIDER_query_operation")?;
        let context_of = file.function::<ProviderContext>(c"OSSL_PROVIDER_get0_provider_ctx")?;
        // SAFETY: all six keep to OSSL_LIB_CTX(3) and OSSL_PROVIDER(3), and everything that is made
        // here is freed by `drop`, or on the way out.
        unsafe {
            let library = NonNull::new(new()).ok_or("no memory for a library context")?;
            let Some(provider) = NonNull::new(load(library.as_ptr(), c"default".as_ptr())) else {
                free(library.as_ptr());
                return Err("the default provider of this libcrypto does not load".to_owned());
            };
            let mut no_cache = 0;
            Ok(Arc::new(Self {
                library,
                provider,
                context: context_of(provider.as_ptr()),
                ciphers: query(provider.as_ptr(), OPERATION_CIPHER, &raw mut no_cache),
                unload,
                free,
            }))
        }
    }

    /// A host of these ciphers, which nothing stands behind.
    #[cfg(test)]
    pub(crate) fn forged(ciphers: *const AlgorithmEntry) -> Arc<Self> {
        unsafe extern "C" fn unload(_: *mut c_void) -> c_int {
            1
        }
        unsafe extern "C" fn free(_: *mut c_void) {}
        Arc::new(Self {
            library: NonNull::dangling(),
            provider: NonNull::dangling(),
            context: null_mut(),
            ciphers,
            unload,
            free,
        })
    }

    /// The functions of `algorithm`, if the default provider has it.
    fn functions(&self, algorithm: Algorithm) -> Option<*const Dispatch> {
        let mut entry = NonNull::new(self.ciphers.cast_mut())?;
        loop {
            // SAFETY: the list ends with a null name, which has not been seen.
            let found = unsafe { entry.as_ref() };
            if found.names.is_null() {
                return None;
            }
            // SAFETY: names are NUL-terminated.
            let names = unsafe { CStr::from_ptr(found.names) }.to_bytes();
            if names.split(|byte| *byte == b':').any(|name| name == algorithm.name().as_bytes()) {
                return Some(found.functions);
            }
            // SAFETY: the end has not been seen.
            entry = unsafe { entry.add(1) };
        }
    }
}

impl Drop for HostLibrary {
    fn drop(&mut self) {
        // SAFETY: both were made by `reach` and are given up once; the provider goes first, as
        // OSSL_LIB_CTX(3) wants.
        unsafe {
            (self.unload)(self.provider.as_ptr());
            (self.free)(self.library.as_ptr());
        }
    }
}

/// A shared object that is open already.
struct OpenFile(NonNull<c_void>);

impl OpenFile {
    /// The one that the core's functions lie in.
    fn of(core: &Core) -> Result<Self, String> {
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
    fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
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

/// The default provider refused, or there was no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostFailed;

/// A cipher context of the default provider beside one of ours.
pub(crate) struct HostCipher {
    functions: Functions,
    context: *mut c_void,
    block_mode: bool,
    /// The length of IV that the context expects.
    iv_bytes: usize,
    /// The key that was set last, kept until a call needs it.
    key: [u8; 64],
    key_bytes: usize,
    /// The direction in which it was set: default providers keep to it when only the direction changes.
    key_direction: Direction,
    /// Whether the context has it.
    ready: bool,
    library: Arc<HostLibrary>,
}

#[derive(Clone, Copy)]
struct Functions {
    free: FreeContext,
    duplicate: NewContext,
    initialise: [Initialise; 2],
    update: Update,
    finish: Finish,
    answer: GetContextParams,
    set: SetContextParams,
}

impl HostCipher {
    /// A context, if the default provider has the algorithm and there is memory.
    pub(crate) fn new(library: &Arc<HostLibrary>, algorithm: Algorithm) -> Option<Self> {
        let table = library.functions(algorithm)?;
        // SAFETY: the table is the default provider's own, and keeps to core_dispatch.h.
        let (new, functions) = unsafe {
            (
                CIPHER_NEW_CONTEXT.find(table)?,
                Functions {
                    free: CIPHER_FREE_CONTEXT.find(table)?,
                    duplicate: CIPHER_DUPLICATE_CONTEXT.find(table)?,
                    initialise: [
                        CIPHER_ENCRYPT_INIT.find(table)?,
                        CIPHER_DECRYPT_INIT.find(table)?,
                    ],
                    update: CIPHER_UPDATE.find(table)?,
                    finish: CIPHER_FINAL.find(table)?,
                    answer: CIPHER_GET_CONTEXT_PARAMS.find(table)?,
                    set: CIPHER_SET_CONTEXT_PARAMS.find(table)?,
                },
            )
        };
        // SAFETY: the default provider's own context.
        let context = unsafe { new(library.context) };
        let block_mode = matches!(algorithm.mode(), Mode::Ecb | Mode::Cbc);
        (!context.is_null()).then(|| Self {
            functions,
            context,
            block_mode,
            iv_bytes: algorithm.iv_bytes(),
            key: [0; 64],
            key_bytes: 0,
            key_direction: Direction::Decrypt,
            ready: false,
            library: library.clone(),
        })
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
    fn start(&mut self, direction: Direction, iv: &[u8]) -> Result<(), HostFailed> {
        if self.context.is_null() || self.key_bytes == 0 {
            return Err(HostFailed);
        }
        if !self.ready {
            let mut no_padding = 0_u32;
            let padding = entry(c"padding", data_type::UNSIGNED, (&raw mut no_padding).cast(), 4);
            let params = [padding, END];
            let params = if self.block_mode { &params } else { &params[1..] };
            self.initialise(self.key_direction, Some(&self.key[..self.key_bytes]), iv, params)?;
            self.ready = true;
            if self.key_direction == direction {
                return Ok(());
            }
        }
        self.initialise(direction, None, iv, &[END])
    }

    fn initialise(
        &self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: &[u8],
        params: &[Param],
    ) -> Result<(), HostFailed> {
        debug_assert!(params.last().is_some_and(Param::is_end));
        let (key, key_bytes) = key.map_or((null(), 0), |key| (key.as_ptr(), key.len()));
        let iv_start = if iv.is_empty() { null() } else { iv.as_ptr() };
        let initialise = self.functions.initialise[direction as usize];
        // SAFETY: the context is this table's own and in nobody else's use; key and IV are as long as
        // told, and the list has an end.
        let ok = unsafe {
            initialise(self.context, key, key_bytes, iv_start, iv.len(), params.as_ptr())
        };
        if ok == 1 { Ok(()) } else { Err(HostFailed) }
    }

    /// One run over `data` from `iv` on. Modes over whole blocks must get whole blocks.
    pub(crate) fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        data: InOut<'_>,
    ) -> Result<(), HostFailed> {
        self.start(direction, iv)?;
        self.update(data)
    }

    /// Begins a GCM message with its associated data.
    pub(crate) fn begin(
        &mut self,
        direction: Direction,
        iv: &[u8],
        aad: &[u8],
    ) -> Result<(), HostFailed> {
        if iv.len() != self.iv_bytes {
            self.set_iv_length(iv.len())?;
        }
        self.start(direction, iv)?;
        self.associate(aad)
    }

    fn set_iv_length(&mut self, mut bytes: usize) -> Result<(), HostFailed> {
        let size = size_of::<usize>();
        let length = entry(c"ivlen", data_type::UNSIGNED, (&raw mut bytes).cast(), size);
        if self.context.is_null() {
            return Err(HostFailed);
        }
        // SAFETY: the context is this table's own, and the list has an end.
        let ok = unsafe { (self.functions.set)(self.context, [length, END].as_ptr()) };
        self.iv_bytes = if ok == 1 { bytes } else { 0 };
        if ok == 1 { Ok(()) } else { Err(HostFailed) }
    }

    /// The next associated data.
    pub(crate) fn associate(&mut self, aad: &[u8]) -> Result<(), HostFailed> {
        if aad.is_empty() { Ok(()) } else { self.call(null_mut(), aad.as_ptr(), aad.len()) }
    }

    /// The next bytes.
    pub(crate) fn update(&mut self, data: InOut<'_>) -> Result<(), HostFailed> {
        self.call(data.destination(), data.source(), data.len())
    }

    fn call(&mut self, output: *mut u8, input: *const u8, length: usize) -> Result<(), HostFailed> {
        let mut written = 0;
        // SAFETY: the context is this table's own; input and output come from slices or from an
        // `InOut` of this length.
        let ok = unsafe {
            (self.functions.update)(self.context, output, &raw mut written, length, input, length)
        };
        if ok == 1 && written == length { Ok(()) } else { Err(HostFailed) }
    }

    /// Ends a GCM message that was encrypted.
    pub(crate) fn tag(&mut self) -> Result<[u8; 16], HostFailed> {
        let mut tag = [0; 16];
        self.finish()?;
        let mut wanted =
            [entry(c"tag", data_type::OCTET_STRING, tag.as_mut_ptr().cast(), tag.len()), END];
        // SAFETY: the context is this table's own, the list has an end and room for a tag.
        let ok = unsafe { (self.functions.answer)(self.context, wanted.as_mut_ptr()) };
        if ok == 1 { Ok(tag) } else { Err(HostFailed) }
    }

    /// Ends a GCM message that was decrypted; an error unless `tag` is the beginning of its tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), HostFailed> {
        let given =
            entry(c"tag", data_type::OCTET_STRING, tag.as_ptr().cast_mut().cast(), tag.len());
        // SAFETY: the context is this table's own; a list to be set is only read, and has an end.
        let ok = unsafe { (self.functions.set)(self.context, [given, END].as_ptr()) };
        if ok == 1 { self.finish() } else { Err(HostFailed) }
    }

    fn finish(&mut self) -> Result<(), HostFailed> {
        let mut written = 0;
        let mut nothing = [0; 16];
        // SAFETY: the context is this table's own; there is room for more than GCM's last bytes.
        let ok = unsafe {
            (self.functions.finish)(
                self.context,
                nothing.as_mut_ptr(),
                &raw mut written,
                nothing.len(),
            )
        };
        if ok == 1 { Ok(()) } else { Err(HostFailed) }
    }
}

impl Clone for HostCipher {
    /// Without memory the copy has no context, and all its calls fail.
    fn clone(&self) -> Self {
        let context = if self.context.is_null() {
            null_mut()
        } else {
            // SAFETY: the context is this table's own.
            unsafe { (self.functions.duplicate)(self.context) }
        };
        Self { context, library: self.library.clone(), ..*self }
    }
}

impl Drop for HostCipher {
    fn drop(&mut self) {
        self.key.zeroize();
        if !self.context.is_null() {
            // SAFETY: the context is this table's own, and given up here.
            unsafe { (self.functions.free)(self.context) };
        }
    }
}
