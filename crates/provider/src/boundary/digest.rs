//! The functions of a hash function.

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};

use zeroize::Zeroize;

use super::spare::{Spare, Spares};
use super::{OfProvider, give_back, guarded, place, place_with, with, with_shared};
use crate::digest;
use crate::digest::message::Message;
use crate::digest::serial;
use crate::error::{CallError, Reason};
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;

/// What a context pointer points to. What it holds wipes itself when dropped.
///
/// libcrypto 3.0 makes and frees one for every message, even where the program keeps its `EVP_MD_CTX`.
pub(crate) struct Context<M> {
    pub(super) message: M,
    /// Which lives until teardown, and libcrypto tears down no provider that has contexts. Not copies of what is
    /// needed of it: those would be most of what is written for a new message.
    provider: NonNull<Provider>,
}

impl<M> OfProvider for Context<M> {
    fn provider(&self) -> &Provider {
        // SAFETY: see there; nobody has it to write.
        unsafe { self.provider.as_ref() }
    }
}

impl<M> Spare for Context<M> {
    unsafe fn give_back(this: NonNull<Self>) {
        // SAFETY: those that are kept are of `place_with`'s making; the caller promises the rest.
        unsafe { give_back(this) };
    }
}

/// The functions of the hash function at `PLACE` of the table, by contexts of type `M`.
pub(crate) fn functions<M: Message, const PLACE: usize>() -> *const Dispatch {
    const { &table::<M, PLACE>() }.as_ptr()
}

/// The functions of a hash function, with an end behind them.
pub(super) struct Table {
    /// As many as there can be, and an end.
    entries: [Dispatch; 18],
    count: usize,
}

impl Table {
    pub(super) const fn with(mut self, entry: Dispatch) -> Self {
        self.entries[self.count] = entry;
        self.count += 1;
        self
    }

    pub(super) const fn as_ptr(&self) -> *const Dispatch {
        self.entries.as_ptr()
    }
}

const fn table<M: Message, const PLACE: usize>() -> Table {
    let table = common::<M, PLACE>()
        .with(Dispatch::new(DIGEST_INIT, initialise::<M, PLACE> as DigestInitialise))
        .with(Dispatch::new(DIGEST_FINAL, finish::<M, PLACE> as Finish));
    if !digest::at(PLACE).takes_master_secret() {
        return table;
    }
    table
        .with(Dispatch::new(DIGEST_SET_CONTEXT_PARAMS, set::<M> as SetContextParams))
        .with(Dispatch::new(DIGEST_SETTABLE_CONTEXT_PARAMS, settable as ContextList))
}

/// What extendable functions have too.
pub(super) const fn common<M: Message, const PLACE: usize>() -> Table {
    let mut table = Table { entries: [Dispatch::END; 18], count: 0 }
        .with(Dispatch::new(DIGEST_NEW_CONTEXT, new_context::<M, PLACE> as NewContext))
        .with(Dispatch::new(DIGEST_UPDATE, update::<M> as DigestUpdate))
        .with(Dispatch::new(DIGEST_FREE_CONTEXT, free_context::<M> as FreeContext))
        .with(Dispatch::new(DIGEST_DUPLICATE_CONTEXT, duplicate_context::<M> as NewContext))
        .with(Dispatch::new(DIGEST_GET_PARAMS, get_params::<PLACE> as GetParams))
        .with(Dispatch::new(DIGEST_GETTABLE_PARAMS, gettable_params as ProviderList));
    if M::ALWAYS_COPIES {
        table = table.with(Dispatch::new(DIGEST_COPY_CONTEXT, copy_context::<M> as CopyContext));
    }
    if digest::at(PLACE).form().is_some() {
        table = table
            .with(Dispatch::new(DIGEST_SERIALISE, serialise::<M, PLACE> as Serialise))
            .with(Dispatch::new(DIGEST_DESERIALISE, deserialise::<M, PLACE> as DigestUpdate));
    }
    table
}

