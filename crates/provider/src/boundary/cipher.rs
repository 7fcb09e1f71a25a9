//! The functions of a cipher, for each kind of context.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};

use wirespeed_cipher::{Algorithm, Direction};
use zeroize::Zeroize;

use super::pipeline::{self, Pipes};
use super::{guarded, place};
use crate::call::Call;
use crate::cipher::Cipher;
use crate::error::{CallError, Reason};
use crate::host::{Core, Version};
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
    core: Core,
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
        Dispatch::new(CIPHER_ENCRYPT_INIT, encrypt_init::<C> as Initialise),
        Dispatch::new(CIPHER_DECRYPT_INIT, decrypt_init::<C> as Initialise),
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

/// Runs a method of a context.
///
/// # Safety
/// `context` must be null or from [`new_context`] or [`duplicate_context`] of the same `C`, not yet
/// freed, and in nobody else's use.
#[inline(always)]
pub(super) unsafe fn with<C: Cipher>(
    context: *mut c_void,
    run: impl FnOnce(&mut Context<C>) -> Result<(), CallError>,
) -> c_int {
    let context = context.cast::<Context<C>>();
    guarded(
        // SAFETY: the caller promises the context; its use in `run` is over.
        || unsafe { context.as_ref() }.map(|context| context.core),
        || {
            // SAFETY: the caller promises the context.
            let Some(context) = (unsafe { context.as_mut() }) else {
                return Err(CallError::SILENT);
            };
            run(context)
        },
    )
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
            let cipher = C::new(provider, INDEX).ok_or(CallError(&[Reason::Internal]))?;
            let made = Context { cipher, pipes: Pipes::NONE, core: provider.core };
            context = place(made, &provider.core);
            Ok(())
        },
    );
    context
}

unsafe extern "C" fn duplicate_context<C: Cipher>(context: *mut c_void) -> *mut c_void {
    let mut copy = null_mut();
    // SAFETY: the core hands in a context of this kind.
    unsafe {
        with::<C>(context, |context| {
            let (cipher, core) = (context.cipher.clone(), context.core);
            copy = place(Context { cipher, pipes: context.pipes.duplicate()?, core }, &core);
            Ok(())
        });
    }
    copy
}

unsafe extern "C" fn free_context<C: Cipher>(context: *mut c_void) {
    let Some(context) = NonNull::new(context.cast::<Context<C>>()) else { return };
    guarded(
        || None,
        || {
            let layout = Layout::new::<Context<C>>();
            // SAFETY: the core hands in a context of this kind, once, and never uses it again; it
            // was allocated with this layout, whose size is a multiple of its alignment of 64.
            unsafe {
                context.drop_in_place();
                let words = NonNull::slice_from_raw_parts(
                    context.cast::<MaybeUninit<u64>>(),
                    layout.size() / 8,
                );
                { words }.as_mut().zeroize();
                System.dealloc(context.as_ptr().cast(), layout);
            }
            Ok(())
        },
    );
}

/// # Safety
/// As for [`Initialise`]: key and IV null or as long as told, the list ended by a null key.
#[inline(always)]
unsafe fn initialise<C: Cipher>(
    context: *mut c_void,
    direction: Direction,
    (key, key_length): (*const u8, usize),
    (iv, iv_length): (*const u8, usize),
    params: *const Param,
) -> c_int {
    // SAFETY: the caller promises all pointers.
    unsafe {
        with::<C>(context, |context| {
            let bytes = |start: *const u8, length| {
                (!start.is_null()).then(|| std::slice::from_raw_parts(start, length))
            };
            context.cipher.start(direction, bytes(key, key_length), bytes(iv, iv_length))?;
            if params.is_null() { Ok(()) } else { context.cipher.set(Given::new(params)) }
        })
    }
}

unsafe extern "C" fn encrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    iv: *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int {
    let (key, iv) = ((key, key_length), (iv, iv_length));
    // SAFETY: the core keeps to the signature's contract.
    unsafe { initialise::<C>(context, Direction::Encrypt, key, iv, params) }
}

unsafe extern "C" fn decrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    iv: *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int {
    let (key, iv) = ((key, key_length), (iv, iv_length));
    // SAFETY: the core keeps to the signature's contract.
    unsafe { initialise::<C>(context, Direction::Decrypt, key, iv, params) }
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
        with::<C>(context, |context| {
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
        with::<C>(context, |context| {
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
        with::<C>(context, |context| {
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
        with::<C>(context, |context| {
            let mut list = Asked::new(list);
            if let Some(param) = list.only()
                && let Some(result) = context.cipher.answer_often(param)
            {
                return result;
            }
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
        with::<C>(context, |context| {
            let list = Given::new(list);
            if !context.pipes.is_empty() {
                context.pipes.set(list)?;
            }
            if let Some(param) = list.only()
                && let Some(result) = context.cipher.set_often(param)
            {
                return result;
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
