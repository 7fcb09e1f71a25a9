//! `wirespeed doctor`: what is to be mended, in words or as JSON.

mod services;
mod slow;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use wirespeed_doctor::{ThisMachine, examine, examine_for_metrics, watch};
use wirespeed_results::schema::doctor::{self, Doctor, State, Time, Watched};
use wirespeed_results::schema::{Document, VERSION};

use crate::arguments::MachineFiles;
use crate::counted;
use crate::fault::Fault;
use crate::output::table::paragraph;
use crate::output::{Progress, check_writable, header, say, tell, write_json, write_metrics};

const EXAMPLES: &str = "\
Examples:
  wirespeed doctor                            everything that can be wrong on this machine
  wirespeed doctor --json                     the same as JSON
  sudo wirespeed doctor --services            who encrypts for each program that listens
  sudo wirespeed doctor --prometheus /var/lib/prometheus/node-exporter/wirespeed.prom
  wirespeed doctor -- curl -so x https://…    run this, and tell which routes it used, or why none
  sudo wirespeed doctor -- nginx -g 'daemon off;'    until Ctrl-C
  wirespeed doctor --why-slow -- openssl enc …       where its time goes, and what would shorten it
  sudo wirespeed doctor --why-slow --pid \"$(cat /run/nginx.pid)\"      the same of a running service

What CMD prints goes where it always goes, the report to standard error; with --json the report goes
to standard output and what CMD prints to standard error.

Exit status: 0 nothing to mend; 1 something to mend; 2 usage or environment.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Where does its processor time go? Of CMD, or of a process, for ten seconds
    #[arg(long)]
    why_slow: bool,
    /// A process to watch, and its children
    #[arg(long, value_name = "N", requires = "why_slow", conflicts_with = "command")]
    pid: Option<u32>,
    /// Every program that listens: which library, program or part of Linux encrypts for it, and what else to do
    #[arg(long, conflicts_with_all = ["command", "why_slow"])]
    services: bool,
    /// Write what was found and counted for node_exporter's textfile collector, in one piece; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "why_slow", "services"])]
    prometheus: Option<String>,
    #[command(flatten)]
    files: MachineFiles,
    /// A program to run and watch: does it really use Wirespeed?
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// How this program asks for another user, whom it starts itself as.
#[derive(Args)]
pub(crate) struct ReadingArguments {
    /// The configuration
    file: PathBuf,
    /// Our provider's name in it
    provider: String,
    /// Its module
    module: PathBuf,
}

pub(crate) fn run(arguments: DoctorArguments) -> Result<(), Fault> {
    if arguments.json && arguments.prometheus.as_deref() == Some("-") {
        return Err(Fault::usage(
            "--json and --prometheus - both want standard output: name a file for --prometheus",
        ));
    }
    check_writable(arguments.prometheus.as_deref())?;
    if let Some(folder) = arguments.files.folder()? {
        let machine = ThisMachine::of_files(folder);
        let head = format!("{}\n\n", header(&machine.host().machine));
        let found = found(examine(&machine), None, None);
        return report(&found, arguments.json, |text| say(&(head + text)));
    }
    let machine = ThisMachine::discover();
    if arguments.why_slow {
        return slow::run(&machine, arguments);
    }
    if arguments.services {
        let found = wirespeed_doctor::services(&machine);
        return match arguments.json {
            true => write_json("-", &found),
            false => {
                say(&format!("{}\n\n{}", header(&machine.host().machine), services::text(&found)))
            }
        };
    }
    if arguments.command.is_empty() {
        let target = arguments.prometheus.as_deref();
        let progress = Progress::spinner("looking at this machine");
        let (findings, metrics) = match target {
            None => (examine(&machine), None),
            Some(target) => {
                let (findings, metrics) = examine_for_metrics(&machine);
                (findings, Some((target, metrics)))
            }
        };
        progress.done();
        if let Some((target, metrics)) = metrics {
            write_metrics(target, metrics.text())?;
        }
        let found = found(findings, None, None);
        if target == Some("-") {
            return verdict(&found);
        }
        let head = format!("{}\n\n", header(&machine.host().machine));
        return report(&found, arguments.json, |text| say(&(head + text)));
    }
    let watched = watch(&machine, &arguments.command, arguments.json);
    let (watched, findings) = watched.map_err(Fault::usage)?;
    report(&found(findings, Some(watched), None), arguments.json, |text| {
        // Standard output is the program's.
        tell(&format!("\n{text}"));
        Ok(())
    })
}

/// Tells the process that asks what this user gets.
pub(crate) fn read(arguments: ReadingArguments) -> Result<(), Fault> {
    let ReadingArguments { file, provider, module } = arguments;
    let request = wirespeed_doctor::Request { file, provider, module };
    let text = request.answer().map_err(Fault::usage)?;
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn found(findings: Vec<doctor::Finding>, command: Option<Watched>, time: Option<Time>) -> Doctor {
    Doctor {
        schema: Doctor::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        faults: findings.iter().filter(|found| found.state == State::Mend).count(),
        findings,
        command,
        time,
    }
}

/// Writes it, and gives the verdict.
fn report(
    found: &Doctor,
    json: bool,
    print: impl FnOnce(&str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match json {
        true => write_json("-", found)?,
        false => print(&text(found))?,
    }
    verdict(found)
}

/// The exit status as an error where there are faults.
fn verdict(found: &Doctor) -> Result<(), Fault> {
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
    text.push_str(&found.time.as_ref().map(slow::parts).unwrap_or_default());
    let mut last = "";
    for finding in &found.findings {
        let name = if finding.check == last { "" } else { &finding.check };
        text.push_str(&print(finding, name));
        last = &finding.check;
    }
    if found.faults == 0 && found.time.is_none() {
        text.push_str("\nNothing to mend.\n");
    }
    text
}

/// A finding below the name of its check, which may have been told.
fn print(found: &doctor::Finding, check: &str) -> String {
    const NAME: usize = 15;
    const INDENT: usize = NAME + 6;
    let mut text = format!("{check:<NAME$}{:<6}", found.state.word());
    text.push_str(&paragraph(&found.text, INDENT, INDENT));
    if let Some(mend) = &found.mend {
        let mend = paragraph(&format!("-> {mend}"), INDENT, INDENT);
        text.push_str(&format!("{:INDENT$}{mend}", ""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::WIDTH;

    fn finding(state: State, text: &str, mend: Option<&str>) -> doctor::Finding {
        let (text, mend) = (text.to_owned(), mend.map(str::to_owned));
        doctor::Finding { check: "keys".to_owned(), state, text, mend }
    }

    #[test]
    fn a_finding_is_a_line_and_its_mend_another() {
        let fine = print(&finding(State::Fine, "all is well", None), "module");
        assert_eq!(fine, "module         fine  all is well\n");
        let text = print(&finding(State::Mend, &"x ".repeat(45), Some("do y")), "keys");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("keys           MEND  x x"));
        assert!(lines[1].starts_with("                     x"));
        assert_eq!(lines[2], "                     -> do y");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }
}
