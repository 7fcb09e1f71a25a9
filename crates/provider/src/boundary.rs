//! The C edge: the only functions that C calls.
//!
//! Every entry goes through [`guarded`]: no panic crosses it, and a refusal becomes an OpenSSL error
//! and 0. Pointers are checked for null here and turned into the types that the rest of the crate
//! uses.
//!
//! A context comes back from C as a pointer and becomes a `&mut`. That is sound as long as no two
//! threads use one context at once, which is what EVP asks of its callers (openssl-threads(7)).

pub(crate) mod cipher;
pub(crate) mod digest;
pub(crate) mod extendable;
#[cfg(test)]
mod fault_tests;
pub(crate) mod host_cipher;
pub(crate) mod host_context;
pub(crate) mod host_digest;
pub(crate) mod host_library;
pub(crate) mod host_mac;
mod host_object;
pub(crate) mod mac;
pub(crate) mod pipeline;
pub(crate) mod provider;
pub(crate) mod room;
pub(crate) mod secret_key;
pub(crate) mod spare;
#[cfg(test)]
mod tests;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::error::{CallError, Reason};
use crate::host::Core;
use crate::provider::Provider;

/// Runs what may panic; none if it did.
#[inline(always)]
fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(run));
    wirespeed_cpu::clear_vectors();
    match result {
        Ok(result) => Some(result),
        Err(panic) => {
            // Dropping what was thrown could panic again.
            std::mem::forget(panic);
            None
        }
    }
}

/// Wipes the stack below the caller's, where functions that have returned may have left copies of a `T`: as much as so many
/// of them take, and what else such functions have.
#[inline(never)]
fn wipe_stack<T>() {
    // Unoptimised code copies more often.
    const COPIES: usize = if cfg!(debug_assertions) { 16 } else { 4 };
    let copies = MaybeUninit::<([T; COPIES], [u8; 1024])>::zeroed();
    zeroize::optimization_barrier(&copies);
}

/// Runs an entry; tells whether it succeeded, as C does.
#[inline(always)]
fn guarded(
    core: impl FnOnce() -> Option<Core>,
    run: impl FnOnce() -> Result<(), CallError>,
) -> c_int {
    let error = match caught(run) {
        Some(Ok(())) => return 1,
        Some(Err(error)) => error,
        None => CallError(&[Reason::Internal]),
    };
    if let Some(core) = core() {
        report(&core, error);
    }
    0
}

/// A context, which knows whose it is.
trait OfProvider {
    fn provider(&self) -> &Provider;
}

/// Runs a method of a context.
///
/// # Safety
/// `context` must be null or a context of this type, not yet freed, and in nobody else's use.
#[inline(always)]
unsafe fn with<T: OfProvider>(
    context: *mut c_void,
    run: impl FnOnce(&mut T) -> Result<(), CallError>,
) -> c_int {
    let context = context.cast::<T>();
    guarded(
        // SAFETY: the caller promises the context; its use in `run` is over.
        || unsafe { context.as_ref() }.map(|context| context.provider().core),
        || {
            // SAFETY: the caller promises the context.
            let Some(context) = (unsafe { context.as_mut() }) else {
                return Err(CallError::SILENT);
            };
            run(context)
        },
    )
}

/// Runs what only reads a context, as copying does: several threads may copy one at once (`EVP_MD_CTX_copy_ex` of
/// openssl/evp.h).
///
/// # Safety
/// `context` must be null or a context of this type, not yet freed, which nobody changes meanwhile.
unsafe fn with_shared<T: OfProvider>(
    context: *const c_void,
    run: impl FnOnce(&T) -> Result<(), CallError>,
) -> c_int {
    // SAFETY: the caller promises the context.
    let context = unsafe { context.cast::<T>().as_ref() };
    guarded(
        || context.map(|context| context.provider().core),
        || context.map_or(Err(CallError::SILENT), run),
    )
}

/// Moves a context to memory of its own; null if there is none to be had.
fn place<T>(context: T, core: &Core) -> *mut c_void {
    place_with(|| context, core)
}

/// Makes a context in memory of its own, without a copy on the way; null if there is none to be had.
#[inline(always)]
fn place_with<T>(context: impl FnOnce() -> T, core: &Core) -> *mut c_void {
    const { assert!(size_of::<T>() > 0) }
    // SAFETY: the layout is not empty.
    let memory = unsafe { System.alloc(Layout::new::<T>()) }.cast::<T>();
    if memory.is_null() {
        core.refuse(CallError(&[Reason::OutOfMemory]));
    } else {
        // SAFETY: freshly allocated for this type.
        unsafe { memory.write(context()) };
    }
    memory.cast()
}

/// Drops a context and gives its memory back.
///
/// # Safety
/// It must be of [`place_with`]'s making, and nobody may use it again.
unsafe fn give_back<T>(context: NonNull<T>) {
    // SAFETY: the caller promises that it is ours alone; it was allocated with this layout.
    unsafe {
        context.drop_in_place();
        System.dealloc(context.as_ptr().cast(), Layout::new::<T>());
    }
}

/// Frees a context, as C does.
///
/// # Safety
/// It must be null or of [`place_with`]'s making for this type, and nobody may use it again.
unsafe extern "C" fn free<T>(context: *mut c_void) {
    guarded(
        || None,
        || {
            if let Some(context) = NonNull::new(context.cast::<T>()) {
                // SAFETY: the core hands in a context of this kind, once, and never uses it again.
                unsafe { give_back(context) };
            }
            Ok(())
        },
    );
}

#[cold]
#[inline(never)]
fn report(core: &Core, error: CallError) {
    // Queueing allocates for texts only, but a panic here must not cross either.
    let _ = caught(|| core.refuse(error));
}
