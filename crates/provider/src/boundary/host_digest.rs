//! A hash function of the host's default provider, called through its own table of functions, without
//! EVP.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::host_library::HostLibrary;
use crate::far::FarFailed;
use crate::openssl::*;

/// A hash context of the default provider behind one of ours.
pub(crate) struct HostDigest {
    functions: Functions,
    context: *mut c_void,
    /// Keeps its provider loaded.
    library: Arc<HostLibrary>,
}

#[derive(Clone, Copy)]
struct Functions {
    free: FreeContext,
    duplicate: NewContext,
    initialise: DigestInitialise,
    update: DigestUpdate,
    finish: Finish,
}

impl HostDigest {
    /// A context, if the host has the hash function and there is memory.
    pub(crate) fn new(library: &Arc<HostLibrary>, name: &str) -> Option<Self> {
        let host = library.digest(name)?;
        // SAFETY: the table is the default provider's own, and keeps to core_dispatch.h.
        let (new, functions) = unsafe {
            (
                DIGEST_NEW_CONTEXT.find(host.functions)?,
                Functions {
                    free: DIGEST_FREE_CONTEXT.find(host.functions)?,
                    duplicate: DIGEST_DUPLICATE_CONTEXT.find(host.functions)?,
                    initialise: DIGEST_INIT.find(host.functions)?,
                    update: DIGEST_UPDATE.find(host.functions)?,
                    finish: DIGEST_FINAL.find(host.functions)?,
                },
            )
        };
        // SAFETY: the default provider's own context.
        let context = unsafe { new(host.provider) };
        let library = library.clone();
        (!context.is_null()).then_some(Self { functions, context, library })
    }

    /// Begins a message.
    pub(crate) fn start(&mut self) -> Result<(), FarFailed> {
        self.check(|it| {
            // SAFETY: the context is this table's own and in nobody else's use.
            unsafe { (it.functions.initialise)(it.context, null()) }
        })
    }

    /// The next bytes.
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), FarFailed> {
        self.check(|it| {
            // SAFETY: as above, and as many bytes as told.
            unsafe { (it.functions.update)(it.context, data.as_ptr(), data.len()) }
        })
    }

    /// The hash, which has the length of `output`.
    pub(crate) fn finish(&mut self, output: &mut [u8]) -> Result<(), FarFailed> {
        let mut written = 0;
        self.check(|it| {
            let (start, room) = (output.as_mut_ptr(), output.len());
            // SAFETY: as above, and as much room as told.
            unsafe { (it.functions.finish)(it.context, start, &raw mut written, room) }
        })?;
        if written == output.len() { Ok(()) } else { Err(FarFailed) }
    }

    fn check(&mut self, run: impl FnOnce(&mut Self) -> i32) -> Result<(), FarFailed> {
        if !self.context.is_null() && run(self) == 1 { Ok(()) } else { Err(FarFailed) }
    }
}

impl Clone for HostDigest {
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

impl Drop for HostDigest {
    fn drop(&mut self) {
        if !self.context.is_null() {
            // SAFETY: the context is this table's own, and given up here.
            unsafe { (self.functions.free)(self.context) };
        }
    }
}
