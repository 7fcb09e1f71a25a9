//! Running the command, and looking now and then at the libraries that it maps.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use wirespeed_profile::children_cpu_seconds;

use super::command::{Command, file_name};
use super::setting::Setting;

/// The first look is early, for short programs; later ones are rarer.
const FIRST_LOOK: Duration = Duration::from_micros(500);
const LAST_LOOK: Duration = Duration::from_millis(50);

/// A command that has ended.
pub(super) struct Ran {
    pub(super) status: ExitStatus,
    /// Whether Ctrl-C or SIGTERM ended it, which is how services are ended.
    pub(super) interrupted: bool,
    /// Processor time of it and its children.
    pub(super) cpu_seconds: f64,
    /// What it and its children were seen to map.
    pub(super) seen: Seen,
    /// Processes that still count: "nginx (812)".
    pub(super) left_running: Vec<String>,
}

/// What processes were seen to be.
#[derive(Default)]
pub(super) struct Seen {
    /// Files that they mapped.
    pub(super) files: BTreeSet<PathBuf>,
    /// Programs with a libcrypto that were started without our `OPENSSL_CONF`.
    pub(super) without_variable: BTreeSet<String>,
}

/// Runs it to its end; Ctrl-C and SIGTERM end the command and not us.
pub(super) fn run(command: &Command, setting: &Setting, quiet: bool) -> io::Result<Ran> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // A terminal gives Ctrl-C to the command as well; the other goes to us alone.
    let to_pass_on = Arc::new(AtomicBool::new(false));
    let hooks = [(SIGINT, &interrupted), (SIGTERM, &interrupted), (SIGTERM, &to_pass_on)];
    let hooks = hooks.map(|(signal, flag)| signal_hook::flag::register(signal, flag.clone()));
    let hooks = hooks.into_iter().collect::<io::Result<Vec<_>>>()?;
    let before = children_cpu_seconds();
    let mut child = process::Command::new(&command.path);
    child.args(&command.words[1..]).env("OPENSSL_CONF", setting.configuration());
    if quiet {
        child.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned()?));
    }
    let name = command.path.display();
    let mut child =
        child.spawn().map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
    let mut seen = Seen::default();
    let mut pause = FIRST_LOOK;
    let status = loop {
        seen.look(child.id(), &setting.configuration());
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if to_pass_on.swap(false, Ordering::Relaxed) {
            // It may have ended just now.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LAST_LOOK);
    };
    for hook in hooks {
        signal_hook::low_level::unregister(hook);
    }
    Ok(Ran {
        status,
        interrupted: interrupted.load(Ordering::Relaxed),
        cpu_seconds: children_cpu_seconds() - before,
        seen,
        left_running: still_counting(&setting.counters()),
    })
}

impl Seen {
    /// Looks at a process and its children.
    fn look(&mut self, process: u32, configuration: &Path) {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let mut crypto = false;
        for file in mapped(&folder) {
            crypto |= file_name(&file).starts_with("libcrypto.so");
            self.files.insert(file);
        }
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        let variable = format!("OPENSSL_CONF={}", configuration.display());
        let has_ours = environment.split(|byte| *byte == 0).any(|it| it == variable.as_bytes());
        if crypto && !environment.is_empty() && !has_ours {
            let name = fs::read_link(folder.join("exe")).unwrap_or_else(|_| folder.clone());
            self.without_variable.insert(file_name(&name));
        }
        for thread in fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = children.split_whitespace().filter_map(|it| it.parse().ok());
            children.for_each(|child| self.look(child, configuration));
        }
    }

    /// A file whose name begins so.
    pub(super) fn library(&self, beginning: &str) -> Option<&Path> {
        let mut files = self.files.iter().map(PathBuf::as_path);
        files.find(|file| file_name(file).starts_with(beginning))
    }
}

/// The files in proc_pid_maps(5).
fn mapped(folder: &Path) -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string(folder.join("maps")).unwrap_or_default();
    maps.lines().filter_map(|line| Some(line[line.find('/')?..].into())).collect()
}

/// Processes that count in the memory of the counters.
fn still_counting(counters: &Path) -> Vec<String> {
    let names = wirespeed_stats::mapped_as(counters);
    let is_it = |file: &PathBuf| names.iter().any(|name| *name == without_deleted(file));
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let mapping = folders.filter(|folder| mapped(folder).iter().any(is_it));
    let name = |folder: PathBuf| {
        let name = fs::read_to_string(folder.join("comm")).unwrap_or_default();
        format!("{} ({})", name.trim(), file_name(&folder))
    };
    mapping.map(name).collect()
}

/// Shared memory is always said to be deleted (proc_pid_maps(5)).
fn without_deleted(file: &Path) -> PathBuf {
    let name = file.to_string_lossy();
    PathBuf::from(name.strip_suffix(" (deleted)").unwrap_or(&name))
}
