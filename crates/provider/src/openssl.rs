//! The C types, numbers and signatures that OpenSSL and a provider exchange.
//!
//! Written by hand from openssl/core.h and openssl/core_dispatch.h, whose numbers and layouts are a
//! stable interface from 3.0 on. A [`Slot`] ties a function's number to its signature, so an entry
//! with the wrong signature does not compile.

use std::ffi::{c_char, c_int, c_void};
use std::marker::PhantomData;

/// `OSSL_CORE_HANDLE`: what the core calls a provider.
#[repr(C)]
pub struct CoreHandle {
    opaque: [u8; 0],
}

/// `void (*)(void)`.
pub(crate) type Function = unsafe extern "C" fn();

/// `OSSL_DISPATCH`: a number and a function.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Dispatch {
    number: c_int,
    function: Option<Function>,
}

impl Dispatch {
    pub(crate) const END: Self = Self { number: 0, function: None };

    /// Whether the table ends here.
    pub(crate) const fn is_end(&self) -> bool {
        self.number == 0
    }

    /// Whether this is the function of that slot.
    pub(crate) const fn is<F>(&self, slot: &Slot<F>) -> bool {
        self.number == slot.number
    }

    pub(crate) const fn new<F: Copy>(slot: Slot<F>, function: F) -> Self {
        const { assert!(size_of::<F>() == size_of::<Function>()) }
        // SAFETY: slots are only made for function pointer types, which all have one layout; the
        // other side casts back to the signature that belongs to the number.
        let function = unsafe { std::mem::transmute_copy::<F, Function>(&function) };
        Self { number: slot.number, function: Some(function) }
    }
}

/// A function's number, and its signature as a type.
pub(crate) struct Slot<F> {
    number: c_int,
    signature: PhantomData<F>,
}

impl<F: Copy> Slot<F> {
    const fn new(number: c_int) -> Self {
        Self { number, signature: PhantomData }
    }

    /// The function under this number in `table`.
    ///
    /// # Safety
    /// `table` must be null or an array that ends with number 0, and must hold a function of this
    /// slot's signature under its number.
    pub(crate) unsafe fn find(&self, mut table: *const Dispatch) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<Function>()) }
        if table.is_null() {
            return None;
        }
        loop {
            // SAFETY: the caller promises entries up to and including number 0.
            let entry = unsafe { *table };
            if entry.number == 0 {
                return None;
            }
            if entry.number == self.number {
                // SAFETY: the caller promises the signature; function pointers have one layout.
                return entry
                    .function
                    .map(|f| unsafe { std::mem::transmute_copy::<Function, F>(&f) });
            }
            // SAFETY: number 0 has not been seen, so there is a next entry.
            table = unsafe { table.add(1) };
        }
    }
}

/// `OSSL_ALGORITHM`.
#[repr(C)]
pub(crate) struct AlgorithmEntry {
    pub(crate) names: *const c_char,
    pub(crate) properties: *const c_char,
    pub(crate) functions: *const Dispatch,
    pub(crate) description: *const c_char,
}

impl AlgorithmEntry {
    pub(crate) const END: Self = Self {
        names: std::ptr::null(),
        properties: std::ptr::null(),
        functions: std::ptr::null(),
        description: std::ptr::null(),
    };
}

/// `OSSL_PARAM`; its values are read and written in [`crate::params`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Param {
    pub(crate) key: *const c_char,
    pub(crate) data_type: u32,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

/// Data types of a [`Param`].
pub(crate) mod data_type {
    pub(crate) const INTEGER: u32 = 1;
    pub(crate) const UNSIGNED: u32 = 2;
    pub(crate) const REAL: u32 = 3;
    pub(crate) const UTF8_STRING: u32 = 4;
    pub(crate) const OCTET_STRING: u32 = 5;
    pub(crate) const UTF8_POINTER: u32 = 6;
    pub(crate) const OCTET_POINTER: u32 = 7;
}

/// `OSSL_PARAM_UNMODIFIED`: `return_size` before anybody answers.
pub(crate) const UNMODIFIED: usize = usize::MAX;

/// `OSSL_OP_CIPHER`.
pub(crate) const OPERATION_CIPHER: c_int = 2;

/// `OSSL_OP_DIGEST`.
pub(crate) const OPERATION_DIGEST: c_int = 1;

/// `OSSL_OP_MAC`.
pub(crate) const OPERATION_MAC: c_int = 3;

/// `OSSL_OP_SKEYMGMT`.
pub(crate) const OPERATION_SECRET_KEY: c_int = 15;

