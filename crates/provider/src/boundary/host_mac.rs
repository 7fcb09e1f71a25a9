//! HMAC of the program's other providers, in the program's own library context: its hash functions may be
//! anybody's, so no library context of ours will do. Called through its own table of functions, without EVP:
//! what is not ours should not take longer because something else is.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{NonNull, null};
use std::sync::Arc;

use wirespeed_cipher::Digest;
use wirespeed_fork::SetOnce;

use super::host_library::{Errors, OpenFile, ProviderContext, find};
use crate::error::CallError;
use crate::host::Core;
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::params::{END, entry};

type Fetch = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
type ProviderOf = unsafe extern "C" fn(*const c_void) -> *mut c_void;

/// Where it comes from.
pub(crate) struct HostMacs {
    library_context: *mut c_void,
    fetch: Fetch,
    free_mac: FreeContext,
    provider_of: ProviderOf,
    context_of: ProviderContext,
    query: QueryOperation,
    errors: Errors,
    /// Looked for when first needed: while we are being loaded the others may not be there yet.
    found: SetOnce<Hmac>,
}

/// HMAC as another provider has it.
struct Hmac {
    /// The fetched method, which keeps its provider loaded.
    mac: *mut c_void,
    /// What makes contexts takes this.
    provider: *mut c_void,
    new: NewContext,
    free: FreeContext,
    duplicate: NewContext,
    initialise: MacInitialise,
    update: DigestUpdate,
    finish: Finish,
    set: SetContextParams,
    get: GetContextParams,
}

// SAFETY: libcrypto's functions and those of providers may be called from any thread (openssl-threads(7),
// provider(7)), and a library context may be used from all.
unsafe impl Send for HostMacs {}
// SAFETY: as above; what changes has a lock.
unsafe impl Sync for HostMacs {}
// SAFETY: as above; nothing in it changes.
unsafe impl Send for Hmac {}
// SAFETY: as above.
unsafe impl Sync for Hmac {}

impl HostMacs {
    /// Of the libcrypto behind `core`, if it can be reached.
    pub(crate) fn reach(core: &Core) -> Option<Arc<Self>> {
        let library_context = core.library_context()?;
        let file = OpenFile::of(core).ok()?;
        let functions = || {
            Ok::<_, String>(Self {
                library_context,
                fetch: file.function(c"EVP_MAC_fetch")?,
                free_mac: file.function(c"EVP_MAC_free")?,
                provider_of: file.function(c"EVP_MAC_get0_provider")?,
                context_of: file.function(c"OSSL_PROVIDER_get0_provider_ctx")?,
                query: file.function(c"OSSL_PROVIDER_query_operation")?,
                errors: Errors::of(&file)?,
                found: SetOnce::new(),
            })
        };
        functions().ok().map(Arc::new)
    }

    /// Their HMAC, if there is one.
    fn hmac(&self) -> Option<&Hmac> {
        if self.found.get().is_none() {
            let hmac = self.look()?;
            if let Err(late) = self.found.set(hmac) {
                // SAFETY: our own reference, of which nothing else knows.
                unsafe { (self.free_mac)(late.mac) };
            }
        }
        self.found.get()
    }

    #[cold]
    fn look(&self) -> Option<Hmac> {
        /// Not ours, which would come back here.
        const OTHERS: &CStr = c"provider!=wirespeed";
        // SAFETY: keeps to EVP_MAC(3) and OSSL_PROVIDER(3); the library context is the one that keeps us
        // loaded, and the table is the provider's own and keeps to core_dispatch.h.
        unsafe {
            let mac = (self.fetch)(self.library_context, c"HMAC".as_ptr(), OTHERS.as_ptr());
            if mac.is_null() {
                return None;
            }
            let functions = || {
                let provider = (self.provider_of)(mac);
                let mut no_cache = 0;
                let list = (self.query)(provider, OPERATION_MAC, &raw mut no_cache);
                let host = find(list, "HMAC", (self.context_of)(provider))?;
                let table = host.functions;
                Some(Hmac {
                    mac,
                    provider: host.provider,
                    new: MAC_NEW_CONTEXT.find(table)?,
                    free: MAC_FREE_CONTEXT.find(table)?,
                    duplicate: MAC_DUPLICATE_CONTEXT.find(table)?,
                    initialise: MAC_INIT.find(table)?,
                    update: MAC_UPDATE.find(table)?,
                    finish: MAC_FINAL.find(table)?,
                    set: MAC_SET_CONTEXT_PARAMS.find(table)?,
                    get: MAC_GET_CONTEXT_PARAMS.find(table)?,
                })
            };
            let found = functions();
            if found.is_none() {
                (self.free_mac)(mac);
            }
            found
        }
    }
}

