//! What our module is worth to whole programs: CPU time with it against CPU time without it.
//!
//! A faster cipher is a small part of a program, so these figures are the ones to expect of it.

mod contest;
mod meter;
mod requirements;
mod table;
mod workload;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use wirespeed_system_tests::{module, running};

use crate::contest::{Effort, Foreteller};

const EXAMPLES: &str = "\
Examples:
  cargo xtask bench hosts                   every program; some minutes
  cargo xtask bench hosts --quick           fewer rounds over less data
  cargo xtask bench hosts nginx 128         only lines with both words
  cargo xtask bench hosts --json FILE       the table as JSON, too (- is standard output)

As on a CPU without AES, with a plan that was measured so:
  export OPENSSL_ia32cap=~0x200000200000000:0x128
  target/release/wirespeed tune --output /tmp/plan
  cargo xtask bench hosts --plan /tmp/plan";

/// Measure what the module is worth to whole programs
#[derive(Parser)]
#[command(name = "cargo xtask bench hosts", after_help = EXAMPLES)]
struct Arguments {
    /// Words that a line's title must all hold
    filter: Vec<String>,
    /// Fewer rounds over less data
    #[arg(long)]
    quick: bool,
    /// Our routes by this plan; nothing is promised then but to be no slower
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Rounds for each line
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Write the table as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench hosts: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every promise was kept.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if module::file().is_none_or(|file| !file.exists()) {
        return Err("WIRESPEED_MODULES names no directory with libwirespeed.so".to_owned());
    }
    if let Some(obstacle) = running::obstacle() {
        return Err(obstacle);
    }
    let filter: Vec<_> = arguments.filter.iter().map(|word| word.to_lowercase()).collect();
    let wanted = |title: &str| filter.iter().all(|word| title.to_lowercase().contains(word));
    let requirements: Vec<_> =
        requirements::ALL.iter().filter(|requirement| wanted(requirement.title)).collect();
    if requirements.is_empty() {
        return Err("the filter lets no line through".to_owned());
    }
    let plan = arguments.plan.as_deref().map(fs::canonicalize).transpose();
    let plan = plan.map_err(|error| format!("the plan: {error}"))?;
    let effort = Effort::new(arguments.quick, arguments.rounds);
    let json_only = arguments.json.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if !json_only {
        print!("{}", table::HEAD);
    }
    share_one_cpu().map_err(|error| format!("cannot stay on one CPU: {error}"))?;
    let mut foreteller = Foreteller::here();
    let mut rows = Vec::new();
    for requirement in requirements {
        let row = match contest::measure(requirement, plan.as_deref(), effort, &mut foreteller)? {
            Ok(row) => row,
            Err(skipped) => {
                eprintln!("{}: skipped: {skipped}", requirement.title);
                continue;
            }
        };
        if !json_only {
            println!("{}", table::line(&row));
        }
        rows.push(row);
    }
    if let Some(path) = &arguments.json {
        let text = table::json(&rows, effort).map_err(|error| error.to_string())?;
        if json_only {
            println!("{text}");
        } else {
            fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(rows.iter().all(|row| row.verdict() != table::Verdict::Missed))
}

/// Keeps all programs on one CPU, so that it is busy all the time, as under load. Who sends to a peer that waits on another
/// CPU pays for waking it: in a virtual machine more than for the cipher, and the less the faster the cipher is.
fn share_one_cpu() -> io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu));
    let mut one = CpuSet::new();
    one.set(last.unwrap_or(0));
    Ok(sched_setaffinity(None, &one)?)
}
