//! A fleet on one machine: Debian 12 and 13 and what is laid out as Fedora and Alpine, each host with its own root,
//! OpenSSL and sshd; Ansible, Prometheus and Alertmanager as they are. A rollout, an upgrade of OpenSSL, a route that gives wrong bytes, and all taken back.
//!
//! `HOSTS` has their names, of which the first letter tells what they are. `WIRESPEED_ROOTS` names the folder of unpacked
//! systems, `WIRESPEED_PACKAGES` that of our packages, `WIRESPEED_OPENSSL` one with an older and a newer OpenSSL of Debian 12. All steps work on the same hosts, one after another, as root in
//! namespaces that end with them.

#![forbid(unsafe_code)]

mod hosts;

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Trial};

use hosts::Hosts;

/// What an administrator does and what happens, a script for each, each going on from the one before.
const STEPS: [(&str, &str); 8] = [
    ("survey", include_str!("steps/survey.sh")),
    ("check", include_str!("steps/check.sh")),
    ("rollout", include_str!("steps/rollout.sh")),
    ("dashboard", include_str!("steps/dashboard.sh")),
    ("upgrade-of-openssl", include_str!("steps/upgrade.sh")),
    ("broken-route", include_str!("steps/broken.sh")),
    ("rollback", include_str!("steps/rollback.sh")),
    (REPOSITORY, include_str!("steps/repository.sh")),
];

/// Takes a host of each package manager.
const REPOSITORY: &str = "repository";

fn more_than_debian() -> bool {
    env::var("HOSTS").is_ok_and(|hosts| hosts.split(' ').any(|it| it.starts_with('f')))
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Each goes on from the one before.
    arguments.test_threads = Some(1);
    let trials = STEPS.into_iter().map(|(name, script)| {
        Trial::ignorable_test(name, move || {
            if name == REPOSITORY && !more_than_debian() {
                return Ok(Completion::ignored_with("no host of Fedora's in HOSTS"));
            }
            Hosts::with(|hosts| hosts.run(script))?;
            Ok(Completion::Completed)
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    Hosts::leave();
    conclusion.exit_code()
}
