//! What both runners share: their settings, the places of CPUID in code, what a trap means, and the
//! counts they report.
//!
//! The preload library calls it in signal handlers and before libc is ready, so nothing here
//! allocates, except that the decoder which [`find_cpuid`] uses builds its tables once.
#![no_std]
#![forbid(unsafe_code)]

mod counts;
mod cpuid_sites;
mod entry;
mod handover;
mod image;
mod settings;
mod text;
mod trace;
mod trap;

pub use counts::Counts;
pub use cpuid_sites::find_cpuid;
pub use entry::{Entry, Seen};
pub use handover::HANDED_OVER;
pub use image::{HEAD, Image};
pub use settings::{MODELS, Settings, Unknown};
pub use text::Text;
pub use trace::Trace;
pub use trap::{CPUID, INT3, REP, REWRITTEN_CPUID, SEGV_ACCERR, SI_KERNEL, Signal, Trap, classify};
