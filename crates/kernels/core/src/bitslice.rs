//! The S-box of AES with logic operations only: no tables, no branches on secrets.
//!
//! Bytes are spread over eight planes, plane i holding bit i of every byte, so that one logic operation works on all
//! bytes. The middle of the circuit is that of Boyar and Peralta, "A small depth-16 circuit for the AES S-box" (2012).
//!
//! The linear maps in front of it and behind it are short ones that a search found. The inverse of x is also c·f⁻¹ of the
//! inverse of c·f(x), for every c and every power f = x^(2^k): 2040 pairs of maps were tried. The map behind was searched
//! for as its transpose, which has eight inputs instead of eighteen. Each map takes at most six operations one after
//! another: the very shortest (two fewer) are deeper, and slower where a round waits for the one before.

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

/// The S-box of FIPS 197 §5.1.1 on every byte, less its constant 63h.
#[rustfmt::skip]
#[inline(always)]
pub fn sub_bytes_linear<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y1 = p1 ^ p7; let y10 = p2 ^ p4; let y6 = y1 ^ y10; let y11 = p2 ^ p7; let y17 = p4 ^ p7;
    let y19 = p5 ^ p7; let y8 = y10 ^ y19; let u0 = p3 ^ y6; let y3 = p2 ^ u0; let y4 = p0 ^ y3;
    let y5 = y8 ^ y3; let y21 = p7 ^ y5; let u1 = p5 ^ p6; let y2 = p0 ^ u1; let y7 = p1 ^ y2;
    let x7 = y11 ^ y7; let y9 = y3 ^ u1; let y13 = y5 ^ y2; let y14 = y8 ^ y9; let y15 = p4 ^ y2;
    let y16 = p7 ^ y2; let y20 = y11 ^ y9;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, p0, y13, y14, y15, y16, y17, p1, y19, y20, y21]);
    let s0 = z4 ^ z7; let s1 = z10 ^ z13; let s2 = z9 ^ s1; let s3 = z12 ^ s2; let s4 = z5 ^ s0;
    let s5 = s4 ^ s3; let s6 = s5 ^ z8; let s7 = z17 ^ z14; let s8 = z15 ^ s2; let s9 = s8 ^ s7;
    let s10 = s6 ^ s9; let s11 = z3 ^ s0; let s12 = s11 ^ s9; let s13 = z2 ^ z8; let s14 = z0 ^ s12;
    let s15 = s14 ^ s13; let s16 = z1 ^ s13; let s17 = s16 ^ z7; let s18 = z11 ^ s1; let s19 = s18 ^ z14;
    let s20 = s17 ^ s19; let s21 = s3 ^ s20; let s22 = z16 ^ s7; let s23 = s22 ^ z13; let s24 = z6 ^ s12;
    let s25 = s24 ^ s23; let s26 = s23 ^ s17; let s27 = s26 ^ s19;
    *planes = [s6, s10, s15, s21, s20, s25, s27, s26];
}

/// The inverse S-box of FIPS 197 §5.3.2 on every byte to which 63h was added.
#[rustfmt::skip]
#[inline(always)]
pub fn inverse_sub_bytes_linear<T: Plane>(planes: &mut [T; 8]) {
    let [p0, p1, p2, p3, p4, p5, p6, p7] = *planes;
    let y2 = p0 ^ p1; let y3 = p3 ^ p6; let y5 = p3 ^ p7; let y6 = p0 ^ p3; let y7 = p6 ^ y6;
    let y8 = p6 ^ p7; let y13 = y2 ^ y5; let y11 = p2 ^ y13; let x7 = y7 ^ y11; let y14 = p3 ^ p4;
    let y1 = p5 ^ y14; let y9 = y8 ^ y14; let y4 = y2 ^ y9; let y10 = y6 ^ y1; let y12 = y13 ^ y14;
    let y15 = p6 ^ y11; let y16 = y7 ^ y1; let y17 = y11 ^ y10; let y18 = p1 ^ y3; let y19 = y8 ^ y10;
    let y20 = y11 ^ y9; let y21 = y13 ^ y16;
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] =
        products([x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21]);
    let s0 = z17 ^ z15; let s1 = s0 ^ z9; let s2 = z11 ^ s1; let s3 = z1 ^ z0; let s4 = s3 ^ z3;
    let s5 = z5 ^ z8; let s6 = z7 ^ s4; let s7 = s6 ^ s5; let s8 = z2 ^ z0; let s9 = s8 ^ z6;
    let s10 = s9 ^ z8; let s11 = z13 ^ s10; let s12 = z12 ^ s11; let s13 = z3 ^ s5; let s14 = s13 ^ z6;
    let s15 = z9 ^ z10; let s16 = s15 ^ s12; let s17 = s16 ^ s14; let s18 = s17 ^ s10; let s19 = s7 ^ s17;
    let s20 = z14 ^ s1; let s21 = s20 ^ z10; let s22 = s21 ^ s11; let s23 = z4 ^ s4; let s24 = s23 ^ s22;
    let s25 = z16 ^ z15; let s26 = s25 ^ s12; let s27 = s24 ^ s26; let s28 = s27 ^ s14;
    *planes = [s2, s7, s18, s19, s28, s22, s26, s24];
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
