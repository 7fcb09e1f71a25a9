//! Ends that run no destructors.

use libc::c_int;

use crate::arch::x86_64::report;

fn end(status: c_int) -> ! {
    report::end();
    loop {
        // SAFETY: takes a number and does not return.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

#[unsafe(no_mangle)]
extern "C" fn _exit(status: c_int) -> ! {
    end(status)
}

#[unsafe(no_mangle)]
extern "C" fn _Exit(status: c_int) -> ! {
    end(status)
}
