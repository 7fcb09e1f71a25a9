//! Network namespaces: each has sockets, counters and interfaces of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::examined::Examined;

/// One, seen through a process in it.
pub(super) struct Network {
    /// The process's folder; none for ours.
    process: Option<PathBuf>,
}

/// Ours, and every other that has processes.
pub(super) fn all(examined: &Examined<'_>, processes: &[PathBuf]) -> Vec<Network> {
    let mut seen = BTreeSet::from([examined.here.identity(Path::new("/proc/self/ns/net"))]);
    let mut networks = vec![Network { process: None }];
    for process in processes {
        let namespace = examined.here.identity(&process.join("ns/net"));
        if namespace.is_some() && seen.insert(namespace) {
            networks.push(Network { process: Some(process.clone()) });
        }
    }
    networks
}

impl Network {
    /// Whether it is ours.
    pub(super) const fn is_own(&self) -> bool {
        self.process.is_none()
    }

    /// A file about it: proc_pid_net(5).
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.process.as_deref().unwrap_or(Path::new("/proc")).join("net").join(name)
    }

    /// What a program prints that runs in it.
    pub(super) fn printed(&self, examined: &Examined<'_>, command: &[&str]) -> String {
        let [program, arguments @ ..] = command else { return String::new() };
        let printed = match &self.process {
            None => examined.here.printed(program, arguments),
            Some(process) => {
                let network = format!("--net={}", process.join("ns/net").display());
                examined.here.printed("nsenter", &[&[&*network], command].concat())
            }
        };
        printed.unwrap_or_default()
    }
}
