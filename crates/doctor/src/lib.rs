//! What keeps programs from the module: every known way to get it wrong, checked, each with its mend.
//!
//! [`examine`] looks at a machine. [`watch`](fn@watch) runs a program and tells what it used. [`services`](fn@services) tells
//! who encrypts for each program that listens. All give the types of `wirespeed_results`, which is what `wirespeed doctor`
//! prints.
#![forbid(unsafe_code)]

mod configuration;
mod containers;
mod counters;
mod engines;
mod examined;
#[cfg(test)]
mod fake;
mod finding;
mod fips;
mod host_faults;
mod kernel;
mod keys;
mod machine;
mod metrics;
mod module;
mod permissions;
mod plan;
mod probes;
mod programs;
mod providers;
mod reading;
mod services;
mod serving;
mod slow;
mod surroundings;
mod tables;
mod trial;
mod users;
mod watch;
mod without_aes;

use std::ffi::OsString;
use std::path::PathBuf;

use wirespeed_cpu::{Features, MASK};
use wirespeed_machine::HiddenAes;
pub use wirespeed_profile::{Output, Step, Target};
use wirespeed_results::exposition::Exposition;
use wirespeed_results::schema::doctor::{self, Time, Watched};
use wirespeed_results::schema::services::Services;

pub use counters::{counted, volume};
use examined::Examined;
use finding::Finding;
pub use plan::try_plan;
pub use reading::{READING, Request};
pub use slow::{Gain, gain};
pub use surroundings::ThisMachine;

/// A question to the machine.
struct Check {
    name: &'static str,
    examine: fn(&Examined<'_>) -> Vec<Finding>,
}

/// Every check, in the order in which things go wrong.
const CHECKS: &[Check] = &[
    Check { name: "configuration", examine: configuration::file },
    Check { name: "installed", examine: configuration::installed },
    Check { name: "keys", examine: keys::keys },
    Check { name: "module", examine: module::module },
    Check { name: "default", examine: providers::default },
    Check { name: "preference", examine: providers::preference },
    Check { name: "plan", examine: plan::plan },
    Check { name: "proof", examine: plan::proof },
    Check { name: "FIPS", examine: fips::fips },
    Check { name: "AES", examine: without_aes::aes },
    Check { name: "features", examine: features },
    Check { name: "constant time", examine: tables::tables },
    Check { name: "engines", examine: engines::engines },
    Check { name: "permissions", examine: permissions::permissions },
    Check { name: "users", examine: users::users },
    Check { name: "services", examine: services::overrides },
    Check { name: "processes", examine: services::running },
    Check { name: "containers", examine: containers::containers },
    Check { name: "own OpenSSL", examine: programs::inside },
    Check { name: "kernel", examine: kernel::af_alg },
    Check { name: "in Linux", examine: serving::findings },
    Check { name: "machine", examine: machine::machine },
    Check { name: "host OpenSSL", examine: host_faults::faults },
    Check { name: "openssl speed", examine: speed },
];

/// What another machine's files answer.
const OF_FILES: [&str; 2] = ["AES", "kernel"];

/// What every check finds on this machine.
pub fn examine(machine: &ThisMachine) -> Vec<doctor::Finding> {
    let answered = |check: &&Check| machine.is_here() || OF_FILES.contains(&check.name);
    findings(&Examined::new(machine), CHECKS.iter().filter(answered))
}

/// The same, and as metrics.
pub fn examine_for_metrics(machine: &ThisMachine) -> (Vec<doctor::Finding>, Exposition) {
    let examined = Examined::new(machine);
    let findings = findings(&examined, CHECKS.iter());
    let metrics = metrics::metrics(&examined, &metrics::Seen::on(machine, &examined), &findings);
    (findings, metrics)
}

fn findings<'c>(
    examined: &Examined<'_>,
    checks: impl Iterator<Item = &'c Check>,
) -> Vec<doctor::Finding> {
    let of_check = |check: &Check| {
        let findings = (check.examine)(examined).into_iter();
        findings.map(|finding| finding.of_check(check.name)).collect::<Vec<_>>()
    };
    checks.flat_map(of_check).collect()
}

