//! Blocks on a C7, whose unit only knows whole messages: data end where memory ends.
//!
//! The unit is told of a longer message than there is, and runs into an inaccessible page. By then it has
//! hashed all whole blocks before that page and stored the state, so that the instruction could go on; the
//! signal's handler steps over it instead. `phe_sum` did so on the first C7s (Ludvig,
//! "PadLock phe_sum"; OpenSSL's developers discussed it in 2005).

use std::io;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use libc::{c_int, c_void, siginfo_t, ucontext_t};
use wirespeed_cipher::Compression;
use wirespeed_cpu::Phe;

use super::Chain;
use crate::arch::x86::instruction::{self, HashArea, Hashing};
use crate::arch::x86::width;

const PAGE: usize = 4096;

/// Bytes that are hashed for one fault.
const WINDOW: usize = 16 * PAGE;

/// Memory that ends, and the handler that knows what that means.
///
/// While this exists it handles the whole process's SIGSEGV, so it is for programs of one's own and not for
/// libraries. A fault that it did not make ends the process, as without a handler.
pub struct ByFault {
    window: NonNull<u8>,
    before: libc::sigaction,
}

impl ByFault {
    /// Makes memory that ends, and handles SIGSEGV.
    pub fn new(_: Phe) -> io::Result<Self> {
        // SAFETY: the mapping is new and nobody else's. The handler does what a handler may: it reads and
        // changes the interrupted context. Both structures are plain data, for which zeros are a value.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let start = libc::mmap(ptr::null_mut(), WINDOW + PAGE, access, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let window = NonNull::new_unchecked(start.cast::<u8>());
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = step_over as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            let mut before = MaybeUninit::zeroed().assume_init();
            let guard = start.byte_add(WINDOW);
            if libc::mprotect(guard, PAGE, libc::PROT_NONE) != 0
                || libc::sigaction(libc::SIGSEGV, &action, &mut before) != 0
            {
                let error = io::Error::last_os_error();
                libc::munmap(start, WINDOW + PAGE);
                return Err(error);
            }
            Ok(Self { window, before })
        }
    }

    /// Takes the chaining value of SHA-1 or SHA-256 over whole blocks; a part of one at the end is ignored.
    ///
    /// # Panics
    /// If it is another's.
    pub fn run(&mut self, compression: Compression, chain: &mut Chain, data: &[u8]) {
        let hashing = match compression {
            Compression::Sha1 => Hashing::Sha1,
            Compression::Sha256 => Hashing::Sha256,
            _ => panic!("PHE has SHA-1 and SHA-256"),
        };
        let mut area = HashArea::of(hashing, chain);
        for chunk in data[..data.len() & !63].chunks(WINDOW) {
            // SAFETY: the chunk fits the window and ends with it. The unit is told of a page more, meets the
            // page that cannot be read, and is stepped over.
            unsafe {
                let place = self.window.add(WINDOW - chunk.len()).as_ptr();
                place.copy_from_nonoverlapping(chunk.as_ptr(), chunk.len());
                instruction::hash(hashing, &mut area, place, 0, chunk.len() + PAGE);
            }
        }
        *chain = area.chain(hashing);
    }
}

impl Drop for ByFault {
    fn drop(&mut self) {
        // SAFETY: the window is ours, and nothing points into it any more. What was hashed is wiped with it.
        unsafe {
            libc::sigaction(libc::SIGSEGV, &self.before, ptr::null_mut());
            libc::munmap(self.window.as_ptr().cast(), WINDOW + PAGE);
        }
    }
}

/// Steps over `rep xsha1` or `rep xsha256` that ran into the end of its data.
extern "C" fn step_over(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel gives a handler with SA_SIGINFO both structures, and the instruction that faulted
    // on data can be read.
    unsafe {
        let registers = &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        let [.., rsi, _, _, rip] = width::PLACES.map(|place| place as usize);
        let (source, at) = (registers[rsi] as usize, registers[rip] as usize);
        // The first byte that is missing is the one that comes next. A jump into nowhere faults at RIP
        // itself, where there is nothing to read. In place of the prefix a debugger may have put a
        // breakpoint.
        let next = (*info).si_addr().addr() == source && at != source;
        if next && matches!(*(at as *const [u8; 4]), [_, 0x0f, 0xa6, 0xc8 | 0xd0]) {
            registers[rip] += 4;
        } else {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}
