//! The C edge as a core sees it: a core of our own, without libcrypto.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use wirespeed_cipher::{Algorithm, Route};

use super::{guarded, provider::builtin, provider::init};
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::*;
use crate::params::{END, entry};

thread_local! {
    /// The error queue.
    static ERRORS: RefCell<Vec<(u32, String)>> = const { RefCell::new(Vec::new()) };
    /// What openssl.cnf says.
    static SETTINGS: RefCell<Vec<(&'static CStr, &'static CStr)>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn read_params(_: *const CoreHandle, list: *mut Param) -> c_int {
    // SAFETY: the provider asks for one parameter at a time.
    let param = unsafe { &mut *list };
    SETTINGS.with_borrow(|settings| {
        let found = settings.iter().find(|(key, _)| key.to_bytes() == param.name());
        c_int::from(found.is_some_and(|(_, value)| param.set_text(value)))
    })
}

unsafe extern "C" fn new_error(_: *const CoreHandle) {}

unsafe extern "C" fn set_error(
    _: *const CoreHandle,
    reason: u32,
    format: *const c_char,
    _: *mut c_void,
) {
    let text = if format.is_null() {
        String::new()
    } else {
        // SAFETY: a format is a NUL-terminated string.
        unsafe { CStr::from_ptr(format) }.to_string_lossy().into_owned()
    };
    ERRORS.with_borrow_mut(|errors| errors.push((reason, text)));
}

fn errors() -> Vec<(u32, String)> {
    ERRORS.take()
}

/// The version that this core says it is.
const VERSION: &CStr = c"3.5.4";

/// A provider loaded into this core.
pub(super) struct Loaded {
    functions: *const Dispatch,
    context: *mut c_void,
}

impl Loaded {
    pub(super) fn new(
        init: InitFunction,
        settings: &[(&'static CStr, &'static CStr)],
    ) -> Option<Self> {
        let version = (c"openssl-version", VERSION);
        SETTINGS.set(settings.iter().copied().chain([version]).collect());
        let core = [
            Dispatch::new(CORE_GET_PARAMS, read_params as CoreGetParams),
            Dispatch::new(CORE_NEW_ERROR, new_error as CoreNewError),
            Dispatch::new(CORE_SET_ERROR, set_error as CoreSetError),
            Dispatch::END,
        ];
        let (mut functions, mut context) = (null(), null_mut());
        // SAFETY: a table with an end, and places to write to.
        let ok = unsafe { init(null(), core.as_ptr(), &raw mut functions, &raw mut context) };
        (ok == 1).then(|| Self { functions, context })
    }

    pub(super) fn context(&self) -> *mut c_void {
        self.context
    }

    pub(super) fn function<F: Copy>(&self, slot: &Slot<F>) -> F {
        // SAFETY: the provider's own table.
        unsafe { slot.find(self.functions) }.expect("every provider has it")
    }

    /// The functions of an algorithm, if it is on offer.
    pub(super) fn cipher(&self, name: &str) -> Option<*const Dispatch> {
        let query = self.function(&PROVIDER_QUERY_OPERATION);
        // SAFETY: the provider's own context; null is allowed for the flag.
        let mut entry = unsafe { query(self.context, OPERATION_CIPHER, null_mut()) };
        loop {
            // SAFETY: the list ends with a null name.
            let algorithm = unsafe { &*entry };
            if algorithm.names.is_null() {
                return None;
            }
            // SAFETY: names are NUL-terminated.
            let names = unsafe { CStr::from_ptr(algorithm.names) }.to_str().unwrap();
            if names.split(':').any(|other| other == name) {
                return Some(algorithm.functions);
            }
            // SAFETY: the end has not been seen.
            entry = unsafe { entry.add(1) };
        }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the provider's own context, for the last time.
        unsafe { self.function(&PROVIDER_TEARDOWN)(self.context) };
    }
}

pub(super) fn portable() -> Loaded {
    Loaded::new(builtin(Route::Portable), &[]).unwrap()
}

#[test]
fn every_algorithm_is_offered_under_all_its_names() {
    let loaded = portable();
    for algorithm in Algorithm::ALL {
        assert!(loaded.cipher(algorithm.name()).is_some(), "{algorithm}");
    }
    assert!(
        loaded.cipher("AES128").is_some() && loaded.cipher("2.16.840.1.101.3.4.1.46").is_some()
    );
    assert!(loaded.cipher("AES-128-CCM").is_none());
}

/// What an OpenSSL has not itself has nobody to go on with it.
#[test]
fn an_old_openssl_is_offered_less() {
    let old = Loaded::new(builtin(Route::Portable), &[(c"openssl-version", c"3.0.19")]).unwrap();
    let version = Version::parse("3.0.19");
    for algorithm in Algorithm::ALL {
        assert_eq!(old.cipher(algorithm.name()).is_some(), version.has(*algorithm), "{algorithm}");
    }
    assert!(
        old.cipher("SM4-GCM").is_none()
            && old.cipher("SM4-CCM").is_none()
            && old.cipher("AES-128-GCM-SIV").is_none()
    );
}

/// FIPS 197 appendix C.1, through every function of a context, and once more through a copy.
#[test]
fn a_context_lives_from_making_to_end() {
    let loaded = portable();
    let functions = loaded.cipher("AES-128-ECB").unwrap();
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    let plain: [u8; 16] = std::array::from_fn(|i| i as u8 * 0x11);
    let expected = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    // SAFETY: our own table, contexts in the order of their lives, and buffers as large as told.
    unsafe {
        let context = CIPHER_NEW_CONTEXT.find(functions).unwrap()(loaded.context);
        assert!(!context.is_null() && context.addr().is_multiple_of(64));
        let start = CIPHER_ENCRYPT_INIT.find(functions).unwrap();
        assert_eq!(start(context, key.as_ptr(), 16, null(), 0, null()), 1);
        let copy = CIPHER_DUPLICATE_CONTEXT.find(functions).unwrap()(context);
        CIPHER_FREE_CONTEXT.find(functions).unwrap()(context);
        let (mut output, mut written) = ([0; 32], 0);
        let update = CIPHER_UPDATE.find(functions).unwrap();
        let to = output.as_mut_ptr();
        assert_eq!(update(copy, to, &raw mut written, 32, plain.as_ptr(), 16), 1);
        assert_eq!((written, &output[..16]), (16, &expected[..]));
        let finish = CIPHER_FINAL.find(functions).unwrap();
        assert_eq!(finish(copy, to, &raw mut written, 16), 1);
        assert_eq!(written, 16, "a block of padding");
        CIPHER_FREE_CONTEXT.find(functions).unwrap()(copy);
    }
    assert_eq!(errors(), []);
}

/// Runs on a stack that is memory of the caller's.
fn run_on(stack: &mut [u128], work: extern "C" fn(*mut c_void) -> *mut c_void, with: *mut c_void) {
    // SAFETY: keeps to pthread_attr_setstack(3); the memory is aligned, and nobody else's until the thread has ended.
    unsafe {
        let (mut attributes, mut thread) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        assert_eq!(libc::pthread_attr_init(attributes.as_mut_ptr()), 0);
        let bytes = size_of_val(stack);
        let set =
            libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack.as_mut_ptr().cast(), bytes);
        assert_eq!(set, 0);
        let begun = libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), work, with);
        assert_eq!(begun, 0);
        assert_eq!(libc::pthread_join(thread.assume_init(), null_mut()), 0);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no pthread_attr_setstack")]
