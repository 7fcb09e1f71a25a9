//! The 64-bit word where the CPU has no atomic one: 32-bit ARM before ARMv6, by a function that Linux maps into each
//! process.
//!
//! That function compares and exchanges, since Linux 3.1. It is atomic for all processes that share the memory. Without it
//! there is a lock, which each process has for itself.

use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use portable_atomic::AtomicU64;

/// An atomic word of 64 bits.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Word(AtomicU64);

impl Word {
    /// With this value.
    pub const fn new(value: u64) -> Self {
        Self(AtomicU64::new(value))
    }

    /// The word at an address.
    ///
    /// # Safety
    /// As for `AtomicU64::from_ptr`.
    pub const unsafe fn from_ptr<'a>(address: *mut u64) -> &'a Self {
        // SAFETY: the caller's promise; it is the same in memory.
        unsafe { &*address.cast() }
    }

    /// Reads it by its halves, the upper one twice. An exchange stores what it finds, and the memory may be there to be
    /// read only; so does a load of half a word that is more than relaxed.
    ///
    /// A value is right unless its upper half has changed and come back meanwhile. What only grows is always right.
    pub fn load(&self, _: Ordering) -> u64 {
        let (low, high) = if cfg!(target_endian = "little") { (0, 1) } else { (1, 0) };
        // SAFETY: as large, and aligned more strictly; what writes there is Linux's function, by halves as well.
        let halves = unsafe { &*(&raw const *self).cast::<[AtomicU32; 2]>() };
        let read = |half: usize| {
            let value = halves[half].load(Ordering::Relaxed);
            fence(Ordering::Acquire);
            value
        };
        let mut before = read(high);
        loop {
            let below = read(low);
            match read(high) {
                after if after == before => return u64::from(after) << 32 | u64::from(below),
                after => before = after,
            }
        }
    }
}

/// Whether a [`Word`] in shared memory is atomic for all processes.
pub fn is_atomic_for_all() -> bool {
    AtomicU64::is_lock_free()
}

/// All else exchanges.
impl Deref for Word {
    type Target = AtomicU64;

    fn deref(&self) -> &AtomicU64 {
        &self.0
    }
}
