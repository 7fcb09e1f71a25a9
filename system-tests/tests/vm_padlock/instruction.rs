//! One instruction, executed in this process, with whatever fault it ends in.

use std::arch::asm;
use std::io;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use padlock_emulator::{Outcome, PageFault, Registers};

const PAGE: usize = 4096;

/// Pages below 4 GiB, where 32-bit addresses reach them, between two that fault at any access.
pub(crate) struct Harness {
    start: *mut u8,
    pages: usize,
}

impl Harness {
    pub(crate) fn new(pages: usize) -> Result<Self, String> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
        let length = (pages + 2) * PAGE;
        // SAFETY: a new private mapping, wherever the kernel likes.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(format!("mmap: {}", io::Error::last_os_error()));
        }
        let harness = Self { start: start.cast(), pages };
        harness.protect(libc::PROT_READ | libc::PROT_WRITE)?;
        Ok(harness)
    }

    fn protect(&self, rights: libc::c_int) -> Result<(), String> {
        let inner = self.address() as *mut libc::c_void;
        // SAFETY: pages of our own mapping.
        match unsafe { libc::mprotect(inner, self.pages * PAGE, rights) } {
            0 => Ok(()),
            _ => Err(format!("mprotect: {}", io::Error::last_os_error())),
        }
    }

    /// The address of the first byte.
    pub(crate) fn address(&self) -> u64 {
        self.start as u64 + PAGE as u64
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: readable and writable pages of our own, which this value alone knows.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(PAGE), self.pages * PAGE) }
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nothing borrows any more.
        unsafe { libc::munmap(self.start.cast(), (self.pages + 2) * PAGE) };
    }
}

/// A place for one instruction, behind which the code returns.
pub(crate) struct Site(Harness);

const RETURN: u8 = 0xc3;

impl Site {
    /// From now on faults at sites are caught.
    pub(crate) fn new() -> Result<Self, String> {
        let harness = Harness::new(1)?;
        harness.protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
        for signal in [libc::SIGILL, libc::SIGSEGV] {
            // SAFETY: all zeros are a valid sigaction.
            let mut action: libc::sigaction = unsafe { mem::zeroed() };
            action.sa_sigaction = caught as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            // SAFETY: the handler is async-signal-safe: it reads and writes atomics and its context.
            if unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) } != 0 {
                return Err(format!("sigaction: {}", io::Error::last_os_error()));
            }
        }
        Ok(Self(harness))
    }

    /// Executes an instruction; the registers after it, or at its fault.
    ///
    /// # Safety
    /// Whatever the instruction writes to must be memory that nothing else knows.
    pub(crate) unsafe fn execute(
        &mut self,
        instruction: &[u8],
        before: Registers,
    ) -> (Registers, Outcome) {
        self.0.bytes()[..instruction.len()].copy_from_slice(instruction);
        self.0.bytes()[instruction.len()] = RETURN;
        let code = self.0.address();
        SITE.store(code, Relaxed);
        BEHIND.store(code + instruction.len() as u64, Relaxed);
        SIGNAL.store(0, Relaxed);
        let Registers { rax, rbx, rcx, rdx, rsi, rdi } = before;
        let mut registers = [rax, rbx, rcx, rdx, rsi, rdi];
        // SAFETY: all registers of such instructions are named; what they write to is the caller's care;
        // a fault goes on behind the instruction.
        unsafe {
            asm!(
                "push rbx",
                "mov rax, [r8]",
                "mov rbx, [r8 + 8]",
                "mov rcx, [r8 + 16]",
                "mov rdx, [r8 + 24]",
                "mov rsi, [r8 + 32]",
                "mov rdi, [r8 + 40]",
                "call r9",
                "mov [r8], rax",
                "mov [r8 + 8], rbx",
                "mov [r8 + 16], rcx",
                "mov [r8 + 24], rdx",
                "mov [r8 + 32], rsi",
                "mov [r8 + 40], rdi",
                "pop rbx",
                in("r8") registers.as_mut_ptr(),
                in("r9") code,
                out("rax") _,
                out("rcx") _,
                out("rdx") _,
                out("rsi") _,
                out("rdi") _,
            );
        }
        let [rax, rbx, rcx, rdx, rsi, rdi] = registers;
        let outcome = match (SIGNAL.load(Relaxed) as i32, CODE.load(Relaxed) as i32) {
            (0, _) => Outcome::Done,
            (libc::SIGILL, _) => Outcome::Undefined,
            (_, SI_KERNEL) => Outcome::GeneralProtection,
            _ => Outcome::PageFault(PageFault {
                address: ADDRESS.load(Relaxed),
                write: ERROR.load(Relaxed) & PAGE_FAULT_WRITE != 0,
            }),
        };
        (Registers { rax, rbx, rcx, rdx, rsi, rdi }, outcome)
    }
}

/// asm-generic/siginfo.h; the C library's crate has it not.
const SI_KERNEL: i32 = 0x80;
/// The error code of #PF: the access was a write.
const PAGE_FAULT_WRITE: i64 = 2;

/// The instruction that may fault, and where to go on.
static SITE: AtomicU64 = AtomicU64::new(0);
static BEHIND: AtomicU64 = AtomicU64::new(0);
/// What the last fault was.
static SIGNAL: AtomicI64 = AtomicI64::new(0);
static CODE: AtomicI64 = AtomicI64::new(0);
static ADDRESS: AtomicU64 = AtomicU64::new(0);
static ERROR: AtomicI64 = AtomicI64::new(0);

extern "C" fn caught(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a handler with SA_SIGINFO both.
    let (info, context) = unsafe { (&*info, &mut *context.cast::<libc::ucontext_t>()) };
    let registers = &mut context.uc_mcontext.gregs;
    if registers[libc::REG_RIP as usize] as u64 != SITE.load(Relaxed) {
        // Not ours: this program is broken.
        std::process::abort();
    }
    registers[libc::REG_RIP as usize] = BEHIND.load(Relaxed) as i64;
    SIGNAL.store(i64::from(signal), Relaxed);
    CODE.store(i64::from(info.si_code), Relaxed);
    // SAFETY: both signals have an address.
    ADDRESS.store(unsafe { info.si_addr() } as u64, Relaxed);
    ERROR.store(registers[libc::REG_ERR as usize], Relaxed);
}
