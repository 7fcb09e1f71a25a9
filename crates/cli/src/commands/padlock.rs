//! `wirespeed padlock`: the PadLock units of this CPU, and what is made of them.

mod arch;
mod confirm;
mod engine;
mod units;

use clap::Args;
use serde::Serialize;
use wirespeed_cipher::{Route, Subject};

use crate::fault::Fault;
use crate::host::Host;
use crate::output::table::wrap;
use crate::output::{WIDTH, write_json, write_text};
use crate::survey::RouteState;
use engine::Engine;
use units::{Known, Units};

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

/// What there is: `wirespeed.padlock/1`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    version: &'static str,
    cpu: Cpu,
    units: Units,
    /// "RNG, ACE" and the like: the article's words.
    summary: String,
    openssl: Engine,
    route: RouteState,
    /// What the route serves.
    algorithms: Vec<&'static str>,
}

#[derive(Serialize)]
struct Cpu {
    /// "CentaurHauls" and the like.
    vendor: Option<String>,
    /// Its marketing name.
    brand: Option<String>,
    /// What people call it, for VIA's and Zhaoxin's CPUs.
    name: Option<&'static str>,
    /// Family, model and stepping, for VIA's and Zhaoxin's CPUs.
    signature: Option<[u32; 3]>,
}

pub(crate) fn run(arguments: PadLockArguments) -> Result<(), Fault> {
    let host = Host::discover();
    let document = Document::of(&host);
    if let Some(file) = &arguments.confirm {
        return confirm::run(file, &host, &document);
    }
    match arguments.json {
        true => write_json("-", &document)?,
        false => write_text("-", &document.text())?,
    }
    match &document.route.quarantined {
        Some(why) => {
            Err(Fault::NotSo(format!("quarantined, for its proof failed: padlock: {why}")))
        }
        None => Ok(()),
    }
}

impl Document {
    fn of(host: &Host) -> Self {
        let (known, units) = arch::here();
        let cpu = &host.machine.cpu;
        let found = host.find(Route::PadLock);
        let serves = |subject: &Subject| {
            found.presence.is_ok() && host.harness.knows(found.candidate, *subject)
        };
        Self {
            schema: "wirespeed.padlock/1",
            version: env!("CARGO_PKG_VERSION"),
            cpu: Cpu {
                vendor: known.map(|it| it.vendor.to_owned()).or_else(|| cpu.vendor.clone()),
                brand: cpu.brand.clone(),
                name: known.map(|it| it.name),
                signature: known.map(|it| it.signature),
            },
            summary: units.summary(),
            openssl: Engine::of(
                host.harness.library().ok(),
                units.has("ace"),
                known.is_some_and(Known::is_zhaoxin),
            ),
            route: RouteState::of(host, &found),
            algorithms: Subject::ours().filter(serves).map(Subject::name).collect(),
            units,
        }
    }

    fn text(&self) -> String {
        let mut text = entry("CPU", &self.cpu.text());
        text.push('\n');
        if self.cpu.signature.is_some() {
            text.push_str(&self.units.table());
            text.push('\n');
        }
        text.push_str(&entry("PadLock", &self.summary));
        text.push_str(&entry("OpenSSL", &self.openssl.words()));
        text.push_str(&entry("Wirespeed", &self.served()));
        if self.cpu.signature.is_none() {
            text.push_str(&entry(
                "",
                "On an emulated one: padlock-run --cpu nano wirespeed padlock",
            ));
        }
        text
    }

    fn served(&self) -> String {
        match (&self.route.reason, &self.route.quarantined, &self.route.proof) {
            (Some(why), ..) => format!("route padlock is absent: {why}"),
            (_, Some(why), _) => format!("route padlock is quarantined and never used: {why}"),
            (.., proof) => {
                let checks = proof.map_or(0, |proof| proof.checks + proof.against_host);
                let served = self.families().join(" ");
                format!("route padlock, proved by {checks} known answers and comparisons: {served}")
            }
        }
    }

    /// What is served, once for all key sizes: "AES-CBC".
    fn families(&self) -> Vec<String> {
        let family = |name: &&str| match name.strip_prefix("AES-").and_then(|it| it.split_once('-'))
        {
            Some((_, mode)) => format!("AES-{mode}"),
            None => (*name).to_owned(),
        };
        let mut families: Vec<String> = self.algorithms.iter().map(family).collect();
        families.dedup();
        families
    }
}

impl Cpu {
    fn text(&self) -> String {
        let vendor = self.vendor.as_deref().unwrap_or("unknown");
        match (self.name, self.signature) {
            (Some(name), Some([family, model, stepping])) => {
                format!("{name}: {vendor}, family {family}, model {model}, stepping {stepping}")
            }
            _ => {
                let brand = self.brand.as_deref().unwrap_or("of unknown name");
                format!("{vendor}, {brand}: only VIA and Zhaoxin build PadLock")
            }
        }
    }
}

/// A heading and what belongs to it, in a column.
fn entry(heading: &str, text: &str) -> String {
    const INDENT: usize = 11;
    let words: Vec<&str> = text.split(' ').collect();
    let lines = wrap(&words, " ", WIDTH - INDENT, 0).replace('\n', &format!("\n{:INDENT$}", ""));
    format!("{heading:<INDENT$}{lines}\n")
}
