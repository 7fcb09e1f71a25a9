//! ptrace(2) as functions: a thread of another program that stands still, and what can be done to it.

use std::fs::{self, File};
use std::io;
use std::mem;
use std::os::unix::fs::FileExt;
use std::ptr;

use libc::{c_int, c_uint, c_void, iovec, pid_t, siginfo_t, user_regs_struct};
use padlock_emulator::Width;

/// What every traced thread tells us about besides its filters, and that none of them outlives us.
const OPTIONS: c_int = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE;

/// The code segment of 32-bit programs, `__USER32_CS` in Linux's arch/x86/include/asm/segment.h.
const CODE_SEGMENT_32: u64 = 0x23;

/// How a stopped thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resume {
    /// To whatever happens next.
    Freely,
    /// To the next border of a system call.
    ToSystemCall,
    /// Over one instruction.
    OneInstruction,
    /// Not at all: it stays in its group-stop until SIGCONT.
    InGroupStop,
}

/// A thread that we trace.
///
/// Everything asked of it fails with `ESRCH` while it runs, and when it was killed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Thread(pub(crate) pid_t);

impl Thread {
    /// Begins to trace it, and all that will descend from it.
    ///
    /// `filtered`: seccomp filters may ask us. Where ours does not, none may: with a tracer that does not answer,
    /// the kernel would let pass what a program's own sandbox refuses.
    pub(crate) fn seize(self, filtered: bool) -> io::Result<()> {
        let more = if filtered { libc::PTRACE_O_TRACESECCOMP } else { 0 };
        let options = (OPTIONS | more) as usize as *mut c_void;
        // SAFETY: takes two numbers.
        unsafe { self.request(libc::PTRACE_SEIZE, ptr::null_mut(), options) }
    }

    /// Lets it go on, with this signal or (zero) none.
    pub(crate) fn resume(self, how: Resume, signal: c_int) -> io::Result<()> {
        let request = match how {
            Resume::Freely => libc::PTRACE_CONT,
            Resume::ToSystemCall => libc::PTRACE_SYSCALL,
            Resume::OneInstruction => libc::PTRACE_SINGLESTEP,
            Resume::InGroupStop => libc::PTRACE_LISTEN,
        };
        // SAFETY: takes two numbers.
        unsafe { self.request(request, ptr::null_mut(), signal as usize as *mut c_void) }
    }

    pub(crate) fn registers(self) -> io::Result<user_regs_struct> {
        // SAFETY: all zeros are valid registers.
        let mut registers: user_regs_struct = unsafe { mem::zeroed() };
        let into = (&raw mut registers).cast();
        // SAFETY: the kernel fills exactly this structure.
        unsafe { self.request(libc::PTRACE_GETREGS, ptr::null_mut(), into)? };
        Ok(registers)
    }

    pub(crate) fn set_registers(self, registers: &user_regs_struct) -> io::Result<()> {
        let from = ptr::from_ref(registers).cast_mut().cast();
        // SAFETY: the kernel only reads exactly this structure.
        unsafe { self.request(libc::PTRACE_SETREGS, ptr::null_mut(), from) }
    }

    /// Lets the system call before which it stands fail with ENOSYS.
    pub(crate) fn refuse_system_call(self) -> io::Result<()> {
        let registers = self.registers()?;
        let (orig_rax, rax) = (u64::MAX, i64::from(-libc::ENOSYS).cast_unsigned());
        self.set_registers(&user_regs_struct { orig_rax, rax, ..registers })
    }

    /// The `si_code` of the signal that it stopped for: what raised it or, up to zero, that a process sent it.
    pub(crate) fn signal_code(self) -> io::Result<c_int> {
        // SAFETY: all zeros are a valid siginfo.
        let mut signal: siginfo_t = unsafe { mem::zeroed() };
        let into = (&raw mut signal).cast();
        // SAFETY: the kernel fills exactly this structure.
        unsafe { self.request(libc::PTRACE_GETSIGINFO, ptr::null_mut(), into)? };
        Ok(signal.si_code)
    }

