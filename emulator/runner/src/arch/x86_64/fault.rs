//! What goes wrong before the command runs, and the exit status that says so.

use std::fmt;
use std::process::ExitCode;

/// Why the command does not run.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The parser's own words: usage, or the help that was asked for.
    Parser(clap::Error),
    /// Nothing can be run so: one line, status 2.
    Unable(String),
    /// There is no such command: one line, status 127, as from a shell.
    NotFound(String),
    /// The command cannot be executed: one line, status 126, as from a shell.
    NotExecutable(String),
}

impl Fault {
    /// Nothing can be run so.
    pub(crate) fn unable(message: impl fmt::Display) -> Self {
        Self::Unable(message.to_string())
    }

    /// Says what is wrong on standard error, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let (message, status) = match self {
            Self::Parser(error) if !error.use_stderr() => {
                // Help and version were asked for; nobody hears if printing fails.
                let _ = error.print();
                return ExitCode::SUCCESS;
            }
            Self::Parser(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                let first = first.strip_prefix("error: ").unwrap_or(first).trim_end_matches(':');
                (format!("{first}: see padlock-run --help"), 2)
            }
            Self::Unable(message) => (message, 2),
            Self::NotFound(message) => (message, 127),
            Self::NotExecutable(message) => (message, 126),
        };
        eprintln!("padlock-run: {message}");
        ExitCode::from(status)
    }
}
