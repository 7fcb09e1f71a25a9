//! The route `sm4-ce`: SM4 by its instructions, of which each takes one block through four rounds (Arm ARM, "SM4E" and
//! "SM4EKEY").
//!
//! In assembly, because the compiler's names of them are not stable.

use std::arch::aarch64::*;
use std::arch::asm;

use wirespeed_aes::arch::aarch64::{galois, galois_neon};
use wirespeed_cipher::{Block, BlockKernels, InOut, Route, Schedule};
use wirespeed_cpu::{AesCe, Features, Sm4Ce, Token};
use wirespeed_kernels_core::engine::{self, Galois, after};
use wirespeed_kernels_core::{Chain, call};

use crate::serial::{self, Holder, Serial};
use crate::sm4::{CONSTANTS, FAMILY, Sm4};
use crate::waves::{From, Mode};
use crate::{Core, Machine, On};

/// The kernels of the route: SM4 alone.
pub(super) fn table(_proof: Sm4Ce, features: Features) -> &'static [BlockKernels] {
    if AesCe::probe(features).is_ok() { &BESIDE_PMULL } else { &ALONE }
}

static BESIDE_PMULL: [BlockKernels; 1] = [engine::table::<On<Here<true>, Sm4>>()];
static ALONE: [BlockKernels; 1] = [engine::table::<On<Here<false>, Sm4>>()];

/// With GCM's hash by PMULL or without. Whatever the generic cipher, it is SM4: there is no table of another.
struct Here<const PMULL: bool>;

impl<const PMULL: bool> Machine for Here<PMULL> {
    const ROUTE: Route = Route::Sm4Ce;
    // SAFETY: `table` asks for the proof of PMULL, and has that of NEON.
    const GALOIS: Galois = unsafe { if PMULL { galois() } else { galois_neon() } };

    fn expand<C: Core>(key: &[u8], decrypt: bool, out: &mut Schedule) {
        expand(key, decrypt, out);
    }

    fn drive<C: Core>(mode: Mode, round_keys: &[Block], chain: &mut Block, data: InOut<'_>) {
        drive(mode, round_keys, chain, data);
    }

    fn chain<C: Core>(kind: Chain, round_keys: &[Block], register: &mut Block, data: InOut<'_>) {
        serial(kind, round_keys, register, data);
    }
}

