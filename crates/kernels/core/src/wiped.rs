//! Memory on the stack that is wiped after use.

/// A value that is overwritten with zeros when it is dropped, in as few writes as its size takes.
#[repr(C, align(64))]
pub struct Wiped<T: Copy>(pub T);

impl<T: Copy> Drop for Wiped<T> {
    #[inline(always)]
    fn drop(&mut self) {
        let memory: *mut T = &raw mut self.0;
        // SAFETY: zeros are a value of what is kept here: numbers, vectors and arrays of them. A volatile write
        // is never left out.
        unsafe { memory.write_volatile(std::mem::zeroed()) };
    }
}
