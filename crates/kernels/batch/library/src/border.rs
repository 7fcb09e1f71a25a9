//! The border to C: pointers in, status codes out, and no panic across.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::slice;
use std::str::FromStr;
use std::sync::Once;

use wirespeed_cipher::{InOut, Route};
use wirespeed_kernels::Absent;

use crate::status::Status;

/// Runs a call. What panics is a fault of this library, and becomes a status.
pub(crate) fn call(run: impl FnOnce() -> Result<(), Status>) -> i32 {
    static QUIET: Once = Once::new();
    // The hook is this library's own, not the host's; nothing is written to its standard error.
    QUIET.call_once(|| panic::set_hook(Box::new(|_| ())));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    wirespeed_cpu::clear_vectors();
    match result {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as i32,
        Err(_) => Status::Fault as i32,
    }
}

/// Hands a value over to C.
///
/// # Safety
/// `to` is null or writable.
pub(crate) unsafe fn give<T>(
    to: *mut *mut T,
    make: impl FnOnce() -> Result<T, Status>,
) -> Result<(), Status> {
    if to.is_null() {
        return Err(Status::Null);
    }
    let made = Box::into_raw(Box::new(make()?));
    // SAFETY: the caller vouches for the place.
    unsafe { to.write(made) };
    Ok(())
}

/// Takes back what [`give`] gave.
///
/// # Safety
/// It came from there with the same type, or is null, and nobody uses it any more.
pub(crate) unsafe fn take<T>(given: *mut T) {
    if !given.is_null() {
        // SAFETY: the caller vouches for it.
        drop(unsafe { Box::from_raw(given) });
    }
}

/// What a pointer points to.
///
/// # Safety
/// It is null, or points to such a value that nobody changes during `'a`.
pub(crate) unsafe fn there<'a, T>(pointer: *const T) -> Result<&'a T, Status> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or(Status::Null)
}

/// An array.
///
/// # Safety
/// It is null, or points to so many values that nobody changes during `'a`.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Status> {
    fits(pointer, count)?;
    // SAFETY: the caller's promise, and no pointer is asked for where there is nothing.
    Ok(if count == 0 { &[] } else { unsafe { slice::from_raw_parts(pointer, count) } })
}

/// An array to write to.
///
/// # Safety
/// It is null, or points to so many values that nobody else uses during `'a`.
pub(crate) unsafe fn array_mut<'a, T>(
    pointer: *mut T,
    count: usize,
) -> Result<&'a mut [T], Status> {
    fits(pointer, count)?;
    // SAFETY: as above.
    Ok(if count == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(pointer, count) } })
}

/// Bytes.
///
/// # Safety
/// As for [`array`].
pub(crate) unsafe fn bytes<'a>(pointer: *const c_void, count: usize) -> Result<&'a [u8], Status> {
    // SAFETY: the caller's promise.
    unsafe { array(pointer.cast(), count) }
}

/// Bytes to write.
///
/// # Safety
/// As for [`array_mut`].
pub(crate) unsafe fn bytes_mut<'a>(
    pointer: *mut c_void,
    count: usize,
) -> Result<&'a mut [u8], Status> {
    // SAFETY: the caller's promise.
    unsafe { array_mut(pointer.cast(), count) }
}

/// The input and output of a job.
///
/// # Safety
/// Both are null, or so many bytes are readable there and writable here, by nobody else during `'a`.
pub(crate) unsafe fn in_out<'a>(
    input: *const c_void,
    output: *mut c_void,
    count: usize,
) -> Result<InOut<'a>, Status> {
    fits(input.cast::<u8>(), count)?;
    fits(output.cast::<u8>(), count)?;
    if count == 0 {
        return Ok(InOut::in_place(&mut []));
    }
    let apart = input.addr().abs_diff(output.addr());
    if apart != 0 && apart < count {
        return Err(Status::Overlap);
    }
    // SAFETY: the caller's promise; they are the same or do not overlap.
    Ok(unsafe { InOut::from_raw(input.cast(), output.cast(), count) })
}

/// Whether so many values can be there at all.
fn fits<T>(pointer: *const T, count: usize) -> Result<(), Status> {
    if count != 0 && pointer.is_null() {
        return Err(Status::Null);
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Status::Length),
    }
}

/// A name.
///
/// # Safety
/// It is null, or ends with a zero byte.
pub(crate) unsafe fn name<T: FromStr>(name: *const c_char) -> Result<T, Status> {
    if name.is_null() {
        return Err(Status::Null);
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().ok().and_then(|it| it.parse().ok()).ok_or(Status::UnknownName)
}

/// A route by its name, or if it has none by what is best.
///
/// # Safety
/// As for [`name`].
pub(crate) unsafe fn by_route<T>(
    route: *const c_char,
    by: impl FnOnce(Route) -> Result<T, Absent>,
    best: impl FnOnce() -> T,
) -> Result<T, Status> {
    if route.is_null() {
        return Ok(best());
    }
    // SAFETY: the caller's promise.
    by(unsafe { name(route) }?).map_err(|_| Status::Absent)
}

/// As many values as jobs, or no memory.
pub(crate) fn collect<T>(
    count: usize,
    values: impl Iterator<Item = Result<T, Status>>,
) -> Result<Vec<T>, Status> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|_| Status::NoMemory)?;
    for value in values {
        all.push(value?);
    }
    Ok(all)
}
