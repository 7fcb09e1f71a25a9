//! The program `wirespeed` as a library: arguments, words and progress.

#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod counted;
mod fault;
mod interruption;
mod output;
mod plan;
mod results;
mod survey;
mod units;

use std::process::ExitCode;

use arguments::Arguments;
use clap::{Command, CommandFactory};

/// The parser of the command line, for manual pages and completions.
pub fn command() -> Command {
    Arguments::command()
}

/// Does what the command line asks for.
pub fn run() -> ExitCode {
    match Arguments::from_command_line().and_then(commands::run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => fault.report(),
    }
}