fn a_copy_leaves_no_key_on_the_stack() {
    struct Copied {
        duplicate: NewContext,
        context: *mut c_void,
        copy: *mut c_void,
    }
    extern "C" fn duplicate(work: *mut c_void) -> *mut c_void {
        // SAFETY: what is handed in below; a context of this table's.
        unsafe {
            let work = &mut *work.cast::<Copied>();
            work.copy = (work.duplicate)(work.context);
        }
        null_mut()
    }
    const KEY: [u8; 64] = *b"a key that is nowhere else, at a place where no others are found";
    let loaded = portable();
    let mut tried = 0;
    for &algorithm in Algorithm::ALL {
        let (name, key_bytes) = (algorithm.name(), algorithm.key_bytes());
        let Some(functions) = loaded.cipher(name) else { continue };
        tried += 1;
        let mut stack = vec![0_u128; 16 * 1024];
        // SAFETY: our own table, contexts in the order of their lives, and a key as long as told.
        let work = unsafe {
            let context = CIPHER_NEW_CONTEXT.find(functions).unwrap()(loaded.context);
            let start = CIPHER_ENCRYPT_INIT.find(functions).unwrap();
            assert_eq!(start(context, KEY.as_ptr(), key_bytes, null(), 0, null()), 1, "{name}");
            let duplicate = CIPHER_DUPLICATE_CONTEXT.find(functions).unwrap();
            &mut Copied { duplicate, context, copy: null_mut() }
        };
        run_on(&mut stack, duplicate, (&raw mut *work).cast());
        let bytes: Vec<u8> = stack.iter().flat_map(|it| it.to_ne_bytes()).collect();
        assert!(bytes.iter().any(|byte| *byte != 0), "another stack was used");
        assert!(!bytes.windows(16).any(|it| it == &KEY[..16]), "{name}");
        for context in [work.context, work.copy] {
            // SAFETY: each for the last time.
            unsafe { CIPHER_FREE_CONTEXT.find(functions).unwrap()(context) };
        }
    }
    assert!(tried > 50, "{tried} ciphers on offer");
}

