//! The route `sha-ni`: SHA-1 and SHA-256 by the SHA extensions (Intel SDM vol. 1 §5.19, vol. 2B "SHA1RNDS4"
//! and following).

use wirespeed_cipher::{Chain, Compression, HashKernels, Route, SHA256_CONSTANTS};
use wirespeed_cpu::{Feature, Features, ShaNi, Token};

use super::load_halves;
use crate::of;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::{Absent, call};

/// A compression function of this route.
pub(super) fn hash(
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    ShaNi::probe(features).map_err(Absent::Missing)?;
    let table = if features.has(Feature::Avx) { &BESIDE_AVX } else { &ALONE };
    let hash = table.iter().find(|kernels| kernels.compression == compression);
    hash.ok_or(Absent::WithoutHash(compression))
}

/// On CPUs without AVX (Goldmont), and on others.
static ALONE: [HashKernels; 2] =
    [of(Route::ShaNi, Compression::Sha1, sha1), of(Route::ShaNi, Compression::Sha256, sha256)];
static BESIDE_AVX: [HashKernels; 2] = [
    of(Route::ShaNi, Compression::Sha1, clean_sha1),
    of(Route::ShaNi, Compression::Sha256, clean_sha256),
];

wirespeed_kernels_core::entries! { ["ssse3,sse4.1,sha"]
    fn sha1[][](chain: &mut Chain, data: &[u8]) { five_words(chain, data) }
    fn sha256[][](chain: &mut Chain, data: &[u8]) { eight_words(chain, data) }
}

// Whoever was here before may have left something in the upper parts of registers, as OpenSSL's ChaCha20-Poly1305
// by AVX-512 does. Instructions for 128 bits that know nothing of these parts must then keep them, and wait for them:
// SHA-1 takes a third longer.
wirespeed_kernels_core::entries! { ["ssse3,sse4.1,avx,sha"]
    fn clean_sha1[][](chain: &mut Chain, data: &[u8]) {
        _mm256_zeroupper();
        five_words(chain, data);
    }
    fn clean_sha256[][](chain: &mut Chain, data: &[u8]) {
        _mm256_zeroupper();
        eight_words(chain, data);
    }
}

/// Four words of a vector, the first in the uppermost place: loaded as [`unpack`] has stored them, because a stream of
/// single blocks waits for it.
#[inline(always)]
fn pack([first, second]: [&[u64]; 2]) -> __m128i {
    call!(_mm_castps_si128(_mm_shuffle_ps::<0x22>(pair(second), pair(first))))
}

/// Two words, as they are.
#[inline(always)]
fn pair(words: &[u64]) -> __m128 {
    let words = words.first_chunk::<2>().expect("two");
    // SAFETY: the memory is as long as the vector.
    unsafe { _mm_castsi128_ps(_mm_loadu_si128(words.as_ptr().cast())) }
}

/// The same backwards, for the two upper words or the two lower ones: straight to their places, where the next call
/// waits for them, by one instruction. The compiler would make two of it, if it knew the places.
#[inline(always)]
fn unpack<const UPPER: bool>(v: __m128i, words: &mut [u64]) {
    let words = words.first_chunk_mut::<2>().expect("room for two");
    // SAFETY: it is a vector, aligned as one.
    let places = unsafe { (&raw const PLACES[UPPER as usize]).cast::<__m128i>().read_volatile() };
    let pair = call!(_mm_shuffle_epi8(v, places));
    // SAFETY: the memory is as long as the vector.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), pair) };
}

/// Where PSHUFB finds two words, the upper first, and zeros above each: of the lower ones and of the upper ones.
static PLACES: [u128; 2] =
    [0xffff_ffff_0302_0100_ffff_ffff_0706_0504, 0xffff_ffff_0b0a_0908_ffff_ffff_0f0e_0d0c];

