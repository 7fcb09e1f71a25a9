//! The instructions themselves, as bytes: few assemblers know them, and LLVM's takes no operands.
//!
//! All of them are restarted where they were when an interrupt or a page fault ends, from registers that
//! always say how far they came, so nothing special has to be done about signals, threads or fork.
//! Clients clear the direction flag first; Rust promises that it is clear. LLVM keeps RBX for itself,
//! so where an instruction takes it, it is exchanged before and after.

use std::arch::asm;

use crate::area::Iv;
use crate::control::ControlWord;

/// A mode of `xcrypt`, by the last byte of its instruction (Linux `drivers/crypto/padlock-aes.c`, NetBSD
/// `sys/crypto/aes/arch/x86/aes_via.c`, OpenSSL `engines/asm/e_padlock-x86_64.pl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Xcrypt {
    Ecb = 0xc8,
    Cbc = 0xd0,
    Ctr = 0xd8,
    Cfb = 0xe0,
    Ofb = 0xe8,
}

/// Makes the unit read key and control word again.
///
/// The unit keeps the last key in its expanded form, and says so in bit 30 of EFLAGS. Whatever writes
/// EFLAGS clears that bit, as every interrupt does, and with it every switch to another thread. A program
/// that wants another key, or changed one in place, writes EFLAGS itself (OpenSSL
/// `padlock_verify_context` and `padlock_reload_key`, Linux `padlock_reset_key`). Nothing is remembered
/// about the key before, so this is called once before the first instruction of every call; where the
/// bit is clear already, popping the flags is saved.
#[inline]
pub(crate) fn forget_key() {
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

/// `rep xcrypt…` over `blocks` blocks.
///
/// Registers as in Linux `rep_xcrypt_cbc` and NetBSD `aes_via.c`: RSI source, RDI destination, RCX
/// blocks, RBX key area, RDX control word, RAX IV.
///
/// # Safety
/// The CPU has ACE, and ACE2 for [`Xcrypt::Ctr`] and where the control word allows data at any address;
/// otherwise source and destination are multiples of 16. They are readable and writable for `blocks`
/// blocks, and the same or apart; what the unit fetches behind the source is readable as well. `key` is a
/// multiple of 16 with 256 bytes behind it, or with a whole key if the unit expands it.
#[inline]
pub(crate) unsafe fn xcrypt(
    mode: Xcrypt,
    control: &ControlWord,
    key: *const u8,
    iv: &mut Iv,
    source: *const u8,
    destination: *mut u8,
    blocks: usize,
) {
    macro_rules! with {
        ($opcode:expr) => {
            // SAFETY: the caller vouches for unit, key and data; types align control word and IV. The
            // unit writes data and IV and the registers named here.
            unsafe {
                asm!(
                    "xchg {key}, rbx",
                    ".byte 0xf3, 0x0f, 0xa7, {opcode}",
                    "xchg {key}, rbx",
                    key = inout(reg) key => _,
                    opcode = const $opcode as u8,
                    inout("rax") iv.0.as_mut_ptr() => _,
                    inout("rcx") blocks => _,
                    inout("rdx") control => _,
                    inout("rsi") source => _,
                    inout("rdi") destination => _,
                )
            }
        };
    }
    match mode {
        Xcrypt::Ecb => with!(Xcrypt::Ecb),
        Xcrypt::Cbc => with!(Xcrypt::Cbc),
        Xcrypt::Ctr => with!(Xcrypt::Ctr),
        Xcrypt::Cfb => with!(Xcrypt::Cfb),
        Xcrypt::Ofb => with!(Xcrypt::Ofb),
    }
}
