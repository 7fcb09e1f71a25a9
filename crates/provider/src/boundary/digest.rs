//! The functions of a hash function.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::{guarded, place};
use crate::digest::{self, Facts};
use crate::hashing::Hashing;
use crate::host::Core;
use crate::openssl::*;
use crate::provider::Provider;
use crate::refusal::{Reason, Refusal};

/// What a context pointer points to. What it holds wipes itself when dropped.
struct Context {
    hashing: Hashing,
    facts: &'static Facts,
    core: Core,
}

/// The functions of the hash function at `PLACE` of the table.
pub(crate) fn functions<const PLACE: usize>() -> *const Dispatch {
    const {
        &[
            Dispatch::new(DIGEST_NEW_CONTEXT, new_context::<PLACE> as NewContext),
            Dispatch::new(DIGEST_INIT, initialise as DigestInitialise),
            Dispatch::new(DIGEST_UPDATE, update as DigestUpdate),
            Dispatch::new(DIGEST_FINAL, finish as Finish),
            Dispatch::new(DIGEST_FREE_CONTEXT, free_context as FreeContext),
            Dispatch::new(DIGEST_DUPLICATE_CONTEXT, duplicate_context as NewContext),
            Dispatch::new(DIGEST_GET_PARAMS, get_params::<PLACE> as GetParams),
            Dispatch::new(DIGEST_GETTABLE_PARAMS, gettable_params as ProviderList),
            Dispatch::END,
        ]
    }
    .as_ptr()
}

/// Runs a method of a context.
///
/// # Safety
/// `context` must be null or from [`new_context`] or [`duplicate_context`], not yet freed, and in nobody
/// else's use.
#[inline(always)]
unsafe fn with(
    context: *mut c_void,
    run: impl FnOnce(&mut Context) -> Result<(), Refusal>,
) -> c_int {
    let context = context.cast::<Context>();
    guarded(
        // SAFETY: the caller promises the context; its use in `run` is over.
        || unsafe { context.as_ref() }.map(|context| context.core),
        || {
            // SAFETY: the caller promises the context.
            let Some(context) = (unsafe { context.as_mut() }) else { return Err(Refusal::SILENT) };
            run(context)
        },
    )
}

unsafe extern "C" fn new_context<const PLACE: usize>(provider: *mut c_void) -> *mut c_void {
    // SAFETY: the core hands back the provider context from our init, which lives until teardown.
    let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else {
        return null_mut();
    };
    let mut context = null_mut();
    guarded(
        || Some(provider.core),
        || {
            let facts = digest::at(PLACE);
            let hashing = provider.hashing(facts.subject).ok_or(Refusal(&[Reason::Internal]))?;
            context = place(Context { hashing, facts, core: provider.core }, provider.core);
            Ok(())
        },
    );
    context
}

unsafe extern "C" fn duplicate_context(context: *mut c_void) -> *mut c_void {
    let mut copy = null_mut();
    // SAFETY: the core hands in a context of this kind.
    unsafe {
        with(context, |context| {
            let (facts, core) = (context.facts, context.core);
            copy = place(Context { hashing: context.hashing.duplicate()?, facts, core }, core);
            Ok(())
        });
    }
    copy
}

unsafe extern "C" fn free_context(context: *mut c_void) {
    let context = context.cast::<Context>();
    guarded(
        || None,
        || {
            if !context.is_null() {
                // SAFETY: the core hands in a context of this kind, once, and never uses it again; it was
                // allocated with this layout.
                unsafe {
                    context.drop_in_place();
                    System.dealloc(context.cast(), Layout::new::<Context>());
                }
            }
            Ok(())
        },
    );
}

unsafe extern "C" fn initialise(context: *mut c_void, _: *const Param) -> c_int {
    // SAFETY: the core hands in a context of this kind.
    unsafe { with(context, |context| context.hashing.reset()) }
}

unsafe extern "C" fn update(context: *mut c_void, input: *const u8, length: usize) -> c_int {
    // SAFETY: the core hands in a context of this kind, and as many bytes as it says.
    unsafe {
        with(context, |context| {
            if length == 0 {
                return Ok(());
            }
            if input.is_null() {
                return Err(Refusal::SILENT);
            }
            context.hashing.update(std::slice::from_raw_parts(input, length))
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
        with(context, |context| {
            let bytes = context.facts.bytes;
            if output.is_null() || capacity < bytes {
                return Err(Refusal::SILENT);
            }
            context.hashing.finish(std::slice::from_raw_parts_mut(output, bytes))?;
            *written.as_mut().ok_or(Refusal::SILENT)? = bytes;
            Ok(())
        })
    }
}

unsafe extern "C" fn get_params<const PLACE: usize>(list: *mut Param) -> c_int {
    // SAFETY: the core hands in a list that ends with a null key, to be written to.
    guarded(|| None, || unsafe { digest::answer(digest::at(PLACE), list) })
}

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    digest::gettable()
}
