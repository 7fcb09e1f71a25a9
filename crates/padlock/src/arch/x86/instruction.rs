//! The instructions themselves, as bytes: few assemblers know them, and LLVM's takes no operands.
//!
//! All of them are restarted where they were when an interrupt or a page fault ends, from registers that
//! always say how far they came, so nothing special has to be done about signals, threads or fork.
//! Clients clear the direction flag first; Rust promises that it is clear. Registers are named as in 64-bit
//! code; 32-bit code has their lower halves.

use std::arch::asm;

use wirespeed_cipher::{Block, Direction, Mode};

use crate::arch::x86::area::Iv;
use crate::arch::x86::control::ControlWord;
use crate::arch::x86::width;

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
    width::write_flags();
}

/// `rep xcrypt…` over `blocks` blocks.
///
/// Registers as in Linux `rep_xcrypt_cbc` and NetBSD `aes_via.c`: RSI source, RDI destination, RCX
/// blocks, RBX key area, RDX control word, RAX IV.
///
/// # Safety
/// The CPU has ACE, and ACE2 for [`Mode::Ctr`] and where the control word allows data at any address;
/// otherwise source and destination are multiples of 16. They are readable and writable for `blocks`
/// blocks, and the same or apart; what the unit fetches behind the source is readable as well. `key` is a
/// multiple of 16 with 256 bytes behind it, or with a whole key if the unit expands it.
#[inline]
pub(crate) unsafe fn xcrypt(
    mode: Mode,
    control: &ControlWord,
    key: *const u8,
    iv: &mut Iv,
    source: *const u8,
    destination: *mut u8,
    blocks: usize,
) {
    macro_rules! with {
        ($opcode:literal) => {
            // SAFETY: the caller vouches for unit, key and data; types align control word and IV. The
            // unit writes data and IV and the registers named here.
            unsafe {
                width::execute!(
                    concat!("0xf3, 0x0f, 0xa7, ", $opcode),
                    iv.0.as_mut_ptr(),
                    key,
                    blocks,
                    control,
                    source,
                    destination
                )
            }
        };
    }
    match mode {
        Mode::Ecb => with!("0xc8"),
        Mode::Cbc => with!("0xd0"),
        Mode::Ctr => with!("0xd8"),
        Mode::Cfb => with!("0xe0"),
        Mode::Ofb => with!("0xe8"),
        _ => unreachable!("no mode of xcrypt"),
    }
}

/// What SM4 is told besides key, vector and data: a control word in EAX.
///
/// Bit 0 decrypt, bits 5:1 the cipher (20h for SM4), one of bits 6 ECB, 7 CBC, 8 CFB, 9 OFB, 10 CTR; bit
/// 11 is a digest's (Zhaoxin `zhaoxin-gmi-sm4.c`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sm4Control(u32);

impl Sm4Control {
    pub(crate) const fn new(mode: Mode, direction: Direction) -> Self {
        let mode = match mode {
            Mode::Ecb => 1 << 6,
            Mode::Cbc => 1 << 7,
            Mode::Cfb => 1 << 8,
            Mode::Ofb => 1 << 9,
            Mode::Ctr => 1 << 10,
            _ => unreachable!(),
        };
        Self(mode | 0x20 | direction as u32)
    }
}

/// SM4 over `blocks` blocks.
///
/// Registers as in Zhaoxin's kernel driver `zhaoxin-gmi-sm4.c`: EAX control word, RBX the key itself, RCX
/// blocks, RDX vector, RSI source, RDI destination.
///
/// # Safety
/// The CPU has CCS. Source and destination are readable and writable for `blocks` blocks, multiples of 16,
/// and the same or apart.
#[inline]
pub(crate) unsafe fn sm4(
    control: Sm4Control,
    key: &Block,
    iv: &mut Iv,
    source: *const u8,
    destination: *mut u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for unit and data. The unit reads the key, and writes data, vector and the
    // registers named here.
    unsafe {
        width::execute!(
            "0xf3, 0x0f, 0xa7, 0xf0",
            control.0 as usize,
            key.as_ptr(),
            blocks,
            iv.0.as_mut_ptr(),
            source,
            destination
        );
    }
}

/// A hash instruction, by its last byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hashing {
    /// `xsha1`.
    Sha1,
    /// `xsha256`.
    Sha256,
    /// `xsha512`, which SHA-384 is made with as well.
    Sha512,
    /// SM3.
    Sm3,
}

