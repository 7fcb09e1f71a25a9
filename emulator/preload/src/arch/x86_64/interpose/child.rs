//! What a program becomes with `execve`, or starts: the emulator goes along.
//!
//! A program that this library can enter only needs the two variables of the environment, which
//! programs like to empty. Any other one, static, 32-bit or with privileges of its own, is handed
//! over to `padlock-run`, which traces it.

use core::ffi::{CStr, c_char, c_int};
use core::mem::MaybeUninit;
use core::ptr;

use padlock_runner::{HANDED_OVER, HEAD, Image, Settings, Text};

use super::environment::{self, find};
use super::next::Vector;
use crate::arch::x86_64::process::Process;

/// A program to be executed: its file, its arguments and its environment, as `execve` takes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) file: *const c_char,
    pub(crate) arguments: Vector,
    pub(crate) variables: Vector,
}

/// How often a script's interpreter may be a script, fs/exec.c of Linux.
const DEPTH: usize = 5;

/// The file that is started for a program that cannot be entered.
const RUNNER: &[u8] = b"padlock-run";
const LD_PRELOAD: &CStr = c"LD_PRELOAD";

/// One text of the environment, and its NUL.
type Variable = Text<4609>;

/// Executes `program`, changed so that the emulator goes along, by `execute`.
///
/// # Safety
///
/// The pointers are what `execve` takes.
pub(crate) unsafe fn with_emulator(
    process: &Process,
    program: Program,
    execute: impl FnOnce(Program) -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    let foreign = unsafe { is_foreign(program.file) };
    // SAFETY: as above.
    let preload = unsafe { find(program.variables, LD_PRELOAD) }.unwrap_or(c"").to_bytes();
    // SAFETY: as above.
    let settings = unsafe { find(program.variables, Settings::VARIABLE) };
    let own = process.library.to_bytes();
    let others = || names(preload).filter(|name| *name != own);
    let has_own = names(preload).any(|name| name == own);
    if !foreign && has_own && settings.is_some() {
        return execute(program);
    }
    let mut list = Variable::new();
    list.push(LD_PRELOAD.to_bytes());
    let ours = (!foreign).then_some(own);
    for (index, name) in ours.into_iter().chain(others()).enumerate() {
        list.push(if index == 0 { b"=" } else { b":" });
        list.push(name);
    }
    let is_empty = list.as_bytes() == LD_PRELOAD.to_bytes();
    list.push(b"\0");
    if list.as_bytes().last() != Some(&0) {
        return fail(libc::E2BIG);
    }
    let list = (!is_empty).then(|| list.as_bytes().as_ptr().cast());
    // What the program sets itself, counts.
    let settings = settings.is_none().then(|| environment::variable().as_ptr());
    // SAFETY: the caller's promise.
    let variables = unsafe { items(program.variables) };
    let added = list.into_iter().chain(settings);
    let kept = variables.filter(|variable| {
        // SAFETY: a text of the environment.
        let text = unsafe { CStr::from_ptr(*variable) }.to_bytes();
        let rest = text.strip_prefix(LD_PRELOAD.to_bytes());
        !rest.is_some_and(|rest| rest.starts_with(b"="))
    });
    with_vector(added.chain(kept), |variables| {
        let program = Program { variables, ..program };
        // SAFETY: the caller's promise, and an environment of ours.
        if foreign { unsafe { hand_over(process, program, execute) } } else { execute(program) }
    })
}

/// `padlock-run --handed-over FILE ARGV0 ARGV1…`
unsafe fn hand_over(
    process: &Process,
    program: Program,
    execute: impl FnOnce(Program) -> c_int,
) -> c_int {
    let own = process.library.to_bytes();
    let directory = own.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let mut runner = Text::<4097>::new();
    runner.push(own.get(..directory).unwrap_or_default());
    runner.push(RUNNER);
    runner.push(b"\0");
    if runner.as_bytes().last() != Some(&0) {
        return fail(libc::ENAMETOOLONG);
    }
    let runner = runner.as_bytes().as_ptr().cast();
    let first = [runner, HANDED_OVER.as_ptr(), program.file];
    // SAFETY: the caller's promise.
    let arguments = unsafe { items(program.arguments) };
    with_vector(first.into_iter().chain(arguments), |arguments| {
        execute(Program { file: runner, arguments, ..program })
    })
}

