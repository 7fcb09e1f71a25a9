//! What each command does.

mod bench;
mod routes;
mod survey;

use crate::arguments::{Arguments, Command};
use crate::fault::Fault;

/// Runs the command that was asked for; without one, the survey.
pub(crate) fn run(arguments: Arguments) -> Result<(), Fault> {
    match arguments.command {
        None => survey::run(arguments.survey),
        Some(Command::Bench(bench)) => bench::run(bench.understand()?),
        Some(Command::Routes(routes)) => routes::run(routes),
    }
}
