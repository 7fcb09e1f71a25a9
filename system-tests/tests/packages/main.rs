//! The packages for Debian, in a root of their own: installed, put to work, upgraded, removed, purged.
//!
//! `WIRESPEED_PACKAGES` names the folder of the packages, `WIRESPEED_ROOT` a folder with a system that has
//! OpenSSL, python3, nginx, sshd and curl. All steps work on one copy of it, one after another. They run as
//! root in namespaces that end with them.

#![forbid(unsafe_code)]

mod root;
mod steps;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};

use root::Root;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Each goes on from the one before.
    arguments.test_threads = Some(1);
    let trials = steps::STEPS.iter().map(|step| {
        Trial::ignorable_test(step.name, move || {
            let root = Root::shared()?;
            match step.boots {
                true => Ok(root
                    .boot(step.script)?
                    .map_or(Completion::Completed, Completion::ignored_with)),
                false => Ok(root.run(step.script).map(|()| Completion::Completed)?),
            }
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    Root::leave();
    conclusion.exit_code()
}
