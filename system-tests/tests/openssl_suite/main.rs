//! OpenSSL's own tests, unmodified, with our module in the configurations that they read.
//!
//! `WIRESPEED_SUITE` names a source tree of OpenSSL that was built with its tests, and `WIRESPEED_MODULES` the folder of
//! `libwirespeed.so`. `WIRESPEED_RELABELLED` names a copy of the tree's libcrypto that tells an older version.
//! `WIRESPEED_SCHEDULE=reduced` leaves out what only `cargo xtask test --thorough` runs.

mod expected;
mod recipe;
mod setup;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_conformance::here;

use crate::recipe::Recipe;
use crate::setup::Setup;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let Some(tree) = env::var_os("WIRESPEED_SUITE").map(PathBuf::from) else {
        let reason = "WIRESPEED_SUITE names no OpenSSL built with its tests";
        return libtest_mimic::run(&arguments, vec![skipped("openssl_suite", reason)]).exit_code();
    };
    let made = recipe::all(&tree).and_then(|recipes| {
        let setups = setup::all(&tree, &recipe::version(&tree)?)?;
        Ok((recipes, setups))
    });
    let (recipes, setups) = match made {
        Ok(made) => made,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for setup in setups {
        for recipe in &recipes {
            let chosen = recipe.is_quick() || !(here::reduced() || setup.is_forced());
            if chosen {
                trials.push(trial(&setup, recipe));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// One recipe in one set-up.
fn trial(setup: &Setup, recipe: &Recipe) -> Trial {
    let (setup, recipe) = (setup.clone(), recipe.clone());
    let name = format!("{}::{}", setup.name(), recipe.name());
    Trial::ignorable_test(name, move || {
        let outcome = recipe.run(&setup).map_err(Failed::from)?;
        Ok(outcome.map_or(Completion::Completed, Completion::ignored_with))
    })
}

/// A test that cannot run here.
fn skipped(name: &str, reason: &'static str) -> Trial {
    Trial::ignorable_test(name, move || Ok(Completion::ignored_with(reason)))
}