#[test]
fn refusals_become_errors_and_null_pointers_are_no_crash() {
    let loaded = portable();
    let functions = loaded.cipher("AES-256-CBC").unwrap();
    // SAFETY: our own table and context; null is what is tested.
    unsafe {
        let context = CIPHER_NEW_CONTEXT.find(functions).unwrap()(loaded.context);
        let update = CIPHER_UPDATE.find(functions).unwrap();
        let mut written = 0;
        assert_eq!(update(context, null_mut(), &raw mut written, 0, null(), 0), 0);
        assert_eq!(errors(), [(Reason::NoKeySet as u32, String::new())]);
        let start = CIPHER_ENCRYPT_INIT.find(functions).unwrap();
        assert_eq!(start(context, [0; 16].as_ptr(), 16, null(), 0, null()), 0);
        assert_eq!(errors(), [(Reason::InvalidKeyLength as u32, String::new())]);
        assert_eq!(start(context, [0; 32].as_ptr(), 32, null(), 0, null()), 1);
        assert_eq!(update(context, null_mut(), null_mut(), 16, [0; 16].as_ptr(), 16), 0);
        assert_eq!(errors(), [(Reason::CipherOperationFailed as u32, String::new())]);
        assert_eq!(update(null_mut(), null_mut(), null_mut(), 0, null(), 0), 0);
        assert_eq!(CIPHER_GET_CONTEXT_PARAMS.find(functions).unwrap()(context, null_mut()), 1);
        CIPHER_FREE_CONTEXT.find(functions).unwrap()(context);
        CIPHER_FREE_CONTEXT.find(functions).unwrap()(null_mut());
        assert!(CIPHER_NEW_CONTEXT.find(functions).unwrap()(null_mut()).is_null());
    }
}

#[test]
fn a_panic_is_an_error_and_goes_no_further() {
    assert_eq!(guarded(|| None, || panic!("in a test")), 0);
    assert_eq!(guarded(|| None, || Err(CallError::SILENT)), 0);
    assert_eq!(guarded(|| None, || Ok(())), 1);
}

#[test]
fn configuration_narrows_the_offer_or_fails_by_name() {
    let loaded = Loaded::new(init, &[(c"routes", c"portable"), (c"ciphers", c"AES-128-CTR")]);
    let loaded = loaded.expect("portable is always there");
    assert!(loaded.cipher("AES-128-CTR").is_some() && loaded.cipher("AES-128-GCM").is_none());
    let mut name: *const c_char = null();
    let mut query = [entry(c"wirespeed-routes", 6, (&raw mut name).cast(), 0), END];
    // SAFETY: the provider's own context, and a list with an end.
    let ok = unsafe { loaded.function(&PROVIDER_GET_PARAMS)(loaded.context, query.as_mut_ptr()) };
    // SAFETY: the answer is a NUL-terminated string.
    assert_eq!((ok, unsafe { CStr::from_ptr(name) }), (1, c"portable"));

    assert!(Loaded::new(init, &[(c"routes", c"warp%n")]).is_none());
    let (reason, text) = errors().pop().unwrap();
    assert_eq!(reason, Reason::InvalidArgument as u32);
    assert!(text.starts_with("routes = warp%%n: "), "{text}");

    assert!(Loaded::new(init, &[(c"routes", c"portable libcrypto")]).is_none());
    let (reason, text) = errors().pop().unwrap();
    assert_eq!(reason, Reason::InitFail as u32);
    assert!(text.starts_with("routes: libcrypto is absent: "), "{text}");
}

#[test]
fn a_core_that_is_no_libcrypto_has_no_libcrypto_route() {
    assert!(Loaded::new(builtin(Route::Libcrypto), &[]).is_none());
    let (_, text) = errors().pop().expect("a reason");
    assert!(text.starts_with("libcrypto is absent: "), "{text}");
}

#[test]
#[cfg(feature = "trace")]
fn data_calls_are_counted_by_route() {
    let calls = |loaded: &Loaded| {
        let mut count = 0_u64;
        let mut query = [entry(c"wirespeed-calls-portable", 2, (&raw mut count).cast(), 8), END];
        // SAFETY: the provider's own context, and a list with an end.
        let ok =
            unsafe { loaded.function(&PROVIDER_GET_PARAMS)(loaded.context, query.as_mut_ptr()) };
        assert_eq!(ok, 1);
        count
    };
    let loaded = portable();
    let before = calls(&loaded);
    let functions = loaded.cipher("AES-128-CTR").unwrap();
    // SAFETY: our own table, a context of our own, and buffers as large as told.
    unsafe {
        let context = CIPHER_NEW_CONTEXT.find(functions).unwrap()(loaded.context);
        let start = CIPHER_ENCRYPT_INIT.find(functions).unwrap();
        assert_eq!(start(context, [0; 16].as_ptr(), 16, [0; 16].as_ptr(), 16, null()), 1);
        let (mut output, mut written) = ([0; 16], 0);
        let update = CIPHER_UPDATE.find(functions).unwrap();
        assert_eq!(
            update(context, output.as_mut_ptr(), &raw mut written, 16, [0; 16].as_ptr(), 16),
            1
        );
        CIPHER_FREE_CONTEXT.find(functions).unwrap()(context);
    }
    // Tests beside this one count too.
    assert!(calls(&loaded) > before);
    assert!(crate::trace::calls(Route::Portable) > before);
}