wirespeed_kernels_core::entries! { ["neon,sm4"]
    fn expand[][](key: &[u8], decrypt: bool, out: &mut Schedule)
        { round_keys(key, decrypt, out) }
    fn drive[][](mode: Mode, round_keys: &[Block], chain: &mut Block, data: InOut<'_>)
        { all(Rounds::with(round_keys), mode, round_keys, chain, data) }
    fn serial[][](kind: Chain, round_keys: &[Block], register: &mut Block, data: InOut<'_>)
        { serial::chain(Rounds::with(round_keys), kind, round_keys, register, data) }
}

/// Blocks side by side: an instruction takes the time of four, and each block has to wait for its own.
const WAVE: usize = 8;

/// The round keys, in registers. A value proves the instructions.
#[derive(Clone, Copy)]
struct Rounds([uint32x4_t; 8]);

impl Rounds {
    #[inline(always)]
    fn with(round_keys: &[Block]) -> Self {
        let round_keys: &[Block; 8] = round_keys.first_chunk().expect("keys of 32 rounds");
        let mut keys = [words(&round_keys[0]); 8];
        for i in 1..8 {
            keys[i] = words(&round_keys[i]);
        }
        Self(keys)
    }

    /// All 32 rounds.
    #[inline(always)]
    fn run<const N: usize>(self, mut blocks: [uint32x4_t; N]) -> [uint32x4_t; N] {
        for key in self.0 {
            for i in 0..N {
                // SAFETY: the unit proves the feature, and no memory is touched. Not `pure`, so that these keep their order:
                // the compiler, which does not know how long each takes, would take few blocks far before others.
                unsafe {
                    asm!(
                        "sm4e {0:v}.4s, {1:v}.4s",
                        inout(vreg) blocks[i], in(vreg) key,
                        options(nomem, nostack, preserves_flags)
                    );
                }
            }
        }
        for i in 0..N {
            blocks[i] = reverse(blocks[i]);
        }
        blocks
    }
}

impl Holder for Rounds {
    type V = uint32x4_t;

    #[inline(always)]
    fn load(self, block: &Block) -> uint32x4_t {
        words(block)
    }

    #[inline(always)]
    fn store(self, v: uint32x4_t) -> Block {
        bytes(v)
    }

    #[inline(always)]
    fn xor(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        call!(veorq_u32(a, b))
    }
}

impl Serial for Rounds {
    #[inline(always)]
    fn one(self, _round_keys: &[Block], block: uint32x4_t) -> uint32x4_t {
        let [block] = self.run([block]);
        block
    }
}

/// A block as the instructions want it.
#[inline(always)]
fn words(block: &Block) -> uint32x4_t {
    // SAFETY: the block is as long as the vector.
    let bytes = unsafe { vld1q_u8(block.as_ptr()) };
    call!(vreinterpretq_u32_u8(vrev32q_u8(bytes)))
}

/// The same backwards.
#[inline(always)]
fn bytes(words: uint32x4_t) -> Block {
    let mut block = [0; 16];
    // SAFETY: the block is as long as the vector.
    unsafe { vst1q_u8(block.as_mut_ptr(), vrev32q_u8(vreinterpretq_u8_u32(words))) };
    block
}

/// The words in reverse, as they are after the last round (GB/T 32907-2016 §7.1.2).
#[inline(always)]
fn reverse(words: uint32x4_t) -> uint32x4_t {
    let pairs = call!(vrev64q_u32(words));
    call!(vextq_u32::<2>(pairs, pairs))
}

/// §7.3.
#[inline(always)]
fn round_keys(key: &[u8], decrypt: bool, out: &mut Schedule) {
    let [block, round_keys @ ..] = &mut out.round_keys;
    block.copy_from_slice(key);
    let mut four = call!(veorq_u32(words(block), words(&FAMILY)));
    for group in 0..8 {
        let constants = words(&CONSTANTS[group]);
        // SAFETY: the function has the feature, and no memory is touched.
        unsafe {
            asm!(
                "sm4ekey {0:v}.4s, {0:v}.4s, {1:v}.4s",
                inout(vreg) four, in(vreg) constants,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        if decrypt {
            round_keys[7 - group] = bytes(reverse(four));
        } else {
            round_keys[group] = bytes(four);
        }
    }
}

/// Runs a mode over whole blocks: in waves, and the rest one by one, in which the CPU sees what does not wait.
#[inline(always)]
fn all(u: Rounds, mode: Mode, round_keys: &[Block], chain: &mut Block, data: InOut<'_>) {
    let count = data.len() / (16 * WAVE);
    let (waves, rest) = data.split_at(16 * WAVE * count);
    let source = waves.source().cast::<[Block; WAVE]>();
    let destination = waves.destination().cast::<[Block; WAVE]>();
    for i in 0..count {
        // SAFETY: so many waves are readable there, and writable here.
        unsafe { wave(u, mode, chain, source.add(i), destination.add(i)) };
    }
    serial::few(u, mode, round_keys, chain, rest);
}

/// One wave.
///
/// # Safety
/// Its blocks are readable at the source and writable at the destination, which are the same or apart.
#[inline(always)]
unsafe fn wave(
    u: Rounds,
    mode: Mode,
    chain: &mut Block,
    source: *const [Block; WAVE],
    destination: *mut [Block; WAVE],
) {
    // SAFETY: the caller vouches for the memory.
    let source = unsafe { source.read() };
    let (mut data, mut previous) = ([words(&source[0]); WAVE], [words(chain); WAVE]);
    for i in 1..WAVE {
        data[i] = words(&source[i]);
        previous[i] = data[i - 1];
    }
    let mut blocks = u.run(match mode.input {
        From::Counter(bits) => counters(chain, bits),
        From::Previous => previous,
        From::Data | From::Nothing => data,
    });
    for i in 0..WAVE {
        match mode.addend {
            From::Data => blocks[i] = u.xor(blocks[i], data[i]),
            From::Previous => blocks[i] = u.xor(blocks[i], previous[i]),
            From::Counter(_) | From::Nothing => {}
        }
    }
    if mode.is_chained() {
        *chain = source[WAVE - 1];
    }
    let mut result = [[0; 16]; WAVE];
    for i in 0..WAVE {
        result[i] = bytes(blocks[i]);
    }
    // SAFETY: the caller vouches for the memory.
    unsafe { destination.write(result) };
}

/// The counters of a wave; the chain moves on.
#[inline(always)]
fn counters(chain: &mut Block, bits: u32) -> [uint32x4_t; WAVE] {
    let first = *chain;
    *chain = after(&first, bits, WAVE as u128);
    let mut counters = [words(&first); WAVE];
    let last = u128::from_be_bytes(first) as u32;
    // A counter is no secret.
    if bits == 32 || last <= u32::MAX - WAVE as u32 {
        // Nothing is carried out of the last word.
        let one = call!(vsetq_lane_u32::<3>(1, vdupq_n_u32(0)));
        for i in 1..WAVE {
            counters[i] = call!(vaddq_u32(counters[i - 1], one));
        }
    } else {
        for i in 1..WAVE {
            counters[i] = words(&after(&first, bits, i as u128));
        }
    }
    counters
}
