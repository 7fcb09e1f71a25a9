//! The functions of an extendable hash function, where they differ from those of others.

use std::ffi::{c_int, c_void};

use super::digest::{Context, Table, common};
use super::{OfProvider, with};
use crate::digest;
use crate::digest::extendable::{self, Extendable};
use crate::digest::message::Message;
use crate::error::CallError;
use crate::openssl::*;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;

/// The functions of the extendable function at `PLACE` of the table, by contexts of type `M` inside.
pub(crate) fn functions<M: Message, const PLACE: usize>() -> *const Dispatch {
    const { &table::<M, PLACE>() }.as_ptr()
}

const fn table<M: Message, const PLACE: usize>() -> Table {
    let table = common::<Extendable<M>, PLACE>()
        .with(Dispatch::new(DIGEST_INIT, initialise::<M, PLACE> as DigestInitialise))
        .with(Dispatch::new(DIGEST_FINAL, finish::<M> as Finish))
        .with(Dispatch::new(DIGEST_SQUEEZE, squeeze::<M> as Finish))
        .with(Dispatch::new(DIGEST_SET_CONTEXT_PARAMS, set::<M, PLACE> as SetContextParams))
        .with(Dispatch::new(DIGEST_SETTABLE_CONTEXT_PARAMS, list::<PLACE> as ContextList));
    // Who has a length of its own does not tell it.
    match digest::at(PLACE).bytes {
        0 => table
            .with(Dispatch::new(DIGEST_GET_CONTEXT_PARAMS, get::<M> as GetContextParams))
            .with(Dispatch::new(DIGEST_GETTABLE_CONTEXT_PARAMS, list::<PLACE> as ContextList)),
        _ => table,
    }
}

unsafe extern "C" fn initialise<M: Message, const PLACE: usize>(
    context: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key.
    unsafe {
        with::<Context<Extendable<M>>>(context, |context| {
            context.message.reset()?;
            take(context, digest::at(PLACE), Given::new(list))
        })
    }
}

fn take<M: Message>(
    context: &mut Context<Extendable<M>>,
    facts: &digest::Facts,
    list: Given<'_>,
) -> Result<(), CallError> {
    let version = context.provider().version;
    context.message.set(facts, version, list)
}

/// Writes as many bytes as were asked for, as the default provider does: EVP tells the room only where the
/// length was told with it.
unsafe extern "C" fn finish<M: Message>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    _capacity: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a buffer with room for the length that the
    // program set.
    unsafe {
        with::<Context<Extendable<M>>>(context, |context| {
            let version = context.provider().version;
            let bytes = context.message.bytes(version)?;
            let written = written.as_mut().ok_or(CallError::SILENT)?;
            *written = bytes;
            if bytes == 0 {
                return Ok(());
            }
            if output.is_null() {
                return Err(CallError::SILENT);
            }
            context.message.finish(std::slice::from_raw_parts_mut(output, bytes))
        })
    }
}

unsafe extern "C" fn squeeze<M: Message>(
    context: *mut c_void,
    output: *mut u8,
    written: *mut usize,
    length: usize,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a buffer as large as it says.
    unsafe {
        with::<Context<Extendable<M>>>(context, |context| {
            if let Some(written) = written.as_mut() {
                *written = length;
            }
            if length == 0 {
                return Ok(());
            }
            if output.is_null() {
                return Err(CallError::SILENT);
            }
            context.message.squeeze(std::slice::from_raw_parts_mut(output, length))
        })
    }
}

unsafe extern "C" fn set<M: Message, const PLACE: usize>(
    context: *mut c_void,
    list: *const Param,
) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key.
    unsafe {
        with::<Context<Extendable<M>>>(context, |context| {
            take(context, digest::at(PLACE), Given::new(list))
        })
    }
}

unsafe extern "C" fn get<M: Message>(context: *mut c_void, list: *mut Param) -> c_int {
    // SAFETY: the core hands in a context of this kind, and a list that ends with a null key, to be
    // written to.
    unsafe {
        with::<Context<Extendable<M>>>(context, |context| {
            context.message.answer(context.provider().version, Asked::new(list))
        })
    }
}

unsafe extern "C" fn list<const PLACE: usize>(
    _: *mut c_void,
    provider: *mut c_void,
) -> *const Param {
    // SAFETY: the core hands back the provider context from our init, which lives until teardown.
    let version = unsafe { provider.cast::<Provider>().as_ref() }.map(|it| it.version);
    extendable::parameters(digest::at(PLACE), version.unwrap_or(crate::host::Version::DECODERS))
        .as_ptr()
}
