//! The intrinsics of x86 under one name, whether registers have 32 bits or 64; and what only 32-bit code has to do.

#[cfg(target_arch = "x86")]
pub use std::arch::x86;
#[cfg(target_arch = "x86_64")]
pub use std::arch::x86_64 as x86;

/// Has a function's stack aligned for every vector. 64-bit code does so by itself. In 32-bit code the compiler aligns what
/// it puts there of its own only beside something that must be there, and else half of it lies in two lines of the cache.
#[macro_export]
macro_rules! align_stack {
    () => {
        #[cfg(target_arch = "x86")]
        let room = ::std::mem::MaybeUninit::<::std::arch::x86::__m512i>::uninit();
        #[cfg(target_arch = "x86")]
        // SAFETY: no instruction.
        unsafe {
            ::std::arch::asm!("/* {0} */", in(reg) &raw const room, options(nostack, preserves_flags));
        }
    };
}