/// The signature of `OSSL_provider_init`.
pub type InitFunction = unsafe extern "C" fn(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int;

pub(crate) type CoreGetParams = unsafe extern "C" fn(*const CoreHandle, *mut Param) -> c_int;
/// It gives libcrypto's own `OSSL_LIB_CTX`, under another name.
pub(crate) type CoreLibraryContext = unsafe extern "C" fn(*const CoreHandle) -> *mut c_void;
pub(crate) type CoreNewError = unsafe extern "C" fn(*const CoreHandle);
pub(crate) type CoreSetErrorDebug =
    unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char);
/// The last argument is a `va_list`, which every supported ABI passes as a pointer.
pub(crate) type CoreSetError =
    unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void);

pub(crate) const CORE_GET_PARAMS: Slot<CoreGetParams> = Slot::new(2);
pub(crate) const CORE_GET_LIBRARY_CONTEXT: Slot<CoreLibraryContext> = Slot::new(4);
pub(crate) const CORE_NEW_ERROR: Slot<CoreNewError> = Slot::new(5);
pub(crate) const CORE_SET_ERROR_DEBUG: Slot<CoreSetErrorDebug> = Slot::new(6);
pub(crate) const CORE_SET_ERROR: Slot<CoreSetError> = Slot::new(7);

pub(crate) type Teardown = unsafe extern "C" fn(*mut c_void);
pub(crate) type ProviderList = unsafe extern "C" fn(*mut c_void) -> *const Param;
pub(crate) type ProviderGetParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
pub(crate) type QueryOperation =
    unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const AlgorithmEntry;

pub(crate) const PROVIDER_TEARDOWN: Slot<Teardown> = Slot::new(1024);
pub(crate) const PROVIDER_GETTABLE_PARAMS: Slot<ProviderList> = Slot::new(1025);
pub(crate) const PROVIDER_GET_PARAMS: Slot<ProviderGetParams> = Slot::new(1026);
pub(crate) const PROVIDER_QUERY_OPERATION: Slot<QueryOperation> = Slot::new(1027);

