//! Two network namespaces, joined by a cable.

use std::process::Command;

use crate::program::quick;

/// The addresses at its two ends.
pub(crate) const ADDRESSES: [&str; 2] = ["10.9.0.1", "10.9.0.2"];

/// A veth pair with a namespace around either end.
#[derive(Debug)]
pub(crate) struct Cable {
    ends: [End; 2],
}

/// One of them.
#[derive(Debug)]
pub(crate) struct End {
    name: String,
}

impl Cable {
    /// Lays one; names are of this process's mounts alone.
    pub(crate) fn lay(name: &str) -> Result<Self, String> {
        let cable = Self { ends: ["a", "b"].map(|end| End { name: format!("{name}-{end}") }) };
        for end in &cable.ends {
            quick(Command::new("ip").args(["netns", "add", &end.name]))?;
        }
        let [first, second] = &cable.ends;
        let link = ["link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns"];
        first.ip(&[&link[..], &[&second.name]].concat())?;
        for (end, address) in cable.ends.iter().zip(ADDRESSES) {
            end.ip(&["link", "set", "lo", "up"])?;
            // No other address is needed, and its discovery of duplicates would be traffic.
            end.ip(&["link", "set", "cable", "addrgenmode", "none"])?;
            end.ip(&["address", "add", &format!("{address}/24"), "dev", "cable"])?;
            end.ip(&["link", "set", "cable", "up"])?;
        }
        Ok(cable)
    }

    pub(crate) fn ends(&self) -> &[End; 2] {
        &self.ends
    }
}

impl End {
    /// Its name, and what files of its are called by.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Runs ip(8) in there.
    pub(crate) fn ip(&self, arguments: &[&str]) -> Result<String, String> {
        let mut ip = Command::new("ip");
        quick(ip.args(["-n", &self.name]).args(arguments))
    }

    /// A program that will run in there.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(program);
        command
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        // What is left ends with the process's mounts.
        for end in &self.ends {
            let _ = quick(Command::new("ip").args(["netns", "delete", &end.name]));
        }
    }
}
