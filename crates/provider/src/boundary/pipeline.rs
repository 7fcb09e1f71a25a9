//! Pipelines: messages under one key that go through each call side by side (OpenSSL 3.5 and later,
//! EVP_CipherPipelineEncryptInit(3)).
//!
//! Each pipe is a cipher of its own, so a message comes out as it would by itself. What wins by knowing
//! them all does so in [`Cipher::update_all`].

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use wirespeed_cipher::Direction;
use zeroize::Zeroize;

use super::cipher::Context;
use super::with;
use crate::call::Call;
use crate::cipher::Cipher;
use crate::cipher::lanes;
use crate::error::{CallError, Reason};
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::params::{END, entry};

/// `EVP_MAX_PIPES`.
const MOST: usize = 32;
const _: () = assert!(MOST <= lanes::MOST);

/// The functions of pipelines.
pub(super) const fn functions<C: Cipher>() -> [Dispatch; 4] {
    [
        Dispatch::new(CIPHER_PIPELINE_ENCRYPT_INIT, encrypt_init::<C> as PipelineInitialise),
        Dispatch::new(CIPHER_PIPELINE_DECRYPT_INIT, decrypt_init::<C> as PipelineInitialise),
        Dispatch::new(CIPHER_PIPELINE_UPDATE, update::<C> as PipelineUpdate),
        Dispatch::new(CIPHER_PIPELINE_FINAL, finish::<C> as PipelineFinish),
    ]
}

/// The messages of a pipeline, each in a context of its own.
pub(super) struct Pipes<C>(Vec<C>);

impl<C> Pipes<C> {
    pub(super) const NONE: Self = Self(Vec::new());

    /// Whether no pipeline has begun.
    #[inline(always)]
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<C: Cipher> Pipes<C> {
    /// Room for so many; nothing aborts where there is none.
    fn with_room(count: usize) -> Result<Self, CallError> {
        let mut pipes = Vec::new();
        pipes.try_reserve_exact(count).map_err(|_| CallError(&[Reason::OutOfMemory]))?;
        Ok(Self(pipes))
    }

    /// The same messages at the same places.
    pub(super) fn duplicate(&self) -> Result<Self, CallError> {
        let mut copy = Self::with_room(self.0.len())?;
        copy.0.extend(self.0.iter().cloned());
        Ok(copy)
    }

    /// As many messages as asked for, those that are new copied from `cipher`.
    fn become_as_many(&mut self, count: usize, cipher: &C) -> Result<(), CallError> {
        if self.0.len() != count {
            let mut pipes = Self::with_room(count)?;
            pipes.0.extend(std::iter::repeat_n(cipher, count).cloned());
            *self = pipes;
        }
        Ok(())
    }

    /// The messages, if there are as many as the caller has buffers for. (Naming the cipher again in a second
    /// init resets a context of OpenSSL 3.5 to 4.0, the number of its pipes included.)
    fn exactly(&mut self, count: usize) -> Result<&mut [C], CallError> {
        if self.0.len() == count {
            Ok(&mut self.0)
        } else {
            Err(CallError(&[Reason::InvalidArgument]))
        }
    }

    /// Gives each message what is in the list; of `pipeline-tag` each its own tag.
    ///
    /// # Safety
    /// `pipeline-tag` must point to as many tags as there are messages.
    pub(super) unsafe fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        // SAFETY: the caller promises the tags.
        unsafe {
            let tags = list.find(PIPELINE_TAG).map(|param| Tags::of(param));
            for (place, pipe) in self.0.iter_mut().enumerate() {
                pipe.set(list)?;
                if let Some(tags) = &tags {
                    pipe.set(Given::of(&[tags.param(place)?, END]))?;
                }
            }
        }
        Ok(())
    }

    /// Answers `pipeline-tag`, if it is in the list, by the tag of each message; tells whether.
    ///
    /// # Safety
    /// `pipeline-tag` must point to room for as many tags as there are messages.
    pub(super) unsafe fn answer_tags(&mut self, list: &mut Asked<'_>) -> Result<bool, CallError> {
        // SAFETY: the caller promises the room.
        unsafe {
            let param = list.find(PIPELINE_TAG);
            let Some(tags) = param.map(|param| Tags::of(param)) else { return Ok(false) };
            for (place, pipe) in self.0.iter_mut().enumerate() {
                pipe.answer(Asked::of(&mut [tags.param(place)?, END]))?;
            }
        }
        Ok(true)
    }
}

/// As contexts do, and for the same reason: what was a key is wiped before its memory is given back.
impl<C> Drop for Pipes<C> {
    fn drop(&mut self) {
        self.0.clear();
        let room = self.0.spare_capacity_mut();
        let bytes = size_of_val(room);
        // SAFETY: memory of the vector's own, without anything in it; any byte may be written there.
        let room = unsafe {
            std::slice::from_raw_parts_mut(room.as_mut_ptr().cast::<MaybeUninit<u8>>(), bytes)
        };
        room.zeroize();
    }
}

const PIPELINE_TAG: &[u8; 13] = b"pipeline-tag\0";

/// The parameter `pipeline-tag`: a pointer to an array of pointers, one to the tag of each message, all of
/// the length that the parameter has.
struct Tags {
    each: *const *mut c_void,
    bytes: usize,
}

