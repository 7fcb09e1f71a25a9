//! `padlock-run`: an unmodified program on an emulated PadLock.
fn main() {}
