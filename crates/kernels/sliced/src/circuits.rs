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
    let y7 = p1 ^ p4; let y15 = p0 ^ p7; let y17 = p3 ^ p6; let y16 = y15 ^ y17; let y1 = y7 ^ y16;
    let y5 = p5 ^ y1; let y18 = p2 ^ p3; let y2 = y7 ^ y18; let y13 = y5 ^ y2; let y20 = p0 ^ y7;
    let y21 = y16 ^ y13; let y3 = p6 ^ y21; let y8 = y5 ^ y3; let y10 = p4 ^ y8; let y6 = y1 ^ y10;
    let x7 = y15 ^ y6; let y9 = p0 ^ x7; let y4 = y2 ^ y9; let y11 = y20 ^ y9; let y12 = y3 ^ y4;
    let y14 = y13 ^ y12;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, p4, y20, y21]);
    let s0 = z10 ^ z16; let s1 = z9 ^ s0; let s2 = z4 ^ z7; let s3 = z5 ^ s1; let s4 = s3 ^ z15;
    let s5 = s4 ^ s2; let s6 = s5 ^ z8; let s7 = z2 ^ z8; let s8 = z1 ^ s7; let s9 = s8 ^ z7;
    let s10 = z14 ^ z17; let s11 = z3 ^ s2; let s12 = z0 ^ s7; let s13 = s12 ^ s11; let s14 = z13 ^ s10;
    let s15 = s14 ^ z16; let s16 = s15 ^ s13; let s17 = z6 ^ s11; let s18 = s9 ^ s17; let s19 = z12 ^ s10;
    let s20 = s17 ^ s1; let s21 = s20 ^ s19; let s22 = s21 ^ s13; let s23 = s19 ^ z15; let s24 = z11 ^ s0;
    let s25 = s24 ^ z17;
    *planes = [s6, s9, s16, s18, s22, s23, s13, s25];
}

/// ARIA's SB2 (RFC 5794 §2.4.2), less its constant.
#[rustfmt::skip]
#[inline(always)]
fn aria<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y1 = p3 ^ p7; let y3 = p4 ^ y1; let y8 = p6 ^ y3; let y18 = p1 ^ p6; let y15 = p2 ^ y18;
    let y13 = p5 ^ y15; let y2 = p6 ^ y13; let y7 = p1 ^ y13; let y16 = y1 ^ y7; let y17 = y15 ^ y16;
    let y21 = y13 ^ y16; let y9 = p0 ^ y21; let y4 = y2 ^ y9; let y12 = y3 ^ y4; let y14 = y13 ^ y12;
    let y6 = p7 ^ y14; let x7 = y15 ^ y6; let y10 = y1 ^ y6; let y11 = y17 ^ y10; let y19 = p3 ^ y9;
    let y20 = y9 ^ y11;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, p6, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21]);
    let s0 = z12 ^ z14; let s1 = z9 ^ z11; let s2 = s1 ^ s0; let s3 = z4 ^ z7; let s4 = s3 ^ s2;
    let s5 = z3 ^ s4; let s6 = z6 ^ s5; let s7 = z13 ^ z14; let s8 = z10 ^ s6; let s9 = s8 ^ z11;
    let s10 = s9 ^ s7; let s11 = z1 ^ s10; let s12 = s11 ^ z7; let s13 = z0 ^ s12; let s14 = s13 ^ s5;
    let s15 = z16 ^ s7; let s16 = s15 ^ z17; let s17 = s14 ^ s16; let s18 = z15 ^ s14; let s19 = s18 ^ s0;
    let s20 = s19 ^ z17; let s21 = z8 ^ s20; let s22 = z5 ^ s21; let s23 = s22 ^ s4; let s24 = s23 ^ s20;
    let s25 = z2 ^ s21; let s26 = s25 ^ s12; let s27 = s17 ^ s2;
    *planes = [s17, s10, s24, s23, s26, s6, s16, s27];
}

