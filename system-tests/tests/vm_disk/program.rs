//! The program `wirespeed disk`, and what it says.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};

use wirespeed_results::schema::Document;
use wirespeed_results::schema::disk::Disk;
use wirespeed_system_tests::process;

/// The name of the program, which the kernel knows its processes by.
pub(crate) const NAME: &str = "wirespeed";

/// The program itself.
pub(crate) fn path() -> Result<PathBuf, String> {
    let folder = env::var_os("WIRESPEED_MODULES").ok_or("WIRESPEED_MODULES is not set")?;
    let file = PathBuf::from(folder).join(NAME);
    if file.exists() { Ok(file) } else { Err(format!("{} is not there", file.display())) }
}

/// `wirespeed disk` with these arguments.
pub(crate) fn disk<A: AsRef<str>>(arguments: &[A]) -> Result<Command, String> {
    let mut command = process::command(path()?);
    command.arg("disk").args(arguments.iter().map(AsRef::as_ref));
    Ok(command)
}

/// How it ended, and all it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) output: String,
    pub(crate) complaints: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            complaints: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ended {
    /// Runs it to its end.
    pub(crate) fn of(command: &mut Command) -> Result<Self, String> {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(output.into())
    }

    /// What it found, as JSON.
    pub(crate) fn document(&self) -> Result<Disk, String> {
        let read: Result<Disk, _> = serde_json::from_str(&self.output);
        let told = |why: String| format!("{why}: {self:?}");
        let document = read.map_err(|error| told(error.to_string()))?;
        // A cipher that computes wrongly is what is "not so".
        let right = i32::from(document.rows.iter().any(|row| row.wrong.is_some()));
        match self.status == Some(right) && document.schema == Disk::SCHEMA {
            true => Ok(document),
            false => Err(told(format!("exit status {right} would be right"))),
        }
    }

    /// What it complained of: one line, and the exit status for that.
    pub(crate) fn fault(&self) -> Result<&str, String> {
        let mut lines = self.complaints.lines().filter(|line| !line.trim().is_empty());
        match (self.status, lines.next(), lines.next()) {
            (Some(2), Some(line), None) => Ok(line),
            _ => Err(format!("not one line and exit status 2: {self:?}")),
        }
    }
}

/// Runs it with real device-mapper targets and these arguments more.
pub(crate) fn found<A: AsRef<str>>(arguments: &[A]) -> Result<Disk, String> {
    let mut command = disk(&["--dm-crypt", "--json", "-"])?;
    command.args(arguments.iter().map(AsRef::as_ref));
    Ended::of(&mut command)?.document()
}
