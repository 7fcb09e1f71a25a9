//! To be written.

use std::ffi::{c_int, c_void};

use wirespeed_cipher::Route;

/// The signature of `OSSL_provider_init` (openssl/core.h).
pub type InitFunction = unsafe extern "C" fn(
    handle: *const c_void,
    from_core: *const c_void,
    to_core: *mut *const c_void,
    context: *mut *mut c_void,
) -> c_int;

/// An entry point for `OSSL_PROVIDER_add_builtin` that offers everything on `route` alone; it fails
/// where the route is absent. The provider name is free; the property stays `provider=wirespeed`.
pub fn builtin(_route: Route) -> Option<InitFunction> {
    None
}
