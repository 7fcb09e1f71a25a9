//! A seccomp filter that stops a program only where it makes memory executable.

use std::io;

use libc::{sock_filter, sock_fprog};

/// A kernel's interface, by its number in linux/audit.h, and its calls whose third argument is a protection.
struct Interface {
    architecture: u32,
    calls: &'static [u32],
}

/// System calls that can make memory executable. The number alone tells them apart after the interface.
const INTERFACES: [Interface; 2] = [
    // mmap, mprotect, pkey_mprotect of asm/unistd_64.h.
    Interface { architecture: 0xc000_003e, calls: &[9, 10, 329] },
    // mprotect, mmap2, pkey_mprotect of asm/unistd_32.h. Its old mmap, which only libraries before
    // glibc 2.1 call, passes its arguments in memory, where a filter cannot look.
    Interface { architecture: 0x4000_0003, calls: &[125, 192, 380] },
];

/// Whether this system call of a program of that width may have made memory executable.
pub(crate) fn knows(call: u64, is_32_bit: bool) -> bool {
    let interface = &INTERFACES[usize::from(is_32_bit)];
    interface.calls.iter().any(|known| u64::from(*known) == call)
}

/// What comes with our filter's question, and hardly with one of the program's own: where filters agree, the
/// kernel brings the youngest one's.
pub(crate) const DATA: u32 = 0x9ad1;

/// Puts the filter over this thread and all that descends from it.
///
/// From now on these calls fail unless somebody traces.
pub(crate) fn install() -> io::Result<()> {
    let mut code = program();
    let program =
        sock_fprog { len: code.len().try_into().expect("short"), filter: code.as_mut_ptr() };
    let install = || {
        // SAFETY: the program outlives the call, which copies it.
        unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) }
    };
    // Who may administer the system needs no promise, which would outlast us, to gain no privileges.
    if install() == 0 {
        return Ok(());
    }
    // SAFETY: takes numbers.
    let promised = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    if promised == 0 && install() == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The filter's instructions.
fn program() -> Vec<sock_filter> {
    /// Offsets in `struct seccomp_data` of linux/seccomp.h.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const THIRD_ARGUMENT: u32 = 16 + 2 * 8;
    let statement = |code: u32, k: u32| sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let load = |offset| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset);
    let answer = |action| statement(libc::BPF_RET | libc::BPF_K, action);
    // Skips so many instructions when true, none otherwise; and the other way round.
    let jump = |test: u32, k, jt, jf| sock_filter {
        code: (libc::BPF_JMP | test | libc::BPF_K) as u16,
        jt,
        jf,
        k,
    };
    let allow = answer(libc::SECCOMP_RET_ALLOW);
    let mut code = Vec::new();
    for Interface { architecture, calls } in &INTERFACES {
        let calls_left = |index: usize| (calls.len() - index) as u8;
        // Of another interface: behind this one's load, calls, refusal, test and answers.
        code.push(load(ARCHITECTURE));
        code.push(jump(libc::BPF_JEQ, *architecture, 0, calls_left(0) + 6));
        code.push(load(NUMBER));
        for (index, call) in calls.iter().enumerate() {
            code.push(jump(libc::BPF_JEQ, *call, calls_left(index), 0));
        }
        code.push(allow);
        code.push(load(THIRD_ARGUMENT));
        code.push(jump(libc::BPF_JSET, libc::PROT_EXEC as u32, 1, 0));
        code.push(allow);
        code.push(answer(libc::SECCOMP_RET_TRACE | DATA));
    }
    code.push(allow);
    code
}
