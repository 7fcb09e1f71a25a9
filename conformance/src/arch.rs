//! What valgrind listens to on each architecture, and what its registers tell.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::request;
#[cfg(target_arch = "x86_64")]
pub use x86_64::vectors_in_use;

/// Nobody listens.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn request(_: [u64; 6]) -> u64 {
    0
}

/// Registers without halves that a call could leave in use.
#[cfg(not(target_arch = "x86_64"))]
pub mod vectors_in_use {
    /// Why this machine cannot tell.
    pub fn obstacle() -> Option<&'static str> {
        Some("only x86 has upper halves of vector registers that slow others down")
    }

    /// Whether any upper half may hold something.
    pub fn dirty() -> bool {
        false
    }

    /// Cleans them all.
    pub fn clean() {}
}
