//! A child process that goes on in the middle of this one.

/// A child that has not been waited for.
pub struct Child(libc::pid_t);

/// Forks; the child runs `work` and ends with its verdict.
///
/// # Panics
/// If the system has no process left.
pub fn child(work: impl FnOnce() -> bool) -> Child {
    // SAFETY: the child runs `work` alone and leaves by `_exit`. Other threads' locks may be held in it
    // for ever: that of the allocator is not, glibc sees to it.
    let number = unsafe { libc::fork() };
    assert!(number >= 0, "fork");
    if number == 0 {
        let good = work();
        // SAFETY: ends the child without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    Child(number)
}

impl Child {
    /// Waits for its end; whether its verdict was good.
    pub fn wait(self) -> bool {
        let mut status = 0;
        // SAFETY: our own child, waited for once.
        let ended = unsafe { libc::waitpid(self.0, &mut status, 0) };
        ended == self.0 && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
    }
}
