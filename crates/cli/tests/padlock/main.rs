//! `wirespeed padlock`, `random` and `kernel`: on this machine, on emulated PadLocks, and in a mount
//! namespace of their own.

#![forbid(unsafe_code)]

mod emulated;
mod here;
mod namespace;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::Value;

/// A test by its name.
type Test = (&'static str, fn() -> Result<(), String>);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for (tests, obstacle) in [
        (here::TESTS, None),
        (emulated::TESTS, emulated::obstacle()),
        (emulated::BROKEN, emulated::nothing_breaks()),
        (namespace::TESTS, namespace::obstacle()),
        (namespace::MODPROBE, namespace::no_modprobe()),
    ] {
        for (name, run) in tests {
            let reason = obstacle.clone();
            trials.push(Trial::ignorable_test(*name, move || match reason {
                Some(reason) => Ok(Completion::ignored_with(reason)),
                None => run().map(|()| Completion::Completed).map_err(Failed::from),
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The program with these words.
fn wirespeed(arguments: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_wirespeed"));
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace());
    // So that it says "./wirespeed" where it names itself.
    command.current_dir(program.parent().unwrap_or(program));
    command
}

/// What a program printed, and how it ended.
struct Ended {
    status: Option<i32>,
    output: String,
    errors: String,
}

impl Ended {
    fn of(command: &mut Command) -> Result<Self, String> {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Self::from(&output))
    }

    /// It ended with this status, and said this on standard error.
    fn is(self, status: i32, words: &str) -> Result<Self, String> {
        let right = self.status == Some(status) && self.errors.contains(words);
        expect(right, &format!("not {status} with '{words}' but {self}"))?;
        Ok(self)
    }

    /// What it printed as JSON.
    fn json(&self) -> Result<Value, String> {
        serde_json::from_str(&self.output).map_err(|error| format!("{error} in {self}"))
    }
}

impl From<&Output> for Ended {
    fn from(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            status: output.status.code(),
            output: text(&output.stdout),
            errors: text(&output.stderr),
        }
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}:\n{}\n{}", self.status, self.output, self.errors)
    }
}

fn expect(is_so: bool, otherwise: &str) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise.to_owned()) }
}
