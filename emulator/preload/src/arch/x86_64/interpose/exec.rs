//! The family of `execve`.

use core::arch::naked_asm;
use core::ffi::{CStr, c_char, c_int};
use core::fmt::Write;
use core::ptr;

use padlock_runner::Text;

use super::child::{Program, fail, items, with_emulator, with_vector};
use super::next;
use super::next::Vector;
use crate::arch::x86_64::process::{COUNTS, keeping_errno, process};
use crate::arch::x86_64::report;

unsafe extern "C" {
    static environ: Vector;
}

/// A path and its NUL.
type Path = Text<4097>;

/// Becomes a program, with the emulator.
unsafe fn become_program(program: Program) -> c_int {
    let Some(execve) = next().execve else { return fail(libc::ENOSYS) };
    // SAFETY: the caller of `execve` hands these over.
    let execute = |Program { file, arguments, variables }: Program| unsafe {
        execve(file, arguments, variables)
    };
    // SAFETY: as above.
    unsafe { prepare(program, execute) }
}

/// Executes a program that is to become this one, with the emulator. What was counted until now is told.
unsafe fn prepare(program: Program, execute: impl FnOnce(Program) -> c_int) -> c_int {
    let Some(process) = process() else { return execute(program) };
    if !COUNTS.is_empty() {
        report::write_counts(process);
    }
    // SAFETY: the caller of `execve` hands these over.
    unsafe { with_emulator(process, program, execute) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn execve(file: *const c_char, arguments: Vector, variables: Vector) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { become_program(Program { file, arguments, variables }) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn execv(file: *const c_char, arguments: Vector) -> c_int {
    // SAFETY: the caller's own arguments, and libc's variable.
    unsafe { become_program(Program { file, arguments, variables: environ }) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn execvp(name: *const c_char, arguments: Vector) -> c_int {
    // SAFETY: the caller's own arguments, and libc's variable.
    unsafe { execvpe(name, arguments, environ) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn execvpe(name: *const c_char, arguments: Vector, variables: Vector) -> c_int {
    // SAFETY: the caller's own argument.
    let text = unsafe { CStr::from_ptr(name) }.to_bytes();
    if text.contains(&b'/') {
        // SAFETY: the caller's own arguments.
        return unsafe { execute_or_read(name, arguments, variables) };
    }
    let mut result = libc::ENOENT;
    for directory in search_path().split(|byte| *byte == b':') {
        let Some(path) = joined(directory, text) else { continue };
        // SAFETY: a path of ours and the caller's own arguments.
        unsafe { execute_or_read(path.as_bytes().as_ptr().cast(), arguments, variables) };
        // SAFETY: the address of the calling thread's errno.
        match unsafe { *libc::__errno_location() } {
            // exec(3): the search goes on, and says in the end what was refused.
            libc::EACCES => result = libc::EACCES,
            libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
            error => return fail(error),
        }
    }
    fail(result)
}

/// Becomes a program, or, if the kernel knows no such, lets a shell read the file: exec(3).
unsafe fn execute_or_read(file: *const c_char, arguments: Vector, variables: Vector) -> c_int {
    // SAFETY: the caller's arguments.
    let result = unsafe { become_program(Program { file, arguments, variables }) };
    // SAFETY: the address of the calling thread's errno.
    if unsafe { *libc::__errno_location() } != libc::ENOEXEC {
        return result;
    }
    let shell = c"/bin/sh".as_ptr();
    // SAFETY: the caller's arguments.
    let rest = unsafe { items(arguments) }.skip(1);
    with_vector([shell, file].into_iter().chain(rest), |arguments| {
        // SAFETY: arguments of ours, and the caller's environment.
        unsafe { become_program(Program { file: shell, arguments, variables }) }
    })
}

/// The directories that names without a slash are looked up in.
pub(super) fn search_path() -> &'static [u8] {
    // SAFETY: libc is ready when programs call us; nobody may change the environment meanwhile, as
    // with libc's own function.
    let path = unsafe { libc::getenv(c"PATH".as_ptr()) };
    // SAFETY: a text that ends with NUL.
    if path.is_null() { b"/bin:/usr/bin" } else { unsafe { CStr::from_ptr(path) }.to_bytes() }
}

/// A file in a directory, and NUL. An empty directory is the current one.
pub(super) fn joined(directory: &[u8], name: &[u8]) -> Option<Path> {
    let mut path = Path::new();
    let slash: &[u8] = if directory.is_empty() { b"" } else { b"/" };
    for part in [directory, slash, name, b"\0"] {
        path.push(part);
    }
    (path.as_bytes().last() == Some(&0)).then_some(path)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fexecve(file: c_int, arguments: Vector, variables: Vector) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { execveat(file, c"".as_ptr(), arguments, variables, libc::AT_EMPTY_PATH) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn execveat(
    directory: c_int,
    file: *const c_char,
    arguments: Vector,
    variables: Vector,
    flags: c_int,
) -> c_int {
    // SAFETY: the caller's own argument.
    let name = unsafe { CStr::from_ptr(file) }.to_bytes();
    let (Some(next_execveat), Some(next_execve)) = (next().execveat, next().execve) else {
        return fail(libc::ENOSYS);
    };
    // A name for who comes later: the runner, to which the program may be handed over.
    let mut path = Path::new();
    let has_name = name.starts_with(b"/") || directory == libc::AT_FDCWD;
    let kept = if has_name {
        -1
    } else {
        // SAFETY: takes numbers.
        let kept = unsafe { libc::syscall(libc::SYS_fcntl, directory, libc::F_DUPFD_CLOEXEC, 0) };
        if kept < 0 {
            return -1;
        }
        let _ = write!(path, "/proc/self/fd/{kept}");
        if !name.is_empty() {
            path.push(b"/");
            path.push(name);
        }
        path.push(b"\0");
        kept
    };
    let path = if has_name { file } else { path.as_bytes().as_ptr().cast() };
    // SAFETY: the caller's own arguments, as the emulator needs them, and our own descriptor.
    let execute = |program: Program| unsafe {
        let Program { arguments, variables, .. } = program;
        if program.file == path {
            return next_execveat(directory, file, arguments, variables, flags);
        }
        // Without one of ours this fails, and does nothing.
        libc::syscall(libc::SYS_fcntl, kept, libc::F_SETFD, 0);
        next_execve(program.file, arguments, variables)
    };
    // SAFETY: a path of ours and the caller's own arguments.
    let result = unsafe { prepare(Program { file: path, arguments, variables }, execute) };
    // SAFETY: the descriptor is ours, or none.
    keeping_errno(|| unsafe { libc::syscall(libc::SYS_close, kept) });
    result
}

/// Functions with any number of arguments. Their first ones come in registers and the others on the
/// stack, behind the return address: it steps aside for the registers, and all together are a
/// vector.
macro_rules! variadic {
    ($($name:ident => $inner:ident;)*) => {$(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "pop r10",
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "push r10",
                "lea rsi, [rsp + 8]",
                "call {inner}",
                "pop r10",
                "add rsp, 40",
                "push r10",
                "ret",
                inner = sym $inner,
            )
        }
    )*};
}

variadic! {
    execl => execl_vector;
    execlp => execlp_vector;
    execle => execle_vector;
}

unsafe extern "C" fn execl_vector(file: *const c_char, arguments: Vector) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { execv(file, arguments) }
}

unsafe extern "C" fn execlp_vector(name: *const c_char, arguments: Vector) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { execvp(name, arguments) }
}

unsafe extern "C" fn execle_vector(file: *const c_char, arguments: Vector) -> c_int {
    // SAFETY: the caller's own arguments.
    let count = unsafe { items(arguments) }.count();
    // SAFETY: the environment stands behind the null pointer that ends them.
    let variables = unsafe { ptr::read(arguments.add(count + 1)) };
    // SAFETY: the caller's own arguments.
    unsafe { execve(file, arguments, variables.cast()) }
}
