//! The emulated PadLock from inside a program: its signal handlers carry out what the CPU refuses.
//!
//! `LD_PRELOAD` brings this library into a program. [`start`] runs before everything else: it installs [`handlers`], and makes CPUID
//! trap too, by the kernel ([`cpuid`]) or by rewriting it in the code of all objects ([`objects`]). From then on an instruction of
//! PadLock raises SIGILL, the handler carries it out with `padlock_emulator` over the program's registers ([`context`]) and memory
//! ([`memory`]), and the program goes on behind it. What else the program would notice is [`interpose`]d.
//!
//! Everything runs inside somebody else's process, in signal handlers, and before libc is ready. So nothing here allocates (the
//! decoder that finds CPUID does once, from the [`arena`]), takes locks, keeps descriptors open, or needs much stack.

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
mod start;
