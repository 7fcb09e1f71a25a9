//! A cipher context of the host's default provider, called through its own table of functions, without
//! EVP.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use wirespeed_cipher::{Direction, InOut};

use super::host_library::HostLibrary;
use crate::call::Call;
use crate::far::FarFailed;
use crate::openssl::*;
use crate::params::{END, entry};

/// A context, as its provider made it.
pub(crate) struct HostContext {
    functions: Functions,
    context: *mut c_void,
    /// Keeps its provider loaded.
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

impl HostContext {
    /// A context, if the host has the cipher and there is memory.
    pub(crate) fn new(library: &Arc<HostLibrary>, name: &str) -> Option<Self> {
        let host = library.cipher(name)?;
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
        let library = library.clone();
        (!context.is_null()).then_some(Self { functions, context, library })
    }

    /// A start, with a key, an IV, both or neither.
    pub(crate) fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: &[Param],
    ) -> Result<(), FarFailed> {
        debug_assert!(params.last().is_some_and(Param::is_end));
        let parts = |bytes: Option<&[u8]>| bytes.map_or((null(), 0), |it| (it.as_ptr(), it.len()));
        let ((key, key_bytes), (iv, iv_bytes)) = (parts(key), parts(iv));
        self.check(|it| {
            let initialise = it.functions.initialise[direction as usize];
            // SAFETY: the context is this table's own and in nobody else's use; key and IV are as long
            // as told, and the list has an end.
            unsafe { initialise(it.context, key, key_bytes, iv, iv_bytes, params.as_ptr()) }
        })
    }

    /// The next bytes; tells how many were written.
    ///
    /// # Safety
    /// `output` must be null or writable for `capacity` bytes, and `input` readable for `length`.
    pub(super) unsafe fn update(
        &mut self,
        output: *mut u8,
        capacity: usize,
        input: *const u8,
        length: usize,
    ) -> Result<usize, FarFailed> {
        let mut written = 0;
        self.check(|it| {
            // SAFETY: the context is this table's own; the caller promises the buffers.
            unsafe {
                let update = it.functions.update;
                update(it.context, output, &raw mut written, capacity, input, length)
            }
        })?;
        Ok(written)
    }

    /// One run over data of ours.
    pub(crate) fn run(&mut self, data: InOut<'_>) -> Result<usize, FarFailed> {
        let (output, input, bytes) = (data.destination(), data.source(), data.len());
        // SAFETY: an `InOut` vouches for its buffers.
        unsafe { self.update(output, bytes, input, bytes) }
    }

    /// One call of a program's, as it came.
    pub(crate) fn forward(&mut self, call: Call<'_>) -> Result<usize, FarFailed> {
        let (output, capacity, input, length) = call.into_raw();
        // SAFETY: a call vouches for its buffers.
        unsafe { self.update(output, capacity, input, length) }
    }

    /// The end of a message; tells how many bytes were written.
    pub(crate) fn finish(&mut self, call: Call<'_>) -> Result<usize, FarFailed> {
        let (output, capacity, ..) = call.into_raw();
        let mut written = 0;
        self.check(|it| {
            // SAFETY: the context is this table's own; a call vouches for its buffer.
            unsafe { (it.functions.finish)(it.context, output, &raw mut written, capacity) }
        })?;
        Ok(written)
    }

    /// Whether there is padding.
    pub(crate) fn set_padding(&mut self, padded: bool) -> Result<(), FarFailed> {
        let mut padded = u32::from(padded);
        let padding = entry(c"padding", data_type::UNSIGNED, (&raw mut padded).cast(), 4);
        // SAFETY: the list has an end.
        unsafe { self.set([padding, END].as_ptr()) }
    }

    /// The chaining value or counter.
    pub(crate) fn chain(&mut self, iv: &mut [u8]) -> Result<(), FarFailed> {
        let (start, bytes) = (iv.as_mut_ptr().cast(), iv.len());
        let mut wanted = [entry(c"updated-iv", data_type::OCTET_STRING, start, bytes), END];
        // SAFETY: the list has an end and room for the IV.
        unsafe { self.answer(wanted.as_mut_ptr()) }
    }

    /// Answers parameters.
    ///
    /// # Safety
    /// `list` must be null or end with a null key, be writable, and be nobody else's.
    pub(crate) unsafe fn answer(&mut self, list: *mut Param) -> Result<(), FarFailed> {
        // SAFETY: the context is this table's own; the caller promises the list.
        self.check(|it| unsafe { (it.functions.answer)(it.context, list) })
    }

    /// Takes parameters.
    ///
    /// # Safety
    /// `list` must be null or end with a null key.
    pub(crate) unsafe fn set(&mut self, list: *const Param) -> Result<(), FarFailed> {
        // SAFETY: the context is this table's own; the caller promises the list.
        self.check(|it| unsafe { (it.functions.set)(it.context, list) })
    }

    fn check(&mut self, run: impl FnOnce(&mut Self) -> i32) -> Result<(), FarFailed> {
        if !self.context.is_null() && run(self) == 1 { Ok(()) } else { Err(FarFailed) }
    }
}

impl Clone for HostContext {
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

impl Drop for HostContext {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: the context is this table's own, and given up here.
            unsafe { (self.functions.free)(self.context) };
        }
    }
}
