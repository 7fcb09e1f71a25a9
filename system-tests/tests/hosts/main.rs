//! Unmodified programs of Debian with our module: that the bytes are right, and that it was our routes
//! that made them, by the module's own counters.
//!
//! `WIRESPEED_MODULES` names the directory of `libwirespeed.so`. A test that cannot run here is ignored
//! with its reason.

mod apache;
mod curl;
mod dovecot;
mod http3;
mod loading;
mod memory;
mod nginx;
mod openssl;
mod openvpn;
mod python;
mod redis;
mod sshd;
mod terminators;
mod tunnels;
mod wrong;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_system_tests::{module, running, servers, trixie};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// Programs that any user may start.
const PROGRAMS: &[(&str, Run)] = &[
    ("openssl::enc", openssl::enc),
    ("openssl::forced-route", openssl::forced_route),
    ("openssl::cms", openssl::cms),
    ("openssl::speed", openssl::speed),
    ("openssl::tls", openssl::tls),
    ("curl::download", curl::download),
    ("python::ssl", python::tls),
    ("python::hashlib", python::hashlib),
    ("memory::of-the-module", memory::of_the_module),
    ("memory::of-the-process", memory::of_the_process),
    ("wrong::curl", wrong::curl),
    ("wrong::python", wrong::python_with),
];

/// Daemons, in namespaces.
const DAEMONS: &[(&str, Run)] = &[
    ("nginx::versions", nginx::versions),
    ("nginx::workers", nginx::workers),
    ("nginx::verified", nginx::verified),
    ("nginx::reload", nginx::reload),
    ("nginx::upgrade", nginx::upgrade),
    ("sshd::ciphers", sshd::ciphers),
    ("sshd::sandbox", sshd::sandbox),
    ("sshd::scp", sshd::scp),
    ("sshd::client", sshd::client),
    ("haproxy::download", terminators::haproxy),
    ("stunnel::download", terminators::stunnel),
    ("apache::download", apache::download),
    ("redis::value", redis::value),
    ("dovecot::message", dovecot::message),
    ("wrong::nginx", wrong::nginx),
    ("wrong::sshd", wrong::sshd),
];

/// Daemons of Debian 13.
const NEWER: &[(&str, Run)] = &[("http3::nginx", http3::nginx), ("http3::curl", http3::curl)];

/// Daemons that need tunnels.
const VPN: &[(&str, Run)] = &[("openvpn::ciphers", openvpn::ciphers)];

/// Tunnels of our own program.
const TUNNELS: &[(&str, Run)] = &[
    ("tunnels::measured", tunnels::measured),
    ("tunnels::interrupted", tunnels::interrupted),
    ("tunnels::by-force", tunnels::by_force),
];

fn main() -> ExitCode {
    if let Some(verdict) = loading::child() {
        return match verdict {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                println!("{why}");
                ExitCode::FAILURE
            }
        };
    }
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut add = |list: &[(&str, Run)], obstacle: Option<String>| match obstacle {
        Some(reason) => trials.extend(list.iter().map(|(name, _)| skipped(name, reason.clone()))),
        None => trials.extend(list.iter().map(|(name, run)| trial(name, *run))),
    };
    let no_module = module::file().is_none().then(|| "WIRESPEED_MODULES is not set".to_owned());
    add(PROGRAMS, no_module.clone());
    add(loading::TESTS, no_module.clone());
    let no_daemons = no_module.or_else(running::obstacle);
    add(loading::PRIVILEGED_TESTS, no_daemons.clone());
    add(DAEMONS, no_daemons.clone());
    add(NEWER, no_daemons.clone().or_else(trixie::obstacle));
    let no_tunnels = no_daemons.or_else(servers::openvpn::obstacle);
    add(VPN, no_tunnels.clone());
    add(TUNNELS, no_tunnels.or_else(tunnels::obstacle));
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
