//! The constructor: it runs before those of the program and of all other libraries, and before libc
//! is ready.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;

use padlock_emulator::Cpu;
use padlock_runner::{Settings, Text};

use crate::arch::x86_64::actions::OUR_MASK;
use crate::arch::x86_64::interpose::environment;
use crate::arch::x86_64::process::{self, Process, settle};
use crate::arch::x86_64::report::{self, Stderr, complain};
use crate::arch::x86_64::{cpuid, handlers, objects};

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = start;

#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = report::end;

extern "C" fn start(_: c_int, _: *const *const c_char, variables: *const *const c_char) {
    // SAFETY: glibc hands main's arguments to constructors. (libc's own `environ` is not set yet.)
    unsafe { environment::keep(variables) };
    let settings = match Settings::parse(environment::settings()) {
        Ok(settings) => settings,
        Err(unknown) => {
            complain(&[b"PADLOCK_RUN: ", unknown.0, b" is not understood: run padlock-run --help"]);
            // SAFETY: takes a number.
            unsafe { libc::syscall(libc::SYS_exit_group, 2) };
            return;
        }
    };
    settle(Process {
        settings,
        cpu: Cpu::new(settings.cpu),
        name: name(),
        program: program(),
        library: library(),
        stderr: Stderr::now(),
    });
    process::begin();
    handlers::install();
    if is_debugged() {
        // It would take every `int3` for one of its own.
        handlers::plant_nothing();
    }
    unblock();
    // SAFETY: libc calls the function in forked children.
    unsafe { libc::pthread_atfork(None, None, Some(process::begin)) };
    if !cpuid::make_it_fault() {
        objects::rewrite_cpuid();
        if !objects::watch() {
            complain(&[b"cannot watch ld.so: libraries loaded later see the real CPU"]);
        }
    }
}

/// The process's name in the kernel.
fn name() -> [u8; 16] {
    let mut name = [0; 16];
    // SAFETY: the kernel writes 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name
}

/// The file that the process executes.
fn program() -> Text<1024> {
    let mut path = [0; 1024];
    let link = c"/proc/self/exe".as_ptr();
    // SAFETY: the kernel writes at most so many bytes.
    let length = unsafe { libc::readlink(link, path.as_mut_ptr().cast(), path.len()) };
    let mut text = Text::new();
    text.push(usize::try_from(length).ok().and_then(|length| path.get(..length)).unwrap_or(b"?"));
    text
}

/// This library's own file, as it was named to ld.so.
fn library() -> &'static CStr {
    let mut about = MaybeUninit::<libc::Dl_info>::uninit();
    let own: *const c_void = (start as *const ()).cast();
    // SAFETY: it fills the structure unless it returns 0.
    if unsafe { libc::dladdr(own, about.as_mut_ptr()) } == 0 {
        return c"";
    }
    // SAFETY: as above; the name lives as long as the library, which is never unloaded.
    unsafe { CStr::from_ptr(about.assume_init().dli_fname) }
}

/// Whether a debugger traces this process, proc_pid_status(5).
fn is_debugged() -> bool {
    let mut text = [0; 1024];
    // SAFETY: the path ends with NUL, and the kernel writes at most so many bytes.
    let length = unsafe {
        let (path, flags) = (c"/proc/self/status".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let file = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags);
        let length = libc::syscall(libc::SYS_read, file, text.as_mut_ptr(), text.len());
        libc::syscall(libc::SYS_close, file);
        usize::try_from(length).unwrap_or(0)
    };
    let lines = text.get(..length).unwrap_or_default().split(|byte| *byte == b'\n');
    let mut tracers = lines.filter_map(|line| line.strip_prefix(b"TracerPid:\t"));
    tracers.next().is_some_and(|tracer| tracer != b"0")
}

/// Lets our signals through: whoever started this program may have blocked them.
fn unblock() {
    let (how, set) = (libc::SIG_UNBLOCK, OUR_MASK);
    let before: *mut c_void = ptr::null_mut();
    // SAFETY: the kernel reads the set.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const set, before, size_of_val(&set));
    }
}
