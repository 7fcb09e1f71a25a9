//! What this CPU can do, as proof tokens.
//!
//! [`Features`] is what CPUID and XCR0 say. A token such as [`Vaes512`] can only be made from a
//! [`Features`] that holds all it needs, so a function that takes one may rely on the instructions.
//! Features can be taken away ([`Features::without`]), never added: that is how every lesser
//! machine is tested on a big one.

mod arch;
mod feature;
mod ia32cap;
mod token;

pub use arch::*;
pub use feature::{Feature, Features};
pub use token::{
    Ace, Ace2, AesNi, Avx2, Avx512, Avx512Ifma, Ccs, Gfni256, Gfni512, Phe, Phe2, Pmm, Rng, Rng2,
    ShaNi, Sse2, Ssse3, Token, Vaes256, Vaes512,
};
