//! What the command line means.

use std::env;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::Parser;
use padlock_emulator::{Flaw, Options};
use padlock_runner::{HANDED_OVER, Settings};

use crate::arch::x86_64::command_line::CommandLine;
use crate::arch::x86_64::fault::Fault;

/// What is to be run, and how.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) cpu: Options,
    pub(crate) stats: bool,
    /// Absolute: programs change their directory.
    pub(crate) trace: Option<CString>,
    /// Whether it is traced, whatever it is.
    pub(crate) ptrace: bool,
    /// Whether the preload library asks: a run that has begun already.
    pub(crate) handed_over: bool,
    /// A path, or a name to be found in PATH.
    pub(crate) file: OsString,
    /// Its arguments, its name first.
    pub(crate) arguments: Vec<OsString>,
}

impl Arguments {
    /// Reads the process's own command line.
    pub(crate) fn from_command_line() -> Result<Self, Fault> {
        let mut words = env::args_os().skip(1);
        if words.next().is_some_and(|word| word.as_bytes() == HANDED_OVER.to_bytes()) {
            return Self::handed_over(words);
        }
        let line = CommandLine::try_parse().map_err(Fault::Parser)?;
        let CommandLine { cpu: model, hide_aesni, strict, iv_writeback, interrupt_every, .. } =
            line;
        let trace = line.trace.map(|path| {
            let path = std::path::absolute(&path).map_err(|error| {
                Fault::unable(format_args!("--trace {}: {error}", path.display()))
            })?;
            CString::new(path.into_os_string().into_vec()).map_err(Fault::unable)
        });
        Ok(Self {
            cpu: Options {
                model,
                hide_aesni,
                strict,
                iv_writeback,
                interrupt_every,
                wrong: wrong(),
            },
            stats: line.stats,
            trace: trace.transpose()?,
            ptrace: line.ptrace,
            handed_over: false,
            file: line.command[0].clone(),
            arguments: line.command,
        })
    }

    fn handed_over(mut words: impl Iterator<Item = OsString>) -> Result<Self, Fault> {
        let text = inherited();
        let settings = Settings::parse(&text).map_err(|unknown| {
            Fault::unable(format_args!("PADLOCK_RUN: {}", unknown.0.escape_ascii()))
        })?;
        Ok(Self {
            cpu: settings.cpu,
            stats: settings.stats,
            trace: settings.trace.map(Into::into),
            ptrace: true,
            handed_over: true,
            file: words.next().ok_or_else(|| Fault::unable("no program was handed over"))?,
            arguments: words.collect(),
        })
    }

    /// The part of it that travels in the environment.
    pub(crate) fn settings(&self) -> Settings<'_> {
        Settings { cpu: self.cpu, stats: self.stats, trace: self.trace.as_deref() }
    }
}

/// The settings of the run that this one is part of.
fn inherited() -> CString {
    let text = env::var_os(&*Settings::VARIABLE.to_string_lossy()).unwrap_or_default();
    CString::new(text.into_vec()).unwrap_or_default()
}

/// How a test makes a unit compute wrongly: debug builds take that part over from the environment.
fn wrong() -> Option<Flaw> {
    Settings::parse(&inherited()).ok().and_then(|settings| settings.cpu.wrong)
}
