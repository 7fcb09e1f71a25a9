//! On x86-64.

mod arguments;
mod command_line;
mod fault;
mod launch;
mod program;
mod system;
mod tracer;

use std::process::ExitCode;

use arguments::Arguments;

/// Runs the program that the command line names.
pub(crate) fn main() -> ExitCode {
    match Arguments::from_command_line().and_then(launch::run) {
        Ok(never) => match never {},
        Err(fault) => fault.report(),
    }
}
