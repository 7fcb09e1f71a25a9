//! One instruction with registers and memory of its own choosing, in a process of its own.

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use libc::{c_int, c_void, siginfo_t, suseconds_t, ucontext_t};

use crate::arch::x86::width;

/// Where things lie in a scene's memory.
pub(super) const CONTROL: usize = 0x100;
pub(super) const KEY: usize = 0x200;
pub(super) const IV: usize = 0x300;
pub(super) const STATE: usize = 0x400;
pub(super) const SOURCE: usize = 0x1000;
pub(super) const DESTINATION: usize = 0x2000;
/// Behind the last byte: a page that cannot be accessed,
pub(super) const END: usize = 0x4000;
/// and one that can be read only.
pub(super) const READ_ONLY: usize = END + PAGE;

/// The code.
pub(super) const CODE: usize = READ_ONLY + PAGE;

const PAGE: usize = 0x1000;
/// What is told about the end.
const NOTE: usize = CODE + PAGE;
const BYTES: usize = NOTE + PAGE;

/// What memory holds before.
pub(super) const FILL: u8 = 0xa5;

/// The registers that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Registers {
    pub(super) rax: u64,
    pub(super) rbx: u64,
    pub(super) rcx: u64,
    pub(super) rdx: u64,
    pub(super) rsi: u64,
    pub(super) rdi: u64,
    pub(super) flags: u64,
    pub(super) rip: u64,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The instruction was carried out.
    Done,
    /// A signal came: its number, code, and address.
    Signal(c_int, c_int, u64),
    /// The process was gone without a word, or took too long.
    Lost,
}

impl Ended {
    /// #UD.
    pub(super) const fn is_undefined(self) -> bool {
        matches!(self, Self::Signal(libc::SIGILL, ..))
    }

    /// #GP: no address.
    pub(super) const fn is_general_protection(self) -> bool {
        const SI_KERNEL: c_int = 0x80;
        matches!(self, Self::Signal(libc::SIGSEGV, SI_KERNEL, 0))
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Done => f.write_str("done"),
            ended if ended.is_undefined() => f.write_str("#UD"),
            ended if ended.is_general_protection() => f.write_str("#GP"),
            Self::Signal(libc::SIGSEGV, _, address) => write!(f, "#PF at {address:#x}"),
            Self::Signal(number, code, _) => write!(f, "signal {number} (code {code:#x})"),
            Self::Lost => f.write_str("no answer"),
        }
    }
}

/// What a process leaves behind.
#[derive(Clone, Copy)]
#[repr(C)]
struct Note {
    registers: Registers,
    /// 0 nothing said, 1 done, 2 a signal.
    kind: c_int,
    signal: c_int,
    code: c_int,
    address: u64,
}

/// Memory below 2 GiB that is shared with the process.
pub(super) struct Scene {
    start: *mut u8,
}

