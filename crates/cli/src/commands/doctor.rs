//! `wirespeed doctor`: every known way to get this wrong, checked; one line each, with the mend.

mod binary;
mod configuration;
mod engines;
mod examined;
#[cfg(test)]
mod fake;
mod finding;
mod kernel;
mod keys;
mod module;
mod permissions;
mod plan;
mod programs;
mod providers;
mod services;
mod surroundings;
mod trial;

use clap::Args;
use serde::Serialize;

use crate::fault::Fault;
use crate::output::{header, write_json, write_text};
use examined::Examined;
use finding::Finding;
use surroundings::ThisMachine;

const EXAMPLES: &str = "\
Examples:
  wirespeed doctor                            everything that can be wrong on this machine
  wirespeed doctor --json                     the same as JSON

Exit status: 0 nothing to mend; 1 something to mend; 2 usage or environment.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A question to the machine.
struct Check {
    name: &'static str,
    examine: fn(&Examined<'_>) -> Vec<Finding>,
}

/// Every check, in the order in which things go wrong.
const CHECKS: [Check; 15] = [
    Check { name: "configuration", examine: configuration::file },
    Check { name: "installed", examine: configuration::installed },
    Check { name: "keys", examine: keys::keys },
    Check { name: "module", examine: module::module },
    Check { name: "default", examine: providers::default },
    Check { name: "preference", examine: providers::preference },
    Check { name: "plan", examine: plan::plan },
    Check { name: "proof", examine: plan::proof },
    Check { name: "engines", examine: engines::engines },
    Check { name: "permissions", examine: permissions::permissions },
    Check { name: "services", examine: services::overrides },
    Check { name: "processes", examine: services::running },
    Check { name: "own OpenSSL", examine: programs::inside },
    Check { name: "kernel", examine: kernel::af_alg },
    Check { name: "openssl speed", examine: speed },
];

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    version: &'static str,
    faults: usize,
    findings: Vec<Found>,
}

/// A finding and the check that found it.
#[derive(Serialize)]
struct Found {
    check: &'static str,
    #[serde(flatten)]
    finding: Finding,
}

pub(crate) fn run(arguments: DoctorArguments) -> Result<(), Fault> {
    let machine = ThisMachine::discover();
    let examined = Examined::new(&machine);
    let findings: Vec<Found> = CHECKS.iter().flat_map(|check| examine(check, &examined)).collect();
    let faults = findings.iter().filter(|found| found.finding.is_fault()).count();
    let document = Document {
        schema: "wirespeed.doctor/1",
        version: env!("CARGO_PKG_VERSION"),
        faults,
        findings,
    };
    if arguments.json {
        write_json("-", &document)?;
    } else {
        write_text("-", &format!("{}\n\n", header(&machine.host().machine)))?;
        write_text("-", &text(&document))?;
    }
    match faults {
        0 => Ok(()),
        1 => Err(Fault::NotSo("one thing to mend".to_owned())),
        faults => Err(Fault::NotSo(format!("{faults} things to mend"))),
    }
}

fn examine(check: &Check, examined: &Examined<'_>) -> Vec<Found> {
    let findings = (check.examine)(examined);
    findings.into_iter().map(|finding| Found { check: check.name, finding }).collect()
}

fn text(document: &Document) -> String {
    let mut text = String::new();
    let mut last = "";
    for found in &document.findings {
        text.push_str(&found.finding.print(if found.check == last { "" } else { found.check }));
        last = found.check;
    }
    if document.faults == 0 {
        text.push_str("\nNothing to mend.\n");
    }
    text
}

/// What `openssl speed` is told matters, and where.
fn speed(_: &Examined<'_>) -> Vec<Finding> {
    vec![Finding::note(
        "to compare: openssl speed -elapsed -propquery '?provider=wirespeed' -evp aes-128-gcm; \
         -propquery after -evp is ignored, and without -elapsed only the program's own CPU time counts",
    )]
}
