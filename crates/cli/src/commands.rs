//! What each command does.

pub(crate) mod bench;
pub(crate) mod compare;
pub(crate) mod disk;
pub(crate) mod doctor;
pub(crate) mod install;
pub(crate) mod kernel;
pub(crate) mod padlock;
pub(crate) mod random;
pub(crate) mod report;
mod routes;
pub(crate) mod stats;
pub(crate) mod sum;
mod survey;
pub(crate) mod tune;
pub(crate) mod uninstall;
pub(crate) mod vpn;

use crate::arguments::{Arguments, Command};
use crate::fault::Fault;

/// Runs the command that was asked for; without one, the survey.
pub(crate) fn run(arguments: Arguments) -> Result<(), Fault> {
    // What takes the module away again asks no CPU.
    let undoes = matches!(arguments.command, Some(Command::Uninstall(_)));
    if let Some(why) = wirespeed_cpu::no_cpuid().filter(|_| !undoes) {
        return Err(Fault::usage(format!("{why}; programs keep their OpenSSL")));
    }
    match arguments.command {
        None => survey::run(arguments.survey),
        Some(Command::Bench(bench)) => bench::run(bench),
        Some(Command::Routes(routes)) => routes::run(routes),
        Some(Command::Tune(arguments)) => tune::run(arguments),
        Some(Command::Install(arguments)) => install::run(arguments),
        Some(Command::Uninstall(arguments)) => uninstall::run(arguments),
        Some(Command::Doctor(arguments)) => doctor::run(arguments),
        Some(Command::DoctorReading(arguments)) => doctor::read(arguments),
        Some(Command::Kernel(arguments)) => kernel::run(arguments),
        Some(Command::Disk(arguments)) => disk::run(arguments),
        Some(Command::DiskWatcher) => {
            disk::watch_over();
            Ok(())
        }
        Some(Command::Vpn(arguments)) => vpn::run(arguments),
        Some(Command::VpnInside) => vpn::real::inside(),
        Some(Command::Compare(arguments)) => compare::run(arguments),
        Some(Command::Report(arguments)) => report::run(arguments),
        Some(Command::Stats(arguments)) => stats::run(arguments),
        Some(Command::PadLock(arguments)) => padlock::run(arguments),
        Some(Command::Random(arguments)) => random::run(arguments),
        Some(Command::Sum(arguments)) => sum::run(arguments),
    }
}
