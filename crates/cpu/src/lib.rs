//! What this CPU can do, as proof tokens.
//!
//! [`Features`] is what CPUID and XCR0 say, or Linux: on ARM in HWCAP, on RISC-V when asked by riscv_hwprobe. A token such
//! as [`Vaes512`] can only be made from a [`Features`] that holds all it needs, so a function that takes one may rely on the
//! instructions.
//! Features can be taken away ([`Features::without`]), never added: that is how every lesser
//! machine is tested on a big one.

mod arch;
mod feature;
mod kernel;
mod token;

pub use arch::*;
pub use feature::{Feature, Features};
pub use kernel::release;
pub use token::{
    Ace, Ace2, AesCe, AesCeSha3, AesNi, Avx2, Avx512, Avx512Ifma, Ccs, Gfni256, Gfni512, Neon, Phe,
    Phe2, Pmm, Rng, Rng2, ShaCe, ShaCe512, ShaNi, Sm4Ce, Sse2, Ssse3, Token, Vaes256, Vaes512,
};
