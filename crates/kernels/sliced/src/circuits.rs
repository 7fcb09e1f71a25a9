//! The S-boxes with logic operations only, as circuits over planes: see [`bitslice`](wirespeed_kernels_core::bitslice),
//! whose search found the linear maps here, too.

use wirespeed_kernels_core::bitslice::{
    Plane, inverse_sub_bytes_linear, products, sub_bytes_linear,
};
use wirespeed_kernels_core::eight;

use crate::field::BOXES;

/// The S-box of that number; see [`BOXES`]. `ones` has every bit.
#[inline(always)]
pub(crate) fn substitute<T: Plane, const BOX: usize>(planes: &[T; 8], ones: T) -> [T; 8] {
    substitute_sum::<_, BOX>(add(planes, const { in_front(BOX) as u8 }, ones), ones)
}

/// What the S-box adds to its argument.
pub(crate) const fn in_front(number: usize) -> u32 {
    BOXES[number].before.constant_in_front() as u32
}

/// The S-box of what [`in_front`] was added to.
#[inline(always)]
pub(crate) fn substitute_sum<T: Plane, const BOX: usize>(mut planes: [T; 8], ones: T) -> [T; 8] {
    match BOX {
        0 => camellia(&mut planes),
        1 => {
            camellia(&mut planes);
            planes = rotate::<_, 1>(&planes);
        }
        2 => {
            camellia(&mut planes);
            planes = rotate::<_, 7>(&planes);
        }
        3 => {
            planes = rotate::<_, 1>(&planes);
            camellia(&mut planes);
        }
        4 => sub_bytes_linear(&mut planes),
        5 => aria(&mut planes),
        6 => inverse_sub_bytes_linear(&mut planes),
        7 => aria_inverse(&mut planes),
        8 => sm4(&mut planes),
        9 => {
            sm4(&mut planes);
            planes = rotate::<_, 2>(&planes);
        }
        _ => unreachable!("there are so many S-boxes"),
    }
    add(&planes, const { BOXES[BOX].after.constant }, ones)
}

/// The sum of each byte with a constant.
#[inline(always)]
fn add<T: Plane>(planes: &[T; 8], constant: u8, ones: T) -> [T; 8] {
    eight!(|I| if constant >> I & 1 != 0 { planes[I] ^ ones } else { planes[I] })
}

/// Each byte rotated to the left.
#[inline(always)]
pub(crate) fn rotate<T: Plane, const BITS: usize>(planes: &[T; 8]) -> [T; 8] {
    eight!(|I| planes[(I + 8 - BITS) % 8])
}

/// Camellia's SBOX1 (RFC 3713 §2.4.1), less its constants.
#[rustfmt::skip]
#[inline(always)]
fn camellia<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y6 = p0 ^ p7; let y10 = p3 ^ p6; let y1 = y6 ^ y10; let y16 = p1 ^ p4; let y7 = y1 ^ y16;
    let y2 = p5 ^ y7; let y19 = p0 ^ p1; let y8 = y10 ^ y19; let y21 = p2 ^ p3; let y13 = y16 ^ y21;
    let y5 = y2 ^ y13; let y3 = y8 ^ y5; let u0 = p2 ^ y7; let y9 = y10 ^ u0; let y4 = y2 ^ y9;
    let y11 = p4 ^ y9; let y14 = y19 ^ u0; let x7 = p7 ^ y14; let y12 = y13 ^ y14; let y15 = p1 ^ u0;
    let y17 = p4 ^ u0;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, p5, y19, p4, y21]);
    let s0 = z11 ^ z17; let s1 = z10 ^ s0; let s2 = z5 ^ z8; let s3 = z3 ^ s1; let s4 = s3 ^ z16;
    let s5 = s4 ^ s2; let s6 = s5 ^ z6; let s7 = z0 ^ z6; let s8 = z2 ^ s7; let s9 = s8 ^ z8;
    let s10 = z12 ^ z15; let s11 = z1 ^ s7; let s12 = z4 ^ s2; let s13 = s11 ^ s12; let s14 = z14 ^ s10;
    let s15 = s14 ^ z17; let s16 = s15 ^ s13; let s17 = s9 ^ z7; let s18 = s17 ^ s12; let s19 = z13 ^ s10;
    let s20 = z7 ^ s1; let s21 = s20 ^ s19; let s22 = s21 ^ s11; let s23 = s19 ^ z16; let s24 = z9 ^ s0;
    let s25 = s24 ^ z15;
    *planes = [s6, s9, s16, s18, s22, s23, s13, s25];
}

/// ARIA's SB2 (RFC 5794 §2.4.2), less its constant.
#[rustfmt::skip]
#[inline(always)]
fn aria<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y3 = p0 ^ p3; let y5 = p1 ^ p6; let y6 = p4 ^ p5; let y8 = y3 ^ y5; let y14 = p3 ^ y6;
    let y9 = y8 ^ y14; let y21 = p4 ^ p6; let u0 = p1 ^ p7; let y12 = y6 ^ u0; let y4 = y3 ^ y12;
    let y2 = y9 ^ y4; let y13 = p3 ^ u0; let y16 = y21 ^ y13; let y15 = p7 ^ y16; let x7 = y6 ^ y15;
    let y19 = p2 ^ u0; let y10 = y8 ^ y19; let y1 = y6 ^ y10; let y7 = y16 ^ y1; let y11 = p7 ^ y10;
    let y18 = y2 ^ y7; let y20 = y9 ^ y11;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, p7, y18, y19, y20, y21]);
    let s0 = z0 ^ z2; let s1 = z6 ^ s0; let s2 = z12 ^ z13; let s3 = s1 ^ z8; let s4 = s3 ^ s2;
    let s5 = z9 ^ z10; let s6 = s4 ^ s5; let s7 = z11 ^ z8; let s8 = s7 ^ z10; let s9 = z4 ^ z5;
    let s10 = z1 ^ s9; let s11 = s10 ^ z2; let s12 = z16 ^ s11; let s13 = z17 ^ s12; let s14 = z7 ^ s8;
    let s15 = s14 ^ s13; let s16 = s15 ^ s9; let s17 = z3 ^ z5; let s18 = s17 ^ s0; let s19 = z14 ^ s18;
    let s20 = s19 ^ z13; let s21 = s8 ^ s20; let s22 = s21 ^ s1; let s23 = s5 ^ s2; let s24 = z15 ^ s12;
    let s25 = s24 ^ s4; let s26 = s11 ^ s23; let s27 = s20 ^ s13;
    *planes = [s6, s16, s22, s23, s18, s25, s26, s27];
}

