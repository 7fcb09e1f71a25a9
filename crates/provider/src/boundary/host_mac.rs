//! HMAC of the program's other providers, in the program's own library context: its hash functions may be
//! anybody's, so no context of ours will do.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{NonNull, null};
use std::sync::Arc;

use wirespeed_cipher::Digest;

use super::host_library::OpenFile;
use crate::host::Core;
use crate::openssl::*;
use crate::params::{END, entry};
use crate::refusal::Refusal;

type Fetch = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// Where they come from.
pub(crate) struct HostMacs {
    library_context: *mut c_void,
    fetch: Fetch,
    free_mac: FreeContext,
    new: NewContext,
    duplicate: NewContext,
    free: FreeContext,
    initialise: MacInitialise,
    update: DigestUpdate,
    finish: Finish,
    set: SetContextParams,
    get: GetContextParams,
}

// SAFETY: libcrypto's functions may be called from any thread (openssl-threads(7)), and a library context
// may be used from all; nothing here changes after it was made.
unsafe impl Send for HostMacs {}
// SAFETY: as above.
unsafe impl Sync for HostMacs {}

impl HostMacs {
    /// Of the libcrypto behind `core`, if it can be reached.
    pub(crate) fn reach(core: &Core) -> Option<Arc<Self>> {
        let library_context = core.library_context()?;
        let file = OpenFile::of(core).ok()?;
        let find = || {
            Ok::<_, String>(Self {
                library_context,
                fetch: file.function(c"EVP_MAC_fetch")?,
                free_mac: file.function(c"EVP_MAC_free")?,
                new: file.function(c"EVP_MAC_CTX_new")?,
                duplicate: file.function(c"EVP_MAC_CTX_dup")?,
                free: file.function(c"EVP_MAC_CTX_free")?,
                initialise: file.function(c"EVP_MAC_init")?,
                update: file.function(c"EVP_MAC_update")?,
                finish: file.function(c"EVP_MAC_final")?,
                set: file.function(c"EVP_MAC_CTX_set_params")?,
                get: file.function(c"EVP_MAC_CTX_get_params")?,
            })
        };
        find().ok().map(Arc::new)
    }
}

/// A context of another provider's HMAC.
pub(crate) struct HostMac {
    macs: Arc<HostMacs>,
    context: NonNull<c_void>,
    /// Whether a message was under way elsewhere, and none has begun since.
    is_lost: bool,
}

impl HostMac {
    /// An empty context.
    pub(crate) fn new(macs: &Arc<HostMacs>) -> Result<Self, Refusal> {
        /// Not ours, which would come back here.
        const OTHERS: &CStr = c"provider!=wirespeed";
        // SAFETY: keeps to EVP_MAC(3); the library context is the one that keeps us loaded.
        let context = unsafe {
            let mac = (macs.fetch)(macs.library_context, c"HMAC".as_ptr(), OTHERS.as_ptr());
            if mac.is_null() {
                return Err(Refusal::SILENT);
            }
            let context = (macs.new)(mac);
            (macs.free_mac)(mac);
            context
        };
        let context = NonNull::new(context).ok_or(Refusal::SILENT)?;
        Ok(Self { macs: macs.clone(), context, is_lost: false })
    }

    pub(crate) fn duplicate(&self) -> Result<Self, Refusal> {
        // SAFETY: our own live context.
        let copy = unsafe { (self.macs.duplicate)(self.context.as_ptr()) };
        let context = NonNull::new(copy).ok_or(Refusal::SILENT)?;
        Ok(Self { macs: self.macs.clone(), context, is_lost: self.is_lost })
    }

    /// Tells it the hash function.
    pub(crate) fn choose(&mut self, digest: Digest) -> Result<(), Refusal> {
        let name = CString::new(digest.name()).map_err(|_| Refusal::SILENT)?;
        let text = name.as_ptr().cast_mut().cast();
        let bytes = name.as_bytes().len();
        let list = [entry(c"digest", data_type::UTF8_STRING, text, bytes), END];
        // SAFETY: the list has an end.
        unsafe { self.set(list.as_ptr()) }
    }

    /// Gives it a key, and the message that was begun elsewhere, if that was still empty.
    pub(crate) fn key(&mut self, key: &[u8], is_empty: bool) -> Result<(), Refusal> {
        // SAFETY: no list.
        unsafe { self.start(Some(key), null()) }?;
        self.is_lost = !is_empty;
        Ok(())
    }

    /// # Safety
    /// `list` must be null or end with a null key.
    pub(crate) unsafe fn set(&mut self, list: *const Param) -> Result<(), Refusal> {
        // SAFETY: our own live context, and the list that the caller promises.
        succeeded(unsafe { (self.macs.set)(self.context.as_ptr(), list) })
    }

    /// # Safety
    /// `list` must be null or end with a null key, be writable, and be nobody else's.
    pub(crate) unsafe fn answer(&self, list: *mut Param) -> Result<(), Refusal> {
        // SAFETY: our own live context, and the list that the caller promises.
        succeeded(unsafe { (self.macs.get)(self.context.as_ptr(), list) })
    }

    /// # Safety
    /// `list` must be null or end with a null key.
    pub(crate) unsafe fn start(
        &mut self,
        key: Option<&[u8]>,
        list: *const Param,
    ) -> Result<(), Refusal> {
        let (start, length) = key.map_or((null(), 0), |key| (key.as_ptr(), key.len()));
        // SAFETY: our own live context, a key of that length, and the list that the caller promises.
        let result = unsafe { (self.macs.initialise)(self.context.as_ptr(), start, length, list) };
        succeeded(result)?;
        self.is_lost = false;
        Ok(())
    }

    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), Refusal> {
        if self.is_lost {
            return Err(Refusal::SILENT);
        }
        // SAFETY: our own live context, and as many bytes as told.
        succeeded(unsafe { (self.macs.update)(self.context.as_ptr(), data.as_ptr(), data.len()) })
    }

    pub(crate) fn finish(&mut self, room: &mut [u8]) -> Result<usize, Refusal> {
        if self.is_lost {
            return Err(Refusal::SILENT);
        }
        let (start, length, mut written) = (room.as_mut_ptr(), room.len(), 0);
        let finish = self.macs.finish;
        // SAFETY: our own live context, and as much room as told.
        succeeded(unsafe { finish(self.context.as_ptr(), start, &raw mut written, length) })?;
        Ok(written)
    }
}

fn succeeded(result: c_int) -> Result<(), Refusal> {
    if result == 1 { Ok(()) } else { Err(Refusal::SILENT) }
}

impl Drop for HostMac {
    fn drop(&mut self) {
        // SAFETY: our own context, freed once.
        unsafe { (self.macs.free)(self.context.as_ptr()) };
    }
}
