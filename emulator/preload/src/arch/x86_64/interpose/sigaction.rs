//! `sigaction` and its older relatives: what a program wants done at our signals is remembered; no
//! handler blocks them.

use core::ptr;

use libc::{c_int, sighandler_t};

use super::next;
use crate::arch::x86_64::actions::{self, Action, OUR_MASK};

const FAILED: c_int = -1;

/// Installs or remembers an action; -1 and `errno` where libc says so.
unsafe fn set(
    signal: c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> c_int {
    // SAFETY: null, or what the caller of `sigaction` hands over.
    let wanted = unsafe { action.as_ref() }.map(Action::of);
    let current = match &wanted {
        Some(wanted) => actions::replace(signal, wanted),
        None => actions::current(signal),
    };
    if let Some(current) = current {
        // SAFETY: null, or the caller's.
        if let Some(before) = unsafe { before.as_mut() } {
            *before = current.to_libc();
        }
        return 0;
    }
    let Some(sigaction) = next().sigaction else { return FAILED };
    let stripped =
        wanted.map(|wanted| Action { mask: wanted.mask & !OUR_MASK, ..wanted }.to_libc());
    let action = stripped.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: an action of our own, and what the caller of `sigaction` hands over.
    unsafe { sigaction(signal, action, before) }
}

/// Like `signal`, with these flags; SIG_ERR and `errno` where libc says so.
fn set_handler(signal: c_int, handler: sighandler_t, flags: c_int) -> sighandler_t {
    let action = Action { handler, flags, mask: 0 }.to_libc();
    let mut before = Action::DEFAULT.to_libc();
    // SAFETY: both are there.
    if unsafe { set(signal, &raw const action, &raw mut before) } == 0 {
        before.sa_sigaction
    } else {
        libc::SIG_ERR
    }
}

/// signal(2) of BSD, which is Linux's: the action stays, and system calls go on.
const BSD: c_int = libc::SA_RESTART;
/// signal(2) of System V: the action is used up, and the signal is not blocked meanwhile.
const SYSTEM_V: c_int = libc::SA_RESETHAND | libc::SA_NODEFER;

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(
    signal: c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { set(signal, action, before) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __sigaction(
    signal: c_int,
    action: *const libc::sigaction,
    before: *mut libc::sigaction,
) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { set(signal, action, before) }
}

#[unsafe(no_mangle)]
extern "C" fn signal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    set_handler(signal, handler, BSD)
}

#[unsafe(no_mangle)]
extern "C" fn bsd_signal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    set_handler(signal, handler, BSD)
}

#[unsafe(no_mangle)]
extern "C" fn ssignal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    set_handler(signal, handler, BSD)
}

#[unsafe(no_mangle)]
extern "C" fn sysv_signal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    set_handler(signal, handler, SYSTEM_V)
}

#[unsafe(no_mangle)]
extern "C" fn __sysv_signal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    set_handler(signal, handler, SYSTEM_V)
}

#[unsafe(no_mangle)]
extern "C" fn sigset(signal: c_int, handler: sighandler_t) -> sighandler_t {
    /// `SIG_HOLD` of signal.h: the signal is blocked and keeps its action.
    const HOLD: sighandler_t = 2;
    match (actions::current(signal), next().sigset) {
        (Some(current), _) if handler == HOLD => current.handler,
        (Some(_), _) => set_handler(signal, handler, 0),
        // SAFETY: the caller's own arguments.
        (None, Some(sigset)) => unsafe { sigset(signal, handler) },
        (None, None) => libc::SIG_ERR,
    }
}

#[unsafe(no_mangle)]
extern "C" fn sigignore(signal: c_int) -> c_int {
    match (actions::current(signal), next().sigignore) {
        (Some(_), _) => {
            set_handler(signal, libc::SIG_IGN, 0);
            0
        }
        // SAFETY: takes a number.
        (None, Some(sigignore)) => unsafe { sigignore(signal) },
        (None, None) => FAILED,
    }
}

/// `struct sigvec` of BSD, which programs linked before glibc 2.21 may use.
#[repr(C)]
struct Vector {
    handler: sighandler_t,
    mask: c_int,
    flags: c_int,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigvec(signal: c_int, vector: *const Vector, before: *mut Vector) -> c_int {
    /// Flags of sigvec(3).
    const ON_STACK: c_int = 1;
    const INTERRUPT: c_int = 2;
    const RESET: c_int = 4;
    const PAIRS: [(c_int, c_int); 2] = [(ON_STACK, libc::SA_ONSTACK), (RESET, libc::SA_RESETHAND)];
    // SAFETY: null, or the caller's.
    let wanted = unsafe { vector.as_ref() }.map(|vector| {
        let restart = if vector.flags & INTERRUPT == 0 { libc::SA_RESTART } else { 0 };
        let flags = PAIRS.iter().filter(|pair| vector.flags & pair.0 != 0);
        let flags = flags.fold(restart, |flags, pair| flags | pair.1);
        let mask = vector.mask.cast_unsigned().into();
        Action { handler: vector.handler, flags, mask }.to_libc()
    });
    let action = wanted.as_ref().map_or(ptr::null(), ptr::from_ref);
    let mut old = Action::DEFAULT.to_libc();
    // SAFETY: both are ours.
    let result = unsafe { set(signal, action, &raw mut old) };
    // SAFETY: null, or the caller's.
    if let (0, Some(before)) = (result, unsafe { before.as_mut() }) {
        let old = Action::of(&old);
        let interrupt = if old.flags & libc::SA_RESTART == 0 { INTERRUPT } else { 0 };
        let flags = PAIRS.iter().filter(|pair| old.flags & pair.1 != 0);
        let flags = flags.fold(interrupt, |flags, pair| flags | pair.0);
        *before = Vector { handler: old.handler, mask: old.mask as c_int, flags };
    }
    result
}
