//! Only x86 has PadLock.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) use x86::generator;

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub(crate) fn generator() -> Option<Box<dyn super::source::Noise>> {
    None
}