/// What a hash instruction works on: the state, and scratch behind it. VIA's microcode needs 128 bytes
/// (Linux `drivers/crypto/padlock-sha.c`).
#[repr(C, align(16))]
pub(crate) struct HashArea(pub(crate) [u8; 128]);

impl Drop for HashArea {
    /// HMAC's states forge its tags as the key does.
    #[inline]
    fn drop(&mut self) {
        wirespeed_cipher::wipe(&mut self.0);
    }
}

/// A hash instruction with RAX = `done` and RCX = `count`.
///
/// For xsha1 and xsha256 RCX is the length of the message in bytes and RAX how many of them are in the state
/// already; or RAX is all ones and RCX a number of blocks, which C7 does not know (Linux `padlock-sha.c`,
/// `padlock_sha1_finup` and `padlock_sha1_update_nano`). For xsha512 RCX is a number of blocks and RAX
/// means nothing (OpenSSL `padlock_sha512_blocks`). SM3 is like xsha256 with RBX = 20h (Zhaoxin
/// `zhaoxin-gmi-sm3.c`).
///
/// # Safety
/// The CPU has the unit: PHE, PHE2 or CCS. As many bytes as RAX and RCX say are readable at `source`.
#[inline]
pub(crate) unsafe fn hash(
    hashing: Hashing,
    state: &mut HashArea,
    source: *const u8,
    done: usize,
    count: usize,
) {
    macro_rules! with {
        ($opcode:literal) => {
            // SAFETY: the caller vouches for unit and data; the type has the state's alignment and room. The
            // unit writes the state and the registers named here.
            unsafe {
                width::execute!(
                    concat!("0xf3, 0x0f, 0xa6, ", $opcode),
                    done,
                    0x20_usize,
                    count,
                    0_usize,
                    source,
                    state.0.as_mut_ptr()
                )
            }
        };
    }
    match hashing {
        Hashing::Sha1 => with!("0xc8"),
        Hashing::Sha256 => with!("0xd0"),
        Hashing::Sha512 => with!("0xe0"),
        Hashing::Sm3 => with!("0xe8"),
    }
}

/// `xstore`: random bytes, at most eight, and the status word.
///
/// EDX's two lowest bits ask for 8, 4, 2 or 1 bytes; 8 or 4 are written, of which so many are random as EAX
/// says (Linux `drivers/char/hw_random/via-rng.c`, OpenSSL `padlock_xstore`).
///
/// # Safety
/// The CPU has RNG.
#[inline]
pub(crate) unsafe fn xstore(divisor: u32) -> (u32, [u8; 8]) {
    // Some clients leave room behind the eight bytes: libgcrypt 8, Crypto++ another 8.
    let mut bytes = [0_u64; 2];
    let status: u32;
    // SAFETY: the caller vouches for the unit; there is room for what it writes.
    unsafe {
        asm!(
            ".byte 0x0f, 0xa7, 0xc0",
            out("eax") status,
            inout("edx") divisor => _,
            inout("rdi") bytes.as_mut_ptr() => _,
            options(nostack),
        );
    }
    (status, bytes[0].to_ne_bytes())
}

/// `rep xstore`: fills the bytes; the status word of the last store (Zhaoxin `zhaoxin-rng.c`).
///
/// # Safety
/// The CPU has RNG, and seven bytes behind `bytes` are writable: nobody says that the last store is cut.
#[inline]
pub(crate) unsafe fn rep_xstore(divisor: u32, to: *mut u8, bytes: usize) -> u32 {
    let status: u32;
    // SAFETY: the caller vouches for unit and memory.
    unsafe {
        asm!(
            ".byte 0xf3, 0x0f, 0xa7, 0xc0",
            out("eax") status,
            inout("rcx") bytes => _,
            inout("edx") divisor => _,
            inout("rdi") to => _,
            options(nostack),
        );
    }
    status
}

/// `montmul`: T = A * B / 2^bits modulo M, and perhaps M more.
///
/// ESI points to what is multiplied, ECX is the size of the numbers in bits, EAX = 0 how far it has come
/// (OpenSSL `crypto/bn/asm/via-mont.pl`). What registers hold afterwards is not known.
///
/// # Safety
/// The CPU has PMM. At `operands` there are six 32-bit words: -1/M modulo 2^32, then the addresses of A, B, T
/// and M, each of `bits / 32` words and 16 bytes more, and of 32 bytes of scratch. T is zero.
#[inline]
pub(crate) unsafe fn montmul(operands: u32, bits: u32) {
    // SAFETY: the caller's promise.
    unsafe { width::montmul(operands, bits) }
}
