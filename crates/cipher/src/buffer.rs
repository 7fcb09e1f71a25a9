//! A source and a destination of the same length, in one place or two.

use std::marker::PhantomData;

use crate::partial;

/// Bytes to read and where to write the result: the same bytes, or two ranges that do not overlap.
///
/// Every kernel works in place and out of place over this one type.
pub struct InOut<'a> {
    source: *const u8,
    destination: *mut u8,
    length: usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl<'a> InOut<'a> {
    /// In place.
    #[inline]
    pub const fn in_place(data: &'a mut [u8]) -> Self {
        let length = data.len();
        // One pointer for both: a second borrow would end the first.
        let destination = data.as_mut_ptr();
        Self { source: destination.cast_const(), destination, length, lifetime: PhantomData }
    }

    /// Out of place.
    ///
    /// # Panics
    /// If the lengths differ.
    #[inline]
    pub fn between(source: &'a [u8], destination: &'a mut [u8]) -> Self {
        assert_eq!(source.len(), destination.len(), "source and destination lengths");
        Self {
            source: source.as_ptr(),
            destination: destination.as_mut_ptr(),
            length: source.len(),
            lifetime: PhantomData,
        }
    }

    /// From a caller's pointers.
    ///
    /// # Safety
    /// `source` must be readable and `destination` writable for `length` bytes during `'a`, and
    /// nothing else may write to either. Where they overlap in part, every byte is still read and
    /// written within its range, but the result is unspecified.
    #[inline]
    pub const unsafe fn from_raw(source: *const u8, destination: *mut u8, length: usize) -> Self {
        Self { source, destination, length, lifetime: PhantomData }
    }

    /// Where to read.
    #[inline]
    pub const fn source(&self) -> *const u8 {
        self.source
    }

    /// Where to write.
    #[inline]
    pub const fn destination(&self) -> *mut u8 {
        self.destination
    }

    /// Bytes to read, and to write.
    #[inline]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there is nothing to do.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The first `count` bytes, and the rest.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub const fn split_at(self, count: usize) -> (Self, Self) {
        assert!(count <= self.length, "split past the end");
        // SAFETY: both halves are within the ranges that `self` vouches for, and apart.
        unsafe {
            (
                Self::from_raw(self.source, self.destination, count),
                Self::from_raw(
                    self.source.add(count),
                    self.destination.add(count),
                    self.length - count,
                ),
            )
        }
    }

    /// Copies the input to `buffer`, which may be kept when the output replaces it.
    ///
    /// # Panics
    /// If `buffer` has another length.
    pub fn save(&self, buffer: &mut [u8]) {
        assert_eq!(buffer.len(), self.length, "as long as the data");
        buffer.copy_from_slice(self.input());
    }

    /// Replaces the output.
    ///
    /// # Panics
    /// If `bytes` has another length.
    pub fn overwrite(&mut self, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.length, "as long as the data");
        // SAFETY: the destination is writable for the length; `bytes` is another's memory.
        unsafe { self.destination.copy_from(bytes.as_ptr(), self.length) };
    }

    /// Wipes the output.
    pub fn clear(&mut self) {
        // SAFETY: the destination is writable for the length.
        unsafe { self.destination.write_bytes(0, self.length) };
    }

    /// The bytes to read.
    pub const fn input(&self) -> &[u8] {
        // SAFETY: readable for the length; who writes needs `self` for itself.
        unsafe { slice(self.source, self.length) }
    }

    /// What is at the destination.
    pub const fn output(&self) -> &[u8] {
        // SAFETY: initialised memory of the length; who writes needs `self` for itself.
        unsafe { slice(self.destination, self.length) }
    }

    /// What is at the destination, once it has been written.
    ///
    /// # Panics
    /// If `buffer` has another length.
    pub fn written(&self, buffer: &mut [u8]) {
        assert_eq!(buffer.len(), self.length, "as long as the data");
        buffer.copy_from_slice(self.output());
    }

    /// Whether what has been written is `bytes`.
    ///
    /// # Panics
    /// If `bytes` has another length.
    pub fn has_written(&self, bytes: &[u8]) -> bool {
        assert_eq!(bytes.len(), self.length, "as long as the data");
        self.output() == bytes
    }

    /// The same buffer again, for a call that takes it by value.
    #[inline]
    pub const fn reborrow(&mut self) -> InOut<'_> {
        InOut { lifetime: PhantomData, ..*self }
    }

    /// Adds a block to the first 16 bytes: what is written is their sum.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub fn add(&mut self, block: &[u8; 16]) {
        assert!(self.length >= 16);
        // SAFETY: a block is readable there and writable here.
        unsafe {
            let sum = self.source.cast::<u128>().read_unaligned() ^ u128::from_ne_bytes(*block);
            self.destination.cast::<u128>().write_unaligned(sum);
        }
    }

    /// Replaces less than a block at once: `f` gets the bytes as the low end of a number, with zeros
    /// above, and gives the bytes to write the same way.
    ///
    /// # Panics
    /// If there is a block or more.
    #[inline]
    pub fn replace(&mut self, f: impl FnOnce(u128) -> u128) {
        assert!(self.length < 16);
        // SAFETY: so many bytes are readable there and writable here.
        unsafe {
            let input = partial::load(self.source, self.length);
            partial::store(self.destination, f(input), self.length);
        }
    }

    /// Copies the bytes to read, from `from` to the end, to the start of `block`.
    ///
    /// # Panics
    /// If there are more than 16.
    #[inline]
    pub const fn read(&self, from: usize, block: &mut [u8; 16]) {
        assert!(from <= self.length && self.length - from <= 16);
        // SAFETY: these bytes are readable and fit.
        unsafe {
            let bytes = self.source.add(from);
            std::ptr::copy_nonoverlapping(bytes, block.as_mut_ptr(), self.length - from);
        }
    }
}

/// A slice that may be empty anywhere, even at null.
///
/// # Safety
/// As for [`std::slice::from_raw_parts`], if `length` is not 0.
const unsafe fn slice<'a>(start: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller promises it.
    unsafe { std::slice::from_raw_parts(start, length) }
}
