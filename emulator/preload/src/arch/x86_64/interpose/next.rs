//! The functions of the same names that come after ours: libc's own.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::{size_of, transmute_copy};
use std::sync::OnceLock;

use libc::{epoll_event, nfds_t, pid_t, pollfd, sighandler_t, sigset_t, timespec};

use crate::arch::x86_64::objects::FoundObject;

/// Declares the table: each function by its name, so that a name and its type stand side by side once.
macro_rules! table {
    ($($field:ident $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The next functions of these names, as dlsym finds them with RTLD_NEXT: libc's, unless another library is
        /// preloaded behind this one. One that does not exist is none.
        #[derive(Debug)]
        pub(crate) struct Next {
            $(pub(crate) $field: Option<unsafe extern "C" fn($($argument),*) -> $result>,)*
        }

        impl Next {
            fn find() -> Self {
                // SAFETY: these are the functions' types, as libc's headers declare them.
                unsafe { Self { $($field: function($name),)* } }
            }
        }
    };
}

/// Pointers to text, and a null pointer: arguments, an environment.
pub(crate) type Vector = *const *const c_char;

table! {
    sigaction c"sigaction": fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    sigset c"sigset": fn(c_int, sighandler_t) -> sighandler_t;
    sigignore c"sigignore": fn(c_int) -> c_int;
    sighold c"sighold": fn(c_int) -> c_int;
    sigprocmask c"sigprocmask": fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;
    pthread_sigmask c"pthread_sigmask": fn(c_int, *const sigset_t, *mut sigset_t) -> c_int;
    pthread_attr_setsigmask_np c"pthread_attr_setsigmask_np":
        fn(*mut libc::pthread_attr_t, *const sigset_t) -> c_int;
    sigblock c"sigblock": fn(c_int) -> c_int;
    sigsetmask c"sigsetmask": fn(c_int) -> c_int;
    sigsuspend c"sigsuspend": fn(*const sigset_t) -> c_int;
    pselect c"pselect": fn(
        c_int, *mut libc::fd_set, *mut libc::fd_set, *mut libc::fd_set, *const timespec, *const sigset_t
    ) -> c_int;
    ppoll c"ppoll": fn(*mut pollfd, nfds_t, *const timespec, *const sigset_t) -> c_int;
    ppoll_chk c"__ppoll_chk":
        fn(*mut pollfd, nfds_t, *const timespec, *const sigset_t, usize) -> c_int;
    epoll_pwait c"epoll_pwait":
        fn(c_int, *mut epoll_event, c_int, c_int, *const sigset_t) -> c_int;
    epoll_pwait2 c"epoll_pwait2":
        fn(c_int, *mut epoll_event, c_int, *const timespec, *const sigset_t) -> c_int;
    execve c"execve": fn(*const c_char, Vector, Vector) -> c_int;
    execveat c"execveat": fn(c_int, *const c_char, Vector, Vector, c_int) -> c_int;
    posix_spawn c"posix_spawn": fn(
        *mut pid_t,
        *const c_char,
        *const libc::posix_spawn_file_actions_t,
        *const libc::posix_spawnattr_t,
        Vector,
        Vector
    ) -> c_int;
    posix_spawnp c"posix_spawnp": fn(
        *mut pid_t,
        *const c_char,
        *const libc::posix_spawn_file_actions_t,
        *const libc::posix_spawnattr_t,
        Vector,
        Vector
    ) -> c_int;
    find_object c"_dl_find_object": fn(*mut c_void, *mut FoundObject) -> c_int;
}

/// The next function of this name.
///
/// # Safety
///
/// `Function` is the type of that function.
unsafe fn function<Function: Copy>(name: &CStr) -> Option<Function> {
    const { assert!(size_of::<Function>() == size_of::<*mut c_void>()) };
    // SAFETY: the name ends with NUL.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    // SAFETY: a function of that type, by the caller's promise, and as large as a pointer.
    (!found.is_null()).then(|| unsafe { transmute_copy(&found) })
}

static NEXT: OnceLock<Next> = OnceLock::new();

/// What `RTLD_NEXT` finds. The constructor asks for it, so that handlers need not.
pub(crate) fn next() -> &'static Next {
    NEXT.get_or_init(Next::find)
}
