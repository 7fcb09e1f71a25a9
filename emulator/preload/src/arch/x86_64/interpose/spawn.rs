//! `posix_spawn`, which executes inside libc, where nobody can step between.

use core::ffi::{CStr, c_char, c_int};
use core::mem::MaybeUninit;

use libc::{pid_t, posix_spawn_file_actions_t, posix_spawnattr_t};

use super::child::{Program, with_emulator};
use super::exec::{joined, search_path};
use super::next;
use super::next::Vector;
use crate::arch::x86_64::process::process;

/// Starts a program, with the emulator. File actions may change the directory of the child; a
/// relative name then is looked up here all the same, which at worst says nothing about the file.
#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawn(
    child: *mut pid_t,
    file: *const c_char,
    actions: *const posix_spawn_file_actions_t,
    attributes: *const posix_spawnattr_t,
    arguments: Vector,
    variables: Vector,
) -> c_int {
    let Some(posix_spawn) = next().posix_spawn else { return libc::ENOSYS };
    // SAFETY: the caller's own arguments, as the emulator needs them.
    let execute = |Program { file, arguments, variables }: Program| unsafe {
        posix_spawn(child, file, actions, attributes, arguments, variables)
    };
    let program = Program { file, arguments, variables };
    let Some(process) = process() else { return execute(program) };
    // SAFETY: the caller's own arguments.
    match unsafe { with_emulator(process, program, execute) } {
        // Before it came to that. `posix_spawn` returns its error.
        // SAFETY: the address of the calling thread's errno.
        -1 => unsafe { *libc::__errno_location() },
        result => result,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_spawnp(
    child: *mut pid_t,
    name: *const c_char,
    actions: *const posix_spawn_file_actions_t,
    attributes: *const posix_spawnattr_t,
    arguments: Vector,
    variables: Vector,
) -> c_int {
    // SAFETY: the caller's own argument.
    let text = unsafe { CStr::from_ptr(name) }.to_bytes();
    let found = if text.contains(&b'/') { None } else { search(text) };
    let file = found.as_ref().map_or(name, |path| path.as_bytes().as_ptr().cast());
    match next().posix_spawnp {
        // SAFETY: the caller's own arguments: libc says why there is none.
        Some(posix_spawnp) if found.is_none() && !text.contains(&b'/') => unsafe {
            posix_spawnp(child, name, actions, attributes, arguments, variables)
        },
        // SAFETY: the caller's own arguments, and a path.
        _ => unsafe { posix_spawn(child, file, actions, attributes, arguments, variables) },
    }
}

/// The first file of this name that may be executed. Directories may be entered, which is not the same.
fn search(name: &[u8]) -> Option<padlock_runner::Text<4097>> {
    let executable = |path: &padlock_runner::Text<4097>| {
        let path = path.as_bytes().as_ptr().cast::<c_char>();
        let mut about = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: a path of ours; the kernel fills the structure if it returns 0.
        unsafe {
            libc::stat(path, about.as_mut_ptr()) == 0
                && about.assume_init().st_mode & libc::S_IFMT == libc::S_IFREG
                && libc::faccessat(libc::AT_FDCWD, path, libc::X_OK, libc::AT_EACCESS) == 0
        }
    };
    let directories = search_path().split(|byte| *byte == b':');
    directories.filter_map(|directory| joined(directory, name)).find(executable)
}
