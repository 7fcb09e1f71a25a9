//! Where a program's processor time goes: Linux samples it, and each sample is given a name.
//!
//! Debian's libcrypto tells no name of what is inside it. So `openssl speed` is sampled, too: where it spends its time
//! while it runs one operation is the code of that operation.
#![forbid(unsafe_code)]

mod arch;
mod copying;
mod functions;
mod learned;
mod part;
mod processes;
mod profile;
mod sampler;
mod sampling;
mod spaces;

pub use learned::Lessons;
pub use part::{Kind, Part};
pub use processes::children_cpu_seconds;
pub use profile::{Output, Profile, Step, Target, profile};
pub use sampler::Sampler;
