//! Whether the upper halves of vector registers hold anything: XINUSE, read by XGETBV with ECX = 1 (Intel
//! SDM vol. 1, 13.6).

/// Bit 2 of XINUSE, the upper halves of YMM0 to YMM15, and bit 6, those of ZMM0 to ZMM15.
const UPPER_HALVES: u64 = 1 << 2 | 1 << 6;

/// Why this machine cannot tell, or `None` where the answer is known to follow the registers.
pub fn obstacle() -> Option<&'static str> {
    use wirespeed_cpu::x86::{Cpuid, ThisCpu};
    if crate::client::under_valgrind() {
        return Some("valgrind does not know XINUSE");
    }
    // CPUID.(EAX=0DH,ECX=1):EAX[2] says that XGETBV takes ECX = 1.
    if ThisCpu.leaf(13, 1)[0] & 4 == 0 || !is_x86_feature_detected!("avx") {
        return Some("this CPU cannot tell which registers are in use");
    }
    clean();
    let at_first = dirty();
    // SAFETY: AVX was found above.
    unsafe { soil() };
    let soiled = dirty();
    clean();
    (at_first || !soiled || dirty()).then_some("this CPU's XINUSE does not follow the registers")
}

/// Whether any upper half may hold something. Only where there is no [`obstacle`].
#[inline]
pub fn dirty() -> bool {
    let low: u32;
    // SAFETY: `obstacle` is asked first, and CPUID answered there that this form of XGETBV exists.
    unsafe {
        std::arch::asm!(
            "xgetbv",
            in("ecx") 1,
            out("eax") low,
            out("edx") _,
            options(nomem, nostack, preserves_flags),
        );
    }
    u64::from(low) & UPPER_HALVES != 0
}

/// Cleans them all. Only where there is no [`obstacle`], or to find out.
#[inline]
pub fn clean() {
    // SAFETY: callers have AVX; the upper halves of all vector registers are declared overwritten.
    unsafe {
        std::arch::asm!(
            "vzeroupper",
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// Fills one of them.
///
/// # Safety
/// The CPU must have AVX.
unsafe fn soil() {
    // SAFETY: the caller vouches for AVX; the register is declared overwritten.
    unsafe {
        std::arch::asm!(
            "vcmpps ymm15, ymm15, ymm15, 15",
            out("ymm15") _,
            options(nomem, nostack),
        );
    }
}
