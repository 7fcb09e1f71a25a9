//! A program that keeps running until its value goes away, with everything it started.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::module::Provided;
use crate::network::Network;
use crate::process::{self, wait_until};

/// Namespaces as a set-up for one program: it and its offspring end together.
///
/// The program runs under an `sh` that is process 1 of a PID namespace: when that goes, the kernel
/// ends all others. It has a mount namespace, too, in which `preparation` may mount what it likes.
#[derive(Debug)]
pub struct Daemon {
    command: Command,
}

/// What `sh` does as process 1: prepare, start the program, and stay until it is killed, so that a
/// successor which the program leaves behind lives on.
const FIRST_PROCESS: &str = r#"
set -e
eval "$1"; shift
"$@" &
while :; do sleep 1000 & wait $!; done
"#;

/// Why daemons cannot be started here.
pub fn obstacle() -> Option<String> {
    let mut probe = process::command("unshare");
    probe.args(["--pid", "--fork", "--kill-child", "--mount-proc", "true"]);
    let obstacle = process::output(&mut probe).err()?;
    Some(format!("needs root, for namespaces of its own: {obstacle}"))
}

impl Daemon {
    /// A program that will run by itself; `preparation` is shell, before it starts.
    pub fn new(program: impl AsRef<OsStr>, provided: Provided<'_>, preparation: &str) -> Self {
        let mut command = process::command("unshare");
        command.args(["--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c"]);
        command.args([FIRST_PROCESS, "sh", preparation]).arg(program);
        provided.to(&mut command);
        Self { command }
    }

    /// A program with arguments and variables of its own.
    pub fn of(program: &Command, provided: Provided<'_>, preparation: &str) -> Self {
        let mut daemon =
            Self::new(program.get_program(), provided, preparation).arguments(program.get_args());
        let variables = program.get_envs().filter_map(|(name, value)| Some((name, value?)));
        daemon.command.envs(variables);
        daemon
    }

    /// More arguments.
    pub fn arguments<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Lets it run in a network namespace.
    pub fn inside(mut self, network: &Network) -> Self {
        network.hold(&mut self.command);
        self
    }

    /// Starts it; what it says goes into the file `log`.
    pub fn start(mut self, log: &Path) -> Result<Running, String> {
        let failed = |error| format!("{:?}: {error}", self.command);
        let file = File::create(log).map_err(failed)?;
        let again = file.try_clone().map_err(failed)?;
        let command = self.command.stdout(file).stderr(again).stdin(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Running { child, log: log.to_owned() })
    }
}

/// A daemon that ends with its value.
#[derive(Debug)]
pub struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    /// Its processes, without those that keep the namespace.
    pub fn processes(&self) -> Vec<u32> {
        let keepers = ["unshare", "sh", "sleep"];
        let kept = |name: String| !keepers.contains(&name.as_str());
        let mut all = process::tree(self.child.id());
        all.retain(|process| process::name(*process).is_some_and(kept));
        all
    }

    /// The process that has this number inside.
    pub fn numbered(&self, inner: u32) -> Option<u32> {
        let all = process::tree(self.child.id());
        all.into_iter().find(|process| process::inner_number(*process) == Some(inner))
    }

    /// What it has said so far.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Whether nothing but what keeps the namespace is left.
    fn is_over(&self) -> bool {
        let all = process::tree(self.child.id());
        let mut names: Vec<_> = all.into_iter().filter_map(process::name).collect();
        names.sort_unstable();
        // Before the program starts there is no `sleep`, or one more `sh`.
        names == ["sh", "sleep", "unshare"] || names.iter().all(|name| name == "unshare")
    }

    /// Waits for something that it does, unless it ends before.
    pub fn wait_until(&self, what: &str, mut done: impl FnMut() -> bool) -> Result<(), String> {
        // More than once in a row: a program may be between two of its processes, and in a guest that is
        // translated it takes a second until the first is there.
        const TIMES: u32 = 300;
        let mut over = 0;
        let waited = wait_until(what, || {
            over = if self.is_over() { over + 1 } else { 0 };
            over > TIMES || done()
        });
        match waited {
            Ok(()) if over <= TIMES => Ok(()),
            Ok(()) => Err(format!("ended before {what}: {}", self.said())),
            Err(error) => Err(format!("{error}: {}", self.said())),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process of ours.
pub fn signal(process: u32, signal: libc::c_int) -> Result<(), String> {
    let number = libc::pid_t::try_from(process).map_err(|error| error.to_string())?;
    // SAFETY: kill(2) takes any numbers.
    match unsafe { libc::kill(number, signal) } {
        0 => Ok(()),
        _ => Err(format!("signal {signal} to {process}: {}", io::Error::last_os_error())),
    }
}
