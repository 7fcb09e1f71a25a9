//! `wirespeed`: what crypto this machine can do, and how fast.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    wirespeed_cli::run()
}
