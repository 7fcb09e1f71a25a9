//! Encryption by CBC, CFB and OFB.

use std::ffi::{c_char, c_void};
use std::ptr;

use lanes::{ChainMode, CipherJob, CipherLanes, encrypt_all};
use wirespeed_cipher::{Algorithm, Block, BlockCipher, Schedule};
use wirespeed_cpu::Features;

use crate::border::{array_mut, by_route, bytes, call, collect, give, in_out, name, take, there};
use crate::status::Status;

/// `wirespeed_cipher`.
pub struct CipherHandle(CipherLanes);

/// `wirespeed_cipher_key`.
pub struct Key {
    cipher: BlockCipher,
    schedule: Schedule,
}

/// `wirespeed_cipher_job`.
#[repr(C)]
pub struct Job {
    key: *const Key,
    iv: Block,
    input: *const c_void,
    output: *mut c_void,
    length: usize,
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_cipher_new(
    algorithm: *const c_char,
    route: *const c_char,
    to: *mut *mut CipherHandle,
) -> i32 {
    let make = || {
        let features = Features::detect();
        // SAFETY: the caller's promise.
        let lanes = unsafe {
            let algorithm: Algorithm = name(algorithm)?;
            let cipher = algorithm.block_cipher().ok_or(Status::UnknownName)?;
            let chain = ChainMode::of(algorithm.mode()).ok_or(Status::UnknownName)?;
            by_route(
                route,
                |route| CipherLanes::new(route, cipher, chain, features),
                || CipherLanes::best(cipher, chain, features),
            )?
        };
        if lanes.self_test() { Ok(CipherHandle(lanes)) } else { Err(Status::WrongResult) }
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
pub unsafe extern "C" fn wirespeed_cipher_free(cipher: *mut CipherHandle) {
    // SAFETY: the caller's promise.
    unsafe { take(cipher) }
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_cipher_route(cipher: *const CipherHandle) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { there(cipher) }.map_or(ptr::null(), |cipher| cipher.0.route().c_name().as_ptr())
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_cipher_key_new(
    cipher: *const CipherHandle,
    key: *const c_void,
    length: usize,
    to: *mut *mut Key,
) -> i32 {
    let make = || {
        // SAFETY: the caller's promise.
        let (CipherHandle(lanes), key) = unsafe { (there(cipher)?, bytes(key, length)?) };
        let cipher = lanes.cipher();
        if key.len() * 8 != usize::from(cipher.key_bits()) {
            return Err(Status::KeyLength);
        }
        let mut made = Key { cipher, schedule: Schedule::EMPTY };
        (lanes.kernels().expand[0])(key, &mut made.schedule);
        Ok(made)
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
pub unsafe extern "C" fn wirespeed_cipher_key_free(key: *mut Key) {
    // SAFETY: the caller's promise.
    unsafe { take(key) }
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_encrypt_all(
    cipher: *const CipherHandle,
    jobs: *mut Job,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise, for the handle, the jobs, and what they point to.
    call(|| unsafe {
        let CipherHandle(lanes) = there(cipher)?;
        let jobs = array_mut(jobs, count)?.iter_mut();
        let mut jobs = collect(count, jobs.map(|it| job(lanes, it)))?;
        encrypt_all(lanes, &mut jobs);
        Ok(())
    })
}

/// A job whose arguments are good.
///
/// # Safety
/// Its pointers are null or as the header says, during `'a`.
unsafe fn job<'a>(lanes: &CipherLanes, raw: &'a mut Job) -> Result<CipherJob<'a>, Status> {
    // SAFETY: the caller's promise.
    unsafe {
        let key = there(raw.key)?;
        if key.cipher != lanes.cipher() {
            return Err(Status::OtherKey);
        }
        if lanes.chain() == ChainMode::Cbc && !raw.length.is_multiple_of(16) {
            return Err(Status::Length);
        }
        let data = in_out(raw.input, raw.output, raw.length)?;
        Ok(CipherJob { key: &key.schedule, iv: &mut raw.iv, data })
    }
}
