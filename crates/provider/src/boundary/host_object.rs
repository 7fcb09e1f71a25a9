//! A context that the host's default provider made for us.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use super::host_library::{Errors, HostAlgorithm, HostLibrary};
use crate::offload::call::OffloadFailed;
use crate::openssl::*;

/// A context and what makes, copies and frees it.
pub(super) struct HostObject {
    context: *mut c_void,
    free: FreeContext,
    duplicate: NewContext,
    /// Keeps its provider loaded.
    library: Arc<HostLibrary>,
}

impl HostObject {
    /// A context by its provider's own function, if there is memory.
    ///
    /// # Safety
    /// The functions must be those of `host`, which must be an algorithm of `library`.
    pub(super) unsafe fn new(
        library: &Arc<HostLibrary>,
        host: &HostAlgorithm,
        new: NewContext,
        free: FreeContext,
        duplicate: NewContext,
    ) -> Option<Self> {
        // SAFETY: the provider's own function and its own context.
        let context = unsafe { new(host.provider) };
        let library = library.clone();
        (!context.is_null()).then_some(Self { context, free, duplicate, library })
    }

    /// The program's queue of errors.
    pub(super) fn errors(&self) -> Errors {
        self.library.errors()
    }

    /// Calls a function of the context's; C says 1 for success.
    #[expect(clippy::needless_pass_by_ref_mut, reason = "one call at a time changes the context")]
    pub(super) fn call(
        &mut self,
        run: impl FnOnce(*mut c_void) -> c_int,
    ) -> Result<(), OffloadFailed> {
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
