//! Wiping what was computed with.

use zeroize::optimization_barrier;

/// Overwrites with the default, which is zero. Not `zeroize`, which stores each byte by itself: beside short messages in
/// lanes that is a fifth of all work.
#[inline(always)]
pub(crate) fn wipe<T: Copy + Default>(items: &mut [T]) {
    items.fill(T::default());
    optimization_barrier(items);
}
