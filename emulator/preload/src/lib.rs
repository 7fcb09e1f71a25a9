//! The emulated PadLock from inside a program, by `LD_PRELOAD`.

mod arch;
