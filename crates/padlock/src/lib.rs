//! The instructions of VIA's and Zhaoxin's PadLock, each behind the proof that this CPU has it.
//!
//! | unit | token | here |
//! |---|---|---|
//! | RNG | [`Rng`](wirespeed_cpu::Rng) | [`random`]: bytes, as they come and conditioned |
//! | ACE, ACE2 | [`Ace`](wirespeed_cpu::Ace), [`Ace2`](wirespeed_cpu::Ace2) | [`Cipher`]: AES in ECB, CBC, CFB, OFB, CTR |
//! | PHE, PHE2 | [`Phe`](wirespeed_cpu::Phe), [`Phe2`](wirespeed_cpu::Phe2) | [`hash`]: SHA-1 and SHA-2, whole messages and blocks |
//! | PMM | [`Pmm`](wirespeed_cpu::Pmm) | [`modular`]: Montgomery products and powers |
//! | CCS | [`Ccs`](wirespeed_cpu::Ccs) | SM3 in [`hash`], SM4 as a [`Cipher`] |
//!
//! Nothing here keeps state between calls or needs initialising, and only [`modular`] asks for memory, so
//! everything may be used in any thread and after fork.
//!
//! What the instructions do is known from the code that uses them, which every function cites, because
//! VIA's Programming Guide is hard to come by. `docs/padlock.md` has all of it in one place, with what
//! nobody has confirmed on hardware. On other machines than x86 there are the health tests and nothing else.

mod arch;
pub mod health;

#[allow(unused_imports, unreachable_pub, reason = "only x86 has PadLock")]
pub use arch::*;
