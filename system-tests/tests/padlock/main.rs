//! Software that nobody here wrote, on an emulated PadLock: that its bytes are right, and that PadLock made
//! them, by the counts of `padlock-run --stats`.
//!
//! `WIRESPEED_MODULES` names the directory of `libwirespeed.so`, `padlock-run` and its library;
//! `WIRESPEED_OPENSSL_SOURCE` a source tree of OpenSSL. A test that cannot run here is ignored with its reason.

mod calls;
mod each;
mod emulation;
mod gcrypt;
mod gnutls;
mod narrow;
mod openssl;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_system_tests::module;

/// What a test does.
type Run = fn() -> Result<(), String>;

const TESTS: &[(&str, Run)] = &[
    ("openssl::engine", openssl::engine),
    ("openssl::enc", openssl::enc),
    ("openssl::sizes", openssl::sizes),
    ("gnutls::detects", gnutls::detects),
    ("gnutls::benchmark", gnutls::benchmark),
    ("gnutls::tls", gnutls::tls),
    ("gcrypt::gpg", gcrypt::gpg),
    ("narrow::article", narrow::article),
    ("each::decrypts-the-others", each::decrypts_the_others),
    ("calls::per-call", calls::per_call),
];

/// What needs OpenSSL's sources.
const SOURCE_TESTS: &[(&str, Run)] = &[("narrow::montgomery", narrow::montgomery)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut add = |list: &[(&str, Run)], obstacle: Option<String>| match obstacle {
        Some(reason) => trials.extend(list.iter().map(|(name, _)| skipped(name, reason.clone()))),
        None => trials.extend(list.iter().map(|(name, run)| trial(name, *run))),
    };
    let nothing_built = module::file().is_none().then(|| "WIRESPEED_MODULES is not set".to_owned());
    add(TESTS, nothing_built.clone());
    add(SOURCE_TESTS, nothing_built.or_else(narrow::montgomery_obstacle));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test by that name.
fn trial(name: &str, run: Run) -> Trial {
    Trial::test(name, move || run().map_err(Failed::from))
}

/// A test that cannot run here.
fn skipped(name: &str, reason: String) -> Trial {
    Trial::ignorable_test(name, move || Ok(Completion::ignored_with(reason)))
}
