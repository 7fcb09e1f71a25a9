//! The instructions of VIA's and Zhaoxin's PadLock, each behind the proof that this CPU has it.
//!
//! A unit is reached with its token from `wirespeed-cpu`: [`Ace`](wirespeed_cpu::Ace) for
//! [AES](xcrypt), and so on. Nothing here allocates on the data path, keeps state between calls or
//! needs initialising, so everything may be used in any thread and after fork.
//!
//! What the instructions do is known from the code that uses them, which every function cites, because
//! VIA's Programming Guide is hard to come by. What nobody has confirmed on hardware is listed in
//! `docs/padlock.md`. There is 64-bit code only: on other machines this crate is empty.

#![cfg(target_arch = "x86_64")]

mod alignment;
mod area;
mod control;
mod expansion;
mod instruction;
mod key;
mod modes;
mod plan;
pub mod xcrypt;

pub use control::{ControlWord, KeySize};
