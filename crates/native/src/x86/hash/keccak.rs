//! Keccak-f[1600] with a lane in each of 25 vectors: what AVX-512 has over integers is as many registers, and
//! logic functions of three operands.

use std::arch::x86_64::*;

use wirespeed_cipher::{Chain, KECCAK_CONSTANTS};

#[inline(always)]
fn xor3(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    call!(_mm_ternarylogic_epi64::<0x96>(a, b, c))
}

/// Adds each block to the first lanes of the state, and permutes it (FIPS 202 §4).
#[inline(always)]
pub(super) fn absorb<const RATE: usize>(state: &mut Chain, blocks: &[u8]) {
    let state: &mut [u64; 25] = state.first_chunk_mut().expect("25 words");
    let mut s = [call!(_mm_setzero_si128()); 25];
    macro_rules! each {
        ($step:ident) => {
            $step!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
        };
    }
    macro_rules! load {
        ($($i:literal)*) => { $(s[$i] = call!(_mm_cvtsi64_si128(state[$i] as i64));)* };
    }
    each!(load);
    for block in blocks.chunks_exact(RATE) {
        let lanes = block.as_chunks::<8>().0;
        macro_rules! add {
            ($($i:literal)*) => {$(
                if 8 * $i < RATE {
                    let lane = call!(_mm_cvtsi64_si128(i64::from_le_bytes(lanes[$i])));
                    s[$i] = call!(_mm_xor_si128(s[$i], lane));
                }
            )*};
        }
        each!(add);
        for constant in KECCAK_CONSTANTS {
            round(&mut s, constant);
        }
    }
    macro_rules! store {
        ($($i:literal)*) => { $(state[$i] = call!(_mm_cvtsi128_si64(s[$i])) as u64;)* };
    }
    each!(store);
}

/// §3.2 and §3.3: lane (x, y) is at 5y + x.
#[inline(always)]
fn round(s: &mut [__m128i; 25], constant: u64) {
    // Theta: the parities of the columns, and the same turned by one.
    macro_rules! parities {
        ($($x:literal)*) => {
            [$(xor3(xor3(s[$x], s[$x + 5], s[$x + 10]), s[$x + 15], s[$x + 20])),*]
        };
    }
    let c = parities!(0 1 2 3 4);
    macro_rules! turned {
        ($($x:literal)*) => { [$(call!(_mm_rol_epi64::<1>(c[$x]))),*] };
    }
    let t = turned!(0 1 2 3 4);
    // Rho and pi: what comes to a row, by x, y and how far it turns.
    macro_rules! row {
        ($($x:literal $y:literal $turn:literal),*) => {
            [$({
                let lane = xor3(s[5 * $y + $x], c[($x + 4) % 5], t[($x + 1) % 5]);
                call!(_mm_rol_epi64::<$turn>(lane))
            }),*]
        };
    }
    let rows = [
        row!(0 0 0, 1 1 44, 2 2 43, 3 3 21, 4 4 14),
        row!(3 0 28, 4 1 20, 0 2 3, 1 3 45, 2 4 61),
        row!(1 0 1, 2 1 6, 3 2 25, 4 3 8, 0 4 18),
        row!(4 0 27, 0 1 36, 1 2 10, 2 3 15, 3 4 56),
        row!(2 0 62, 3 1 55, 4 2 39, 0 3 41, 1 4 2),
    ];
    // Chi: a ^ (!b & c).
    macro_rules! chi {
        ($($y:literal)*) => { $(chi!($y: 0 1 2, 1 2 3, 2 3 4, 3 4 0, 4 0 1);)* };
        ($y:literal: $($x:literal $next:literal $after:literal),*) => {$(
            s[5 * $y + $x] = call!(_mm_ternarylogic_epi64::<0xd2>(
                rows[$y][$x], rows[$y][$next], rows[$y][$after]
            ));
        )*};
    }
    chi!(0 1 2 3 4);
    // Iota.
    s[0] = call!(_mm_xor_si128(s[0], _mm_cvtsi64_si128(constant as i64)));
}
