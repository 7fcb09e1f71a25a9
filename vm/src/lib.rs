//! A stock Debian kernel in QEMU, with this machine's files, for one command.
//!
//! The guest sees the host's root read-only over 9p, below an overlay that lives in its memory: every
//! program of the host is there, everything can be written to, and nothing of it comes back but what
//! the command says and its exit status. A guest of another architecture has the programs of an unpacked
//! system for it, and of the host's files those that it is given. There is no disk unless one is asked for, no network and no
//! installed kernel: kernels are Debian packages, fetched and unpacked into a directory of the caller's.
//!
//! ```no_run
//! use wirespeed_vm::{Kernel, Machine, Program, X86_64};
//!
//! let kernel = Kernel::provide("target/vm".as_ref(), &X86_64, None)?;
//! let machine = Machine::new(kernel);
//! let program = Program::here(["uname", "-r"])?;
//! let status = machine.run(&program, &mut std::io::stdout(), &mut std::io::stderr())?;
//! assert_eq!(status, 0);
//! # Ok::<(), wirespeed_vm::Failure>(())
//! ```
#![forbid(unsafe_code)]

mod accelerator;
mod architecture;
mod ciphers;
mod dco;
mod device;
mod headers;
mod initramfs;
mod kernel;
mod machine;
mod packages;
mod padlock;
mod program;
mod streams;
mod vmlinux;

pub use accelerator::Accelerator;
pub use architecture::{AARCH64, Architecture, X86_64};
pub use ciphers::ALL as CIPHERS;
pub use device::Device;
pub use kernel::Kernel;
pub use machine::{Failure, Machine};
pub use padlock::PadLock;
pub use program::Program;
