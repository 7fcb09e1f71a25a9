//! The functions of the provider itself, from init to teardown.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_void};
use std::ptr::null;

use wirespeed_cipher::Route;

use super::{free, guarded};
use crate::error::{CallError, Reason};
use crate::host::Core;
use crate::openssl::*;
use crate::params::list::Asked;
use crate::provider::{Provider, gettable};

static FUNCTIONS: [Dispatch; 5] = [
    Dispatch::new(PROVIDER_TEARDOWN, free::<Provider> as Teardown),
    Dispatch::new(PROVIDER_GETTABLE_PARAMS, gettable_params as ProviderList),
    Dispatch::new(PROVIDER_GET_PARAMS, get_params as ProviderGetParams),
    Dispatch::new(PROVIDER_QUERY_OPERATION, query_operation as QueryOperation),
    Dispatch::END,
];

/// What the module exports as `OSSL_provider_init`: configured by openssl.cnf, on the best route.
///
/// # Safety
/// As libcrypto calls it: see provider-base(7).
pub unsafe extern "C" fn init(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the core's own arguments.
    unsafe { start(handle, from_core, to_core, context, Provider::configured) }
}

/// The same on one route alone, for `OSSL_PROVIDER_add_builtin`.
unsafe extern "C" fn init_on<const ROUTE: usize>(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the core's own arguments.
    unsafe {
        start(handle, from_core, to_core, context, |core| {
            Provider::on_route(core, Route::ALL[ROUTE])
        })
    }
}

/// An entry point for `OSSL_PROVIDER_add_builtin` that offers everything on `route` alone; it fails
/// where the route is absent. The provider's name is free; the property stays `provider=wirespeed`.
pub fn builtin(route: Route) -> InitFunction {
    macro_rules! function {
        ($($it:ident)*) => {
            match route {
                $(Route::$it => init_on::<{ Route::$it as usize }>,)*
            }
        };
    }
    wirespeed_cipher::each_route!(function)
}

/// # Safety
/// The arguments must be the core's.
pub(super) unsafe fn start(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
    make: impl FnOnce(Core) -> Result<Provider, (Reason, String)>,
) -> c_int {
    if to_core.is_null() || context.is_null() {
        return 0;
    }
    // SAFETY: the caller promises the core's own handle and table.
    let core = unsafe { Core::new(handle, from_core) };
    guarded(
        || Some(core),
        || {
            let provider = make(core).map_err(|(reason, text)| {
                core.raise(reason, Some(&text));
                CallError::SILENT
            })?;
            // SAFETY: the layout is not empty.
            let memory = unsafe { System.alloc(Layout::new::<Provider>()) }.cast::<Provider>();
            if memory.is_null() {
                return Err(CallError(&[Reason::OutOfMemory]));
            }
            // SAFETY: freshly allocated for this type; the core's pointers are writable.
            unsafe {
                memory.write(provider);
                context.write(memory.cast());
                to_core.write(FUNCTIONS.as_ptr());
            }
            Ok(())
        },
    )
}

unsafe extern "C" fn gettable_params(_: *mut c_void) -> *const Param {
    gettable()
}

unsafe extern "C" fn get_params(provider: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: the core hands back our provider context.
    let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else { return 0 };
    // SAFETY: the core hands in a list that ends with a null key, to be written to.
    guarded(|| Some(provider.core), || provider.answer(unsafe { Asked::new(list) }))
}

unsafe extern "C" fn query_operation(
    provider: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const AlgorithmEntry {
    // SAFETY: the core hands back our provider context, and a flag to be written to.
    let (provider, no_cache) = unsafe { (provider.cast::<Provider>().as_ref(), no_cache.as_mut()) };
    if let Some(no_cache) = no_cache {
        *no_cache = 0;
    }
    match provider {
        Some(provider) if operation == OPERATION_CIPHER => provider.ciphers(),
        Some(provider) if operation == OPERATION_DIGEST => provider.digests(),
        Some(provider) if operation == OPERATION_MAC => provider.macs(),
        Some(provider) if operation == OPERATION_SECRET_KEY => provider.secret_keys(),
        _ => null(),
    }
}
