//! Processes that may not open such a socket: a sandbox, a container. They work, and never die of us.

use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use wirespeed_cipher::Route;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{command, output};

use crate::{ours, plans};

const BYTES: usize = 1 << 20;

/// What a filter says to socket(AF_ALG, ...).
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Allow,
    Refuse(i32),
    Kill,
}

impl Verdict {
    const fn action(self) -> u32 {
        match self {
            Self::Allow => libc::SECCOMP_RET_ALLOW,
            Self::Refuse(error) => libc::SECCOMP_RET_ERRNO | error as u32,
            Self::Kill => libc::SECCOMP_RET_KILL_PROCESS,
        }
    }

    /// Confines a program from its first instruction on (seccomp(2)).
    fn confine(self, command: &mut Command) {
        const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
        const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
        const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
        let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
        // struct seccomp_data: the call's number, and at 16 its first argument.
        let program = [
            step(LOAD, 0, 0, 0),
            step(EQUAL, 0, 3, libc::SYS_socket as u32),
            step(LOAD, 0, 0, 16),
            step(EQUAL, 0, 1, libc::AF_ALG as u32),
            step(RETURN, 0, 0, self.action()),
            step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let install = move || {
            let mut program = program;
            let filter =
                libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
            // SAFETY: numbers, and a filter that outlives the call, which copies it.
            let done = unsafe {
                libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                    && libc::prctl(
                        libc::PR_SET_SECCOMP,
                        libc::SECCOMP_MODE_FILTER,
                        &raw const filter,
                    ) == 0
            };
            if done { Ok(()) } else { Err(io::Error::last_os_error()) }
        };
        // SAFETY: prctl(2) is async-signal-safe, and nothing is allocated.
        unsafe { command.pre_exec(install) };
    }
}

struct Encryption {
    scratch: Scratch,
    right: Vec<u8>,
}

impl Encryption {
    fn new() -> Result<Self, String> {
        let scratch = Scratch::new()?;
        scratch.write("plain", painted(1, BYTES))?;
        let right = output(&mut program(&scratch, Provided::Stock))?;
        Ok(Self { scratch, right })
    }

    /// With lines for our section and a filter: bytes by the kernel, and by other routes of ours.
    fn run(&self, lines: &str, verdict: Verdict) -> Result<(u64, u64), String> {
        let watched = Watched::with(lines)?;
        let mut program = program(&self.scratch, Provided::Ours(&watched));
        verdict.confine(&mut program);
        let got = output(&mut program)?;
        same(|| format!("{lines}, {verdict:?}"), &self.right, &got)?;
        let counted = watched.counted()?;
        if counted.loads() == 0 {
            return Err("the module was not loaded".to_owned());
        }
        let bytes = |kernel: bool| {
            let rows = counted.rows().filter(|row| (row.route == Route::Kernel) == kernel);
            rows.map(|row| row.bytes).sum()
        };
        Ok((bytes(true), bytes(false)))
    }
}

fn program(scratch: &Scratch, provided: Provided<'_>) -> Command {
    let secret = "00112233445566778899aabbccddeeff";
    let mut program = command("openssl");
    program.args(["enc", "-aes-128-cbc", "-bufsize", "65536", "-K", secret, "-iv", secret, "-in"]);
    provided.to(&mut program).arg(scratch.path("plain"));
    program
}

/// Whatever the filter says, and however it would say it, no socket is tried where nobody asked for it by `seccomp`.
pub(crate) fn no_socket_is_tried() -> Result<(), String> {
    let encryption = Encryption::new()?;
    let scratch = Scratch::new()?;
    let plan = plans::file(&scratch, &[("AES-128-CBC", 16)])?;
    let lines = format!("plan = {}\nkernel = on", plan.display());
    for verdict in [
        Verdict::Kill,
        Verdict::Refuse(libc::EPERM),
        Verdict::Refuse(libc::EAFNOSUPPORT),
        Verdict::Allow,
    ] {
        match encryption.run(&lines, verdict)? {
            (0, others) if others >= BYTES as u64 => {}
            other => return Err(format!("{verdict:?}: bytes by the kernel, by others: {other:?}")),
        }
    }
    Ok(())
}

/// With `seccomp` sockets are tried: used where the filter lets them pass, and done without where it does not.
pub(crate) fn sockets_that_were_asked_for() -> Result<(), String> {
    let encryption = Encryption::new()?;
    let scratch = Scratch::new()?;
    let plan = plans::file(&scratch, &[("AES-128-CBC", 16)])?;
    let lines = format!("plan = {}\nkernel = on, seccomp", plan.display());
    match encryption.run(&lines, Verdict::Allow)? {
        (kernel, _) if kernel >= BYTES as u64 => {}
        other => return Err(format!("allowed: bytes by the kernel, by others: {other:?}")),
    }
    for error in [libc::EPERM, libc::EAFNOSUPPORT] {
        match encryption.run(&lines, Verdict::Refuse(error))? {
            (0, others) if others >= BYTES as u64 => {}
            other => {
                return Err(format!("errno {error}: bytes by the kernel, by others: {other:?}"));
            }
        }
    }
    Ok(())
}

/// A route that was asked for by name and cannot be had is an error that says why.
pub(crate) fn forced() -> Result<(), String> {
    for (kernel, verdict, word) in [
        ("AES-128-CBC", Verdict::Kill, "seccomp"),
        ("AES-128-CBC, seccomp", Verdict::Refuse(libc::EPERM), "forbidden to this process"),
        ("AES-128-CBC, seccomp", Verdict::Refuse(libc::EAFNOSUPPORT), "AF_ALG"),
    ] {
        let scratch = Scratch::new()?;
        let configuration = ours::inactive(&scratch, &ours::forced(kernel))?;
        let this = env::current_exe().map_err(|error| error.to_string())?;
        let mut child = command(this);
        verdict.confine(child.env(CHILD, configuration));
        let said = match output(&mut child) {
            Ok(said) => String::from_utf8_lossy(&said).into_owned(),
            Err(why) => return Err(format!("kernel = {kernel}, {verdict:?}: {why}")),
        };
        if !said.contains(word) {
            return Err(format!("kernel = {kernel}, {verdict:?}: {word} is not in: {said}"));
        }
    }
    Ok(())
}

/// Names a configuration for a child of this program, which says why it cannot be had.
const CHILD: &str = "WIRESPEED_CONFINED";

/// What a child is for; nothing in another process.
pub(crate) fn child() -> Option<ExitCode> {
    let configuration = env::var_os(CHILD)?;
    let (Ok(said) | Err(said)) = ours::refusal(Path::new(&configuration));
    println!("{said}");
    Some(ExitCode::SUCCESS)
}
