//! The S-box of AES with logic operations only: no tables, no branches on secrets.
//!
//! Bytes are spread over eight planes, plane i holding bit i of every byte, so that one logic operation works on all
//! bytes. The circuit is that of Boyar and Peralta, "A small depth-16 circuit for the AES S-box" (2012), 113 gates.
//!
//! In other S-boxes the linear maps around its middle are the shortest that a search found. The inverse of x is also
//! c·f⁻¹ of the inverse of c·f(x), for every c and every power f = x^(2^k): 2040 pairs of maps were tried. The map behind
//! was searched for as its transpose, which has eight inputs instead of eighteen. Such a search makes 110 gates of AES's
//! own S-box, too. They are deeper, and slower where each round waits for the one before.

use std::ops::{BitAnd, BitXor};

/// Bit i of each of 64 bytes.
pub type Planes = [u64; 8];

/// A block to planes: bit j of plane i is bit i of byte j.
#[inline]
pub fn pack_one(block: &[u8; 16]) -> [u16; 8] {
    let bits = u128::from_le_bytes(*block);
    let [low, high] = [bits as u64, (bits >> 64) as u64].map(transpose);
    std::array::from_fn(|i| (low >> (8 * i) & 0xff | high >> (8 * i) << 8) as u16)
}

/// The inverse of [`pack_one`].
#[inline]
pub fn unpack_one(planes: &[u16; 8]) -> [u8; 16] {
    let mut halves = [0; 2];
    for (i, plane) in planes.iter().enumerate() {
        halves[0] |= u64::from(plane & 0xff) << (8 * i);
        halves[1] |= u64::from(plane >> 8) << (8 * i);
    }
    let [low, high] = halves.map(transpose);
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

/// Transposes an 8×8 bit matrix (Warren, "Hacker's Delight", 2nd ed. §7-3).
#[inline]
pub const fn transpose(mut x: u64) -> u64 {
    let mut t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}

/// What a circuit is made of: registers with logic operations on every bit.
pub trait Plane: Copy + BitAnd<Output = Self> + BitXor<Output = Self> {}

impl<T: Copy + BitAnd<Output = T> + BitXor<Output = T>> Plane for T {}

/// The S-box of FIPS 197 §5.1.1 on every byte, less its constant 63h; x0 and s0 are the top bits, as in the
/// paper.
#[rustfmt::skip]
#[inline(always)]
pub fn sub_bytes_linear<T: Plane>(planes: &mut [T; 8]) {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *planes;
    let y14 = x3 ^ x5; let y13 = x0 ^ x6; let y9 = x0 ^ x3; let y8 = x0 ^ x5; let t0 = x1 ^ x2;
    let y1 = t0 ^ x7; let y4 = y1 ^ x3; let y12 = y13 ^ y14; let y2 = y1 ^ x0; let y5 = y1 ^ x6;
    let y3 = y5 ^ y8; let t1 = x4 ^ y12; let y15 = t1 ^ x5; let y20 = t1 ^ x1;
    let y6 = y15 ^ x7; let y10 = y15 ^ t0; let y11 = y20 ^ y9; let y7 = x7 ^ y11;
    let y17 = y10 ^ y11; let y19 = y10 ^ y8; let y16 = t0 ^ y11; let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21]);
    let t46 = z15 ^ z16; let t47 = z10 ^ z11; let t48 = z5 ^ z13; let t49 = z9 ^ z10;
    let t50 = z2 ^ z12; let t51 = z2 ^ z5; let t52 = z7 ^ z8; let t53 = z0 ^ z3;
    let t54 = z6 ^ z7; let t55 = z16 ^ z17; let t56 = z12 ^ t48; let t57 = t50 ^ t53;
    let t58 = z4 ^ t46; let t59 = z3 ^ t54; let t60 = t46 ^ t57; let t61 = z14 ^ t57;
    let t62 = t52 ^ t58; let t63 = t49 ^ t58; let t64 = z4 ^ t59; let t65 = t61 ^ t62;
    let t66 = z1 ^ t63; let s0 = t59 ^ t63; let s6 = t56 ^ t62; let s7 = t48 ^ t60;
    let t67 = t64 ^ t65; let s3 = t53 ^ t66; let s4 = t51 ^ t66; let s5 = t47 ^ t65;
    let s1 = t64 ^ s3; let s2 = t55 ^ t67;
    *planes = [s7, s6, s5, s4, s3, s2, s1, s0];
}

