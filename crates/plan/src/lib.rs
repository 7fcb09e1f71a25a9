//! The plan: which route serves which call, as it was measured on this machine.
//!
//! `wirespeed tune` writes it, the provider reads it once when it is loaded, `wirespeed routes --why`
//! explains it. It is text, one fact in a line:
//!
//! ```text
//! # A remark. Remarks and empty lines may be anywhere.
//! wirespeed-plan 1
//! cpu        GenuineIntel 6/143/8 Intel(R) Xeon(R) Processor
//! microcode  0x2b000639
//! kernel     6.1.0-18-amd64
//! libcrypto  3.0.18
//! wirespeed  0.1.1
//! features   sse2 ssse3 sse4_1 aes pclmulqdq avx avx2 bmi1 bmi2 vaes vpclmulqdq gfni
//! AES-128-GCM enc    16 vaes256   message    81.4+-0.3 vaes512      82.0+-0.4     198.2+-1.1
//! AES-128-GCM enc    64 libcrypto
//! digest SHA2-256 padlock
//! offload DES-EDE3-CBC enc 16384
//! driver DES-EDE3-CBC cbc-des3_ede-asm
//! ```
//!
//! First the format and its version; then the machine's [`Fingerprint`], in plans before 0.1.1 without features; then the rows: algorithm,
//! direction, size class, route. What may follow is the reason, which only people read: the use that
//! the times are of, the nanoseconds of one call by this route, the second best route and its, and those
//! of the host's libcrypto. An algorithm has a row for every size class in each direction that differs,
//! or none at all. One that is `libcrypto` everywhere, or has no rows, is left to libcrypto.
//!
//! A hash function has one route for all lengths, because nobody knows beforehand how long its message
//! will be; one without a line is left to libcrypto.
//!
//! What has no rows, a hash function or a cipher of which we have no kernels, may have a line that says
//! from how many bytes in a call on it goes to the Linux kernel. Whatever goes there may have a line with
//! the driver that was measured. The kernel answers a generic name with whichever driver has the highest
//! priority at that moment, so a plan that named none would hold for drivers that nobody measured.
//!
//! A line `constant-time` says that somebody chose constant time: where libcrypto's code looks up in tables by secrets
//! ([`LibcryptoCode::looks_up`]), a route of ours serves even if it is slower. Each row of which only that decided ends in
//! the same word, and its times are of the use in which that costs most. An older reader refuses such a plan.
//!
//! A reader believes nothing: not the version, not a name, not a number, not the length of the file.
#![forbid(unsafe_code)]

mod arch;
mod common;
mod error;
mod fingerprint;
mod judge;
mod look_ups;
mod parse;
mod place;
mod row;
mod sizes;
mod table;
mod time;

pub use common::COMMON;
pub use error::PlanError;
pub use fingerprint::Fingerprint;
pub use judge::{MARGIN, Ratio, Trial, judge, judge_constant_time, judge_digest, judge_offload};
pub use look_ups::{LibcryptoCode, LookUp};
pub use place::{SYSTEM, default_file};
pub use row::{Offload, Reason, Row};
pub use sizes::{SIZE_BUCKETS, size_bucket};
pub use table::{LARGEST, Plan, is_driver};
pub use time::Time;