pub(crate) type NewContext = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
pub(crate) type FreeContext = unsafe extern "C" fn(*mut c_void);
pub(crate) type Initialise = unsafe extern "C" fn(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    iv: *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int;
pub(crate) type Update = unsafe extern "C" fn(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
    input: *const u8,
    length: usize,
) -> c_int;
pub(crate) type Finish = unsafe extern "C" fn(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    capacity: usize,
) -> c_int;
/// The arrays have as many entries as there are pipes.
pub(crate) type PipelineInitialise = unsafe extern "C" fn(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    pipes: usize,
    ivs: *const *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int;
pub(crate) type PipelineUpdate = unsafe extern "C" fn(
    context: *mut c_void,
    pipes: usize,
    outputs: *const *mut u8,
    written: *mut usize,
    capacities: *const usize,
    inputs: *const *const u8,
    lengths: *const usize,
) -> c_int;
pub(crate) type PipelineFinish = unsafe extern "C" fn(
    context: *mut c_void,
    pipes: usize,
    outputs: *const *mut u8,
    written: *mut usize,
    capacities: *const usize,
) -> c_int;
pub(crate) type GetParams = unsafe extern "C" fn(*mut Param) -> c_int;
pub(crate) type GetContextParams = unsafe extern "C" fn(*mut c_void, *mut Param) -> c_int;
pub(crate) type SetContextParams = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
pub(crate) type ContextList = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const Param;

pub(crate) type DigestInitialise = unsafe extern "C" fn(*mut c_void, *const Param) -> c_int;
pub(crate) type DigestUpdate = unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int;

pub(crate) type CopyContext = unsafe extern "C" fn(to: *mut c_void, from: *mut c_void);
pub(crate) type Serialise = unsafe extern "C" fn(*mut c_void, *mut u8, *mut usize) -> c_int;

pub(crate) const DIGEST_NEW_CONTEXT: Slot<NewContext> = Slot::new(1);
pub(crate) const DIGEST_INIT: Slot<DigestInitialise> = Slot::new(2);
pub(crate) const DIGEST_UPDATE: Slot<DigestUpdate> = Slot::new(3);
pub(crate) const DIGEST_FINAL: Slot<Finish> = Slot::new(4);
pub(crate) const DIGEST_FREE_CONTEXT: Slot<FreeContext> = Slot::new(6);
pub(crate) const DIGEST_DUPLICATE_CONTEXT: Slot<NewContext> = Slot::new(7);
pub(crate) const DIGEST_GET_PARAMS: Slot<GetParams> = Slot::new(8);
pub(crate) const DIGEST_SET_CONTEXT_PARAMS: Slot<SetContextParams> = Slot::new(9);
pub(crate) const DIGEST_GET_CONTEXT_PARAMS: Slot<GetContextParams> = Slot::new(10);
pub(crate) const DIGEST_GETTABLE_PARAMS: Slot<ProviderList> = Slot::new(11);
pub(crate) const DIGEST_SETTABLE_CONTEXT_PARAMS: Slot<ContextList> = Slot::new(12);
pub(crate) const DIGEST_GETTABLE_CONTEXT_PARAMS: Slot<ContextList> = Slot::new(13);
/// From 3.3 on.
pub(crate) const DIGEST_SQUEEZE: Slot<Finish> = Slot::new(14);
/// From 3.5 on.
pub(crate) const DIGEST_COPY_CONTEXT: Slot<CopyContext> = Slot::new(15);
/// From 4.0 on.
pub(crate) const DIGEST_SERIALISE: Slot<Serialise> = Slot::new(16);
/// From 4.0 on.
pub(crate) const DIGEST_DESERIALISE: Slot<DigestUpdate> = Slot::new(17);

pub(crate) type MacInitialise =
    unsafe extern "C" fn(*mut c_void, *const u8, usize, *const Param) -> c_int;

pub(crate) const MAC_NEW_CONTEXT: Slot<NewContext> = Slot::new(1);
pub(crate) const MAC_DUPLICATE_CONTEXT: Slot<NewContext> = Slot::new(2);
pub(crate) const MAC_FREE_CONTEXT: Slot<FreeContext> = Slot::new(3);
pub(crate) const MAC_INIT: Slot<MacInitialise> = Slot::new(4);
pub(crate) const MAC_UPDATE: Slot<DigestUpdate> = Slot::new(5);
pub(crate) const MAC_FINAL: Slot<Finish> = Slot::new(6);
pub(crate) const MAC_GET_CONTEXT_PARAMS: Slot<GetContextParams> = Slot::new(8);
pub(crate) const MAC_SET_CONTEXT_PARAMS: Slot<SetContextParams> = Slot::new(9);
pub(crate) const MAC_GETTABLE_CONTEXT_PARAMS: Slot<ContextList> = Slot::new(11);
pub(crate) const MAC_SETTABLE_CONTEXT_PARAMS: Slot<ContextList> = Slot::new(12);

pub(crate) type SecretKeyImport =
    unsafe extern "C" fn(*mut c_void, c_int, *const Param) -> *mut c_void;
/// `OSSL_CALLBACK`.
pub(crate) type TakeParams = unsafe extern "C" fn(*const Param, *mut c_void) -> c_int;
pub(crate) type SecretKeyExport =
    unsafe extern "C" fn(*mut c_void, c_int, Option<TakeParams>, *mut c_void) -> c_int;

pub(crate) const SECRET_KEY_FREE: Slot<FreeContext> = Slot::new(1);
pub(crate) const SECRET_KEY_IMPORT: Slot<SecretKeyImport> = Slot::new(2);
pub(crate) const SECRET_KEY_EXPORT: Slot<SecretKeyExport> = Slot::new(3);
pub(crate) const SECRET_KEY_SETTABLE: Slot<ProviderList> = Slot::new(6);

pub(crate) const CIPHER_NEW_CONTEXT: Slot<NewContext> = Slot::new(1);
pub(crate) const CIPHER_ENCRYPT_INIT: Slot<Initialise> = Slot::new(2);
pub(crate) const CIPHER_DECRYPT_INIT: Slot<Initialise> = Slot::new(3);
pub(crate) const CIPHER_UPDATE: Slot<Update> = Slot::new(4);
pub(crate) const CIPHER_FINAL: Slot<Finish> = Slot::new(5);
pub(crate) const CIPHER_CIPHER: Slot<Update> = Slot::new(6);
pub(crate) const CIPHER_FREE_CONTEXT: Slot<FreeContext> = Slot::new(7);
pub(crate) const CIPHER_DUPLICATE_CONTEXT: Slot<NewContext> = Slot::new(8);
pub(crate) const CIPHER_GET_PARAMS: Slot<GetParams> = Slot::new(9);
pub(crate) const CIPHER_GET_CONTEXT_PARAMS: Slot<GetContextParams> = Slot::new(10);
pub(crate) const CIPHER_SET_CONTEXT_PARAMS: Slot<SetContextParams> = Slot::new(11);
pub(crate) const CIPHER_GETTABLE_PARAMS: Slot<ProviderList> = Slot::new(12);
pub(crate) const CIPHER_GETTABLE_CONTEXT_PARAMS: Slot<ContextList> = Slot::new(13);
pub(crate) const CIPHER_SETTABLE_CONTEXT_PARAMS: Slot<ContextList> = Slot::new(14);
pub(crate) const CIPHER_PIPELINE_ENCRYPT_INIT: Slot<PipelineInitialise> = Slot::new(15);
pub(crate) const CIPHER_PIPELINE_DECRYPT_INIT: Slot<PipelineInitialise> = Slot::new(16);
pub(crate) const CIPHER_PIPELINE_UPDATE: Slot<PipelineUpdate> = Slot::new(17);
pub(crate) const CIPHER_PIPELINE_FINAL: Slot<PipelineFinish> = Slot::new(18);
