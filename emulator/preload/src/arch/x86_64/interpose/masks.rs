//! Functions that block signals: ours stay open, because the kernel ends a program whose
//! instruction raises a blocked one.

use core::ptr;

use libc::{c_int, epoll_event, nfds_t, pollfd, sigset_t, timespec};

use super::next;
use crate::arch::x86_64::actions::{OUR_MASK, OURS, kernel_mask, set_kernel_mask};

const FAILED: c_int = -1;

/// A set without our signals, if there is a set.
struct Stripped(Option<sigset_t>);

impl Stripped {
    /// # Safety
    ///
    /// `set` is null or a set.
    unsafe fn new(set: *const sigset_t) -> Self {
        // SAFETY: the caller's promise.
        let mut set = unsafe { set.as_ref() }.copied();
        if let Some(set) = &mut set {
            let open = kernel_mask(set) & !OUR_MASK;
            set_kernel_mask(set, open);
        }
        Self(set)
    }

    fn as_ptr(&self) -> *const sigset_t {
        self.0.as_ref().map_or(ptr::null(), ptr::from_ref)
    }
}

/// Functions that take a set among their arguments: each calls the next one of its name with the
/// set stripped.
macro_rules! strip {
    ($($name:ident as $next:ident(
        $($before:ident: $before_type:ty,)* [$set:ident] $(, $after:ident: $after_type:ty)*
    );)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            $($before: $before_type,)* $set: *const sigset_t $(, $after: $after_type)*
        ) -> c_int {
            // SAFETY: the caller's own argument.
            let stripped = unsafe { Stripped::new($set) };
            match next().$next {
                // SAFETY: the caller's own arguments, and a set of ours.
                Some(next) => unsafe { next($($before,)* stripped.as_ptr() $(, $after)*) },
                None => FAILED,
            }
        }
    )*};
}

strip! {
    sigprocmask as sigprocmask(how: c_int, [set], before: *mut sigset_t);
    pthread_sigmask as pthread_sigmask(how: c_int, [set], before: *mut sigset_t);
    pthread_attr_setsigmask_np as pthread_attr_setsigmask_np(
        attributes: *mut libc::pthread_attr_t,
        [set]
    );
    sigsuspend as sigsuspend([set]);
    pselect as pselect(
        count: c_int,
        read: *mut libc::fd_set,
        write: *mut libc::fd_set,
        except: *mut libc::fd_set,
        timeout: *const timespec,
        [set]
    );
    ppoll as ppoll(files: *mut pollfd, count: nfds_t, timeout: *const timespec, [set]);
    __ppoll_chk as ppoll_chk(
        files: *mut pollfd,
        count: nfds_t,
        timeout: *const timespec,
        [set],
        size: usize
    );
    epoll_pwait as epoll_pwait(
        epoll: c_int,
        events: *mut epoll_event,
        count: c_int,
        timeout: c_int,
        [set]
    );
    epoll_pwait2 as epoll_pwait2(
        epoll: c_int,
        events: *mut epoll_event,
        count: c_int,
        timeout: *const timespec,
        [set]
    );
}

/// Functions that take a set as bits of a number.
macro_rules! strip_bits {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name(mask: c_int) -> c_int {
            match next().$name {
                // SAFETY: takes a number.
                Some(next) => unsafe { next(mask & !(OUR_MASK as c_int)) },
                None => FAILED,
            }
        }
    )*};
}

strip_bits! { sigblock sigsetmask }

#[unsafe(no_mangle)]
extern "C" fn sighold(signal: c_int) -> c_int {
    match next().sighold {
        _ if OURS.contains(&signal) => 0,
        // SAFETY: takes a number.
        Some(next) => unsafe { next(signal) },
        None => FAILED,
    }
}
