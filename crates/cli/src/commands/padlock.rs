//! `wirespeed padlock`: the PadLock units of this CPU, and what is made of them.

mod arch;
mod confirm;
mod engine;
mod units;

use std::env::consts::ARCH;

use clap::Args;
use wirespeed_bench::Host;
use wirespeed_cipher::{Route, Subject};
use wirespeed_results::schema::padlock::{Cpu, Padlock};
use wirespeed_results::schema::{Document, VERSION};

use crate::fault::Fault;
use crate::output::table::paragraph;
use crate::output::{say, write_json};
use crate::survey::state;
use units::Known;

const EXAMPLES: &str = "\
Examples:
  wirespeed padlock                           the units of this CPU, and what is made of them
  wirespeed padlock --json                    the same as JSON
  padlock-run --cpu nano wirespeed padlock    the same on an emulated VIA Nano
  wirespeed padlock --confirm                 for owners: try what no document says, write a report

The points that --confirm looks at are listed in docs/padlock.md. The report names the CPU, its
microcode and the kernel, holds no secrets, and is sent nowhere by itself.

Exit status: 0 done, also without PadLock; 1 its proof failed; 2 usage or environment.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PadLockArguments {
    /// Print JSON
    #[arg(long, conflicts_with = "confirm")]
    json: bool,
    /// Look at what only hardware can say, and write a report to send
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = confirm::FILE)]
    confirm: Option<String>,
}

pub(crate) fn run(arguments: PadLockArguments) -> Result<(), Fault> {
    let host = Host::discover();
    let document = found(&host);
    if let Some(file) = &arguments.confirm {
        return confirm::run(file, &host, &document);
    }
    match arguments.json {
        true => write_json("-", &document)?,
        false => say(&text(&document))?,
    }
    let failed = document.route.quarantined.iter().map(|why| format!("padlock: {why}"));
    Fault::unless_proved(&failed.collect::<Vec<_>>())
}

fn found(host: &Host) -> Padlock {
    let (known, units) = arch::here();
    let cpu = &host.machine.cpu;
    let found = host.find(Route::PadLock);
    let serves =
        |subject: &Subject| found.presence.is_ok() && host.harness.knows(found.candidate, *subject);
    Padlock {
        schema: Padlock::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        cpu: Cpu {
            vendor: known.map(|it| it.vendor.to_owned()).or_else(|| cpu.vendor.clone()),
            brand: cpu.brand.clone(),
            name: known.map(|it| it.name.to_owned()),
            signature: known.map(|it| it.signature),
        },
        summary: units::summary(&units),
        openssl: engine::engine(
            host.harness.library().ok(),
            units::has(&units, "ace"),
            known.is_some_and(Known::is_zhaoxin),
        ),
        route: state(host, &found),
        algorithms: Subject::ours().filter(serves).map(|it| it.name().to_owned()).collect(),
        units,
    }
}

fn text(found: &Padlock) -> String {
    let mut text = entry("CPU", &said_of(&found.cpu));
    text.push('\n');
    if found.cpu.signature.is_some() {
        text.push_str(&units::table(&found.units));
        text.push('\n');
    }
    text.push_str(&entry("PadLock", &found.summary));
    text.push_str(&entry("OpenSSL", &engine::words(&found.openssl)));
    text.push_str(&entry("Wirespeed", &served(found)));
    if found.cpu.signature.is_none() && has_emulator(ARCH) {
        text.push_str(&entry("", "On an emulated one: padlock-run --cpu nano wirespeed padlock"));
    }
    text
}

/// Whether padlock-run, which emulates a CPU with PadLock, runs on this architecture.
pub(crate) fn has_emulator(architecture: &str) -> bool {
    architecture == "x86_64"
}

fn served(found: &Padlock) -> String {
    match (&found.route.reason, &found.route.quarantined, &found.route.proof) {
        (Some(why), ..) => format!("route padlock is absent: {why}"),
        (_, Some(why), _) => format!("route padlock is quarantined and never used: {why}"),
        (.., proof) => {
            let checks = proof.map_or(0, |proof| proof.checks + proof.against_host);
            let served = families(&found.algorithms).join(" ");
            format!("route padlock, proved by {checks} known answers and comparisons: {served}")
        }
    }
}

/// What is served, once for all key sizes: "AES-CBC".
fn families(algorithms: &[String]) -> Vec<String> {
    let family = |name: &String| match name.strip_prefix("AES-").and_then(|it| it.split_once('-')) {
        Some((_, mode)) => format!("AES-{mode}"),
        None => name.clone(),
    };
    let mut families: Vec<String> = algorithms.iter().map(family).collect();
    families.dedup();
    families
}

fn said_of(cpu: &Cpu) -> String {
    let vendor = cpu.vendor.as_deref().unwrap_or("unknown");
    match (&cpu.name, cpu.signature) {
        (Some(name), Some([family, model, stepping])) => {
            format!("{name}: {vendor}, family {family}, model {model}, stepping {stepping}")
        }
        _ => {
            let brand = cpu.brand.as_deref().unwrap_or("of unknown name");
            format!("{vendor}, {brand}: only VIA and Zhaoxin build PadLock")
        }
    }
}

/// A heading and what belongs to it, in a column.
fn entry(heading: &str, text: &str) -> String {
    const INDENT: usize = 11;
    format!("{heading:<INDENT$}{}", paragraph(text, INDENT, INDENT))
}
