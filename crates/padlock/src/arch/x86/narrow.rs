//! What instructions take in 32-bit code. LLVM keeps ESI for itself there, and no other register is left to exchange it
//! with; so it is pushed, and loaded from memory that EAX points to.

use std::arch::asm;

use libc::c_int;

/// What EAX and ESI are loaded with.
#[repr(C)]
pub(super) struct Loaded<A> {
    pub(super) a: A,
    pub(super) source: *const u8,
}

/// An instruction with these values in registers, all of which it may change.
macro_rules! execute {
    ($bytes:expr, $a:expr, $b:expr, $c:expr, $d:expr, $source:expr, $destination:expr) => {{
        let loaded = $crate::arch::x86::narrow::Loaded { a: $a, source: $source };
        asm!(
            "push esi",
            "mov esi, [eax + 4]",
            "mov eax, [eax]",
            concat!(".byte ", $bytes),
            "pop esi",
            inout("eax") &raw const loaded => _,
            inout("ebx") $b => _,
            inout("ecx") $c => _,
            inout("edx") $d => _,
            inout("edi") $destination => _,
        )
    }};
}

pub(super) use execute;

/// Writes EFLAGS if bit 30 is set.
#[inline]
pub(super) fn write_flags() {
    // SAFETY: what is pushed is taken off again, and flags come back as they were.
    unsafe {
        asm!(
            "pushfd",
            "test byte ptr [esp + 3], 0x40",
            "jz 2f",
            "popfd",
            "jmp 3f",
            "2:",
            "lea esp, [esp + 4]",
            "3:",
        );
    }
}

/// `montmul`.
///
/// # Safety
/// As [`montmul`](super::instruction::montmul).
#[inline]
pub(super) unsafe fn montmul(operands: u32, bits: u32) {
    // SAFETY: the caller vouches for unit and memory. Every register that a program reloads is given up; ESI comes back
    // from the stack.
    unsafe {
        asm!(
            "push esi",
            "mov esi, ebx",
            ".byte 0xf3, 0x0f, 0xa6, 0xc0",
            "pop esi",
            inout("eax") 0_u32 => _,
            inout("ebx") operands => _,
            inout("ecx") bits => _,
            out("edx") _,
            out("edi") _,
        );
    }
}

/// `montmul` as bytes.
pub(super) const MONTMUL: &[u8] = &[0xf3, 0x0f, 0xa6, 0xc0];

/// Where a signal's handler finds registers: of EAX, EBX, ECX, EDX, ESI, EDI, the flags and EIP.
pub(super) const PLACES: [c_int; 8] = [
    libc::REG_EAX,
    libc::REG_EBX,
    libc::REG_ECX,
    libc::REG_EDX,
    libc::REG_ESI,
    libc::REG_EDI,
    libc::REG_EFL,
    libc::REG_EIP,
];

/// Calls code with the lower halves of the first six of these in registers, and puts what they hold then and the flags in
/// their place.
///
/// # Safety
/// The code ends with a return and harms nothing but registers that a function may.
pub(super) unsafe fn call(code: *const u8, registers: *mut [u64; 8]) {
    // SAFETY: the caller vouches for the code; ESI comes back from the stack.
    unsafe {
        asm!(
            "push esi",
            "push ecx",
            "push edx",
            "mov eax, [ecx]",
            "mov ebx, [ecx + 8]",
            "mov edx, [ecx + 24]",
            "mov esi, [ecx + 32]",
            "mov edi, [ecx + 40]",
            "mov ecx, [ecx + 16]",
            "call dword ptr [esp]",
            "pushfd",
            "push ecx",
            // Behind ECX, the flags and the code.
            "mov ecx, [esp + 12]",
            "mov [ecx], eax",
            "mov [ecx + 8], ebx",
            "mov [ecx + 24], edx",
            "mov [ecx + 32], esi",
            "mov [ecx + 40], edi",
            "pop eax",
            "mov [ecx + 16], eax",
            "pop eax",
            "mov [ecx + 48], eax",
            "pop eax",
            "pop eax",
            "pop esi",
            in("ecx") registers,
            in("edx") code,
            out("ebx") _,
            out("edi") _,
            clobber_abi("C"),
        );
    }
}
