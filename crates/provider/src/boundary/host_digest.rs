//! A hash function of the host's default provider, called through its own table of functions, without
//! EVP.

use std::ptr::null;
use std::sync::Arc;

use super::host_library::HostLibrary;
use super::host_object::HostObject;
use crate::offload::call::OffloadFailed;
use crate::openssl::*;

/// A hash context of the default provider behind one of ours.
#[derive(Clone)]
pub(crate) struct HostDigest {
    initialise: DigestInitialise,
    update: DigestUpdate,
    finish: Finish,
    object: HostObject,
}

impl HostDigest {
    /// A context, if the host has the hash function and there is memory.
    pub(crate) fn new(library: &Arc<HostLibrary>, name: &str) -> Option<Self> {
        let host = library.digest(name)?;
        let table = host.functions;
        // SAFETY: the table is the default provider's own, and keeps to core_dispatch.h.
        unsafe {
            let (new, free) = (DIGEST_NEW_CONTEXT.find(table)?, DIGEST_FREE_CONTEXT.find(table)?);
            let duplicate = DIGEST_DUPLICATE_CONTEXT.find(table)?;
            Some(Self {
                initialise: DIGEST_INIT.find(table)?,
                update: DIGEST_UPDATE.find(table)?,
                finish: DIGEST_FINAL.find(table)?,
                object: HostObject::new(library, &host, new, free, duplicate)?,
            })
        }
    }

    /// Begins a message.
    pub(crate) fn start(&mut self) -> Result<(), OffloadFailed> {
        let initialise = self.initialise;
        // SAFETY: the context is this table's own and in nobody else's use.
        self.object.call(|context| unsafe { initialise(context, null()) })
    }

    /// The next bytes.
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), OffloadFailed> {
        let update = self.update;
        // SAFETY: as above, and as many bytes as told.
        self.object.call(|context| unsafe { update(context, data.as_ptr(), data.len()) })
    }

    /// The hash, which has the length of `output`.
    pub(crate) fn finish(&mut self, output: &mut [u8]) -> Result<(), OffloadFailed> {
        let (start, room, finish) = (output.as_mut_ptr(), output.len(), self.finish);
        let mut written = 0;
        // SAFETY: as above, and as much room as told.
        self.object.call(|context| unsafe { finish(context, start, &raw mut written, room) })?;
        if written == output.len() { Ok(()) } else { Err(OffloadFailed) }
    }
}
