//! A context that the host's default provider made for us.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use super::host_library::{Errors, HostAlgorithm, HostLibrary};
use crate::offload::call::OffloadFailed;
use crate::openssl::*;

/// A context and what makes, copies and frees it.
pub(super) struct HostObject {
    /// Null before the first call, or where there was no memory.
    context: *mut c_void,
    /// What makes it for the first call: many of ours never have one.
    new: Option<NewContext>,
    free: FreeContext,
    duplicate: NewContext,
    /// What `new` takes.
    provider: *mut c_void,
    /// Keeps its provider loaded.
    library: Arc<HostLibrary>,
}

impl HostObject {
    /// A context by its provider's own function, for the first call.
    ///
    /// # Safety
    /// The functions must be those of `host`, which must be an algorithm of `library`.
    pub(super) unsafe fn new(
        library: &Arc<HostLibrary>,
        host: &HostAlgorithm,
        new: NewContext,
        free: FreeContext,
        duplicate: NewContext,
    ) -> Self {
        let (library, provider) = (library.clone(), host.provider);
        Self { context: null_mut(), new: Some(new), free, duplicate, provider, library }
    }

    /// The program's queue of errors.
    pub(super) fn errors(&self) -> Errors {
        self.library.errors()
    }

    /// Calls a function of the context's; C says 1 for success. Without memory for a context all calls fail.
    pub(super) fn call(
        &mut self,
        run: impl FnOnce(*mut c_void) -> c_int,
    ) -> Result<(), OffloadFailed> {
        if let Some(new) = self.new.take() {
            // SAFETY: the provider's own function and its own context.
            self.context = unsafe { new(self.provider) };
        }
        if !self.context.is_null() && run(self.context) == 1 { Ok(()) } else { Err(OffloadFailed) }
    }
}

impl Clone for HostObject {
    /// Without memory the copy has no context, and all its calls fail.
    fn clone(&self) -> Self {
        let context = if self.context.is_null() {
            null_mut()
        } else {
            // SAFETY: the context is this function's own.
            unsafe { (self.duplicate)(self.context) }
        };
        Self { context, library: self.library.clone(), ..*self }
    }
}

impl Drop for HostObject {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: the context is this function's own, and given up here.
            unsafe { (self.free)(self.context) };
        }
    }
}