unsafe extern "C" fn new_context<M: Message, const PLACE: usize>(
    provider: *mut c_void,
) -> *mut c_void {
    // SAFETY: the core hands back the provider context from our init, which lives until teardown.
    let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else {
        return null_mut();
    };
    let mut context = null_mut();
    guarded(
        || Some(provider.core),
        || {
            let seed = M::seed(provider, digest::at(PLACE));
            let seed = seed.ok_or(CallError(&[Reason::Internal]))?;
            let spare = M::spares(provider).and_then(Spares::take);
            context = match spare {
                // SAFETY: whoever freed it has promised that nobody else has it.
                Some(spare) if unsafe { spare.as_ref() }.message.is_of(&seed) => {
                    spare.as_ptr().cast()
                }
                _ => another(seed, provider, spare),
            };
            Ok(())
        },
    );
    context
}

/// The context of another hash function than the one before, if there was one.
#[cold]
#[inline(never)]
fn another<M: Message>(
    seed: M::Seed,
    provider: &Provider,
    spare: Option<NonNull<Context<M>>>,
) -> *mut c_void {
    let context = make(seed, provider.into(), spare);
    // SAFETY: null, or made for this type just now, and nobody else's yet.
    if let Some(context) = unsafe { context.as_mut() } {
        context.message.forget();
    }
    context.cast()
}

/// A context in which no message has begun, in the place of a spare one if there is one; null if there is no memory.
fn make<M: Message>(
    seed: M::Seed,
    provider: NonNull<Provider>,
    spare: Option<NonNull<Context<M>>>,
) -> *mut Context<M> {
    // SAFETY: see the field.
    let whole = unsafe { provider.as_ref() };
    let context = || Context { message: M::new(seed, whole), provider };
    let Some(spare) = spare else { return place_with(context, &whole.core).cast() };
    // SAFETY: whoever freed it has promised that nobody else has it.
    unsafe { *spare.as_ptr() = context() };
    spare.as_ptr()
}

unsafe extern "C" fn duplicate_context<M: Message>(context: *mut c_void) -> *mut c_void {
    let mut copy = null_mut();
    // SAFETY: the core hands in a context of this kind, which its caller may not change meanwhile.
    unsafe {
        with_shared::<Context<M>>(context, |context| {
            let (provider, core) = (context.provider, context.provider().core);
            copy = match context.message.twin() {
                Some(seed) => {
                    let spare = M::spares(context.provider()).and_then(Spares::take);
                    let copy = match spare {
                        Some(spare) if spare.as_ref().message.is_of(&seed) => spare.as_ptr(),
                        _ => make(seed, provider, spare),
                    };
                    if let Some(to) = copy.as_mut() {
                        context.message.copy_to(&mut to.message)?;
                    }
                    copy.cast()
                }
                None => place(Context { message: context.message.duplicate()?, provider }, &core),
            };
            Ok(())
        });
    }
    copy
}

unsafe extern "C" fn free_context<M: Message>(context: *mut c_void) {
    guarded(
        || None,
        || {
            let Some(mut context) = NonNull::new(context.cast::<Context<M>>()) else {
                return Ok(());
            };
            // SAFETY: the core hands in a context of this kind, once, and never uses it again.
            unsafe {
                let provider = context.as_ref().provider;
                match M::spares(provider.as_ref()) {
                    None => give_back(context),
                    Some(spares) => {
                        context.as_mut().message.forget();
                        if !spares.keep(context) {
                            give_back(context);
                        }
                    }
                }
            }
            Ok(())
        },
    );
}

