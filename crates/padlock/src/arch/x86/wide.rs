//! What instructions take in 64-bit code. LLVM keeps RBX for itself there, so it is exchanged before and after.

use std::arch::asm;

use libc::c_int;

/// An instruction with these values in registers, all of which it may change.
macro_rules! execute {
    ($bytes:expr, $a:expr, $b:expr, $c:expr, $d:expr, $source:expr, $destination:expr) => {
        asm!(
            "xchg {b}, rbx",
            concat!(".byte ", $bytes),
            "xchg {b}, rbx",
            b = inout(reg) $b => _,
            inout("rax") $a => _,
            inout("rcx") $c => _,
            inout("rdx") $d => _,
            inout("rsi") $source => _,
            inout("rdi") $destination => _,
        )
    };
}

pub(super) use execute;

/// Writes EFLAGS if bit 30 is set.
#[inline]
pub(super) fn write_flags() {
    // SAFETY: what is pushed is taken off again, and flags come back as they were. Without `nostack` the
    // compiler keeps nothing below the stack pointer.
    unsafe {
        asm!(
            "pushfq",
            "test byte ptr [rsp + 3], 0x40",
            "jz 2f",
            "popfq",
            "jmp 3f",
            "2:",
            "lea rsp, [rsp + 8]",
            "3:",
        );
    }
}

/// `montmul`. Pointers have 32 bits, so 64-bit code needs the prefix 67h, and without it there is a fault (measured by
/// others on a KX-6580: zydis issue 279).
///
/// # Safety
/// As [`montmul`](super::instruction::montmul).
#[inline]
pub(super) unsafe fn montmul(operands: u32, bits: u32) {
    // SAFETY: the caller vouches for unit and memory. Every register that a program reloads is given up; RBX
    // comes back from one that is not.
    unsafe {
        asm!(
            "mov r8, rbx",
            ".byte 0x67, 0xf3, 0x0f, 0xa6, 0xc0",
            "mov rbx, r8",
            inout("rax") 0_u64 => _,
            inout("rcx") u64::from(bits) => _,
            inout("rsi") u64::from(operands) => _,
            out("rdx") _,
            out("rdi") _,
            out("r8") _,
        );
    }
}

/// `montmul` as bytes.
pub(super) const MONTMUL: &[u8] = &[0x67, 0xf3, 0x0f, 0xa6, 0xc0];

/// Where a signal's handler finds registers: of RAX, RBX, RCX, RDX, RSI, RDI, the flags and RIP.
pub(super) const PLACES: [c_int; 8] = [
    libc::REG_RAX,
    libc::REG_RBX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_EFL,
    libc::REG_RIP,
];

/// Calls code with the first six of these in registers, and puts what they hold then and the flags in their place.
///
/// # Safety
/// The code ends with a return and harms nothing but registers that a function may.
pub(super) unsafe fn call(code: *const u8, registers: *mut [u64; 8]) {
    // SAFETY: the caller vouches for the code; RBX comes back from the stack.
    unsafe {
        asm!(
            "push rbx",
            "push r8",
            "mov rax, [r8]",
            "mov rbx, [r8 + 8]",
            "mov rcx, [r8 + 16]",
            "mov rdx, [r8 + 24]",
            "mov rsi, [r8 + 32]",
            "mov rdi, [r8 + 40]",
            "call r9",
            "pushfq",
            "pop r9",
            "pop r8",
            "mov [r8], rax",
            "mov [r8 + 8], rbx",
            "mov [r8 + 16], rcx",
            "mov [r8 + 24], rdx",
            "mov [r8 + 32], rsi",
            "mov [r8 + 40], rdi",
            "mov [r8 + 48], r9",
            "pop rbx",
            in("r8") registers,
            in("r9") code,
            clobber_abi("C"),
        );
    }
}
