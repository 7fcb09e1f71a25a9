//! Programs under the preload library: some from Debian, some in C for what no program does on a
//! good day.

mod children;
mod ciphers;
mod cpuid;
mod faults;
mod support;
mod threads;
