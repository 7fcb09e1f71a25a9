//! What goes wrong, and the exit status that says so.

mod parser;

use std::env;
use std::fmt;
use std::io;
use std::process::ExitCode;

use signal_hook::consts::SIGPIPE;
use wirespeed_bench::Trouble;

use crate::output::tell;

/// Why the program ends without having done what was asked.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The parser's own words: usage, or the help that was asked for.
    Parser(clap::Error),
    /// A usage error or an environment that does not allow it: one line, status 2.
    Usage(String),
    /// The thing asked about is not so: one line, status 1.
    NotSo(String),
    /// The same, and every reason has been told already: status 1.
    Told,
    /// The result could not be written.
    Output(io::Error),
}

impl Fault {
    /// A usage error.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::Usage(message.to_string())
    }

    /// That the proof of these failed, if there are any.
    pub(crate) fn unless_proved<N: fmt::Display>(failed: &[N]) -> Result<(), Self> {
        match failed {
            [] => Ok(()),
            _ => {
                let names: Vec<_> = failed.iter().map(ToString::to_string).collect();
                let names = names.join(", ");
                Err(Self::NotSo(format!("quarantined, not used, for the proof failed: {names}")))
            }
        }
    }

    /// A fault, and in its line what else must be known.
    pub(crate) fn and(self, more: impl fmt::Display) -> Self {
        match self {
            Self::Usage(message) => Self::Usage(format!("{message}; {more}")),
            Self::NotSo(message) => Self::NotSo(format!("{message}; {more}")),
            other => other,
        }
    }

    /// Says what is wrong on standard error, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Parser(error) if !error.use_stderr() => {
                // Help and version were asked for; nobody hears if printing fails.
                let _ = error.print();
                ExitCode::SUCCESS
            }
            Self::Parser(error) => {
                tell(&format!("wirespeed: {}\n", parser::one_line(&error, env::args_os())));
                ExitCode::from(2)
            }
            Self::Usage(message) => {
                tell(&format!("wirespeed: {message}\n"));
                ExitCode::from(2)
            }
            Self::NotSo(message) => {
                tell(&format!("wirespeed: {message}\n"));
                ExitCode::from(1)
            }
            Self::Told => ExitCode::from(1),
            // The reader has seen enough: `wirespeed | head`. What is left was not done, so as a signal says it.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                ExitCode::from(128 + SIGPIPE as u8)
            }
            Self::Output(error) => {
                tell(&format!("wirespeed: cannot write: {error}\n"));
                ExitCode::from(2)
            }
        }
    }
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Absent(..) | Trouble::Threads(..) => Self::usage(trouble),
            Trouble::Wrong(..) => Self::NotSo(trouble.to_string()),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
