//! Memory of freed cipher contexts: wiped, and kept for the next context that its thread makes.
//!
//! Many programs make and free a context for every message. malloc(3) of a few aligned kilobytes, and free(3), would be a
//! third of the time that this takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;

use zeroize::optimization_barrier;

use super::spare::{Spare, Spares};
use crate::error::{CallError, Reason};

/// A freed context's memory: its size, and zeros behind it.
#[repr(C, align(64))]
pub(crate) struct Room {
    bytes: usize,
}

impl Room {
    const fn layout(bytes: usize) -> Layout {
        match Layout::from_size_align(bytes, align_of::<Self>()) {
            Ok(layout) => layout,
            Err(_) => panic!("no context is so large"),
        }
    }

    const fn layout_of<T>() -> Layout {
        const { assert!(align_of::<T>() <= align_of::<Self>() && size_of::<T>() >= size_of::<Self>()) }
        Self::layout(size_of::<T>())
    }
}

impl Spare for Room {
    unsafe fn give_back(room: NonNull<Self>) {
        // SAFETY: the caller promises that it is nobody else's; it was allocated with this layout.
        unsafe { System.dealloc(room.as_ptr().cast(), Self::layout(room.as_ref().bytes)) };
    }
}

/// As many kinds of contexts as one thread may well use by turns: theirs differ in size.
pub(crate) type Rooms = Spares<Room, 4>;

impl Rooms {
    /// Makes a context in memory of its own.
    #[inline(always)]
    pub(super) fn place<T>(
        &self,
        context: impl FnOnce() -> Result<T, CallError>,
    ) -> Result<NonNull<T>, CallError> {
        // Before the memory is there, or it would have to be given back; copied once, to where it stays.
        let context = context()?;
        let layout = Room::layout_of::<T>();
        // SAFETY: whoever kept it has promised that nobody else has it.
        let kept = self.take_if(|room| unsafe { room.as_ref() }.bytes == layout.size());
        let memory = match kept {
            Some(room) => room.cast::<T>(),
            None => {
                // SAFETY: the layout is not empty.
                let memory = NonNull::new(unsafe { System.alloc(layout) });
                memory.ok_or(CallError(&[Reason::OutOfMemory]))?.cast()
            }
        };
        // SAFETY: memory of this size and alignment that is nobody else's.
        unsafe { memory.write(context) };
        Ok(memory)
    }

    /// Drops a context and wipes where it was.
    ///
    /// # Safety
    /// It must be of [`Self::place`]'s making, and nobody may use it again.
    pub(super) unsafe fn free<T>(&self, context: NonNull<T>) {
        let bytes = Room::layout_of::<T>().size();
        let memory = NonNull::slice_from_raw_parts(context.cast::<u8>(), bytes);
        // SAFETY: the caller promises that it is nobody else's; it has so many bytes, which are whatever they are.
        unsafe {
            context.drop_in_place();
            context.cast::<u8>().write_bytes(0, bytes);
            optimization_barrier(memory.as_ref());
            let room = context.cast::<Room>();
            room.write(Room { bytes });
            if !self.keep(room) {
                Room::give_back(room);
            }
        }
    }
}
