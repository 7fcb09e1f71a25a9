//! The emulated PadLock from inside a program: its signal handlers carry out what the CPU refuses.
//!
//! `LD_PRELOAD` brings this library into a program. [`start`] runs before everything else: it
//! installs [`handlers`], and makes CPUID trap too, by the kernel ([`cpuid`]) or by rewriting it in
//! the code of all objects ([`objects`]). From then on an instruction of PadLock raises SIGILL, the
//! handler carries it out with `padlock_emulator` over the program's registers ([`context`]) and
//! memory ([`memory`]), and the program goes on behind it. What else the program would notice is
//! [`interpose`]d.
//!
//! Everything runs inside somebody else's process, in signal handlers, and before libc is ready. So
//! nothing here allocates (the decoder that finds CPUID does once, from the [`arena`]), takes
//! locks, keeps descriptors open, or needs much stack.
//!
//! What it cannot do, `padlock-run --ptrace` can: programs that install handlers or block signals by
//! system calls of their own, as Go's do; objects in the namespaces of `dlmopen`; shells that
//! `system` and `popen` start inside libc after the program has cleared its own environment. The
//! counts of a process that is killed by a signal which is not raised by an instruction are lost; its
//! trace is not.

mod actions;
mod arena;
mod code;
mod context;
mod cpuid;
mod handlers;
mod interpose;
mod memory;
mod objects;
mod process;
mod report;
mod stack;
mod start;
