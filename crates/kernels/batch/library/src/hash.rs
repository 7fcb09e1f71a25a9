//! Hashes and HMAC.

use std::ffi::{c_char, c_void};
use std::ptr;

use lanes::{Hash, HmacKey, Lanes, hash_all, hmac_all, self_test};
use wirespeed_cipher::Digest;
use wirespeed_cpu::Features;

use crate::border::{array, by_route, bytes, bytes_mut, call, collect, give, name, take, there};
use crate::status::Status;

/// `wirespeed_hash`.
pub struct HashHandle(Lanes);

/// `wirespeed_hmac_key`.
pub struct MacKey {
    digest: Digest,
    key: HmacKey,
}

/// `wirespeed_hash_job`.
#[repr(C)]
pub struct HashJob {
    data: *const c_void,
    length: usize,
    result: *mut c_void,
}

/// `wirespeed_hmac_job`.
#[repr(C)]
pub struct MacJob {
    key: *const MacKey,
    data: *const c_void,
    length: usize,
    result: *mut c_void,
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hash_new(
    algorithm: *const c_char,
    route: *const c_char,
    to: *mut *mut HashHandle,
) -> i32 {
    let make = || {
        let features = Features::detect();
        // SAFETY: the caller's promise.
        let lanes = unsafe {
            let digest = name(algorithm)?;
            if !Lanes::DIGESTS.contains(&digest) {
                return Err(Status::UnknownName);
            }
            by_route(
                route,
                |route| Lanes::new(route, digest, features),
                || Lanes::best(digest, features),
            )?
        };
        if self_test(&lanes) { Ok(HashHandle(lanes)) } else { Err(Status::WrongResult) }
    };
    // SAFETY: the caller's promise.
    call(|| unsafe { give(to, make) })
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hash_free(hash: *mut HashHandle) {
    // SAFETY: the caller's promise.
    unsafe { take(hash) }
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hash_bytes(hash: *const HashHandle) -> usize {
    // SAFETY: the caller's promise.
    unsafe { there(hash) }.map_or(0, |hash| hash.0.digest().bytes())
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hash_route(hash: *const HashHandle) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { there(hash) }.map_or(ptr::null(), |hash| hash.0.route().c_name().as_ptr())
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hash_all(
    hash: *const HashHandle,
    jobs: *const HashJob,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise, for the handle, the jobs, and what they point to.
    call(|| unsafe {
        let HashHandle(lanes) = there(hash)?;
        let jobs = array(jobs, count)?;
        let messages = collect(count, jobs.iter().map(|job| bytes(job.data, job.length)))?;
        hand_out(lanes, jobs.iter().map(|job| job.result), || hash_all(lanes, &messages))
    })
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hmac_key_new(
    hash: *const HashHandle,
    key: *const c_void,
    length: usize,
    to: *mut *mut MacKey,
) -> i32 {
    let make = || {
        // SAFETY: the caller's promise.
        let (HashHandle(lanes), key) = unsafe { (there(hash)?, bytes(key, length)?) };
        Ok(MacKey { digest: lanes.digest(), key: HmacKey::new(lanes, key) })
    };
    // SAFETY: the caller's promise.
    call(|| unsafe { give(to, make) })
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hmac_key_free(key: *mut MacKey) {
    // SAFETY: the caller's promise.
    unsafe { take(key) }
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_hmac_all(
    hash: *const HashHandle,
    jobs: *const MacJob,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise, for the handle, the jobs, and what they point to.
    call(|| unsafe {
        let HashHandle(lanes) = there(hash)?;
        let jobs = array(jobs, count)?;
        let message = |job: &MacJob| {
            let key = there(job.key)?;
            match key.digest == lanes.digest() {
                true => Ok((&key.key, bytes(job.data, job.length)?)),
                false => Err(Status::OtherKey),
            }
        };
        let messages = collect(count, jobs.iter().map(message))?;
        hand_out(lanes, jobs.iter().map(|job| job.result), || hmac_all(lanes, &messages))
    })
}

/// Writes each result to its place.
///
/// # Safety
/// At each place that is not null a hash fits.
unsafe fn hand_out(
    lanes: &Lanes,
    places: impl Iterator<Item = *mut c_void> + Clone,
    compute: impl FnOnce() -> Vec<Hash>,
) -> Result<(), Status> {
    if places.clone().any(<*mut c_void>::is_null) {
        return Err(Status::Null);
    }
    for (place, hash) in places.zip(compute()) {
        // SAFETY: the caller vouches for the place.
        unsafe { bytes_mut(place, lanes.digest().bytes()) }?.copy_from_slice(hash.as_ref());
    }
    Ok(())
}