/// A block as four vectors, their bytes in the order that `order` says.
#[inline(always)]
fn load(block: &[u8], order: __m128i) -> [__m128i; 4] {
    assert_eq!(block.len(), 64);
    let mut message = [order; 4];
    for (i, four) in message.iter_mut().enumerate() {
        // SAFETY: the block has 64 bytes, as was just asked, and i is at most 3.
        let bytes = unsafe {
            let from = block.as_ptr().add(16 * i);
            if i == 3 { load_halves(from) } else { _mm_loadu_si128(from.cast()) }
        };
        *four = call!(_mm_shuffle_epi8(bytes, order));
    }
    message
}

/// What a block's end needs. Of eight registers it takes none: the compiler would rather have had the next block wait for
/// what it put into memory.
#[inline(always)]
fn set_aside(first: &[__m128i; 2]) -> &[__m128i; 2] {
    #[cfg(target_arch = "x86")]
    // SAFETY: no instruction; it reads what is there, so it must be in memory, and gives the same pointer.
    unsafe {
        let mut there = &raw const *first;
        std::arch::asm!("/* {0} */", inout(reg) there, options(pure, readonly, nostack, preserves_flags));
        &*there
    }
    #[cfg(target_arch = "x86_64")]
    first
}

/// Four rounds come after the four before, with the words that they make: a compiler with eight registers mixes them, and
/// SHA-1 takes a fifteenth longer.
#[inline(always)]
fn in_turn(first: &mut __m128i, second: &mut __m128i) {
    #[cfg(target_arch = "x86")]
    // SAFETY: no instruction.
    unsafe {
        std::arch::asm!(
            "/* {0} {1} */",
            inout(xmm_reg) * first,
            inout(xmm_reg) * second,
            options(nomem, nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "x86_64")]
    let _ = (first, second);
}

/// The chaining value as the instructions want it: A to D in one vector, E uppermost in the other.
#[inline(always)]
fn five_words(chain: &mut Chain, data: &[u8]) {
    let chain: &mut [u64; 8] = chain.first_chunk_mut().expect("eight words");
    let order = call!(_mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f));
    let mut abcd = pack([&chain[..], &chain[2..]]);
    // SAFETY: the memory is as long as the vector.
    let mut e = unsafe { _mm_slli_si128::<12>(_mm_loadl_epi64(chain[4..].as_ptr().cast())) };
    for block in data.chunks_exact(64) {
        let mut m = load(block, order);
        let first = [abcd, e];
        let [first_abcd, first_e] = set_aside(&first);
        // The value of which SHA1NEXTE takes the next E: A of four rounds before.
        let mut before = abcd;
        let mut words = call!(_mm_add_epi32(e, m[0]));
        /// Four rounds, and the words of the message sixteen further on.
        macro_rules! four {
            ($function:literal: $($i:literal)*) => {$(
                if $i != 0 {
                    words = call!(_mm_sha1nexte_epu32(before, m[$i % 4]));
                }
                before = abcd;
                abcd = call!(_mm_sha1rnds4_epu32::<$function>(abcd, words));
                if $i < 16 {
                    let [w0, w1, w2, w3] =
                        [m[$i % 4], m[($i + 1) % 4], m[($i + 2) % 4], m[($i + 3) % 4]];
                    let mixed = call!(_mm_xor_si128(_mm_sha1msg1_epu32(w0, w1), w2));
                    m[$i % 4] = call!(_mm_sha1msg2_epu32(mixed, w3));
                }
                in_turn(&mut abcd, &mut before);
            )*};
        }
        four!(0: 0 1 2 3 4);
        four!(1: 5 6 7 8 9);
        four!(2: 10 11 12 13 14);
        four!(3: 15 16 17 18 19);
        e = call!(_mm_sha1nexte_epu32(before, *first_e));
        abcd = call!(_mm_add_epi32(abcd, *first_abcd));
    }
    unpack::<true>(abcd, chain);
    unpack::<false>(abcd, &mut chain[2..]);
    // Below E there is nothing.
    unpack::<true>(e, &mut chain[4..]);
}

