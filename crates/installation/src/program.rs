//! Programs that are tried: found, run with a configuration, and stopped when they hang.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tempfile::NamedTempFile;

/// Where daemons lie, besides the search path of people.
const DAEMONS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// How long a trial may take, in steps of waiting.
const PATIENCE: u32 = 6000;
const STEP: Duration = Duration::from_millis(5);

/// The program of that name, if there is one.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(DAEMONS.map(PathBuf::from));
    let is_program = |file: &PathBuf| {
        file.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(is_program)
}

/// A program about to run with a configuration of OpenSSL.
pub(crate) struct Run {
    command: Command,
}

/// How it ended.
pub(crate) struct Outcome {
    status: Option<ExitStatus>,
    pub(crate) output: Vec<u8>,
    errors: Vec<u8>,
}

impl Run {
    pub(crate) fn new<A: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
        configuration: &Path,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).env("OPENSSL_CONF", configuration).stdin(Stdio::null());
        Self { command }
    }

    /// Runs it until it ends, or for as long as patience lasts.
    pub(crate) fn finish(mut self) -> io::Result<Outcome> {
        let [output, errors] = [NamedTempFile::new()?, NamedTempFile::new()?];
        self.command.stdout(output.reopen()?).stderr(errors.reopen()?);
        let mut child = Ended(self.command.spawn()?);
        let mut status = None;
        for _ in 0..PATIENCE {
            status = child.0.try_wait()?;
            if status.is_some() {
                break;
            }
            std::thread::sleep(STEP);
        }
        drop(child);
        Ok(Outcome { status, output: fs::read(output)?, errors: fs::read(errors)? })
    }

    /// Starts it, waits until `ready` finds something in what it prints, runs `then`, and stops it.
    pub(crate) fn serve<T>(
        mut self,
        ready: impl Fn(&str) -> Option<T>,
        then: impl FnOnce(T) -> io::Result<Outcome>,
    ) -> io::Result<Outcome> {
        let [output, errors] = [NamedTempFile::new()?, NamedTempFile::new()?];
        self.command.stdout(output.reopen()?).stderr(errors.reopen()?).stdin(Stdio::piped());
        let mut child = Ended(self.command.spawn()?);
        let mut found = None;
        for _ in 0..PATIENCE {
            found = ready(&String::from_utf8_lossy(&fs::read(&output)?));
            if found.is_some() || child.0.try_wait()?.is_some() {
                break;
            }
            std::thread::sleep(STEP);
        }
        match found {
            Some(found) => then(found),
            None => {
                let status = child.0.try_wait()?;
                Ok(Outcome { status, output: Vec::new(), errors: fs::read(&errors)? })
            }
        }
    }
}

/// A program that does not outlive who waits for it.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = Path::new(self.command.get_program());
        f.write_str(&program.file_name().unwrap_or_default().to_string_lossy())?;
        // Enough to tell which trial it was.
        for argument in self.command.get_args().take(2) {
            write!(f, " {}", argument.to_string_lossy())?;
        }
        Ok(())
    }
}

impl Outcome {
    pub(crate) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The program's own words on what went wrong, in one line: the first that speaks of an error, for
    /// those after it come from further out; else the last, before which are remarks.
    pub(crate) fn words(&self) -> String {
        let texts = [&self.errors, &self.output].map(|text| String::from_utf8_lossy(text));
        let text = texts.iter().find(|text| !text.trim().is_empty());
        let lines: Vec<&str> = text.iter().flat_map(|text| text.lines()).map(str::trim).collect();
        let speaks = |line: &&&str| {
            let line = line.to_ascii_lowercase();
            ["error", "fail", "fatal"].iter().any(|word| line.contains(word))
        };
        let line =
            lines.iter().find(speaks).or_else(|| lines.iter().rfind(|line| !line.is_empty()));
        match (line, self.status) {
            (Some(line), _) => (*line).to_owned(),
            (None, None) => "it does not come to an end".to_owned(),
            (None, Some(status)) => status.to_string(),
        }
    }

    /// Whether its words hold one of these.
    pub(crate) fn mentions(&self, words: &[&str]) -> bool {
        let errors = String::from_utf8_lossy(&self.errors);
        words.iter().any(|word| errors.contains(word))
    }
}