impl Scene {
    /// Memory full of [`FILL`].
    pub(super) fn new() -> io::Result<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping is nobody else's, and all of it is within.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), BYTES, access, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let scene = Self { start: start.cast() };
            scene.start.write_bytes(FILL, CODE);
            for (place, access) in [
                (END, libc::PROT_NONE),
                (READ_ONLY, libc::PROT_READ),
                (CODE, libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC),
            ] {
                if libc::mprotect(start.byte_add(place), PAGE, access) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(scene)
        }
    }

    /// The address of a place.
    pub(super) fn address(&self, place: usize) -> u64 {
        self.start.expose_provenance() as u64 + place as u64
    }

    /// Puts bytes at a place.
    pub(super) fn put(&self, place: usize, bytes: &[u8]) {
        assert!(place + bytes.len() <= END);
        // SAFETY: it is within, and no process runs.
        unsafe { self.start.add(place).copy_from(bytes.as_ptr(), bytes.len()) };
    }

    /// The bytes at a place.
    pub(super) fn bytes<const N: usize>(&self, place: usize) -> [u8; N] {
        assert!(place + N <= END);
        // SAFETY: it is within, and no process runs.
        unsafe { self.start.add(place).cast::<[u8; N]>().read() }
    }

    /// Runs code with these registers. A timer of so many microseconds sends a signal, if it is not 0.
    pub(super) fn run(
        &self,
        code: &[u8],
        registers: Registers,
        timer: suseconds_t,
    ) -> io::Result<(Ended, Registers)> {
        let note = self.start.wrapping_add(NOTE).cast::<Note>();
        // SAFETY: the places are within. The child does nothing but this, and exits.
        unsafe {
            note.write(Note { registers, kind: 0, signal: 0, code: 0, address: 0 });
            let place = self.start.add(CODE);
            place.copy_from(code.as_ptr(), code.len());
            // RET.
            place.add(code.len()).write(0xc3);
            match libc::fork() {
                -1 => return Err(io::Error::last_os_error()),
                0 => play(place, note, timer),
                child => {
                    // If SIGCHLD is ignored there is no status, but its end is waited for all the same.
                    while libc::waitpid(child, ptr::null_mut(), 0) == -1
                        && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
                    {
                    }
                }
            }
            let Note { registers, kind, signal, code, address } = note.read();
            let ended = match kind {
                1 => Ended::Done,
                2 => Ended::Signal(signal, code, address),
                _ => Ended::Lost,
            };
            Ok((ended, registers))
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and so long.
        unsafe { libc::munmap(self.start.cast(), BYTES) };
    }
}

/// Where the handler writes: only the child, which has one thread and one scene, sets it.
static mut NOTES: *mut Note = ptr::null_mut();

/// In the child: runs the code and exits.
///
/// # Safety
/// `code` ends with a return, `note` is shared with the parent, and this is a new process of one thread.
unsafe fn play(code: *const u8, note: *mut Note, timer: suseconds_t) -> ! {
    // SAFETY: the caller vouches for code and note. All functions may be called after fork.
    unsafe {
        NOTES = note;
        let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        libc::sigaltstack(&none, ptr::null_mut());
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = write_down as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        for signal in [libc::SIGILL, libc::SIGSEGV, libc::SIGBUS, libc::SIGVTALRM] {
            libc::sigaction(signal, &action, ptr::null_mut());
        }
        libc::alarm(30);
        if timer != 0 {
            let none = libc::timeval { tv_sec: 0, tv_usec: 0 };
            let soon = libc::timeval { tv_sec: 0, tv_usec: timer };
            let timer = libc::itimerval { it_interval: none, it_value: soon };
            libc::setitimer(libc::ITIMER_VIRTUAL, &timer, ptr::null_mut());
        }
        width::call(code, (&raw mut (*note).registers).cast());
        (*note).kind = 1;
        libc::_exit(0)
    }
}

/// Writes down the signal and the registers it found, and exits.
extern "C" fn write_down(signal: c_int, information: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel gives both structures, and the note was set before.
    unsafe {
        let all = &(*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        let [rax, rbx, rcx, rdx, rsi, rdi, flags, rip] =
            width::PLACES.map(|place| all[place as usize] as usize as u64);
        NOTES.write(Note {
            registers: Registers { rax, rbx, rcx, rdx, rsi, rdi, flags, rip },
            kind: 2,
            signal,
            code: (*information).si_code,
            address: (*information).si_addr().addr() as u64,
        });
        libc::_exit(0)
    }
}

/// What a check saw.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) lines: Vec<String>,
    /// Nothing if nothing is assumed.
    pub(super) as_assumed: Option<bool>,
}

impl Seen {
    /// Something that is assumed to be so.
    pub(super) fn expect(&mut self, holds: bool, line: String, assumed: impl fmt::Display) {
        self.lines.push(if holds { line } else { format!("{line} (assumed: {assumed})") });
        self.as_assumed = Some(self.as_assumed.unwrap_or(true) && holds);
    }

    /// Something about which nothing is assumed.
    pub(super) fn note(&mut self, line: String) {
        self.lines.push(line);
    }
}

/// Bytes as a report prints them.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