/// The names in LD_PRELOAD, ld.so(8).
fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| matches!(byte, b' ' | b':')).filter(|name| !name.is_empty())
}

/// Whether a file holds a program that this library cannot enter. What cannot be read is left to
/// the kernel, which may say why.
unsafe fn is_foreign(file: *const c_char) -> bool {
    let mut interpreter: Text<{ HEAD + 1 }>;
    let mut name = file;
    for _ in 0..DEPTH {
        // SAFETY: the name of a file.
        let Some(file) = (unsafe { File::open(name) }) else { return false };
        let mut head = [0; HEAD];
        let head = file.head(&mut head);
        match Image::parse(head) {
            Image::Dynamic64 => return file.gains_privileges(),
            // Not for the kernel either: a shell may read it.
            Image::Other => return head.starts_with(b"\x7fELF"),
            Image::Script(name) => {
                interpreter = Text::new();
                interpreter.push(name);
                interpreter.push(b"\0");
            }
        }
        name = interpreter.as_bytes().as_ptr().cast();
    }
    false
}

/// An open file.
struct File(c_int);

impl File {
    unsafe fn open(name: *const c_char) -> Option<Self> {
        let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
        // SAFETY: the name ends with NUL. A raw call, because `open` is a place where threads are
        // cancelled.
        let file = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, name, flags) };
        (file >= 0).then_some(Self(file as c_int))
    }

    fn head<'head>(&self, head: &'head mut [u8; HEAD]) -> &'head [u8] {
        // SAFETY: the kernel writes at most so many bytes.
        let length =
            unsafe { libc::syscall(libc::SYS_pread64, self.0, head.as_mut_ptr(), head.len(), 0) };
        usize::try_from(length).ok().and_then(|length| head.get(..length)).unwrap_or_default()
    }

    /// Whether the file's owner gave its program rights that its user lacks. Then ld.so lets no
    /// strangers in.
    fn gains_privileges(&self) -> bool {
        let mut about = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the kernel fills the structure if it returns 0.
        if unsafe { libc::fstat(self.0, about.as_mut_ptr()) } != 0 {
            return false;
        }
        // SAFETY: as above.
        let about = unsafe { about.assume_init() };
        // SAFETY: takes nothing.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        let as_user = about.st_mode & libc::S_ISUID != 0 && about.st_uid != user;
        let as_group = about.st_mode & libc::S_ISGID != 0 && about.st_gid != group;
        let attribute = c"security.capability".as_ptr();
        // SAFETY: asks for the length alone.
        let capabilities = unsafe { libc::fgetxattr(self.0, attribute, ptr::null_mut(), 0) };
        as_user || as_group || user != 0 && capabilities > 0
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

/// The pointers before the null pointer that ends a vector.
///
/// # Safety
///
/// `vector` is null, or ends with a null pointer and stays as long as the items are used.
pub(crate) unsafe fn items(vector: Vector) -> impl Iterator<Item = *const c_char> + Clone {
    let mut at = vector;
    core::iter::from_fn(move || {
        if at.is_null() {
            return None;
        }
        // SAFETY: not behind its end.
        let item = unsafe { *at };
        // SAFETY: the end is not passed.
        at = if item.is_null() { ptr::null() } else { unsafe { at.add(1) } };
        (!item.is_null()).then_some(item)
    })
}

/// Calls `work` with a vector of these items. It lies on the stack: a child of `vfork` must not
/// take memory that it cannot give back.
pub(crate) fn with_vector(
    items: impl Iterator<Item = *const c_char> + Clone,
    work: impl FnOnce(Vector) -> c_int,
) -> c_int {
    match items.clone().count() {
        ..64 => on_stack::<64>(items, work),
        64..512 => on_stack::<512>(items, work),
        512..4096 => on_stack::<4096>(items, work),
        4096..32768 => on_stack::<32768>(items, work),
        _ => fail(libc::E2BIG),
    }
}

#[inline(never)]
fn on_stack<const SIZE: usize>(
    items: impl Iterator<Item = *const c_char>,
    work: impl FnOnce(Vector) -> c_int,
) -> c_int {
    let mut vector = [ptr::null(); SIZE];
    for (place, item) in vector.iter_mut().zip(items) {
        *place = item;
    }
    work(vector.as_ptr())
}

/// Fails as functions of libc do.
pub(crate) fn fail(error: c_int) -> c_int {
    // SAFETY: the address of the calling thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}