/// Its inverse, SB4, on every byte to which the constant was added.
#[rustfmt::skip]
#[inline(always)]
fn aria_inverse<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y3 = p3 ^ p5; let y11 = p2 ^ y3; let y15 = p1 ^ p4; let y14 = p5 ^ y15; let y12 = p0 ^ y14;
    let y4 = y3 ^ y12; let y18 = p0 ^ p4; let u0 = p6 ^ p7; let y2 = y15 ^ u0; let y5 = p0 ^ y2;
    let y7 = y18 ^ y2; let x7 = y11 ^ y7; let y6 = y15 ^ x7; let y8 = y3 ^ y5; let y9 = y4 ^ y2;
    let y1 = p7 ^ y9; let y20 = y11 ^ y9; let u1 = p4 ^ p7; let y17 = p3 ^ u1; let y10 = y11 ^ y17;
    let y16 = y15 ^ y17; let y19 = y8 ^ y10; let y21 = p0 ^ y16;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, p0, y14, y15, y16, y17, y18, y19, y20, y21]);
    let s0 = z1 ^ z4; let s1 = z2 ^ s0; let s2 = s1 ^ z5; let s3 = z14 ^ s2; let s4 = s3 ^ z13;
    let s5 = z17 ^ s4; let s6 = s5 ^ z16; let s7 = z8 ^ z5; let s8 = z11 ^ z10; let s9 = s8 ^ s4;
    let s10 = z7 ^ s7; let s11 = s10 ^ s9; let s12 = s11 ^ z4; let s13 = z15 ^ z16; let s14 = z12 ^ s12;
    let s15 = s14 ^ s13; let s16 = s15 ^ z13; let s17 = z9 ^ z10; let s18 = s17 ^ s13; let s19 = z6 ^ s7;
    let s20 = z3 ^ s19; let s21 = s20 ^ s18; let s22 = z0 ^ s19; let s23 = s22 ^ s6; let s24 = s23 ^ s0;
    let s25 = s24 ^ s12;
    *planes = [s6, s16, s2, s18, s21, s9, s24, s25];
}

/// SM4's S-box (GB/T 32907-2016), less its constants.
#[rustfmt::skip]
#[inline(always)]
fn sm4<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y9 = p2 ^ p6; let y1 = p7 ^ y9; let y8 = p1 ^ y9; let u0 = p0 ^ p4; let y17 = y8 ^ u0;
    let y10 = p6 ^ y17; let y6 = y1 ^ y10; let y19 = p6 ^ u0; let y18 = p5 ^ y19; let u1 = p3 ^ p5;
    let x7 = y1 ^ u1; let y7 = p6 ^ x7; let y2 = y18 ^ y7; let y12 = p0 ^ u1; let y13 = p1 ^ y12;
    let y15 = y10 ^ u1; let y16 = p6 ^ u1; let y21 = y13 ^ y16; let u2 = p5 ^ p7; let y3 = p4 ^ u2;
    let y4 = y12 ^ y3; let y5 = y8 ^ y3;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, p6, y12, y13, p1, y15, y16, y17, y18, y19, p2, y21]);
    let s0 = z9 ^ z12; let s1 = z4 ^ z3; let s2 = s1 ^ z7; let s3 = z13 ^ s2; let s4 = z10 ^ s3;
    let s5 = z6 ^ s0; let s6 = s5 ^ s4; let s7 = z17 ^ z14; let s8 = z15 ^ z12; let s9 = s8 ^ s7;
    let s10 = z2 ^ z8; let s11 = z0 ^ s10; let s12 = s9 ^ s2; let s13 = s12 ^ s11; let s14 = z16 ^ s7;
    let s15 = s14 ^ s3; let s16 = s6 ^ s15; let s17 = s16 ^ s11; let s18 = z11 ^ z14; let s19 = s4 ^ s18;
    let s20 = s19 ^ z0; let s21 = s20 ^ s10; let s22 = z1 ^ s20; let s23 = s22 ^ z7; let s24 = z5 ^ s15;
    let s25 = s24 ^ z3; let s26 = s25 ^ z8; let s27 = s0 ^ s18;
    *planes = [s6, s13, s17, s9, s21, s23, s26, s27];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::invert;

    /// A circuit against the map that it stands for, on every byte.
    fn check<const BOX: usize>() {
        for x in 0..=u8::MAX {
            let planes = substitute::<u8, BOX>(&eight!(|I| (x >> I & 1) * 0xff), 0xff);
            let found = (0..8).fold(0, |byte, i| byte | (planes[i] & 1) << i);
            let it = BOXES[BOX];
            assert_eq!(found, it.after.apply(invert(it.before.apply(x))), "{BOX}: {x}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "every byte of ten S-boxes, in safe code")]
    fn every_circuit_is_its_s_box() {
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
        check::<9>();
    }
}
