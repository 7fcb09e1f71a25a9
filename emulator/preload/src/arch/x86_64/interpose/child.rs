//! What a program becomes with `execve`, or starts: the emulator goes along.
//!
//! A program that this library can enter only needs the two variables of the environment, which
//! programs like to empty. Any other one, static, 32-bit or with privileges of its own, is handed
//! over to `padlock-run`, which traces it.

use core::ffi::{CStr, c_char, c_int};
use core::mem::MaybeUninit;
use core::ptr;

use padlock_runner::{Entry, HANDED_OVER, HEAD, Seen, Settings, Text};

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

/// Whether a file holds a program that this library cannot enter. What is unknown is left to the kernel, which
/// may say why; a shell may read it.
unsafe fn is_foreign(file: *const c_char) -> bool {
    // SAFETY: take nothing.
    let ids = unsafe { (libc::geteuid(), libc::getegid()) };
    let entry = Entry::of(ids, |interpreter, head| {
        // SAFETY: the name of a file.
        unsafe { File::open(interpreter.map_or(file, CStr::as_ptr)) }?.look(head)
    });
    entry == Entry::Trace
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

    fn look(&self, head: &mut [u8; HEAD]) -> Option<Seen> {
        // SAFETY: the kernel writes at most so many bytes.
        let length =
            unsafe { libc::syscall(libc::SYS_pread64, self.0, head.as_mut_ptr(), head.len(), 0) };
        let mut about = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the kernel fills the structure if it returns 0.
        let known = unsafe { libc::fstat(self.0, about.as_mut_ptr()) } == 0;
        // SAFETY: as above.
        let about = known.then(|| unsafe { about.assume_init() })?;
        let attribute = c"security.capability".as_ptr();
        // SAFETY: asks for the length alone.
        let capabilities = unsafe { libc::fgetxattr(self.0, attribute, ptr::null_mut(), 0) };
        Some(Seen {
            length: usize::try_from(length).ok()?,
            mode: about.st_mode,
            owner: about.st_uid,
            group: about.st_gid,
            has_capabilities: capabilities > 0,
        })
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
