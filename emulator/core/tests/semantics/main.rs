//! What PadLock's instructions do, against published vectors, other implementations, and every way to
//! be stopped.
#![forbid(unsafe_code)]

mod bench;
mod call;
mod ccs;
mod control;
mod cpuid;
mod decode;
mod flaws;
mod hashes;
mod montmul;
mod reference;
mod stops;
mod strict;
mod xcrypt;
mod xstore;