/// The chaining value as the instructions want it: A, B, E, F in one vector, C, D, G, H in the other.
#[inline(always)]
fn eight_words(chain: &mut Chain, data: &[u8]) {
    let chain: &mut [u64; 8] = chain.first_chunk_mut().expect("eight words");
    let order = call!(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
    let mut abef = pack([&chain[..], &chain[4..]]);
    let mut cdgh = pack([&chain[2..], &chain[6..]]);
    for block in data.chunks_exact(64) {
        let mut m = load(block, order);
        let first = [abef, cdgh];
        let [first_abef, first_cdgh] = set_aside(&first);
        /// Four rounds, and the words of the message sixteen further on.
        macro_rules! four {
            ($($i:literal)*) => {$(
                let [w0, w1, w2, w3] =
                    [m[$i % 4], m[($i + 1) % 4], m[($i + 2) % 4], m[($i + 3) % 4]];
                let constants = SHA256_CONSTANTS.as_ptr().wrapping_add(4 * $i);
                // SAFETY: the table has 64 words, and the last four begin at 4 * 15.
                let words = unsafe { _mm_add_epi32(w0, _mm_loadu_si128(constants.cast())) };
                cdgh = call!(_mm_sha256rnds2_epu32(cdgh, abef, words));
                abef = call!(_mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0x0e>(words)));
                if $i < 12 {
                    let middle = call!(_mm_alignr_epi8::<4>(w3, w2));
                    let sum = call!(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), middle));
                    m[$i % 4] = call!(_mm_sha256msg2_epu32(sum, w3));
                }
            )*};
        }
        four!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        abef = call!(_mm_add_epi32(abef, *first_abef));
        cdgh = call!(_mm_add_epi32(cdgh, *first_cdgh));
    }
    unpack::<true>(abef, chain);
    unpack::<true>(cdgh, &mut chain[2..]);
    unpack::<false>(abef, &mut chain[4..]);
    unpack::<false>(cdgh, &mut chain[6..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove_hash;

    #[test]
    #[cfg_attr(miri, ignore = "no such CPU")]
    fn both_tables_are_proved() {
        let features = Features::detect();
        if ShaNi::probe(features).is_err() {
            println!("skipped: no SHA extensions here");
            return;
        }
        for kernels in ALONE.iter().chain(BESIDE_AVX.iter().filter(|_| features.has(Feature::Avx)))
        {
            assert!(prove_hash(kernels).is_ok_and(|proof| proof.checks > 50));
        }
    }

    /// What is in the upper half of a register is gone after a call.
    #[test]
    #[cfg(target_arch = "x86_64")]
    #[cfg_attr(miri, ignore = "assembly")]
    fn waits_for_no_upper_half() {
        use std::arch::asm;

        struct Call<'a> {
            kernels: &'a HashKernels,
            chain: [u64; 8],
        }
        extern "C" fn call(it: &mut Call<'_>) {
            (it.kernels.blocks)(&mut it.chain, &[0; 64]);
        }
        #[target_feature(enable = "avx")]
        fn left(it: &mut Call<'_>) -> __m128i {
            let left: __m128i;
            // SAFETY: a call as C makes it.
            unsafe {
                asm!(
                    "vcmpps ymm15, ymm0, ymm0, 15",
                    "call {call}",
                    "vextractf128 xmm0, ymm15, 1",
                    call = sym call,
                    in("rdi") it,
                    out("xmm0") left,
                    clobber_abi("C"),
                );
            }
            left
        }

        let features = Features::detect();
        if ShaNi::probe(features).is_err() || !features.has(Feature::Avx) {
            println!("skipped: no SHA extensions or no AVX here");
            return;
        }
        for compression in [Compression::Sha1, Compression::Sha256] {
            let kernels = hash(compression, features).expect("it is here");
            let mut call = Call { kernels, chain: [1; 8] };
            // SAFETY: AVX is here.
            let left = unsafe { left(&mut call) };
            // SAFETY: as many bytes.
            assert_eq!(unsafe { std::mem::transmute::<__m128i, u128>(left) }, 0, "{compression}");
            assert_ne!(call.chain[0], 1, "{compression}");
        }
    }
}
