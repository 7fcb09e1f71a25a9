//! Byte masks for vectors without mask registers.

/// Where a mask of `count` bytes ends, for vectors of up to 32 bytes.
static MASK: [u8; 64] = {
    let mut mask = [0; 64];
    let mut i = 0;
    while i < 32 {
        mask[i] = 0xff;
        i += 1;
    }
    mask
};

/// Points at `vector` bytes of which the first `count` are FFh and the rest zero.
#[inline(always)]
pub(crate) fn first(count: usize) -> *const u8 {
    std::ptr::from_ref(&MASK[32 - count.min(32)])
}
