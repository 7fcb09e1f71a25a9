//! The functions of a cipher, for each kind of context.

use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};

use wirespeed_cipher::{Algorithm, Direction};

use super::pipeline::{self, Pipes};
use super::{OfProvider, caught, guarded, wipe_stack, with, with_shared};
use crate::call::Call;
use crate::cipher::Cipher;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::offer;
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;

/// What a context pointer points to. Aligned for the widest vectors.
#[repr(C, align(64))]
pub(super) struct Context<C> {
    pub(super) cipher: C,
    /// The messages of a pipeline, if it is used for one.
    pub(super) pipes: Pipes<C>,
    /// Which lives until teardown, and libcrypto tears down no provider that has contexts.
    provider: NonNull<Provider>,
}

impl<C> OfProvider for Context<C> {
    fn provider(&self) -> &Provider {
        // SAFETY: see there; nobody has it to write.
        unsafe { self.provider.as_ref() }
    }
}

/// The functions of the cipher at `INDEX` of all subjects, whose contexts are `C`. `DECODERS` is
/// [`Version::has_decoders`], for the one function that gets neither a context nor a provider.
pub(crate) const fn functions<C: Cipher, const INDEX: usize, const DECODERS: bool>()
-> &'static [Dispatch] {
    if C::PIPELINES {
        pipeline_functions::<C, INDEX, DECODERS>()
    } else {
        const { &plain_functions::<C, INDEX, DECODERS>() }
    }
}

/// Those and the functions of pipelines, which a libcrypto before 3.5 passes over.
const fn pipeline_functions<C: Cipher, const INDEX: usize, const DECODERS: bool>()
-> &'static [Dispatch] {
    const {
        let [more @ .., end] = plain_functions::<C, INDEX, DECODERS>();
        let (mut all, mut i) = ([end; PLAIN + 4], 0);
        while i < more.len() {
            all[i] = more[i];
            i += 1;
        }
        let [encrypt, decrypt, update, finish] = pipeline::functions::<C>();
        (all[i], all[i + 1], all[i + 2], all[i + 3]) = (encrypt, decrypt, update, finish);
        &{ all }
    }
}

/// How many functions every cipher has, with the end.
const PLAIN: usize = 15;

const fn plain_functions<C: Cipher, const INDEX: usize, const DECODERS: bool>() -> [Dispatch; PLAIN]
{
    [
        Dispatch::new(CIPHER_NEW_CONTEXT, new_context::<C, INDEX> as NewContext),
        Dispatch::new(CIPHER_FREE_CONTEXT, free_context::<C> as FreeContext),
        Dispatch::new(CIPHER_DUPLICATE_CONTEXT, duplicate_context::<C> as NewContext),
        Dispatch::new(CIPHER_ENCRYPT_INIT, start::<C, 0> as Initialise),
        Dispatch::new(CIPHER_DECRYPT_INIT, start::<C, 1> as Initialise),
        Dispatch::new(CIPHER_UPDATE, update::<C> as Update),
        Dispatch::new(CIPHER_FINAL, finish::<C> as Finish),
        Dispatch::new(CIPHER_CIPHER, one_shot::<C> as Update),
        Dispatch::new(CIPHER_GET_PARAMS, get_params::<INDEX, DECODERS> as GetParams),
        Dispatch::new(CIPHER_GET_CONTEXT_PARAMS, answer::<C> as GetContextParams),
        Dispatch::new(CIPHER_SET_CONTEXT_PARAMS, set::<C> as SetContextParams),
        Dispatch::new(CIPHER_GETTABLE_PARAMS, gettable_params as ProviderList),
        Dispatch::new(CIPHER_GETTABLE_CONTEXT_PARAMS, gettable::<C> as ContextList),
        Dispatch::new(CIPHER_SETTABLE_CONTEXT_PARAMS, settable::<C> as ContextList),
        Dispatch::END,
    ]
}

