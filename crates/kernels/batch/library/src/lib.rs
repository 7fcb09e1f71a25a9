//! `libwirespeed_batch.so`: many messages at once, for programs in C.
//!
//! `include/wirespeed.h` is its document. Here pointers become slices and results become status codes; all
//! else is in `wirespeed-batch`.

mod border;
pub mod cipher;
pub mod gcm;
pub mod hash;
mod status;

use std::ffi::c_char;

/// The version of the library, as `WIRESPEED_VERSION_NUMBER`.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub extern "C" fn wirespeed_version_number() -> u32 {
    let part = |text: &str| text.parse::<u32>().unwrap_or(0);
    part(env!("CARGO_PKG_VERSION_MAJOR")) << 16
        | part(env!("CARGO_PKG_VERSION_MINOR")) << 8
        | part(env!("CARGO_PKG_VERSION_PATCH"))
}

/// A status in English.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub extern "C" fn wirespeed_message(status: i32) -> *const c_char {
    status::message(status).as_ptr()
}
