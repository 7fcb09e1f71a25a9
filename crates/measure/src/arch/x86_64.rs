//! The limits of x86 units, in assembly so that nothing but the instructions in question runs.
//!
//! Twelve registers in flight cover a round's latency (3 to 5 cycles) at two rounds in a cycle
//! (Intel, AMD: uops.info). What the registers hold does not matter: AES and carry-less
//! multiplication take the same time for all values.

use std::arch::asm;

use wirespeed_cipher::Route;
use wirespeed_cpu::{AesNi, Features, Token, Vaes256, Vaes512};

use crate::limit::Bound;

/// Rounds in one pass of the loops below, for each register.
const UNROLL: u64 = 4;

/// Work that runs so many passes of a loop.
type Work = Box<dyn FnMut(u64) + Send>;

/// An execution unit that is there: its token is inside.
pub(crate) enum Unit {
    Xmm(AesNi),
    Ymm(Vaes256),
    Zmm(Vaes512),
}

/// The unit of a route, if this machine has it.
pub(crate) fn unit(route: Route, features: Features) -> Option<Unit> {
    match route {
        Route::Vaes512 => Vaes512::probe(features).ok().map(Unit::Zmm),
        Route::Vaes256 => Vaes256::probe(features).ok().map(Unit::Ymm),
        Route::AesNi => AesNi::probe(features).ok().map(Unit::Xmm),
        // Their ciphers are made of many instructions, of which none alone is the limit.
        _ => None,
    }
}

impl Unit {
    /// Bytes of one call and the work of so many calls.
    pub(crate) fn limit(self, bound: Bound, rounds: u64) -> (u64, Work) {
        // Calls of all bounds are made of whole blocks: `rounds` passes of the throughput loop.
        let blocks = |registers: u64| registers * UNROLL * self.bytes();
        match bound {
            Bound::Throughput => {
                let bytes = blocks(12);
                (bytes, Box::new(move |calls| self.rounds(calls * rounds)))
            }
            Bound::Chain => (16 * 8, Box::new(move |calls| self.chain(calls * rounds))),
            Bound::Mix => {
                let bytes = 8 * self.bytes();
                (bytes, Box::new(move |calls| self.mix(calls, rounds)))
            }
        }
    }

    const fn bytes(&self) -> u64 {
        match self {
            Self::Xmm(_) => 16,
            Self::Ymm(_) => 32,
            Self::Zmm(_) => 64,
        }
    }
}

/// An instruction on each register listed: `op`(register).
macro_rules! each {
    ($op:ident $vector:literal: $($n:literal)*) => { concat!($($op!($vector $n), "\n"),*) };
}
/// One AES round in the form that 128-bit SSE code has.
macro_rules! legacy_round {
    ($v:literal $n:literal) => {
        concat!("aesenc ", $v, $n, ", ", $v, 15)
    };
}
/// One AES round in the VEX and EVEX form.
macro_rules! round {
    ($v:literal $n:literal) => {
        concat!("vaesenc ", $v, $n, ", ", $v, $n, ", ", $v, 15)
    };
}
macro_rules! legacy_product {
    ($v:literal $n:literal) => {
        concat!("pclmulqdq ", $v, $n, ", ", $v, 15, ", 0x10")
    };
}
macro_rules! product {
    ($v:literal $n:literal) => {
        concat!("vpclmulqdq ", $v, $n, ", ", $v, $n, ", ", $v, 15, ", 0x10")
    };
}

/// Runs a loop body `$passes` times. All vector registers count as changed; the upper halves are
/// left clean (`vzeroupper`), or SSE code after it would crawl.
macro_rules! repeat {
    ($passes:expr, $after:literal, $($body:expr),+ $(; $name:ident = $value:expr)?) => {
        if $passes > 0 {
            // SAFETY: `self` holds the token of these instructions. They touch registers only, all of
            // them declared; the counter starts above zero.
            unsafe {
                asm!(
                    "2:", $($body,)+ "dec {passes}", "jnz 2b", $after,
                    passes = inout(reg) $passes => _,
                    $($name = const $value,)?
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                    out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
                    out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _,
                    out("xmm14") _, out("xmm15") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

/// GCM over eight vectors: `ROUNDS` rows of AES; four products after each of the first eight rows.
macro_rules! mix {
    ($passes:expr, $rounds:expr, $after:literal, $round:ident, $product:ident, $v:literal) => {
        match $rounds {
            10 => mix!(@ $passes, 2, $after, $round, $product, $v),
            12 => mix!(@ $passes, 4, $after, $round, $product, $v),
            _ => mix!(@ $passes, 6, $after, $round, $product, $v),
        }
    };
    (@ $passes:expr, $rest:literal, $after:literal, $round:ident, $product:ident, $v:literal) => {
        repeat!(
            $passes, $after,
            ".rept 4",
            each!($round $v: 0 1 2 3 4 5 6 7), each!($product $v: 8 9 10 11),
            each!($round $v: 0 1 2 3 4 5 6 7), each!($product $v: 12 13 14 11),
            ".endr",
            ".rept {rest}", each!($round $v: 0 1 2 3 4 5 6 7), ".endr";
            rest = $rest
        )
    };
}

impl Unit {
    /// `passes` times four rounds on twelve registers.
    fn rounds(&self, passes: u64) {
        macro_rules! four { ($op:ident $v:literal) => {
            concat!(".rept 4\n", each!($op $v: 0 1 2 3 4 5 6 7 8 9 10 11), ".endr")
        }; }
        match self {
            Self::Xmm(_) => repeat!(passes, "", four!(legacy_round "xmm")),
            Self::Ymm(_) => repeat!(passes, "vzeroupper", four!(round "ymm")),
            Self::Zmm(_) => repeat!(passes, "vzeroupper", four!(round "zmm")),
        }
    }

    /// `passes` times eight rounds, one after the other.
    fn chain(&self, passes: u64) {
        repeat!(passes, "", ".rept 8", "aesenc xmm0, xmm15", ".endr");
    }

    /// `passes` times eight vectors of GCM.
    fn mix(&self, passes: u64, rounds: u64) {
        match self {
            Self::Xmm(_) => mix!(passes, rounds, "", legacy_round, legacy_product, "xmm"),
            Self::Ymm(_) => mix!(passes, rounds, "vzeroupper", round, product, "ymm"),
            Self::Zmm(_) => mix!(passes, rounds, "vzeroupper", round, product, "zmm"),
        }
    }
}