/// Tries what EVP wants with every message; tells whether it was that. What it seldom wants is left to another function, so
/// that this one has no use for its stack.
///
/// # Safety
/// As for [`with`].
#[inline(always)]
unsafe fn quickly<C: Cipher>(
    context: *mut c_void,
    run: impl FnOnce(&mut Context<C>) -> bool,
) -> bool {
    // SAFETY: the caller promises the context.
    let context = unsafe { context.cast::<Context<C>>().as_mut() };
    caught(|| context.is_some_and(run)).unwrap_or(false)
}

/// Stores how much was written.
///
/// # Safety
/// `written` must be null or writable.
#[inline(always)]
unsafe fn tell(written: *mut usize, count: usize) -> Result<(), CallError> {
    // SAFETY: the caller promises it.
    *unsafe { written.as_mut() }.ok_or(CallError::SILENT)? = count;
    Ok(())
}

unsafe extern "C" fn new_context<C: Cipher, const INDEX: usize>(
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
            context = make::<C>(provider, INDEX)?;
            Ok(())
        },
    );
    context
}

/// A new context of the subject at that place: one function for each type.
fn make<C: Cipher>(provider: &Provider, index: usize) -> Result<*mut c_void, CallError> {
    let context = provider.rooms.place(|| {
        let cipher = C::new(provider, index).ok_or(CallError(&[Reason::Internal]))?;
        Ok(Context { cipher, pipes: Pipes::NONE, provider: provider.into() })
    });
    Ok(context?.as_ptr().cast())
}

unsafe extern "C" fn duplicate_context<C: Cipher>(context: *mut c_void) -> *mut c_void {
    let mut copy = null_mut();
    // SAFETY: the core hands in a context of this kind, which its caller may not change meanwhile.
    unsafe {
        with_shared::<Context<C>>(context, |context| {
            copy = copy_of(context)?;
            Ok(())
        });
    }
    wipe_stack::<Context<C>>();
    copy
}

/// A copy, which passes through the stack on its way: a frame of its own, below the caller's.
#[inline(never)]
fn copy_of<C: Cipher>(context: &Context<C>) -> Result<*mut c_void, CallError> {
    let copied = context.provider().rooms.place(|| {
        let pipes = context.pipes.duplicate()?;
        Ok(Context { cipher: context.cipher.clone(), pipes, provider: context.provider })
    });
    Ok(copied?.as_ptr().cast())
}

unsafe extern "C" fn free_context<C: Cipher>(context: *mut c_void) {
    let Some(context) = NonNull::new(context.cast::<Context<C>>()) else { return };
    guarded(
        || None,
        || {
            // SAFETY: the core hands in a context of this kind, once, and never uses it again.
            unsafe {
                let provider = context.as_ref().provider;
                provider.as_ref().rooms.free(context);
            }
            Ok(())
        },
    );
}

/// A new message, in the direction of this place in [`Direction::BOTH`]. One function for each: what runs guarded is within
/// its caller only where it has one.
unsafe extern "C" fn start<C: Cipher, const DIRECTION: usize>(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    iv: *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int {
    let direction = const { Direction::BOTH[DIRECTION] };
    // SAFETY: the core hands in a context of this kind, key and IV null or as long as told, and null or a list that ends
    // with a null key.
    unsafe {
        with::<Context<C>>(context, |context| {
            let bytes = |start: *const u8, length| {
                (!start.is_null()).then(|| std::slice::from_raw_parts(start, length))
            };
            // Its messages are over, and so are their keys.
            if !context.pipes.is_empty() {
                context.pipes = Pipes::NONE;
            }
            context.cipher.start(direction, bytes(key, key_length), bytes(iv, iv_length))?;
            if params.is_null() { Ok(()) } else { context.cipher.set(Given::new(params)) }
        })
    }
}

unsafe extern "C" fn update<C: Cipher>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
    input: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and buffers as large as it says.
    unsafe {
        with::<Context<C>>(context, |context| {
            let count = context.cipher.update(Call::new(output, capacity, input, length))?;
            tell(written, count)
        })
    }
}

