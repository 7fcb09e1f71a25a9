//! A cipher context of the host's default provider, called through its own table of functions, without
//! EVP.

use std::ptr::null;
use std::sync::Arc;

use wirespeed_cipher::{Direction, InOut};

use super::host_library::{HostAlgorithm, HostLibrary};
use super::host_object::HostObject;
use crate::call::Call;
use crate::offload::call::OffloadFailed;
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::params::{END, entry};

/// A context, as its provider made it.
#[derive(Clone)]
pub(crate) struct HostContext {
    functions: Functions,
    object: HostObject,
}

#[derive(Clone, Copy)]
struct Functions {
    initialise: [Initialise; 2],
    update: Update,
    one_shot: Option<Update>,
    finish: Finish,
    answer: GetContextParams,
    set: SetContextParams,
}

/// What makes contexts of a cipher that the host has. It is looked up by name, once for all of them.
pub(crate) struct HostContexts {
    library: Arc<HostLibrary>,
    host: HostAlgorithm,
    functions: Functions,
    new: NewContext,
    free: FreeContext,
    duplicate: NewContext,
}

impl HostContexts {
    /// Those of a cipher, if the host has it.
    pub(crate) fn of(library: &Arc<HostLibrary>, name: &str) -> Option<Self> {
        let host = library.cipher(name)?;
        let table = host.functions;
        // SAFETY: the table is the default provider's own, and keeps to core_dispatch.h.
        unsafe {
            let functions = Functions {
                initialise: [CIPHER_ENCRYPT_INIT.find(table)?, CIPHER_DECRYPT_INIT.find(table)?],
                update: CIPHER_UPDATE.find(table)?,
                one_shot: CIPHER_CIPHER.find(table),
                finish: CIPHER_FINAL.find(table)?,
                answer: CIPHER_GET_CONTEXT_PARAMS.find(table)?,
                set: CIPHER_SET_CONTEXT_PARAMS.find(table)?,
            };
            let (new, free) = (CIPHER_NEW_CONTEXT.find(table)?, CIPHER_FREE_CONTEXT.find(table)?);
            let duplicate = CIPHER_DUPLICATE_CONTEXT.find(table)?;
            Some(Self { library: Arc::clone(library), host, functions, new, free, duplicate })
        }
    }

    /// A context, if there is memory.
    pub(crate) fn context(&self) -> Option<HostContext> {
        let Self { library, host, functions, new, free, duplicate } = self;
        // SAFETY: the functions are those of `host`, which is the library's.
        let object = unsafe { HostObject::new(library, host, *new, *free, *duplicate) };
        Some(HostContext { functions: *functions, object: object? })
    }
}

impl HostContext {
    /// A start, with a key, an IV, both or neither.
    pub(crate) fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        params: &[Param],
    ) -> Result<(), OffloadFailed> {
        debug_assert!(params.last().is_some_and(Param::is_end));
        let parts = |bytes: Option<&[u8]>| bytes.map_or((null(), 0), |it| (it.as_ptr(), it.len()));
        let ((key, key_bytes), (iv, iv_bytes)) = (parts(key), parts(iv));
        let initialise = self.functions.initialise[direction as usize];
        self.object.call(|context| {
            // SAFETY: the context is this table's own and in nobody else's use; key and IV are as long
            // as told, and the list has an end.
            unsafe { initialise(context, key, key_bytes, iv, iv_bytes, params.as_ptr()) }
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
    ) -> Result<usize, OffloadFailed> {
        let mut written = 0;
        let update = self.functions.update;
        self.object.call(|context| {
            // SAFETY: the context is this table's own; the caller promises the buffers.
            unsafe { update(context, output, &raw mut written, capacity, input, length) }
        })?;
        Ok(written)
    }

    /// One run over data of ours.
    #[inline]
    pub(crate) fn run(&mut self, data: InOut<'_>) -> Result<usize, OffloadFailed> {
        let (output, input, bytes) = (data.destination(), data.source(), data.len());
        // SAFETY: an `InOut` vouches for its buffers.
        unsafe { self.update(output, bytes, input, bytes) }
    }

    /// The same of a message that may be refused, of which our own caller tells.
    pub(crate) fn try_run(&mut self, data: InOut<'_>) -> Result<usize, OffloadFailed> {
        self.object.errors().forgetting(|| self.run(data))
    }

    /// The next bytes of a mode that keeps none for later calls when it is called thus.
    pub(crate) fn one_shot(&mut self, data: InOut<'_>) -> Result<usize, OffloadFailed> {
        let (output, input, bytes) = (data.destination(), data.source(), data.len());
        let mut written = 0;
        let one_shot = self.functions.one_shot.ok_or(OffloadFailed)?;
        self.object.call(|context| {
            // SAFETY: the context is this table's own; an `InOut` vouches for its buffers.
            unsafe { one_shot(context, output, &raw mut written, bytes, input, bytes) }
        })?;
        Ok(written)
    }

    /// One call of a program's, as it came.
    pub(crate) fn forward(&mut self, call: Call<'_>) -> Result<usize, OffloadFailed> {
        let (output, capacity, input, length) = call.into_raw();
        // SAFETY: a call vouches for its buffers.
        unsafe { self.update(output, capacity, input, length) }
    }

    /// The end of a message; tells how many bytes were written.
    pub(crate) fn finish(&mut self, call: Call<'_>) -> Result<usize, OffloadFailed> {
        let (output, capacity, ..) = call.into_raw();
        let mut written = 0;
        let finish = self.functions.finish;
        self.object.call(|context| {
            // SAFETY: the context is this table's own; a call vouches for its buffer.
            unsafe { finish(context, output, &raw mut written, capacity) }
        })?;
        Ok(written)
    }

    /// Whether there is padding.
    pub(crate) fn set_padding(&mut self, padded: bool) -> Result<(), OffloadFailed> {
        let mut padded = u32::from(padded);
        let padding = entry(c"padding", data_type::UNSIGNED, (&raw mut padded).cast(), 4);
        self.set(Given::of(&[padding, END]))
    }

    /// The chaining value or counter.
    pub(crate) fn chain(&mut self, iv: &mut [u8]) -> Result<(), OffloadFailed> {
        let (start, bytes) = (iv.as_mut_ptr().cast(), iv.len());
        let mut wanted = [entry(c"updated-iv", data_type::OCTET_STRING, start, bytes), END];
        self.answer(Asked::of(&mut wanted))
    }

    /// Answers parameters.
    pub(crate) fn answer(&mut self, list: Asked<'_>) -> Result<(), OffloadFailed> {
        let answer = self.functions.answer;
        // SAFETY: the context is this table's own, and the list is good.
        self.object.call(|context| unsafe { answer(context, list.into_ptr()) })
    }

    /// Takes parameters.
    pub(crate) fn set(&mut self, list: Given<'_>) -> Result<(), OffloadFailed> {
        let set = self.functions.set;
        // SAFETY: the context is this table's own, and the list is good.
        self.object.call(|context| unsafe { set(context, list.as_ptr()) })
    }
}
