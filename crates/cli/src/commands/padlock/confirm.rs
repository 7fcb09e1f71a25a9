//! `wirespeed padlock --confirm`: what only hardware can say, as a report for whoever has none.

use std::env::consts::ARCH;
use std::path::Path;

use wirespeed_bench::Host;
use wirespeed_cpu::Feature;
use wirespeed_machine::Machine;
use wirespeed_results::schema::padlock::{Cpu, Padlock, PadlockReport, Point};
use wirespeed_results::schema::{Document, VERSION};

use super::{arch, has_emulator, said_of, units};
use crate::fault::Fault;
use crate::output::table::{Side, Table};
use crate::output::{say, tell, write_text};

/// Where the report goes by default.
pub(super) const FILE: &str = "padlock-report.txt";

/// Runs every check, and writes the report.
pub(super) fn run(file: &str, host: &Host, document: &Padlock) -> Result<(), Fault> {
    let features = host.harness.features();
    if ![Feature::Ace, Feature::Phe, Feature::Rng].into_iter().any(|unit| features.has(unit)) {
        return Err(Fault::usage(absent(ARCH)));
    }
    // Silence for so long would look like a hang, which a real CPU might answer some of this with.
    tell("Trying what no document says, each in a process of its own: some seconds\n");
    let machine = &host.machine;
    let report = PadlockReport {
        schema: PadlockReport::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        machine: machine.clone(),
        cpu: document.cpu.clone(),
        units: document.units.clone(),
        emulated: is_emulated(machine, &document.cpu),
        points: arch::points(features)?,
    };
    write_text(file, &text(&report)?)?;
    let mut said = table(&report.points);
    said.push_str(&format!("\nThe report is in {file}."));
    said.push_str(match report.emulated {
        true => " This is an emulated PadLock: there is no need to send it.\n",
        false => concat!(" Please send it: ", env!("CARGO_PKG_REPOSITORY"), "/issues\n"),
    });
    say(&said)
}

fn absent(architecture: &str) -> String {
    let emulated = match has_emulator(architecture) {
        true => {
            ": padlock-run --cpu nano wirespeed padlock --confirm shows what a report looks like"
        }
        false => "",
    };
    format!("this CPU has no PadLock (no-RNG, no-ACE), so it can confirm nothing{emulated}")
}

/// Under `padlock-run` the kernel names another maker than CPUID does, and in a virtual machine our kernel
/// module may carry the instructions out.
fn is_emulated(machine: &Machine, cpu: &Cpu) -> bool {
    let [by_kernel, by_cpu] =
        [&machine.cpu.vendor, &cpu.vendor].map(|it| it.as_deref().map(str::trim));
    by_kernel != by_cpu || Path::new("/sys/module/padlock_emulator").exists()
}

/// For people, and below it the same for programs.
fn text(report: &PadlockReport) -> Result<String, Fault> {
    let cpu = &report.machine.cpu;
    let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let mut facts = Table::new(&[Side::Left, Side::Left]);
    for (name, value) in [
        ("CPU", said_of(&report.cpu)),
        ("brand", or_unknown(&cpu.brand)),
        ("microcode", or_unknown(&cpu.microcode)),
        ("hypervisor", cpu.hypervisor.clone().unwrap_or_else(|| "none".to_owned())),
        ("kernel", or_unknown(&report.machine.kernel)),
        ("units", units::enabled(&report.units).join(" ")),
    ] {
        facts.row(vec![name.to_owned(), value]);
    }
    let warning = match report.emulated {
        true => "An emulated PadLock. This confirms nothing.\n\n",
        false => "",
    };
    let mut text = format!(
        "What this PadLock does, by wirespeed {} (docs/padlock.md lists the points)\n\n{warning}{}\n\
         There are no secrets in here: keys and data are the checks' own.\n",
        report.version,
        facts.render(),
    );
    for point in &report.points {
        text.push_str(&format!("\n{} {}: {}\n", point.id, point.subject, point.answer));
        for line in &point.seen {
            text.push_str(&format!("    {line}\n"));
        }
    }
    let json = serde_json::to_string_pretty(report).map_err(std::io::Error::from)?;
    Ok(format!("{text}\nThe same as JSON:\n\n{json}\n"))
}

fn table(points: &[Point]) -> String {
    let mut table = Table::new(&[Side::Left, Side::Left, Side::Left]);
    for point in points {
        let cells = [&point.id, &point.subject, &point.answer].map(Clone::clone);
        table.row(cells.to_vec());
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulated_one_is_named_where_there_is_one() {
        assert!(absent("x86_64").contains("padlock-run"));
        assert!(
            !absent("x86").contains("padlock-run") && !absent("aarch64").contains("padlock-run")
        );
    }
}