unsafe extern "C" fn copy_context<M: Message>(to: *mut c_void, from: *mut c_void) {
    // SAFETY: the core hands in two contexts of this kind.
    let (to, from) = unsafe { (to.cast::<Context<M>>().as_mut(), from.cast::<Context<M>>()) };
    // SAFETY: as above; they are different ones, and nobody changes the one that is copied.
    unsafe {
        with_shared::<Context<M>>(from.cast(), |from| {
            from.message.copy_to(&mut to.ok_or(CallError::SILENT)?.message)
        });
    }
}

unsafe extern "C" fn initialise<M: Message, const PLACE: usize>(
    context: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key.
    unsafe {
        with::<Context<M>>(context, |context| {
            context.message.reset()?;
            if !digest::at(PLACE).takes_master_secret() {
                return Ok(());
            }
            let version = context.provider().version;
            digest::set(&mut context.message, version, Given::new(list))
        })
    }
}

unsafe extern "C" fn set<M: Message>(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key.
    unsafe {
        with::<Context<M>>(context, |context| {
            let version = context.provider().version;
            digest::set(&mut context.message, version, Given::new(list))
        })
    }
}

unsafe extern "C" fn settable(_: *mut c_void, _: *mut c_void) -> *const Param {
    digest::settable()
}

unsafe extern "C" fn serialise<M: Message, const PLACE: usize>(
    context: *mut c_void,
    output: *mut u8,
    length: *mut usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a buffer as large as it says, if it says so.
    unsafe {
        with::<Context<M>>(context, |context| {
            let form = digest::at(PLACE).form().ok_or(CallError::SILENT)?;
            let length = length.as_mut();
            if output.is_null() {
                *length.ok_or(CallError::SILENT)? = form.bytes();
                return Ok(());
            }
            if length.as_ref().is_some_and(|length| **length < form.bytes()) {
                return Err(CallError::SILENT);
            }
            let mut written = [0; serial::LONGEST];
            let bytes = context.message.length().unwrap_or(digest::at(PLACE).bytes);
            form.write(context.message.own().ok_or(CallError::SILENT)?, bytes, &mut written);
            output.copy_from_nonoverlapping(written.as_ptr(), form.bytes());
            written.zeroize();
            if let Some(length) = length {
                *length = form.bytes();
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn deserialise<M: Message, const PLACE: usize>(
    context: *mut c_void,
    input: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and as many bytes as it says.
    unsafe {
        with::<Context<M>>(context, |context| {
            let form = digest::at(PLACE).form().ok_or(CallError::SILENT)?;
            if input.is_null() {
                return Err(CallError::SILENT);
            }
            let input = std::slice::from_raw_parts(input, length);
            let bytes = context.message.length().unwrap_or(digest::at(PLACE).bytes);
            let message = context.message.own().ok_or(CallError::SILENT)?;
            if form.read(message, bytes, input) { Ok(()) } else { Err(CallError::SILENT) }
        })
    }
}

unsafe extern "C" fn update<M: Message>(
    context: *mut c_void,
    input: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and as many bytes as it says.
    unsafe {
        with::<Context<M>>(context, |context| {
            if length == 0 {
                return Ok(());
            }
            if input.is_null() {
                return Err(CallError::SILENT);
            }
            context.message.update(std::slice::from_raw_parts(input, length))
        })
    }
}

unsafe extern "C" fn finish<M: Message, const PLACE: usize>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a buffer as large as it says.
    unsafe {
        with::<Context<M>>(context, |context| {
            let bytes = digest::at(PLACE).bytes;
            if output.is_null() || capacity < bytes {
                return Err(CallError::SILENT);
            }
            context.message.finish(std::slice::from_raw_parts_mut(output, bytes))?;
            *written.as_mut().ok_or(CallError::SILENT)? = bytes;
            Ok(())
        })
    }
}

unsafe extern "C" fn get_params<const PLACE: usize>(list: *mut Param) -> c_int {
    // SAFETY: the core hands in a list that ends with a null key, to be written to.
    guarded(|| None, || digest::answer(digest::at(PLACE), unsafe { Asked::new(list) }))
}

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    digest::gettable()
}