/// The inverse S-box of FIPS 197 §5.3.2 on every byte to which 63h was added.
#[rustfmt::skip]
#[inline(always)]
pub fn inverse_sub_bytes_linear<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y5 = p1 ^ p5; let y9 = p1 ^ p7; let y2 = p3 ^ y9; let y13 = y5 ^ y2; let y6 = p0 ^ y13;
    let x7 = p5 ^ y6; let y18 = p5 ^ p6; let y7 = y2 ^ y18; let y11 = x7 ^ y7; let y12 = p2 ^ y18;
    let y3 = p3 ^ y12; let y8 = y5 ^ y3; let y14 = y9 ^ y8; let y20 = y9 ^ y11; let y21 = p4 ^ y8;
    let y16 = y13 ^ y21; let y1 = y7 ^ y16; let y10 = y6 ^ y1; let y17 = p5 ^ y16; let y19 = y8 ^ y10;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, p3, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, p5, y16, y17, y18, y19, y20, y21]);
    let s0 = z6 ^ z7; let s1 = z12 ^ z13; let s2 = z15 ^ s1; let s3 = s2 ^ z16; let s4 = z0 ^ s0;
    let s5 = s4 ^ z1; let s6 = s5 ^ s3; let s7 = z2 ^ z1; let s8 = z14 ^ z13; let s9 = z11 ^ s8;
    let s10 = z8 ^ s7; let s11 = s10 ^ z7; let s12 = s11 ^ s9; let s13 = s6 ^ s12; let s14 = s13 ^ z10;
    let s15 = z17 ^ s14; let s16 = s15 ^ s8; let s17 = s16 ^ z16; let s18 = z5 ^ s7; let s19 = z4 ^ s18;
    let s20 = z3 ^ s18; let s21 = s20 ^ s0; let s22 = z9 ^ s12; let s23 = s22 ^ s1; let s24 = s21 ^ s23;
    let s25 = s19 ^ s14; let s26 = s21 ^ z10; let s27 = s26 ^ s9;
    *planes = [s6, s17, s19, s24, s23, s25, s3, s27];
}

/// The middle of every circuit: inversion in GF(16), and products with what it gives.
#[rustfmt::skip]
#[inline(always)]
pub fn products<T: Plane>(sums: [T; 22]) -> [T; 18] {
    let [x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21] = sums;
    let t2 = y12 & y15; let t3 = y3 & y6; let t4 = t3 ^ t2; let t5 = y4 & x7; let t6 = t5 ^ t2;
    let t7 = y13 & y16; let t8 = y5 & y1; let t9 = t8 ^ t7; let t10 = y2 & y7;
    let t11 = t10 ^ t7; let t12 = y9 & y11; let t13 = y14 & y17; let t14 = t13 ^ t12;
    let t15 = y8 & y10; let t16 = t15 ^ t12; let t17 = t4 ^ t14; let t18 = t6 ^ t16;
    let t19 = t9 ^ t14; let t20 = t11 ^ t16; let t21 = t17 ^ y20; let t22 = t18 ^ y19;
    let t23 = t19 ^ y21; let t24 = t20 ^ y18; let t25 = t21 ^ t22; let t26 = t21 & t23;
    let t27 = t24 ^ t26; let t28 = t25 & t27; let t29 = t28 ^ t22; let t30 = t23 ^ t24;
    let t31 = t22 ^ t26; let t32 = t31 & t30; let t33 = t32 ^ t24; let t34 = t23 ^ t33;
    let t35 = t27 ^ t33; let t36 = t24 & t35; let t37 = t36 ^ t34; let t38 = t27 ^ t36;
    let t39 = t29 & t38; let t40 = t25 ^ t39; let t41 = t40 ^ t37; let t42 = t29 ^ t33;
    let t43 = t29 ^ t40; let t44 = t33 ^ t37; let t45 = t42 ^ t41; let z0 = t44 & y15;
    let z1 = t37 & y6; let z2 = t33 & x7; let z3 = t43 & y16; let z4 = t40 & y1;
    let z5 = t29 & y7; let z6 = t42 & y11; let z7 = t45 & y17; let z8 = t41 & y10;
    let z9 = t44 & y12; let z10 = t37 & y3; let z11 = t33 & y4; let z12 = t43 & y13;
    let z13 = t40 & y5; let z14 = t29 & y2; let z15 = t42 & y9; let z16 = t45 & y14;
    let z17 = t41 & y8;
    [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17]
}

/// The S-box of FIPS 197 §5.1.1 on every byte.
#[inline]
pub fn sub_bytes(planes: &mut Planes) {
    sub_bytes_linear(planes);
    *planes = std::array::from_fn(|i| planes[i] ^ constant(i));
}

/// Bit `i` of 63h in every place.
#[inline]
const fn constant(i: usize) -> u64 {
    if 0x63 >> i & 1 == 1 { !0 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circuit_undoes_the_other() {
        for block in 0..16_u8 {
            let bytes: [u8; 16] = std::array::from_fn(|i| 16 * block + i as u8);
            let mut planes = pack_one(&bytes);
            sub_bytes_linear(&mut planes);
            inverse_sub_bytes_linear(&mut planes);
            assert_eq!(unpack_one(&planes), bytes);
        }
    }
}
