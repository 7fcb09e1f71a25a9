//! The route `sm4-ce` of hash functions: SM3 by its instructions (Arm ARM, "SM3SS1" and following).
//!
//! In assembly, because the compiler's names of them are not stable.

use std::arch::aarch64::*;
use std::arch::asm;

use wirespeed_cipher::{Chain, Compression, HashKernels, Route};
use wirespeed_cpu::{Features, Sm4Ce, Token};
use wirespeed_kernels_core::{Absent, call};

use super::{message, pack, unpack};
use crate::of;

/// A compression function of this route.
pub(super) fn hash(
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    Sm4Ce::probe(features).map_err(Absent::Missing)?;
    if compression == SM3.compression { Ok(&SM3) } else { Err(Absent::WithoutHash(compression)) }
}

static SM3: HashKernels = of(Route::Sm4Ce, Compression::Sm3, sm3);

wirespeed_kernels_core::entries! { ["neon,sm4"]
    fn sm3[][](chain: &mut Chain, data: &[u8]) { eight_words(chain, data) }
}

/// The constants of all rounds, turned (GB/T 32905-2016 §4.2 and §5.3.3). The instruction takes the uppermost of four words,
/// so there are three before the first.
static CONSTANTS: [u32; 3 + 64] = {
    let mut constants = [0; 3 + 64];
    let mut j = 0;
    while j < 64 {
        let constant: u32 = if j < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        constants[3 + j] = constant.rotate_left(j as u32 % 32);
        j += 1;
    }
    constants
};

/// An instruction that changes its first operand; of the last it may take one word.
macro_rules! change {
    ($name:literal $v:expr, $a:expr, $b:expr $(; $word:literal)?) => {{
        let result: uint32x4_t;
        // SAFETY: the function has the features, and no memory is touched.
        unsafe {
            asm!(
                concat!($name, " {0:v}.4s, {1:v}.4s, {2:v}", change!(@ $($word)?)),
                inout(vreg) $v => result, in(vreg) $a, in(vreg) $b,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        result
    }};
    (@) => { ".4s" };
    (@ $word:literal) => { concat!(".s[", $word, "]") };
}

/// SS1 of a round, uppermost, of A, the constant and E there.
#[inline(always)]
fn sm3ss1(abcd: uint32x4_t, constant: uint32x4_t, efgh: uint32x4_t) -> uint32x4_t {
    let result: uint32x4_t;
    // SAFETY: the function has the features, and no memory is touched.
    unsafe {
        asm!(
            "sm3ss1 {0:v}.4s, {1:v}.4s, {2:v}.4s, {3:v}.4s",
            out(vreg) result, in(vreg) abcd, in(vreg) constant, in(vreg) efgh,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    result
}

/// Words in reverse: the instructions want A and E uppermost.
#[inline(always)]
fn reverse(v: uint32x4_t) -> uint32x4_t {
    let pairs = call!(vrev64q_u32(v));
    call!(vextq_u32::<2>(pairs, pairs))
}

/// Where the constants are, which the compiler must not know: it would load all of them ahead of a loop, and spill them.
#[inline(always)]
fn constants() -> *const u32 {
    let mut constants = CONSTANTS.as_ptr();
    // SAFETY: no instruction; not `pure`, so that each block has its own.
    unsafe { asm!("/* {0} */", inout(reg) constants, options(readonly, nostack, preserves_flags)) };
    constants
}

/// SM3, §5.3.
#[inline(always)]
fn eight_words(chain: &mut Chain, data: &[u8]) {
    let [first, second, ..] = chain.as_chunks_mut::<4>().0 else { unreachable!("eight words") };
    let (mut abcd, mut efgh) = (reverse(pack(first)), reverse(pack(second)));
    for block in data.as_chunks::<64>().0 {
        let mut m = message(block);
        let (first_abcd, first_efgh) = (abcd, efgh);
        let constants = constants();
        /// One of four rounds: with it the names of its instructions, and the word that it takes.
        macro_rules! round {
            ($tt1:literal $tt2:literal $i:literal $words:ident $sums:ident $($word:literal)*) => {$(
                // SAFETY: the table has 64 words behind the first three.
                let constant = unsafe { vld1q_u32(constants.add(4 * $i + $word)) };
                let ss1 = sm3ss1(abcd, constant, efgh);
                abcd = change!($tt1 abcd, ss1, $sums; $word);
                efgh = change!($tt2 efgh, ss1, $words; $word);
            )*};
        }
        /// Four rounds, and the words of the message sixteen further on.
        macro_rules! four {
            ($tt1:literal $tt2:literal: $($i:literal)*) => {$(
                let [w0, w1, w2, w3] =
                    [m[$i % 4], m[($i + 1) % 4], m[($i + 2) % 4], m[($i + 3) % 4]];
                // The last rounds still add the words of the next four.
                if $i < 13 {
                    let third = call!(vextq_u32::<3>(w0, w1));
                    let seventh = call!(vextq_u32::<3>(w1, w2));
                    let tenth = call!(vextq_u32::<2>(w2, w3));
                    let part = change!("sm3partw1" seventh, w0, w3);
                    m[$i % 4] = change!("sm3partw2" part, tenth, third);
                }
                let sums = call!(veorq_u32(w0, w1));
                round!($tt1 $tt2 $i w0 sums 0 1 2 3);
            )*};
        }
        four!("sm3tt1a" "sm3tt2a": 0 1 2 3);
        four!("sm3tt1b" "sm3tt2b": 4 5 6 7 8 9 10 11 12 13 14 15);
        abcd = call!(veorq_u32(abcd, first_abcd));
        efgh = call!(veorq_u32(efgh, first_efgh));
    }
    unpack(reverse(abcd), first);
    unpack(reverse(efgh), second);
}
