//! The input and output of one call, with every access checked against their sizes.

use std::marker::PhantomData;
use std::ptr::null_mut;

use wirespeed_cipher::InOut;

use crate::error::CallError;

/// Where a call reads and where it may write: one place, two places, or none.
///
/// Input and output may be the same bytes, so neither is ever a slice while the other is in use.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    output: *mut u8,
    capacity: usize,
    input: *const u8,
    length: usize,
    buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> Call<'a> {
    /// # Safety
    /// During `'a`, `output` must be null or writable for `capacity` bytes, and `input` null or
    /// readable for `length` bytes, and nothing else may write to either.
    #[inline]
    pub(crate) unsafe fn new(
        output: *mut u8,
        capacity: usize,
        input: *const u8,
        length: usize,
    ) -> Self {
        Self { output, capacity, input, length, buffers: PhantomData }
    }

    /// A call at the end of a message: there is only output.
    ///
    /// # Safety
    /// As for [`Self::new`].
    #[inline]
    pub(crate) unsafe fn last(output: *mut u8, capacity: usize) -> Self {
        Self { output, capacity, input: null_mut(), length: 0, buffers: PhantomData }
    }

    /// Bytes of input.
    #[inline]
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Bytes of output there is room for.
    #[inline]
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether there is no input, as opposed to input of no bytes.
    #[inline]
    pub(crate) const fn has_no_input(&self) -> bool {
        self.input.is_null()
    }

    /// Whether there is nowhere to write.
    #[inline]
    pub(crate) const fn has_no_output(&self) -> bool {
        self.output.is_null()
    }

    /// Whether input and output are the same bytes.
    #[inline]
    pub(crate) fn is_in_place(&self) -> bool {
        !self.input.is_null() && std::ptr::eq(self.input, self.output)
    }

    /// Output, its capacity, input, its length: for another's function.
    pub(crate) const fn into_raw(self) -> (*mut u8, usize, *const u8, usize) {
        (self.output, self.capacity, self.input, self.length)
    }

    /// All of the input, to the start of the output.
    #[inline]
    pub(crate) fn whole(self) -> Result<InOut<'a>, CallError> {
        self.part(0, 0, self.length)
    }

    /// The same, if it is whole blocks. Default providers tell that a part of one was done by `EVP_Cipher`, and leave it
    /// as it was or write a whole block.
    pub(crate) fn whole_blocks(self, block: usize) -> Result<InOut<'a>, CallError> {
        let data = self.whole()?;
        if data.len().is_multiple_of(block) { Ok(data) } else { Err(CallError::OPERATION_FAILED) }
    }

    /// `count` bytes of input from `from` on, to the output from `to` on.
    #[inline]
    pub(crate) fn part(self, from: usize, to: usize, count: usize) -> Result<InOut<'a>, CallError> {
        if count > 0 && (self.input.is_null() || self.output.is_null()) {
            return Err(CallError::OPERATION_FAILED);
        }
        self.check_output(to, count)?;
        if from > self.length || count > self.length - from {
            return Err(CallError::OPERATION_FAILED);
        }
        // SAFETY: both ranges have just been checked against what `new` was promised, or are empty.
        Ok(unsafe {
            InOut::from_raw(self.input.wrapping_add(from), self.output.wrapping_add(to), count)
        })
    }

    /// The input alone, for associated data.
    #[inline]
    pub(crate) fn associated(self) -> &'a [u8] {
        if self.input.is_null() {
            return &[];
        }
        // SAFETY: readable as `new` was promised; nothing is written, for there is no output.
        unsafe { std::slice::from_raw_parts(self.input, self.length) }
    }

    /// Copies the input from `from` on into `buffer`, as much as fits, and tells how much.
    #[inline]
    pub(crate) fn read(&self, from: usize, buffer: &mut [u8]) -> usize {
        let count = buffer.len().min(self.length.saturating_sub(from));
        if count > 0 && !self.input.is_null() {
            // SAFETY: within the input; `buffer` is our own memory.
            unsafe { buffer.as_mut_ptr().copy_from(self.input.add(from), count) };
        }
        count
    }

    /// What has been written to the first `count` bytes of the output.
    pub(crate) fn written(self, count: usize) -> &'a [u8] {
        assert!(count <= self.capacity && !self.output.is_null());
        // SAFETY: within the output; the caller has just written it.
        unsafe { std::slice::from_raw_parts(self.output, count) }
    }

    /// Writes `bytes` to the output from `to` on.
    #[inline]
    pub(crate) fn write(&self, to: usize, bytes: &[u8]) -> Result<(), CallError> {
        self.check_output(to, bytes.len())?;
        if !bytes.is_empty() {
            if self.output.is_null() {
                return Err(CallError::OPERATION_FAILED);
            }
            // SAFETY: within the output, as just checked; `bytes` is our own memory.
            unsafe { self.output.add(to).copy_from(bytes.as_ptr(), bytes.len()) };
        }
        Ok(())
    }

    #[inline]
    fn check_output(&self, to: usize, count: usize) -> Result<(), CallError> {
        if to > self.capacity || count > self.capacity - to {
            return Err(CallError::TOO_SMALL);
        }
        Ok(())
    }

    /// A TLS record: the input in place, with room for `extra` bytes behind it.
    pub(crate) fn record(self, extra: usize) -> Result<&'a mut [u8], CallError> {
        let size = self.length.checked_add(extra).filter(|size| *size <= self.capacity);
        let size = size.filter(|_| self.is_in_place()).ok_or(CallError::OPERATION_FAILED)?;
        // SAFETY: input and output are one place, so this slice is the only access to it.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.output, size) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_access_leaves_the_buffers() {
        let (mut output, input) = ([0; 8], [1_u8; 16]);
        // SAFETY: both arrays outlive the call.
        let call = unsafe { Call::new(output.as_mut_ptr(), 8, input.as_ptr(), 16) };
        assert_eq!(call.whole().err(), Some(CallError::TOO_SMALL));
        assert_eq!(call.part(4, 0, 8).unwrap().len(), 8);
        assert_eq!(call.part(9, 0, 8).err(), Some(CallError::OPERATION_FAILED));
        assert_eq!(call.part(0, usize::MAX, 2).err(), Some(CallError::TOO_SMALL));
        assert_eq!(call.part(usize::MAX, 0, 2).err(), Some(CallError::OPERATION_FAILED));
        assert_eq!(call.write(7, &[1, 2]), Err(CallError::TOO_SMALL));
        assert_eq!(call.write(7, &[5]), Ok(()));
        assert_eq!(call.read(14, &mut [0; 16]), 2);
        assert_eq!(call.read(99, &mut [0; 16]), 0);
        assert!(call.record(0).is_err(), "not in place");
        assert_eq!(output[7], 5);
    }

    #[test]
    fn null_pointers_are_refused() {
        // SAFETY: null is allowed.
        let call = unsafe { Call::new(null_mut(), 16, [0_u8; 16].as_ptr(), 16) };
        assert!(call.has_no_output() && call.whole().is_err() && call.write(0, &[1]).is_err());
        // SAFETY: null is allowed.
        let call = unsafe { Call::last(null_mut(), 16) };
        assert!(call.has_no_input() && call.associated().is_empty() && !call.is_in_place());
        assert!(call.whole().is_ok(), "nothing to do");
    }
}
