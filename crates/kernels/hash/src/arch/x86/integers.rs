//! MD5 and SM3 on integers, every step written out, the sums in the order in which their parts are ready.

use wirespeed_cipher::{Chain, MD5_CONSTANTS};

/// A value that the compiler must have at hand as it is: it would add in another order, and make the chain
/// from step to step longer.
macro_rules! kept {
    ($value:expr) => {{
        let mut value = $value;
        // SAFETY: no instruction, only a comment.
        unsafe {
            std::arch::asm!("/* {0:e} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
        }
        value
    }};
}
pub(super) use kept;

/// MD5, RFC 1321 §3.4.
#[inline(always)]
pub(super) fn md5(chain: &mut Chain, data: &[u8]) {
    let chain: &mut [u64; 4] = chain.first_chunk_mut().expect("four words");
    let [mut a, mut b, mut c, mut d] =
        [chain[0] as u32, chain[1] as u32, chain[2] as u32, chain[3] as u32];
    for block in data.as_chunks::<64>().0 {
        let words = block.as_chunks::<4>().0;
        let before = [a, b, c, d];
        // B is what the step before gave, so what needs it comes last.
        macro_rules! choose {
            ($early:expr) => {
                kept!($early.wrapping_add(!b & d)).wrapping_add(b & c)
            };
        }
        macro_rules! choose_by_last {
            ($early:expr) => {
                kept!($early.wrapping_add(c & !d)).wrapping_add(b & d)
            };
        }
        macro_rules! parity {
            ($early:expr) => {
                $early.wrapping_add(kept!(c ^ d) ^ b)
            };
        }
        macro_rules! or_not {
            ($early:expr) => {
                $early.wrapping_add(c ^ (b | !d))
            };
        }
        macro_rules! step {
            ($function:ident $t:expr, $word:expr, $turn:literal) => {
                let word = u32::from_le_bytes(words[($word) % 16]);
                let early = kept!(a.wrapping_add(word).wrapping_add(MD5_CONSTANTS[$t]));
                let next = b.wrapping_add($function!(early).rotate_left($turn));
                (a, b, c, d) = (d, next, b, c);
            };
        }
        /// Sixteen steps, whose words lie `by` apart.
        macro_rules! round {
            ($function:ident $t:literal $word:literal $by:literal $turns:tt) => {
                round!($function $t $word $by $turns 0);
                round!($function $t $word $by $turns 4);
                round!($function $t $word $by $turns 8);
                round!($function $t $word $by $turns 12);
            };
            ($function:ident $t:literal $word:literal $by:literal
             [$p:literal $q:literal $r:literal $s:literal] $i:literal) => {
                step!($function $t + $i, $word + $by * $i, $p);
                step!($function $t + $i + 1, $word + $by * ($i + 1), $q);
                step!($function $t + $i + 2, $word + $by * ($i + 2), $r);
                step!($function $t + $i + 3, $word + $by * ($i + 3), $s);
            };
        }
        round!(choose 0 0 1 [7 12 17 22]);
        round!(choose_by_last 16 1 5 [5 9 14 20]);
        round!(parity 32 5 3 [4 11 16 23]);
        round!(or_not 48 0 7 [6 10 15 21]);
        a = a.wrapping_add(before[0]);
        b = b.wrapping_add(before[1]);
        c = c.wrapping_add(before[2]);
        d = d.wrapping_add(before[3]);
    }
    *chain = [a.into(), b.into(), c.into(), d.into()];
}

/// SM3, GB/T 32905-2016 §5.3.
#[inline(always)]
pub(super) fn sm3(chain: &mut Chain, data: &[u8]) {
    let chain: &mut [u64; 8] = chain.first_chunk_mut().expect("eight words");
    // Loops, because a closure would be a call: it has not these features.
    let mut s = [0_u32; 8];
    for i in 0..8 {
        s[i] = chain[i] as u32;
    }
    for block in data.as_chunks::<64>().0 {
        let words = block.as_chunks::<4>().0;
        let mut w = [0_u32; 16];
        for i in 0..16 {
            w[i] = u32::from_be_bytes(words[i]);
        }
        let before = s;
        /// A step, with the places where A to H are now; then the word sixteen further on takes the place of
        /// the one just used.
        macro_rules! step {
            ($early:literal $j:expr, $i:literal [$a:literal $b:literal $c:literal $d:literal
                                                 $e:literal $f:literal $g:literal $h:literal]) => {
                let (a, b, c, e, f, g) = (s[$a], s[$b], s[$c], s[$e], s[$f], s[$g]);
                let constant: u32 = if $early { 0x79cc_4519 } else { 0x7a87_9d8a };
                let constant = constant.rotate_left($j as u32 % 32);
                let turned = a.rotate_left(12);
                let ss1 = turned.wrapping_add(e.wrapping_add(constant)).rotate_left(7);
                let ff = if $early { a ^ b ^ c } else { (a & b) | (c & (a ^ b)) };
                let gg = if $early { e ^ f ^ g } else { (e & f) | (!e & g) };
                let known = s[$d].wrapping_add(w[$i] ^ w[($i + 4) % 16]);
                let tt1 = ff.wrapping_add(known).wrapping_add(ss1 ^ turned);
                let tt2 = gg.wrapping_add(s[$h].wrapping_add(w[$i])).wrapping_add(ss1);
                s[$b] = b.rotate_left(9);
                s[$d] = tt1;
                s[$f] = f.rotate_left(19);
                s[$h] = tt2 ^ tt2.rotate_left(9) ^ tt2.rotate_left(17);
                let x = w[$i] ^ w[($i + 7) % 16] ^ w[($i + 13) % 16].rotate_left(15);
                let x = x ^ x.rotate_left(15) ^ x.rotate_left(23);
                w[$i] = x ^ w[($i + 3) % 16].rotate_left(7) ^ w[($i + 10) % 16];
            };
        }
        macro_rules! sixteen {
            ($early:literal $first:expr) => {
                sixteen!($early $first;
                    0 [0 1 2 3 4 5 6 7] 1 [3 0 1 2 7 4 5 6] 2 [2 3 0 1 6 7 4 5] 3 [1 2 3 0 5 6 7 4]
                    4 [0 1 2 3 4 5 6 7] 5 [3 0 1 2 7 4 5 6] 6 [2 3 0 1 6 7 4 5] 7 [1 2 3 0 5 6 7 4]
                    8 [0 1 2 3 4 5 6 7] 9 [3 0 1 2 7 4 5 6] 10 [2 3 0 1 6 7 4 5] 11 [1 2 3 0 5 6 7 4]
                    12 [0 1 2 3 4 5 6 7] 13 [3 0 1 2 7 4 5 6] 14 [2 3 0 1 6 7 4 5] 15 [1 2 3 0 5 6 7 4])
            };
            ($early:literal $first:expr; $($i:literal $places:tt)*) => {
                $(step!($early ($first + $i), $i $places);)*
            };
        }
        sixteen!(true 0);
        for quarter in 1..4 {
            sixteen!(false 16 * quarter);
        }
        for i in 0..8 {
            s[i] ^= before[i];
        }
    }
    for i in 0..8 {
        chain[i] = s[i].into();
    }
}
