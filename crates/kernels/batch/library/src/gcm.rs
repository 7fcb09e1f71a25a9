//! GCM of many packets.

use std::ffi::{c_char, c_void};
use std::ptr;

use lanes::{GcmLanes, Packet, PacketKey, open_all, seal_all};
use wirespeed_cipher::{Algorithm, Mode};
use wirespeed_cpu::Features;

use crate::border::{
    array_mut, by_route, bytes, bytes_mut, call, collect, give, in_out, name, take, there,
};
use crate::status::Status;

/// Bytes of the longest packet, SP 800-38D §5.2.1.1.
const LONGEST: u64 = (1 << 36) - 32;

/// `wirespeed_gcm`.
pub struct GcmHandle(GcmLanes);

/// `wirespeed_packet`.
#[repr(C)]
pub struct RawPacket {
    key: *const PacketKey,
    iv: *const c_void,
    iv_length: usize,
    aad: *const c_void,
    aad_length: usize,
    input: *const c_void,
    output: *mut c_void,
    length: usize,
    tag: *mut c_void,
    tag_length: usize,
    status: i32,
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_gcm_new(
    algorithm: *const c_char,
    route: *const c_char,
    to: *mut *mut GcmHandle,
) -> i32 {
    let make = || {
        let features = Features::detect();
        // SAFETY: the caller's promise.
        let lanes = unsafe {
            let algorithm: Algorithm = name(algorithm)?;
            if algorithm.mode() != Mode::Gcm {
                return Err(Status::UnknownName);
            }
            let cipher = algorithm.block_cipher().ok_or(Status::UnknownName)?;
            by_route(
                route,
                |route| GcmLanes::new(route, cipher, features),
                || GcmLanes::best(cipher, features),
            )?
        };
        if lanes.self_test() { Ok(GcmHandle(lanes)) } else { Err(Status::WrongResult) }
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
pub unsafe extern "C" fn wirespeed_gcm_free(gcm: *mut GcmHandle) {
    // SAFETY: the caller's promise.
    unsafe { take(gcm) }
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_gcm_route(gcm: *const GcmHandle) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { there(gcm) }.map_or(ptr::null(), |gcm| gcm.0.route().c_name().as_ptr())
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_gcm_key_new(
    gcm: *const GcmHandle,
    key: *const c_void,
    length: usize,
    to: *mut *mut PacketKey,
) -> i32 {
    let make = || {
        // SAFETY: the caller's promise.
        let (GcmHandle(lanes), key) = unsafe { (there(gcm)?, bytes(key, length)?) };
        match key.len() * 8 == usize::from(lanes.cipher().key_bits()) {
            true => Ok(PacketKey::new(lanes, key)),
            false => Err(Status::KeyLength),
        }
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
pub unsafe extern "C" fn wirespeed_gcm_key_free(key: *mut PacketKey) {
    // SAFETY: the caller's promise.
    unsafe { take(key) }
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_seal_all(
    gcm: *const GcmHandle,
    packets: *mut RawPacket,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise, for the handle, the packets, and what they point to.
    call(|| unsafe {
        let GcmHandle(lanes) = there(gcm)?;
        let raw = array_mut(packets, count)?;
        let mut packets = collect(count, raw.iter().map(|it| packet(lanes, it)))?;
        seal_all(lanes, &mut packets).map_err(|_| Status::Length)?;
        raw.iter_mut().for_each(|it| it.status = 0);
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// Pointers are null or as the header says.
// SAFETY: the header's name for exactly this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wirespeed_open_all(
    gcm: *const GcmHandle,
    packets: *mut RawPacket,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise, for the handle, the packets, and what they point to.
    call(|| unsafe {
        let GcmHandle(lanes) = there(gcm)?;
        let raw = array_mut(packets, count)?;
        let mut packets = collect(count, raw.iter().map(|it| packet(lanes, it)))?;
        raw.iter_mut().for_each(|it| it.status = 0);
        let forged = |i: usize| raw[i].status = Status::Forged as i32;
        open_all(lanes, &mut packets, forged).map_err(|_| Status::Length)?;
        match raw.iter().all(|it| it.status == 0) {
            true => Ok(()),
            false => Err(Status::Forged),
        }
    })
}

/// A packet whose arguments are good.
///
/// # Safety
/// Its pointers are null or as the header says, during `'a`.
unsafe fn packet<'a>(lanes: &GcmLanes, raw: &RawPacket) -> Result<Packet<'a>, Status> {
    // SAFETY: the caller's promise.
    unsafe {
        let key = there(raw.key)?;
        if key.cipher() != lanes.cipher() {
            return Err(Status::OtherKey);
        }
        let data_fits = raw.length as u64 <= LONGEST;
        if !data_fits || raw.iv_length == 0 || !(4..=16).contains(&raw.tag_length) {
            return Err(Status::Length);
        }
        Ok(Packet {
            key,
            iv: bytes(raw.iv, raw.iv_length)?,
            aad: bytes(raw.aad, raw.aad_length)?,
            data: in_out(raw.input, raw.output, raw.length)?,
            tag: bytes_mut(raw.tag, raw.tag_length)?,
        })
    }
}