impl Tags {
    /// # Safety
    /// An octet pointer must be readable.
    unsafe fn of(param: &Param) -> Self {
        let each = match param.data_type {
            // SAFETY: null, or a readable pointer, as the type says.
            data_type::OCTET_POINTER => unsafe { param.data.cast::<*const *mut c_void>().as_ref() },
            _ => None,
        };
        let each = each.copied().unwrap_or(std::ptr::null());
        Self { each, bytes: param.data_size }
    }

    /// The tag of one message as a parameter of its own.
    ///
    /// # Safety
    /// There must be a pointer at that place.
    unsafe fn param(&self, place: usize) -> Result<Param, CallError> {
        if self.each.is_null() {
            return Err(CallError::CANNOT_GET);
        }
        // SAFETY: the caller promises it.
        let tag = unsafe { *self.each.add(place) };
        Ok(entry(c"tag", data_type::OCTET_STRING, tag, self.bytes))
    }
}

/// # Safety
/// As for [`PipelineInitialise`]: key null or as long as told, the IVs null or one for each pipe, each null
/// or as long as told, the list ended by a null key.
unsafe fn initialise<C: Cipher>(
    context: *mut c_void,
    direction: Direction,
    (key, key_length): (*const u8, usize),
    pipes: usize,
    (ivs, iv_length): (*const *const u8, usize),
    params: *const Param,
) -> c_int {
    // SAFETY: the caller promises all pointers.
    unsafe {
        with::<Context<C>>(context, |context| {
            if pipes > MOST {
                return Err(CallError(&[Reason::InvalidArgument]));
            }
            let bytes = |start: *const u8, length| {
                (!start.is_null()).then(|| std::slice::from_raw_parts(start, length))
            };
            let key = bytes(key, key_length);
            context.cipher.start(direction, key, None)?;
            context.pipes.become_as_many(pipes, &context.cipher)?;
            for (place, pipe) in context.pipes.0.iter_mut().enumerate() {
                let iv = if ivs.is_null() { None } else { bytes(*ivs.add(place), iv_length) };
                pipe.start(direction, key, iv)?;
            }
            if params.is_null() { Ok(()) } else { context.pipes.set(Given::new(params)) }
        })
    }
}

unsafe extern "C" fn encrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    pipes: usize,
    ivs: *const *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int {
    let (key, ivs) = ((key, key_length), (ivs, iv_length));
    // SAFETY: the core keeps to the signature's contract.
    unsafe { initialise::<C>(context, Direction::Encrypt, key, pipes, ivs, params) }
}

unsafe extern "C" fn decrypt_init<C: Cipher>(
    context: *mut c_void,
    key: *const u8,
    key_length: usize,
    pipes: usize,
    ivs: *const *const u8,
    iv_length: usize,
    params: *const Param,
) -> c_int {
    let (key, ivs) = ((key, key_length), (ivs, iv_length));
    // SAFETY: the core keeps to the signature's contract.
    unsafe { initialise::<C>(context, Direction::Decrypt, key, pipes, ivs, params) }
}

unsafe extern "C" fn update<C: Cipher>(
    context: *mut c_void,
    count: usize,
    outputs: *const *mut u8,
    written: *mut usize,
    capacities: *const usize,
    inputs: *const *const u8,
    lengths: *const usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and arrays with an entry for each pipe, of buffers as
    // large as they say. Null outputs are the sign of associated data.
    unsafe {
        with::<Context<C>>(context, |context| {
            let pipes = context.pipes.exactly(count)?;
            if count > 0 && (written.is_null() || inputs.is_null() || lengths.is_null()) {
                return Err(CallError::SILENT);
            }
            let mut calls = [Call::last(std::ptr::null_mut(), 0); MOST];
            for (place, call) in calls[..count].iter_mut().enumerate() {
                let (input, length) = (*inputs.add(place), *lengths.add(place));
                let (output, capacity) = match outputs.is_null() {
                    true => (std::ptr::null_mut(), length),
                    false => (*outputs.add(place), capacity(capacities, place)),
                };
                *call = Call::new(output, capacity, input, length);
            }
            let mut lengths = [0; MOST];
            let result = C::update_all(pipes, &calls[..count], &mut lengths[..count]);
            for (place, length) in lengths[..count].iter().enumerate() {
                written.add(place).write(*length);
            }
            result
        })
    }
}

unsafe extern "C" fn finish<C: Cipher>(
    context: *mut c_void,
    count: usize,
    outputs: *const *mut u8,
    written: *mut usize,
    capacities: *const usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and arrays with an entry for each pipe, of buffers as
    // large as they say.
    unsafe {
        with::<Context<C>>(context, |context| {
            let pipes = context.pipes.exactly(count)?;
            if count > 0 && written.is_null() {
                return Err(CallError::SILENT);
            }
            let mut verdict = Ok(());
            for (place, pipe) in pipes.iter_mut().enumerate() {
                let output =
                    if outputs.is_null() { std::ptr::null_mut() } else { *outputs.add(place) };
                // A message that is refused keeps no other from its end.
                match pipe.finish(Call::last(output, capacity(capacities, place))) {
                    Ok(count) => written.add(place).write(count),
                    Err(error) => verdict = Err(error),
                }
            }
            verdict
        })
    }
}

/// The room in the output of a pipe.
///
/// # Safety
/// `capacities` must be null or have an entry at that place.
unsafe fn capacity(capacities: *const usize, place: usize) -> usize {
    // SAFETY: the caller promises it.
    if capacities.is_null() { 0 } else { unsafe { *capacities.add(place) } }
}