/// Who encrypts for each program that listens, and what Linux encrypts itself.
pub fn services(machine: &ThisMachine) -> Services {
    serving::services(&Examined::new(machine))
}

/// Runs a program, and tells what it did and what to mend. With `quiet`, what it prints goes to standard error.
///
/// # Errors
/// If the program cannot be run with our module, and why.
pub fn watch(
    machine: &ThisMachine,
    words: &[OsString],
    quiet: bool,
) -> Result<(Watched, Vec<doctor::Finding>), String> {
    let (watched, findings) = watch::watch(machine, &Examined::new(machine), words, quiet)?;
    let findings = findings.into_iter().map(|finding| finding.of_check("program"));
    Ok((watched, findings.collect()))
}

/// Watches where a program's processor time goes, and tells what limits it. `progress` is called now and then.
///
/// # Errors
/// If the program cannot be watched, and why.
pub fn why_slow(
    machine: &ThisMachine,
    target: &Target,
    progress: &(impl Fn(Step) + Sync),
) -> Result<(Time, Vec<doctor::Finding>), String> {
    let (time, findings) = slow::slow(machine.host(), target, progress)?;
    let findings = findings.into_iter().map(|finding| finding.of_check("time"));
    Ok((time, findings.collect()))
}

/// The file or folder that Wirespeed counts in, as the configuration of this machine says.
pub fn place_of_counters(machine: &ThisMachine) -> Option<PathBuf> {
    counters::place(&Examined::new(machine))
}

/// What the environment variable [`MASK`] hides of this CPU, in one sentence.
pub fn hidden_features() -> Option<String> {
    let hidden = Features::hidden_by_openssl();
    (hidden != Features::NONE).then(|| {
        format!(
            "{MASK} hides features of this CPU: {hidden}. OpenSSL does without them, and so do \
             our routes, in every program that has this variable; what a plan gives to a route that \
             needs them, another serves"
        )
    })
}

/// What a hypervisor hides of the processor, and the setting that shows it, in two sentences.
pub fn hidden_aes() -> Option<String> {
    let HiddenAes { hypervisor, brand, is_made_up, is_multiplication } =
        wirespeed_machine::hidden_aes()?;
    let what = if is_multiplication {
        format!("{hypervisor} hides PCLMULQDQ, which every processor with AES has")
    } else if is_made_up {
        format!("the CPU model of this guest, \"{brand}\", hides what the processor has")
    } else {
        format!("{hypervisor} hides the instructions for AES, which every {brand} has")
    };
    let how = match hypervisor.as_str() {
        "VMware" => "a higher EVC mode of the cluster, or none",
        "Hyper-V" => "the processor compatibility of the guest, off",
        "Xen" => "no lesser CPU in the pool, or the guest's cpuid setting",
        _ => {
            "libvirt <cpu mode='host-passthrough'/> or 'host-model'; Proxmox cpu: host; QEMU -cpu host"
        }
    };
    let gain = match is_multiplication {
        true => "AES in GCM is several times as fast with it; to show it",
        false => "AES is several times as fast with them; to show them",
    };
    Some(format!("{what}. {gain}: {how}"))
}

/// Features that somebody hides.
fn features(_: &Examined<'_>) -> Vec<Finding> {
    hidden_features().into_iter().chain(hidden_aes()).map(Finding::note).collect()
}

/// What `openssl speed` is told matters, and where.
fn speed(_: &Examined<'_>) -> Vec<Finding> {
    vec![Finding::note(
        "to compare: openssl speed -elapsed -propquery '?provider=wirespeed' -evp aes-128-gcm; \
         -propquery after -evp is ignored, and without -elapsed only the program's own CPU time counts",
    )]
}
