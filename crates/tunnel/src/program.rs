//! Programs: where they are, those that run to their end, and those that stay.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::inside::FOLDER;

/// Between two looks.
const STEP: Duration = Duration::from_millis(20);

/// Where a program is; an error names its package.
pub(crate) fn find(name: &str, package: &str) -> Result<PathBuf, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).map(|folder| folder.join(name));
    places.find(|file| file.is_file()).ok_or_else(|| lacking(name, package))
}

/// What to say of a program that is not there.
pub(crate) fn lacking(name: &str, package: &str) -> String {
    format!("{name} is not installed: install the package {package}")
}

/// A file of ours, in memory.
pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Writes a file of ours.
pub(crate) fn write(name: &str, text: &str) -> Result<PathBuf, String> {
    let file = file(name);
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

/// Runs a program to its end, which has to come within the limit; what it printed.
pub(crate) fn output(command: &mut Command, limit: Duration) -> Result<String, String> {
    let log = file("output");
    let mut child = spawn(command, &log)?;
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(STEP),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let said = fs::read_to_string(&log).unwrap_or_default();
    match status {
        Some(status) if status.success() => Ok(said),
        Some(_) => Err(last_line(&said)),
        None => Err(format!(
            "{} did not end within {} s",
            command.get_program().display(),
            limit.as_secs()
        )),
    }
}

/// Runs a program that takes no time worth mentioning, unless the kernel has to load and test a cipher for it.
pub(crate) fn quick(command: &mut Command) -> Result<String, String> {
    output(command, Duration::from_secs(120))
}

fn spawn(command: &mut Command, log: &Path) -> Result<Child, String> {
    let name = command.get_program().to_owned();
    let told = |error| format!("{}: {error}", name.display());
    let file = File::create(log).map_err(told)?;
    let again = file.try_clone().map_err(told)?;
    command.stdin(Stdio::null()).stdout(file).stderr(again).spawn().map_err(told)
}

/// The last thing that was said, or what is marked as the error: some programs explain their usage after it.
fn last_line(said: &str) -> String {
    let is_marked =
        |line: &&str| line.starts_with("Error: ") || line.starts_with("Options error: ");
    let marked = said.lines().rfind(is_marked);
    let line = marked.or_else(|| said.lines().rfind(|line| !line.trim().is_empty()));
    line.unwrap_or("it failed without a word").trim().to_owned()
}

/// A program that stays until its value goes away.
#[derive(Debug)]
pub(crate) struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts it; what it says goes into a file of that name.
    pub(crate) fn start(command: &mut Command, name: &str) -> Result<Self, String> {
        let log = file(&format!("{name}.log"));
        Ok(Self { child: spawn(command, &log)?, log })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has said so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits for something that it does; not for ever, and not once it has ended.
    pub(crate) fn wait_until(
        &mut self,
        what: &str,
        mut done: impl FnMut(&Self) -> bool,
    ) -> Result<(), String> {
        const LIMIT: Duration = Duration::from_secs(30);
        let end = Instant::now() + LIMIT;
        while !done(self) {
            let ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            if ended || Instant::now() > end {
                let how = if ended { "it ended" } else { "it was waited for in vain" };
                return Err(format!("{what}: {how}: {}", last_line(&self.said())));
            }
            thread::sleep(STEP);
        }
        Ok(())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_tells_why() {
        let swanctl = "loading\nError: no such socket\nusage:\n  --uri  (-u)  a socket\n";
        assert_eq!(last_line(swanctl), "Error: no such socket");
        let openvpn = "Options error: Unrecognized option\nUse --help for more information.\n";
        assert_eq!(last_line(openvpn), "Options error: Unrecognized option");
        assert_eq!(last_line("one\n two \n\n"), "two");
        assert_eq!(last_line("\n"), "it failed without a word");
    }
}