/// Its inverse, SB4, on every byte to which the constant was added.
#[rustfmt::skip]
#[inline(always)]
fn aria_inverse<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y6 = p3 ^ p5; let y9 = p2 ^ y6; let y12 = p1 ^ p4; let y17 = p5 ^ y12; let y15 = p0 ^ y17;
    let x7 = y6 ^ y15; let y18 = p0 ^ p4; let u0 = p6 ^ p7; let y7 = y12 ^ u0; let y1 = p0 ^ y7;
    let y2 = y18 ^ y7; let y4 = y9 ^ y2; let y3 = y12 ^ y4; let y10 = y6 ^ y1; let y11 = x7 ^ y7;
    let y5 = p7 ^ y11; let y8 = y3 ^ y5; let y13 = y2 ^ y5; let y14 = y9 ^ y8; let y19 = y10 ^ y8;
    let y20 = y9 ^ y11; let y21 = p0 ^ y13;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, p0, y17, y18, y19, y20, y21]);
    let s0 = z14 ^ z17; let s1 = z13 ^ s0; let s2 = z10 ^ s1; let s3 = z11 ^ s2; let s4 = s3 ^ z17;
    let s5 = z5 ^ s4; let s6 = z4 ^ s5; let s7 = z7 ^ s6; let s8 = z8 ^ s7; let s9 = z6 ^ s7;
    let s10 = z1 ^ s6; let s11 = z2 ^ s10; let s12 = z16 ^ s11; let s13 = s12 ^ s1; let s14 = z3 ^ s9;
    let s15 = s14 ^ s13; let s16 = s15 ^ s5; let s17 = z0 ^ s9; let s18 = s17 ^ s10; let s19 = z12 ^ s18;
    let s20 = s19 ^ z15; let s21 = s20 ^ s0; let s22 = z9 ^ s8; let s23 = s22 ^ z15; let s24 = s23 ^ s2;
    let s25 = s24 ^ s13;
    *planes = [s8, s16, s4, s18, s21, s11, s24, s25];
}

/// SM4's S-box (GB/T 32907-2016), less its constants.
#[rustfmt::skip]
#[inline(always)]
fn sm4<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y1 = p2 ^ p6; let y3 = p1 ^ p4; let y4 = p2 ^ p5; let y7 = p1 ^ y1; let y5 = p0 ^ y7;
    let y8 = y3 ^ y5; let y12 = y3 ^ y4; let y13 = p5 ^ y5; let y14 = y12 ^ y13; let y18 = p0 ^ y13;
    let y21 = p1 ^ y13; let y10 = p3 ^ y21; let y6 = y1 ^ y10; let y19 = y8 ^ y10; let u0 = p7 ^ y13;
    let y11 = y19 ^ u0; let x7 = y7 ^ y11; let y15 = y6 ^ x7; let y17 = p1 ^ y15; let y20 = p2 ^ y11;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, p5, y3, y4, y5, y6, y7, y8, p2, y10, y11, y12, y13, y14, y15, p1, y17, y18, y19, y20, y21]);
    let s0 = z1 ^ z2; let s1 = z7 ^ s0; let s2 = z13 ^ z14; let s3 = z11 ^ z10; let s4 = s3 ^ s2;
    let s5 = z6 ^ s1; let s6 = s5 ^ s4; let s7 = z3 ^ s6; let s8 = s7 ^ z5; let s9 = z4 ^ s0;
    let s10 = s9 ^ z5; let s11 = z15 ^ z17; let s12 = s11 ^ s10; let s13 = z12 ^ s8; let s14 = s13 ^ z14;
    let s15 = s14 ^ s12; let s16 = s15 ^ s4; let s17 = s16 ^ s10; let s18 = z0 ^ s6; let s19 = s18 ^ z2;
    let s20 = z8 ^ s19; let s21 = s20 ^ s1; let s22 = s21 ^ s8; let s23 = z16 ^ z17; let s24 = z9 ^ z10;
    let s25 = s24 ^ s12; let s26 = s25 ^ s23; let s27 = s2 ^ s23;
    *planes = [s17, s19, s15, s22, s21, s26, s27, s10];
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