unsafe extern "C" fn one_shot<C: Cipher>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
    input: *const u8,
    length: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and buffers as large as it says.
    unsafe {
        with::<Context<C>>(context, |context| {
            let count = context.cipher.one_shot(Call::new(output, capacity, input, length))?;
            tell(written, count)
        })
    }
}

unsafe extern "C" fn finish<C: Cipher>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a buffer as large as it says.
    unsafe {
        with::<Context<C>>(context, |context| {
            let count = context.cipher.finish(Call::last(output, capacity))?;
            tell(written, count)
        })
    }
}

unsafe extern "C" fn get_params<const INDEX: usize, const DECODERS: bool>(
    list: *mut Param,
) -> c_int {
    let Some(algorithm) = Algorithm::ALL.get(INDEX) else { return 0 };
    let version = if DECODERS { Version::DECODERS } else { Version::FIRST };
    // There is no way to the error queue without a provider or a context at hand.
    // SAFETY: the core hands in a list that ends with a null key, to be written to.
    guarded(|| None, || offer::answer(*algorithm, unsafe { Asked::new(list) }, version))
}

unsafe extern "C" fn answer<C: Cipher>(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key, to be
    // written to.
    unsafe {
        let answered = quickly::<C>(context, |context| {
            let mut list = Asked::new(list);
            list.only().is_some_and(|param| context.cipher.answer_often(param))
        });
        if answered { 1 } else { answer_anything::<C>(context, list) }
    }
}

/// What [`answer`] does not do by the way.
#[cold]
#[inline(never)]
unsafe fn answer_anything<C: Cipher>(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: as for `answer`.
    unsafe {
        with::<Context<C>>(context, |context| {
            let mut list = Asked::new(list);
            if !context.pipes.is_empty() && context.pipes.answer_tags(&mut list)? {
                return Ok(());
            }
            context.cipher.answer(list)
        })
    }
}

unsafe extern "C" fn set<C: Cipher>(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key.
    unsafe {
        let taken = quickly::<C>(context, |context| {
            let only = Given::new(list).only().filter(|_| context.pipes.is_empty());
            only.is_some_and(|param| context.cipher.set_often(param))
        });
        if taken { 1 } else { set_anything::<C>(context, list) }
    }
}

/// What [`set`] does not do by the way.
#[cold]
#[inline(never)]
unsafe fn set_anything<C: Cipher>(context: *mut c_void, list: *const Param) -> c_int {
    // SAFETY: as for `set`.
    unsafe {
        with::<Context<C>>(context, |context| {
            let list = Given::new(list);
            if !context.pipes.is_empty() {
                context.pipes.set(list)?;
            }
            context.cipher.set(list)
        })
    }
}

/// The version of the libcrypto behind a provider context.
///
/// # Safety
/// `provider` must be null or the provider context from our init.
unsafe fn version(provider: *mut c_void) -> Version {
    // SAFETY: the caller promises it.
    unsafe { provider.cast::<Provider>().as_ref() }.map_or(Version::FIRST, |p| p.version)
}

unsafe extern "C" fn gettable_params(provider: *mut c_void) -> *const Param {
    // SAFETY: the core hands back our provider context.
    offer::gettable(unsafe { version(provider) }).as_ptr()
}

unsafe extern "C" fn gettable<C: Cipher>(_: *mut c_void, provider: *mut c_void) -> *const Param {
    // SAFETY: the core hands back our provider context.
    C::gettable(unsafe { version(provider) }).as_ptr()
}

unsafe extern "C" fn settable<C: Cipher>(_: *mut c_void, provider: *mut c_void) -> *const Param {
    // SAFETY: the core hands back our provider context.
    C::settable(unsafe { version(provider) }).as_ptr()
}
