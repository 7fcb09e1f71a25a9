//! Aligned memory on the stack: the area that data go through, and the place of the IV.

use std::arch::asm;
use std::mem::MaybeUninit;
use std::ptr;

use wirespeed_cipher::{Block, InOut};

use crate::arch::x86::plan::AREA_BYTES;

/// What a unit may fetch behind the last block: less than eight blocks.
const BEHIND: usize = 128;

/// [`AREA_BYTES`] bytes where every unit can read and write, wiped when dropped.
#[repr(C, align(64))]
pub(crate) struct Area {
    bytes: [MaybeUninit<u8>; AREA_BYTES + BEHIND],
    /// How many have been written.
    used: usize,
}

impl Area {
    /// Nothing in it yet.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self { bytes: [MaybeUninit::uninit(); AREA_BYTES + BEHIND], used: 0 }
    }

    /// The first `count` bytes, of which those never written before are zero.
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn bytes(&mut self, count: usize) -> &mut [u8] {
        assert!(count <= AREA_BYTES);
        if self.used < count {
            for byte in &mut self.bytes[self.used..count] {
                byte.write(0);
            }
            self.used = count;
        }
        // SAFETY: all up to `used` have been written.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.as_mut_ptr().cast(), count) }
    }

    /// Takes a message in, at most [`AREA_BYTES`], and gives it with zeros up to a whole block.
    ///
    /// # Panics
    /// If it is longer.
    pub(crate) fn fill(&mut self, data: &InOut<'_>) -> &mut [Block] {
        let padded = data.len().next_multiple_of(16);
        assert!(padded <= AREA_BYTES);
        let to = self.bytes.as_mut_ptr().cast::<u8>();
        // SAFETY: the source is readable for the length, and the area has room for it and its padding.
        unsafe {
            to.copy_from(data.source(), data.len());
            to.add(data.len()).write_bytes(0, padded - data.len());
        }
        self.used = self.used.max(padded);
        self.bytes(padded).as_chunks_mut().0
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        let start = self.bytes.as_mut_ptr();
        // SAFETY: so many bytes are there. The empty instruction might read them, so the compiler may not
        // leave the writing out; it reads nothing.
        unsafe {
            ptr::write_bytes(start, 0, self.used);
            asm!("/* {0} */", in(reg) start, options(nostack, preserves_flags));
        }
    }
}

/// An IV, counter or chaining value where a unit can read and write it.
#[repr(C, align(16))]
pub(crate) struct Iv(pub(crate) Block);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_padded_with_zeros() {
        let mut area = Area::new();
        area.bytes(64).fill(0xee);
        let message: Vec<u8> = (1..=20).collect();
        let mut out = [0; 20];
        let blocks = area.fill(&InOut::between(&message, &mut out));
        assert_eq!(blocks.as_flattened()[..20], message);
        assert_eq!(blocks.as_flattened()[20..], [0; 12]);
        assert!(blocks.as_ptr().addr().is_multiple_of(16));
        assert_eq!(area.bytes(65)[32..], [[0xee; 32].as_slice(), &[0]].concat());
    }
}
