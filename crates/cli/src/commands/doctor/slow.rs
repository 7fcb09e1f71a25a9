//! `wirespeed doctor --why-slow`: where the processor time of a program goes.

use wirespeed_doctor::{Output, Step, Target, ThisMachine, why_slow};
use wirespeed_results::schema::doctor::Time;

use super::{DoctorArguments, found, report};
use crate::fault::Fault;
use crate::output::table::{Side, Table};
use crate::output::{Progress, figures, say, tell};

/// Watches a program that it runs, or one that runs already.
pub(super) fn run(machine: &ThisMachine, arguments: DoctorArguments) -> Result<(), Fault> {
    let DoctorArguments { json, pid, command, .. } = arguments;
    let runs = !command.is_empty();
    let output = if json { Output::StandardError } else { Output::Ours };
    let target = match pid {
        Some(process) => Target::Process(process),
        None if runs => Target::Command { words: command, output },
        None => return Err(Fault::usage("--why-slow wants a program: --pid N, or -- CMD")),
    };
    let progress = Progress::spinner(WATCHING);
    let slow = why_slow(machine, &target, &|step| {
        progress.at(doing(step).to_owned());
        progress.tick();
    });
    progress.done();
    let (time, findings) = slow.map_err(Fault::usage)?;
    report(&found(findings, None, Some(time)), json, |text| match runs {
        true => {
            tell(&format!("\n{text}"));
            Ok(())
        }
        false => say(text),
    })
}

const WATCHING: &str = "watching where its time goes";

const fn doing(step: Step) -> &'static str {
    match step {
        Step::Watching => WATCHING,
        Step::Learning => "learning what is what inside OpenSSL, by openssl speed",
    }
}

/// The parts of a program's time that are worth a line.
pub(super) fn parts(time: &Time) -> String {
    const LEAST: f64 = 0.005;
    let mut table = Table::new(&[Side::Left, Side::Left, Side::Right]);
    table.row(["processor time of", "", "share"].map(str::to_owned).to_vec());
    for part in time.parts.iter().filter(|part| part.share >= LEAST) {
        let share = figures::percent(part.share);
        table.row(vec![part.kind.clone(), part.name.clone(), share]);
    }
    format!("{}\n", table.render())
}
