//! Planes: eight registers, of which each holds one bit of a byte of every block.
//!
//! An S-box is a circuit for as many blocks as a register has bits, and where a cipher moves bits around, only the
//! registers change their names.

use std::marker::PhantomData;

use wirespeed_kernels_core::bitslice::Plane;

use crate::{Adder, Linear};

/// A linear layer, one plane of each vector at a time: as many as can stay in registers.
#[inline(always)]
pub(crate) fn linear<T: Plane, L: Linear<N>, const N: usize>(
    from: &[[T; 8]; N],
    to: &mut [[T; 8]; N],
) {
    for i in 0..8 {
        let (mut planes, mut sums) = ([from[0][i]; N], [to[0][i]; N]);
        for n in 0..N {
            planes[n] = from[n][i];
            sums[n] = to[n][i];
        }
        sums = L::sums(OnePlane(PhantomData), planes, sums);
        for n in 0..N {
            to[n][i] = sums[n];
        }
    }
}

/// Adds single planes.
#[derive(Clone, Copy)]
struct OnePlane<T>(PhantomData<T>);

impl<T: Plane> Adder for OnePlane<T> {
    type Summand = T;

    #[inline(always)]
    fn sum(self, a: T, b: T) -> T {
        a ^ b
    }
}
