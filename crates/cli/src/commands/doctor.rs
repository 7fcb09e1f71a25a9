//! `wirespeed doctor`: every known way to get this wrong, checked; one line each, with the mend.

mod binary;
mod configuration;
mod engines;
mod examined;
#[cfg(test)]
mod fake;
mod finding;
mod host_faults;
mod kernel;
mod keys;
mod module;
mod permissions;
mod plan;
mod probes;
mod programs;
mod providers;
mod reading;
mod services;
mod surroundings;
mod trial;
mod users;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use wirespeed_results::schema::doctor::{self, Doctor, State, Watched};
use wirespeed_results::schema::{Document, VERSION};

use crate::counted;
use crate::fault::Fault;
use crate::host::hidden_features;
use crate::output::{header, write_json, write_text};
use examined::Examined;
use finding::Finding;
pub(crate) use reading::{READING, ReadingArguments, read};
use surroundings::ThisMachine;

const EXAMPLES: &str = "\
Examples:
  wirespeed doctor                            everything that can be wrong on this machine
  wirespeed doctor --json                     the same as JSON
  wirespeed doctor -- curl -so x https://…    run this, and tell which routes it used, or why none
  sudo wirespeed doctor -- nginx -g 'daemon off;'    until Ctrl-C

What CMD prints goes where it always goes, the report to standard error; with --json the report goes
to standard output and what CMD prints to standard error.

Exit status: 0 nothing to mend; 1 something to mend; 2 usage or environment.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A program to run and watch: does it really use Wirespeed?
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

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
    Check { name: "features", examine: features },
    Check { name: "engines", examine: engines::engines },
    Check { name: "permissions", examine: permissions::permissions },
    Check { name: "users", examine: users::users },
    Check { name: "services", examine: services::overrides },
    Check { name: "processes", examine: services::running },
    Check { name: "own OpenSSL", examine: programs::inside },
    Check { name: "kernel", examine: kernel::af_alg },
    Check { name: "host OpenSSL", examine: host_faults::faults },
    Check { name: "openssl speed", examine: speed },
];

pub(crate) fn run(arguments: DoctorArguments) -> Result<(), Fault> {
    let machine = ThisMachine::discover();
    let examined = Examined::new(&machine);
    if arguments.command.is_empty() {
        let findings = CHECKS.iter().flat_map(|check| examine(check, &examined)).collect();
        let found = found(findings, None);
        let head = format!("{}\n\n", header(&machine.host().machine));
        return report(&found, arguments.json, |text| write_text("-", &(head + text)));
    }
    let (watched, findings) =
        watch::watch(&machine, &examined, &arguments.command, arguments.json)?;
    let findings = findings.into_iter().map(|finding| finding.of_check("program"));
    let found = found(findings.collect(), Some(watched));
    report(&found, arguments.json, |text| {
        // Standard output is the program's.
        eprint!("\n{text}");
        Ok(())
    })
}

fn found(findings: Vec<doctor::Finding>, command: Option<Watched>) -> Doctor {
    Doctor {
        schema: Doctor::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        faults: findings.iter().filter(|found| found.state == State::Mend).count(),
        findings,
        command,
    }
}

/// Writes it, and gives the exit status as an error where there are faults.
fn report(
    found: &Doctor,
    json: bool,
    print: impl FnOnce(&str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match json {
        true => write_json("-", found)?,
        false => print(&text(found))?,
    }
    match found.faults {
        0 => Ok(()),
        1 => Err(Fault::NotSo("one thing to mend".to_owned())),
        faults => Err(Fault::NotSo(format!("{faults} things to mend"))),
    }
}

fn text(found: &Doctor) -> String {
    let rows = found.command.as_ref().map_or(&[][..], |command| &command.rows);
    let mut text = match rows {
        [] => String::new(),
        rows => format!("{}\n", counted::table(rows)),
    };
    let mut last = "";
    for finding in &found.findings {
        let name = if finding.check == last { "" } else { &finding.check };
        text.push_str(&finding::print(finding, name));
        last = &finding.check;
    }
    if found.faults == 0 {
        text.push_str("\nNothing to mend.\n");
    }
    text
}

/// The file or folder that Wirespeed counts in, as the configuration of this machine says.
pub(crate) fn place_of_counters() -> Option<PathBuf> {
    let machine = ThisMachine::discover();
    let examined = Examined::new(&machine);
    let installed = examined.installed()?;
    Some(PathBuf::from(installed.provider.entry("stats")?.value.to_str().into_owned()))
}

fn examine(check: &Check, examined: &Examined<'_>) -> Vec<doctor::Finding> {
    let findings = (check.examine)(examined);
    findings.into_iter().map(|finding| finding.of_check(check.name)).collect()
}

/// Features that somebody hides.
fn features(_: &Examined<'_>) -> Vec<Finding> {
    hidden_features().into_iter().map(Finding::note).collect()
}

/// What `openssl speed` is told matters, and where.
fn speed(_: &Examined<'_>) -> Vec<Finding> {
    vec![Finding::note(
        "to compare: openssl speed -elapsed -propquery '?provider=wirespeed' -evp aes-128-gcm; \
         -propquery after -evp is ignored, and without -elapsed only the program's own CPU time counts",
    )]
}
