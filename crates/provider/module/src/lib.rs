//! `libwirespeed.so`: the provider as a module that libcrypto loads.
//!
//! It exports one symbol and does not link libcrypto. All logic is in `wirespeed-provider`.

mod reserve;

use std::ffi::{c_int, c_void};
use std::panic;

use wirespeed_provider::openssl::{CoreHandle, Dispatch};

#[global_allocator]
static MEMORY: reserve::Reserve = reserve::Reserve::new();

/// The entry point that libcrypto looks for.
///
/// # Safety
/// As libcrypto calls it: see provider-base(7).
// SAFETY: the name is OpenSSL's for exactly this function, and the module's only export.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const CoreHandle,
    from_core: *const Dispatch,
    to_core: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // The hook is this module's own, not the host's; a panic becomes an OpenSSL error, and must not
    // write to the host's standard error besides.
    panic::set_hook(Box::new(|_| ()));
    // SAFETY: the same contract.
    unsafe { wirespeed_provider::init(handle, from_core, to_core, context) }
}
