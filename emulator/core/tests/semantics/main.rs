//! What PadLock's instructions do, against published vectors, other implementations, and every way to
//! be stopped.

mod bench;
mod ciphers;
