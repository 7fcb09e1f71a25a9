//! The functions of a message authentication code.

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};

use super::{OfProvider, free, guarded, place_with, with, with_shared};
use crate::error::CallError;
use crate::host::Version;
use crate::mac::{self, Mac};
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;

/// `EVP_MAX_MD_SIZE`: a caller may tell more room than there is memory.
const LONGEST_HASH: usize = 64;

/// The functions of HMAC.
pub(crate) static HMAC: [Dispatch; 11] = [
    Dispatch::new(MAC_NEW_CONTEXT, new_context as NewContext),
    Dispatch::new(MAC_DUPLICATE_CONTEXT, duplicate_context as NewContext),
    Dispatch::new(MAC_FREE_CONTEXT, free::<Mac> as FreeContext),
    Dispatch::new(MAC_INIT, initialise as MacInitialise),
    Dispatch::new(MAC_UPDATE, update as DigestUpdate),
    Dispatch::new(MAC_FINAL, finish as Finish),
    Dispatch::new(MAC_GET_CONTEXT_PARAMS, get as GetContextParams),
    Dispatch::new(MAC_SET_CONTEXT_PARAMS, set as SetContextParams),
    Dispatch::new(MAC_GETTABLE_CONTEXT_PARAMS, gettable as ContextList),
    Dispatch::new(MAC_SETTABLE_CONTEXT_PARAMS, settable as ContextList),
    Dispatch::END,
];

impl OfProvider for Mac {
    fn provider(&self) -> &Provider {
        self.provider()
    }
}

unsafe extern "C" fn new_context(provider: *mut c_void) -> *mut c_void {
    let Some(provider) = NonNull::new(provider.cast::<Provider>()) else { return null_mut() };
    // SAFETY: the core hands back the provider context from our init, which lives until teardown.
    let core = unsafe { provider.as_ref() }.core;
    let mut context = null_mut();
    guarded(
        || Some(core),
        || {
            context = place_with(|| Mac::new(provider), &core);
            Ok(())
        },
    );
    context
}

unsafe extern "C" fn duplicate_context(context: *mut c_void) -> *mut c_void {
    let mut copy = null_mut();
    // SAFETY: the core hands in a context of this kind, which its caller may not change meanwhile.
    unsafe {
        with_shared::<Mac>(context, |context| {
            let (provider, core) = (context.provider().into(), context.provider().core);
            copy = place_with(|| Mac::new(provider), &core);
            // SAFETY: null, or made just now, and nobody else's yet.
            let Some(to) = copy.cast::<Mac>().as_mut() else { return Ok(()) };
            let copied = context.copy_to(to);
            if copied.is_err() {
                free::<Mac>(copy);
                copy = null_mut();
            }
            copied
        });
    }
    copy
}

unsafe extern "C" fn initialise(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    list: *const Param,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, a key as long as it says or none, and a list that
    // ends with a null key.
    unsafe {
        with::<Mac>(context, |context| {
            let key = (!key.is_null()).then(|| std::slice::from_raw_parts(key, key_length));
            context.start(key, Given::new(list))
        })
    }
}

unsafe extern "C" fn update(context: *mut c_void, input: *const u8, length: usize) -> c_int {
    // SAFETY: the core hands in a context of this kind, and as many bytes as it says.
    unsafe {
        with::<Mac>(context, |context| {
            if input.is_null() {
                return if length == 0 { context.update(&[]) } else { Err(CallError::SILENT) };
            }
            context.update(std::slice::from_raw_parts(input, length))
        })
    }
}

unsafe extern "C" fn finish(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a buffer as large as it says.
    unsafe {
        with::<Mac>(context, |context| {
            if output.is_null() {
                return Err(CallError::SILENT);
            }
            let capacity = capacity.min(LONGEST_HASH);
            let bytes = context.finish(std::slice::from_raw_parts_mut(output, capacity))?;
            *written.as_mut().ok_or(CallError::SILENT)? = bytes;
            Ok(())
        })
    }
}

unsafe extern "C" fn get(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key, to be
    // written to.
    unsafe { with::<Mac>(context, |context| context.answer(Asked::new(list))) }
}

unsafe extern "C" fn set(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key.
    unsafe { with::<Mac>(context, |context| context.set(Given::new(list))) }
}

unsafe extern "C" fn gettable(_: *mut c_void, _: *mut c_void) -> *const Param {
    mac::gettable()
}

unsafe extern "C" fn settable(_: *mut c_void, provider: *mut c_void) -> *const Param {
    // SAFETY: the core hands back the provider context from our init, which lives until teardown.
    let version = unsafe { provider.cast::<Provider>().as_ref() }.map(|it| it.version);
    mac::settable(version.unwrap_or(Version::DECODERS))
}
