//! Only an x86-64 can be made to look as if it had PadLock.

#[cfg(target_arch = "x86_64")]
mod x86_64;
