//! Where samples can be taken: the library that reads them knows some architectures.

#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        target_arch = "x86",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )),
    path = "arch/none.rs"
)]
mod rings;

pub(crate) use rings::{Ring, of_threads, whole_machine};

/// What Linux tells of a process.
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        target_arch = "x86",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )),
    allow(dead_code, reason = "nobody tells it there")
)]
pub(crate) enum Event {
    /// A thread was at an address, in Linux or in its program.
    Sample { in_linux: bool, address: u64, process: u32, thread: u32 },
    /// A process maps a file.
    Map { process: u32, start: u64, length: u64, offset: u64, path: String },
    /// A process has a child.
    Fork { parent: u32, child: u32 },
    /// So many samples came too fast.
    Lost(u64),
}
