//! Only x86 has PadLock.

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::generator;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn generator() -> Option<Box<dyn super::source::Noise>> {
    None
}
