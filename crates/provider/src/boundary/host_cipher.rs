//! A cipher of the host's default provider, called through its own table of functions, without EVP.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use wirespeed_cipher::{Algorithm, Direction, InOut, Mode};
use zeroize::Zeroize;

use super::host_library::HostLibrary;
use crate::far::FarFailed;
use crate::openssl::*;
use crate::params::{END, entry};

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
        let host = library.cipher(algorithm.name())?;
        let table = host.functions;
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
        let context = unsafe { new(host.provider) };
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
    fn start(&mut self, direction: Direction, iv: &[u8]) -> Result<(), FarFailed> {
        if self.context.is_null() || self.key_bytes == 0 {
            return Err(FarFailed);
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
    ) -> Result<(), FarFailed> {
        debug_assert!(params.last().is_some_and(Param::is_end));
        let (key, key_bytes) = key.map_or((null(), 0), |key| (key.as_ptr(), key.len()));
        let iv_start = if iv.is_empty() { null() } else { iv.as_ptr() };
        let initialise = self.functions.initialise[direction as usize];
        // SAFETY: the context is this table's own and in nobody else's use; key and IV are as long as
        // told, and the list has an end.
        let ok = unsafe {
            initialise(self.context, key, key_bytes, iv_start, iv.len(), params.as_ptr())
        };
        if ok == 1 { Ok(()) } else { Err(FarFailed) }
    }

    /// One run over `data` from `iv` on. Modes over whole blocks must get whole blocks.
    pub(crate) fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        data: InOut<'_>,
    ) -> Result<(), FarFailed> {
        self.start(direction, iv)?;
        self.update(data)
    }

    /// Begins a GCM message with its associated data.
    pub(crate) fn begin(
        &mut self,
        direction: Direction,
        iv: &[u8],
        aad: &[u8],
    ) -> Result<(), FarFailed> {
        if iv.len() != self.iv_bytes {
            self.set_iv_length(iv.len())?;
        }
        self.start(direction, iv)?;
        self.associate(aad)
    }

    fn set_iv_length(&mut self, mut bytes: usize) -> Result<(), FarFailed> {
        let size = size_of::<usize>();
        let length = entry(c"ivlen", data_type::UNSIGNED, (&raw mut bytes).cast(), size);
        if self.context.is_null() {
            return Err(FarFailed);
        }
        // SAFETY: the context is this table's own, and the list has an end.
        let ok = unsafe { (self.functions.set)(self.context, [length, END].as_ptr()) };
        self.iv_bytes = if ok == 1 { bytes } else { 0 };
        if ok == 1 { Ok(()) } else { Err(FarFailed) }
    }

    /// The next associated data.
    pub(crate) fn associate(&mut self, aad: &[u8]) -> Result<(), FarFailed> {
        if aad.is_empty() { Ok(()) } else { self.call(null_mut(), aad.as_ptr(), aad.len()) }
    }

    /// The next bytes.
    pub(crate) fn update(&mut self, data: InOut<'_>) -> Result<(), FarFailed> {
        self.call(data.destination(), data.source(), data.len())
    }

    fn call(&mut self, output: *mut u8, input: *const u8, length: usize) -> Result<(), FarFailed> {
        let mut written = 0;
        // SAFETY: the context is this table's own; input and output come from slices or from an
        // `InOut` of this length.
        let ok = unsafe {
            (self.functions.update)(self.context, output, &raw mut written, length, input, length)
        };
        if ok == 1 && written == length { Ok(()) } else { Err(FarFailed) }
    }

    /// Ends a GCM message that was encrypted.
    pub(crate) fn tag(&mut self) -> Result<[u8; 16], FarFailed> {
        let mut tag = [0; 16];
        self.finish()?;
        let mut wanted =
            [entry(c"tag", data_type::OCTET_STRING, tag.as_mut_ptr().cast(), tag.len()), END];
        // SAFETY: the context is this table's own, the list has an end and room for a tag.
        let ok = unsafe { (self.functions.answer)(self.context, wanted.as_mut_ptr()) };
        if ok == 1 { Ok(tag) } else { Err(FarFailed) }
    }

    /// Ends a GCM message that was decrypted; an error unless `tag` is the beginning of its tag.
    pub(crate) fn verify(&mut self, tag: &[u8]) -> Result<(), FarFailed> {
        let given =
            entry(c"tag", data_type::OCTET_STRING, tag.as_ptr().cast_mut().cast(), tag.len());
        // SAFETY: the context is this table's own; a list to be set is only read, and has an end.
        let ok = unsafe { (self.functions.set)(self.context, [given, END].as_ptr()) };
        if ok == 1 { self.finish() } else { Err(FarFailed) }
    }

    fn finish(&mut self) -> Result<(), FarFailed> {
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
        if ok == 1 { Ok(()) } else { Err(FarFailed) }
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
