//! Threads whose system calls fail as they are told to: errors on demand, without a device that makes them.

use std::ffi::c_long;
use std::thread;

/// Runs `before`, then `after` with its result in the same thread, once every call of `calls` there is
/// answered with its error number; none is needed for a filter that lets everything pass.
pub(crate) fn confined<T: Send, R: Send>(
    calls: &[(c_long, i32)],
    before: impl FnOnce() -> T + Send,
    after: impl FnOnce(T) -> R + Send,
) -> R {
    let run = || {
        let value = before();
        confine(calls);
        after(value)
    };
    thread::scope(|scope| scope.spawn(run).join().expect("the confined thread"))
}

fn confine(calls: &[(c_long, i32)]) {
    let statement =
        |code: u32, value: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k: value };
    let answer = |value| statement(libc::BPF_RET | libc::BPF_K, value);
    // The number of the call is the first word of struct seccomp_data.
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for (call, number) in calls {
        let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        program.push(libc::sock_filter { jf: 1, ..statement(equal, *call as u32) });
        program.push(answer(libc::SECCOMP_RET_ERRNO | *number as u32));
    }
    program.push(answer(libc::SECCOMP_RET_ALLOW));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the program is readable for its length; the filter is this thread's alone (seccomp(2)).
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter), 0);
    }
}
