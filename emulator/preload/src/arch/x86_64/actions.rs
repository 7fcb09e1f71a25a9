//! What the program wants done at the signals that the emulator uses.
//!
//! The program's own handlers are remembered instead of installed, and get those signals that are
//! not the emulator's, and the faults of emulated instructions, as the kernel would deliver them.

use core::mem;
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize};

use libc::{c_int, c_void, sighandler_t, siginfo_t, sigset_t};

use crate::arch::x86_64::context::Context;
use crate::arch::x86_64::interpose::next;
use crate::arch::x86_64::process::{id, thread_id};
use crate::arch::x86_64::report;

/// The signals that instructions raise. The library handles them; threads must never block them,
/// because the kernel ends a program that runs into a blocked one.
pub(crate) const OURS: [c_int; 4] = [libc::SIGILL, libc::SIGTRAP, libc::SIGBUS, libc::SIGSEGV];

/// What is done at a signal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action {
    pub(crate) handler: sighandler_t,
    pub(crate) flags: c_int,
    /// The kernel's part of a `sigset_t`.
    pub(crate) mask: u64,
}

impl Action {
    /// The kernel's own.
    pub(crate) const DEFAULT: Self = Self { handler: libc::SIG_DFL, flags: 0, mask: 0 };

    pub(crate) const fn of(action: &libc::sigaction) -> Self {
        let mask = kernel_mask(&action.sa_mask);
        Self { handler: action.sa_sigaction, flags: action.sa_flags, mask }
    }

    pub(crate) const fn to_libc(self) -> libc::sigaction {
        // SAFETY: a structure of numbers and an optional function.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = self.handler;
        action.sa_flags = self.flags;
        set_kernel_mask(&mut action.sa_mask, self.mask);
        action
    }
}

/// The first 64 signals of a set, which are all that Linux has.
pub(crate) const fn kernel_mask(set: &sigset_t) -> u64 {
    // SAFETY: the set is 128 bytes of bits.
    unsafe { ptr::from_ref(set).cast::<u64>().read_unaligned() }
}

pub(crate) const fn set_kernel_mask(set: &mut sigset_t, mask: u64) {
    // SAFETY: as above.
    unsafe { ptr::from_mut(set).cast::<u64>().write_unaligned(mask) };
}

const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// All of [`OURS`].
pub(crate) const OUR_MASK: u64 = {
    let [first, second, third, fourth] = OURS;
    bit(first) | bit(second) | bit(third) | bit(fourth)
};

/// The program's action for one signal. Handlers read it while other threads change it: so a new
/// action takes a new place, and then one number says which place counts.
struct Remembered {
    places: [Place; PLACES],
    current: AtomicUsize,
    taken: AtomicUsize,
}

/// So many changes would have to fall into the reading of one action before it is mixed up.
const PLACES: usize = 64;

struct Place {
    handler: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

impl Place {
    const fn new() -> Self {
        let handler = AtomicUsize::new(libc::SIG_DFL);
        Self { handler, flags: AtomicI32::new(0), mask: AtomicU64::new(0) }
    }
}

impl Remembered {
    const fn new() -> Self {
        let places = [const { Place::new() }; PLACES];
        Self { places, current: AtomicUsize::new(0), taken: AtomicUsize::new(0) }
    }

    fn at(&self, place: usize) -> Action {
        let Some(place) = self.places.get(place) else { return Action::DEFAULT };
        Action {
            handler: place.handler.load(Relaxed),
            flags: place.flags.load(Relaxed),
            mask: place.mask.load(Relaxed),
        }
    }

    fn replace(&self, action: &Action) -> Action {
        let index = (self.taken.fetch_add(1, Relaxed) + 1) % PLACES;
        if let Some(place) = self.places.get(index) {
            place.handler.store(action.handler, Relaxed);
            place.flags.store(action.flags, Relaxed);
            place.mask.store(action.mask, Relaxed);
        }
        self.at(self.current.swap(index, AcqRel))
    }
}

static REMEMBERED: [Remembered; OURS.len()] = [const { Remembered::new() }; OURS.len()];

fn remembered(signal: c_int) -> Option<&'static Remembered> {
    let mut all = OURS.iter().zip(&REMEMBERED);
    all.find(|(ours, _)| **ours == signal).map(|(_, remembered)| remembered)
}

/// What the program wants done at one of [`OURS`]; none for other signals.
pub(crate) fn current(signal: c_int) -> Option<Action> {
    let remembered = remembered(signal)?;
    Some(remembered.at(remembered.current.load(Acquire)))
}

/// Remembers what the program wants done at one of [`OURS`], and tells what it wanted before; none
/// for other signals.
pub(crate) fn replace(signal: c_int, action: &Action) -> Option<Action> {
    Some(remembered(signal)?.replace(action))
}

/// Delivers a signal to the program, which stands where `context` says. Handlers end with it, and
/// return.
pub(crate) fn deliver(signal: c_int, information: &mut siginfo_t, context: &mut Context<'_>) {
    let action = current(signal).unwrap_or(Action::DEFAULT);
    // Sent by a process: kill(2), raise(3).
    let is_sent = information.si_code <= 0;
    match action.handler {
        libc::SIG_IGN if is_sent => {}
        // The kernel does not let a program ignore what an instruction raised.
        libc::SIG_DFL | libc::SIG_IGN => die(signal, information, context),
        handler => {
            if action.flags & libc::SA_RESETHAND != 0 {
                replace(signal, &Action::DEFAULT);
            }
            // `sigreturn` takes this back when the handlers return. Our own signals are never blocked.
            let block = action.mask & !OUR_MASK;
            let (how, length) = (libc::SIG_BLOCK, size_of_val(&block));
            // SAFETY: the kernel reads the set.
            unsafe {
                libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const block, 0, length);
            }
            let information = ptr::from_mut(information);
            if action.flags & libc::SA_SIGINFO != 0 {
                type Handler = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
                // SAFETY: by SA_SIGINFO the program says that its handler takes three arguments.
                let handler: Handler = unsafe { mem::transmute(handler) };
                // SAFETY: what the kernel hands to handlers.
                unsafe { handler(signal, information, context.as_ptr().cast()) };
            } else {
                // SAFETY: without SA_SIGINFO it takes one.
                let handler: unsafe extern "C" fn(c_int) = unsafe { mem::transmute(handler) };
                // SAFETY: as above.
                unsafe { handler(signal) };
            }
        }
    }
}

/// Lets the kernel end the program by this signal, at the instruction where it stands.
///
/// The signal waits, blocked, until the handler returns: so a core file shows the program and not
/// the emulator.
#[inline(never)]
fn die(signal: c_int, information: &siginfo_t, context: &mut Context<'_>) {
    report::end();
    let set = bit(signal);
    // SAFETY: the kernel reads what it is given.
    unsafe {
        let (how, length) = (libc::SIG_BLOCK, size_of_val(&set));
        libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const set, 0, length);
        leave_to_kernel(signal);
        let (process, thread) = (id(), thread_id());
        let information = ptr::from_ref(information);
        libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, signal, information);
    }
    context.unblock(signal);
}

/// From now on the kernel does with this signal what it does by itself: it ends the program.
pub(crate) fn leave_to_kernel(signal: c_int) {
    let default = Action::DEFAULT.to_libc();
    if let Some(sigaction) = next().sigaction {
        // SAFETY: an action of our own.
        unsafe { sigaction(signal, &raw const default, ptr::null_mut()) };
    }
}
