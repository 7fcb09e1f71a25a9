//! The emulator's own variables of the environment: what came with the program, kept for its children.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};

use padlock_runner::Settings;

/// The longest text that is kept: all options, and a path.
const LONGEST: usize = 4608;

/// `PADLOCK_RUN=…` and NUL. A copy: programs write over the memory of their environment to change
/// their title.
struct Kept(UnsafeCell<[u8; LONGEST]>);

// SAFETY: only the constructor writes, before there is a second thread.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept(UnsafeCell::new([0; LONGEST]));

/// Keeps what the environment says.
///
/// # Safety
///
/// `variables` is an environment, and nothing else runs yet.
pub(crate) unsafe fn keep(variables: *const *const c_char) {
    // SAFETY: the caller's promise.
    let value = unsafe { find(variables, Settings::VARIABLE) }.unwrap_or(c"");
    // SAFETY: nothing else runs yet.
    let kept = unsafe { &mut *KEPT.0.get() };
    let parts = [Settings::VARIABLE.to_bytes(), b"=", value.to_bytes()];
    let text = parts.iter().flat_map(|part| part.iter());
    // The last byte stays NUL.
    for (to, from) in kept.iter_mut().take(LONGEST - 1).zip(text) {
        *to = *from;
    }
}

/// `PADLOCK_RUN=…`, as the program got it.
pub(crate) fn variable() -> &'static CStr {
    // SAFETY: the constructor has written it, and nobody does again.
    let kept: &'static [u8; LONGEST] = unsafe { &*KEPT.0.get() };
    CStr::from_bytes_until_nul(kept).unwrap_or(c"")
}

/// The settings' text.
pub(crate) fn settings() -> &'static CStr {
    let name = Settings::VARIABLE.count_bytes() + 1;
    let text = variable().to_bytes_with_nul().get(name..).unwrap_or(b"\0");
    CStr::from_bytes_until_nul(text).unwrap_or(c"")
}

/// The value of a variable in an environment.
///
/// # Safety
///
/// `variables` is null or an environment, which outlives the value.
pub(crate) unsafe fn find(
    mut variables: *const *const c_char,
    name: &CStr,
) -> Option<&'static CStr> {
    if variables.is_null() {
        return None;
    }
    loop {
        // SAFETY: an environment ends with a null pointer.
        let variable = unsafe { *variables };
        if variable.is_null() {
            return None;
        }
        // SAFETY: the others point to text that ends with NUL.
        let text = unsafe { CStr::from_ptr(variable) }.to_bytes_with_nul();
        let value = text.strip_prefix(name.to_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        if let Some(value) = value.and_then(|value| CStr::from_bytes_with_nul(value).ok()) {
            return Some(value);
        }
        // SAFETY: it was not the last one.
        variables = unsafe { variables.add(1) };
    }
}
