//! The emulated PadLock from inside a program: its signal handlers carry out what the CPU refuses.
