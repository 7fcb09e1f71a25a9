//! The command line: what was typed, and what it means.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use wirespeed_machine::Folder;

use crate::commands;
use crate::fault::Fault;

const EXAMPLES: &str = "\
Examples:
  wirespeed                                   survey this machine, in under a minute
  wirespeed --json -                          the same as JSON
  wirespeed --openssl new/usr/lib/libcrypto.so.3    would another OpenSSL do as much?
  wirespeed bench AES-128-GCM --both          one algorithm at every size, routes side by side
  wirespeed bench AES-256-XTS --sizes 512,4KiB --csv sectors.csv
  wirespeed tune                              measure everything, write this machine's plan
  wirespeed routes --why                      what serves what, and why

Exit status: 0 done; 1 a proof failed; 2 usage or environment, with one line that says what.";

/// Survey the crypto of this machine: what it can do, what its OpenSSL does, and what is gained
#[derive(Parser)]
#[command(name = "wirespeed", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) survey: SurveyArguments,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure algorithms at every size, the routes side by side
    Bench(commands::bench::BenchArguments),
    /// Show what serves what, and why the rest is absent
    Routes(RoutesArguments),
    /// Measure every route and write the plan for this machine
    Tune(commands::tune::TuneArguments),
    /// Put Wirespeed to work for every program on this machine
    Install(commands::install::InstallArguments),
    /// Take it back: restore openssl.cnf byte for byte
    Uninstall(commands::uninstall::UninstallArguments),
    /// Check every known way to get this wrong, and say how to mend it
    Doctor(commands::doctor::DoctorArguments),
    /// Show what programs did through Wirespeed, where openssl.cnf has it count
    Stats(commands::stats::StatsArguments),
    /// Tells what the machine's configuration gives the user who runs it
    #[command(name = wirespeed_doctor::READING, hide = true)]
    DoctorReading(commands::doctor::ReadingArguments),
    /// Show the kernel's crypto drivers, and choose which ones it loads
    Kernel(commands::kernel::KernelArguments),
    /// Measure encrypted disks: every cipher, in memory, in a file, or by the kernel's dm-crypt
    Disk(commands::disk::DiskArguments),
    /// Takes down what a killed `disk --dm-crypt` left
    #[command(name = commands::disk::WATCHER, hide = true)]
    DiskWatcher,
    /// Measure VPN packets: every suite of ESP and WireGuard, and the links that it fills
    Vpn(commands::vpn::VpnArguments),
    /// Sets tunnels up and measures them, in namespaces that end with the program that started it
    #[command(name = commands::vpn::real::INSIDE, hide = true)]
    VpnInside,
    /// Put machines side by side: ratios, winners, and what it means
    Compare(commands::compare::CompareArguments),
    /// Draw results as one HTML file, several machines side by side
    Report(commands::report::ReportArguments),
    /// Show the PadLock units of this CPU, and what is made of them
    #[command(name = "padlock")]
    PadLock(commands::padlock::PadLockArguments),
    /// Write random bytes from PadLock, tested while they come
    Random(commands::random::RandomArguments),
    /// Print or check the hashes of many files at once, as sha256sum does
    Sum(commands::sum::SumArguments),
}

/// An option that stays as it was chosen until it is chosen otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }

    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        if self.is_on() { "on" } else { "off" }
    }
}

/// Another machine to describe, for tests.
#[derive(Args)]
pub(crate) struct MachineFiles {
    /// Describe the machine that these files are of: proc/cpuinfo and others, by their paths there
    #[arg(long, value_name = "DIR", hide = true)]
    machine_files: Option<PathBuf>,
}

impl MachineFiles {
    /// The files, if some are named.
    pub(crate) fn folder(&self) -> Result<Option<Folder>, Fault> {
        let Some(root) = &self.machine_files else { return Ok(None) };
        match Folder::open(root) {
            Some(folder) => Ok(Some(folder)),
            None => {
                Err(Fault::usage(format!("--machine-files {}: no proc/cpuinfo", root.display())))
            }
        }
    }
}

#[derive(Args)]
pub(crate) struct SurveyArguments {
    #[command(flatten)]
    pub(crate) files: MachineFiles,
    /// Seconds for each figure
    #[arg(long, value_name = "S", default_value_t = 0.12)]
    pub(crate) seconds: f64,
    /// libcryptos of other OpenSSLs (3.0 or later): the last lines say whether one is worth as much
    #[arg(long, value_name = "FILE", num_args = 1.., value_delimiter = ',')]
    pub(crate) openssl: Vec<String>,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
}

const ROUTES_EXAMPLES: &str = "\
Examples:
  wirespeed routes                        what serves each algorithm
  wirespeed routes AES-256-CBC            one of them, at every size
  wirespeed routes AES-256-CBC --why      what was measured, against which second best
  wirespeed routes --json                 as JSON";

#[derive(Args)]
#[command(after_help = ROUTES_EXAMPLES)]
pub(crate) struct RoutesArguments {
    /// One of OpenSSL's names; all of them by default
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithm: Option<String>,
    /// Show what was measured, against which second best, for each size
    #[arg(long)]
    pub(crate) why: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// Reads the process's own command line.
    pub(crate) fn from_command_line() -> Result<Self, Fault> {
        Self::try_parse().map_err(Fault::Parser)
    }
}

/// A file by a path with a slash: without one the dynamic loader would look for it elsewhere.
pub(crate) fn library(file: &str) -> Result<PathBuf, Fault> {
    let failed = |why| Fault::usage(format!("--openssl {file}: {why}"));
    match fs::metadata(file) {
        Err(why) => Err(failed(why.to_string())),
        Ok(about) if about.is_dir() => {
            Err(failed("that is a folder: name the libcrypto.so.3 or .4 in it".to_owned()))
        }
        Ok(_) => std::path::absolute(file).map_err(|why| failed(why.to_string())),
    }
}

/// A number within these bounds.
pub(crate) fn within(what: &str, value: usize, least: usize, most: usize) -> Result<usize, Fault> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(Fault::usage(format!("--{what} {value}: choose from {least} to {most}")))
}

/// The most threads that a measurement may have.
pub(crate) const MOST_THREADS: usize = 1024;

/// So many threads; else as many as there are CPUs.
pub(crate) fn threads(asked: Option<usize>) -> Result<usize, Fault> {
    match asked {
        Some(asked) => within("threads", asked, 1, MOST_THREADS),
        None => Ok(wirespeed_measure::cpus().min(MOST_THREADS)),
    }
}

/// Seconds for a figure, within reason.
pub(crate) fn seconds(value: f64) -> Result<f64, Fault> {
    if (0.0..=3600.0).contains(&value) {
        return Ok(value);
    }
    Err(Fault::usage(format!("--seconds {value}: choose from 0 to 3600")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn seconds_are_a_number_in_reason() {
        assert!(seconds(0.01).is_ok());
        assert!(seconds(-1.0).is_err() && seconds(f64::NAN).is_err());
    }
}
