//! The limits of 64-bit ARM's units, in assembly so that nothing but the instructions in question runs.
//!
//! Twelve registers in flight cover a round's latency (3 to 6 cycles) at up to four rounds in a cycle. What the registers
//! hold does not matter: AES and carry-less multiplication take the same time for all values.

use std::arch::asm;

use wirespeed_cipher::Route;
use wirespeed_cpu::{AesCe, Features, Token};

use crate::limit::Bound;

/// Rounds in one pass of the loops below, for each register.
const UNROLL: u64 = 4;

/// Work that runs so many passes of a loop.
type Work = Box<dyn FnMut(u64) + Send>;

/// The execution unit, which is there: its token is inside.
pub(crate) struct Unit(AesCe);

/// The unit of a route, if this machine has it.
pub(crate) fn unit(route: Route, features: Features) -> Option<Unit> {
    match route {
        Route::AesCe => AesCe::probe(features).ok().map(Unit),
        // Their ciphers are made of many instructions, of which none alone is the limit.
        _ => None,
    }
}

/// Instructions on each register listed.
macro_rules! each {
    ($op:ident: $($n:literal)*) => { concat!($($op!($n), "\n"),*) };
}
/// One AES round.
macro_rules! round {
    ($n:literal) => {
        concat!("aese v", $n, ".16b, v31.16b\n", "aesmc v", $n, ".16b, v", $n, ".16b")
    };
}
macro_rules! product {
    ($n:literal) => {
        concat!("pmull v", $n, ".1q, v", $n, ".1d, v31.1d")
    };
}

/// Runs a loop body `$passes` times.
macro_rules! repeat {
    ($passes:expr, $($body:expr),+ $(; $name:ident = $value:expr)?) => {
        if $passes > 0 {
            // SAFETY: `self` holds the token of these instructions. They touch registers only, all of
            // them declared; the counter starts above zero.
            unsafe {
                asm!(
                    ".arch_extension aes", "2:", $($body,)+ "subs {passes}, {passes}, #1", "b.ne 2b",
                    passes = inout(reg) $passes => _,
                    $($name = const $value,)?
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _,
                    out("v7") _, out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _,
                    out("v21") _, out("v22") _, out("v23") _, out("v24") _, out("v31") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

impl Unit {
    /// Bytes of one call and the work of so many calls.
    pub(crate) fn limit(self, bound: Bound, rounds: u64) -> (u64, Work) {
        match bound {
            // Calls are made of whole blocks: `rounds` passes of the loop.
            Bound::Throughput => {
                (12 * UNROLL * 16, Box::new(move |calls| self.rounds(calls * rounds)))
            }
            Bound::Chain => (16 * 8, Box::new(move |calls| self.chain(calls * rounds))),
            Bound::Mix => (8 * 16, Box::new(move |calls| self.mix(calls, rounds))),
        }
    }

    /// `passes` times four rounds on twelve registers.
    fn rounds(&self, passes: u64) {
        repeat!(passes, ".rept 4", each!(round: 0 1 2 3 4 5 6 7 16 17 18 19), ".endr");
    }

    /// `passes` times eight rounds, one after the other.
    fn chain(&self, passes: u64) {
        repeat!(passes, ".rept 8", each!(round: 0), ".endr");
    }

    /// `passes` times eight blocks of GCM: `rounds` rows of AES; four products after each of the first eight rows.
    fn mix(&self, passes: u64, rounds: u64) {
        macro_rules! mix {
            ($rest:literal) => {
                repeat!(
                    passes,
                    ".rept 4",
                    each!(round: 0 1 2 3 4 5 6 7), each!(product: 16 17 18 19),
                    each!(round: 0 1 2 3 4 5 6 7), each!(product: 20 21 22 19),
                    ".endr",
                    ".rept {rest}", each!(round: 0 1 2 3 4 5 6 7), ".endr";
                    rest = $rest
                )
            };
        }
        match rounds {
            10 => mix!(2),
            12 => mix!(4),
            _ => mix!(6),
        }
    }
}