    /// Makes the signal that it stopped for a fault at an address. It comes with the next resume.
    pub(crate) fn set_fault(self, signal: c_int, code: c_int, address: u64) -> io::Result<()> {
        /// siginfo_t of a fault, as asm-generic/siginfo.h lays it out for 64-bit tracers.
        #[repr(C)]
        struct Fault {
            signal: c_int,
            errno: c_int,
            code: c_int,
            padding: c_int,
            address: u64,
            rest: [u64; 13],
        }
        const { assert!(size_of::<Fault>() == size_of::<siginfo_t>()) };
        let mut fault = Fault { signal, errno: 0, code, padding: 0, address, rest: [0; 13] };
        // SAFETY: the kernel only reads a structure of this size.
        unsafe { self.request(libc::PTRACE_SETSIGINFO, ptr::null_mut(), (&raw mut fault).cast()) }
    }

    /// The blocked signals: bit 0 is signal 1.
    pub(crate) fn signal_mask(self) -> io::Result<u64> {
        let mut mask = 0_u64;
        let size = size_of_val(&mask) as *mut c_void;
        // SAFETY: the kernel's own set of signals has 64 bits.
        unsafe { self.request(libc::PTRACE_GETSIGMASK, size, (&raw mut mask).cast())? };
        Ok(mask)
    }

    pub(crate) fn set_signal_mask(self, mut mask: u64) -> io::Result<()> {
        let size = size_of_val(&mask) as *mut c_void;
        // SAFETY: the kernel's own set of signals has 64 bits.
        unsafe { self.request(libc::PTRACE_SETSIGMASK, size, (&raw mut mask).cast()) }
    }

    /// The number that comes with an event: the former thread after exec, the filter's data before a system call.
    pub(crate) fn event_message(self) -> io::Result<u64> {
        let mut message: libc::c_ulong = 0;
        let into = (&raw mut message).cast();
        // SAFETY: the kernel fills one long.
        unsafe { self.request(libc::PTRACE_GETEVENTMSG, ptr::null_mut(), into)? };
        Ok(message)
    }

    /// # Safety
    /// `address` and `data` are what ptrace(2) says of this request.
    unsafe fn request(
        self,
        request: c_uint,
        address: *mut c_void,
        data: *mut c_void,
    ) -> io::Result<()> {
        // SAFETY: the caller's promise.
        match unsafe { libc::ptrace(request, self.0, address, data) } {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Reads its memory where it could read itself; how many bytes there were.
    pub(crate) fn read(self, address: u64, into: &mut [u8]) -> usize {
        let local = iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
        let remote = iovec { iov_base: address as *mut c_void, iov_len: into.len() };
        // SAFETY: the kernel fills at most the slice; the other address is not ours.
        let count = unsafe { libc::process_vm_readv(self.0, &local, 1, &remote, 1, 0) };
        usize::try_from(count).unwrap_or(0)
    }

    /// Writes its memory where it could write itself; how many bytes went there.
    pub(crate) fn write(self, address: u64, bytes: &[u8]) -> usize {
        let local = iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let remote = iovec { iov_base: address as *mut c_void, iov_len: bytes.len() };
        // SAFETY: the kernel only reads the slice; the other address is not ours.
        let count = unsafe { libc::process_vm_writev(self.0, &local, 1, &remote, 1, 0) };
        usize::try_from(count).unwrap_or(0)
    }

    /// What a line of /proc/PID/status says. Its first line is a name that need not be UTF-8.
    pub(crate) fn status(self, field: &str) -> io::Result<String> {
        let text = fs::read(format!("/proc/{}/status", self.0))?;
        let mut lines = text.split(|byte| *byte == b'\n');
        let value = lines.find_map(|line| line.strip_prefix(field.as_bytes())?.strip_prefix(b":"));
        Ok(String::from_utf8_lossy(value.unwrap_or_default()).trim().to_owned())
    }

    /// Its memory as a file, which knows no protection: for code.
    pub(crate) fn memory_file(self) -> io::Result<File> {
        File::options().read(true).write(true).open(format!("/proc/{}/mem", self.0))
    }

    /// Reads code, which may be executable and no more; how many bytes there were.
    pub(crate) fn read_code(self, address: u64, into: &mut [u8]) -> usize {
        match self.read(address, into) {
            0 => self.memory_file().and_then(|file| file.read_at(into, address)).unwrap_or(0),
            count => count,
        }
    }
}

/// The width of the code that these registers run.
pub(crate) fn width(registers: &user_regs_struct) -> Width {
    if registers.cs == CODE_SEGMENT_32 { Width::Bits32 } else { Width::Bits64 }
}