impl Drop for HostMacs {
    fn drop(&mut self) {
        if let Some(hmac) = self.found.get() {
            // SAFETY: our own reference, given back once.
            unsafe { (self.free_mac)(hmac.mac) };
        }
    }
}

/// A context of another provider's HMAC.
pub(crate) struct HostMac {
    macs: Arc<HostMacs>,
    context: NonNull<c_void>,
    /// Whether a message was under way elsewhere, and none has begun since. Then there is nothing to go on with.
    is_lost: bool,
}

impl HostMac {
    /// An empty context.
    pub(crate) fn new(macs: &Arc<HostMacs>) -> Result<Self, CallError> {
        let hmac = macs.hmac().ok_or(CallError::SILENT)?;
        // SAFETY: the provider's own function and its own context.
        let context =
            NonNull::new(unsafe { (hmac.new)(hmac.provider) }).ok_or(CallError::SILENT)?;
        Ok(Self { macs: macs.clone(), context, is_lost: false })
    }

    /// The functions that made the context.
    fn hmac(&self) -> Result<&Hmac, CallError> {
        self.macs.found.get().ok_or(CallError::SILENT)
    }

    pub(crate) fn duplicate(&self) -> Result<Self, CallError> {
        // SAFETY: our own live context.
        let copy = unsafe { (self.hmac()?.duplicate)(self.context.as_ptr()) };
        let context = NonNull::new(copy).ok_or(CallError::SILENT)?;
        Ok(Self { macs: self.macs.clone(), context, is_lost: self.is_lost })
    }

    /// Tells it the hash function.
    pub(crate) fn choose(&mut self, digest: Digest) -> Result<(), CallError> {
        let name = CString::new(digest.name()).map_err(|_| CallError::SILENT)?;
        self.choose_named(&name)
    }

    /// Takes the hash function away from the next key, as one that cannot be had does. That it fails is no news.
    pub(crate) fn choose_none(&mut self) {
        let _ = self.macs.errors.forgetting(|| self.choose_named(c"none"));
    }

    fn choose_named(&mut self, name: &CStr) -> Result<(), CallError> {
        let text = name.as_ptr().cast_mut().cast();
        let bytes = name.to_bytes().len();
        let list = [entry(c"digest", data_type::UTF8_STRING, text, bytes), END];
        self.set(Given::of(&list))
    }

    /// A message was under way elsewhere that is not to be had here.
    pub(crate) const fn lose_message(&mut self) {
        self.is_lost = true;
    }

    /// Takes parameters. A key among them begins a message.
    pub(crate) fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        // SAFETY: our own live context, and a good list.
        succeeded(unsafe { (self.hmac()?.set)(self.context.as_ptr(), list.as_ptr()) })?;
        self.is_lost = self.is_lost && list.find(b"key\0").is_none();
        Ok(())
    }

    pub(crate) fn answer(&self, list: Asked<'_>) -> Result<(), CallError> {
        // SAFETY: our own live context, and a good list.
        succeeded(unsafe { (self.hmac()?.get)(self.context.as_ptr(), list.into_ptr()) })
    }

    pub(crate) fn start(&mut self, key: Option<&[u8]>, list: Given<'_>) -> Result<(), CallError> {
        let (start, length) = key.map_or((null(), 0), |key| (key.as_ptr(), key.len()));
        let initialise = self.hmac()?.initialise;
        // SAFETY: our own live context, a key of that length, and a good list.
        succeeded(unsafe { initialise(self.context.as_ptr(), start, length, list.as_ptr()) })?;
        self.is_lost = false;
        Ok(())
    }

    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        if self.is_lost {
            return Err(CallError::SILENT);
        }
        // SAFETY: our own live context, and as many bytes as told.
        succeeded(unsafe {
            (self.hmac()?.update)(self.context.as_ptr(), data.as_ptr(), data.len())
        })
    }

    pub(crate) fn finish(&mut self, room: &mut [u8]) -> Result<usize, CallError> {
        if self.is_lost {
            return Err(CallError::SILENT);
        }
        let (start, length, mut written) = (room.as_mut_ptr(), room.len(), 0);
        let finish = self.hmac()?.finish;
        // SAFETY: our own live context; EVP has asked how long the code is, and looked at the room.
        succeeded(unsafe { finish(self.context.as_ptr(), start, &raw mut written, length) })?;
        Ok(written)
    }
}

fn succeeded(result: c_int) -> Result<(), CallError> {
    if result == 1 { Ok(()) } else { Err(CallError::SILENT) }
}

impl Drop for HostMac {
    fn drop(&mut self) {
        if let Ok(hmac) = self.hmac() {
            // SAFETY: our own context, freed once.
            unsafe { (hmac.free)(self.context.as_ptr()) };
        }
    }
}
