//! `wirespeed padlock --confirm`: what only hardware can say, as a report for whoever has none.

use std::path::Path;

use serde::Serialize;
use wirespeed_cpu::Feature;
use wirespeed_machine::Machine;

use super::arch;
use super::units::Units;
use super::{Cpu, Document};
use crate::fault::Fault;
use crate::host::Host;
use crate::output::table::{Side, Table};
use crate::output::write_text;

/// Where the report goes by default.
pub(super) const FILE: &str = "padlock-report.txt";

/// The report: `wirespeed.padlock-report/1`.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    version: &'static str,
    machine: &'a Machine,
    /// The CPU as CPUID names it.
    cpu: &'a Cpu,
    units: &'a Units,
    /// Whether it is one of our own emulators that answers, not a CPU.
    emulated: bool,
    points: Vec<Point>,
}

/// A point of docs/padlock.md that is marked unconfirmed.
#[derive(Serialize)]
pub(crate) struct Point {
    pub(crate) id: &'static str,
    pub(crate) subject: &'static str,
    pub(crate) answer: String,
    /// What was seen.
    pub(crate) seen: Vec<String>,
}

/// Runs every check, and writes the report.
pub(super) fn run(file: &str, host: &Host, document: &Document) -> Result<(), Fault> {
    let features = host.harness.features();
    if ![Feature::Ace, Feature::Phe, Feature::Rng].into_iter().any(|unit| features.has(unit)) {
        return Err(Fault::usage(
            "this CPU has no PadLock (no-RNG, no-ACE), so it can confirm nothing: padlock-run --cpu nano \
             wirespeed padlock --confirm shows what a report looks like",
        ));
    }
    // Silence for so long would look like a hang, which a real CPU might answer some of this with.
    eprintln!("Trying what no document says, each in a process of its own: some seconds");
    let machine = &host.machine;
    let report = Report {
        schema: "wirespeed.padlock-report/1",
        version: env!("CARGO_PKG_VERSION"),
        machine,
        cpu: &document.cpu,
        units: &document.units,
        emulated: is_emulated(machine, &document.cpu),
        points: arch::points(features)?,
    };
    write_text(file, &report.text()?)?;
    let mut text = report.table();
    text.push_str(&format!("\nThe report is in {file}."));
    text.push_str(match report.emulated {
        true => " This is an emulated PadLock: there is no need to send it.\n",
        false => concat!(" Please send it: ", env!("CARGO_PKG_REPOSITORY"), "/issues\n"),
    });
    write_text("-", &text)
}

/// Under `padlock-run` the kernel names another maker than CPUID does, and in a virtual machine our kernel
/// module may carry the instructions out.
fn is_emulated(machine: &Machine, cpu: &Cpu) -> bool {
    let [by_kernel, by_cpu] =
        [&machine.cpu.vendor, &cpu.vendor].map(|it| it.as_deref().map(str::trim));
    by_kernel != by_cpu || Path::new("/sys/module/padlock_emulator").exists()
}

impl Report<'_> {
    /// For people, and below it the same for programs.
    fn text(&self) -> Result<String, Fault> {
        let cpu = &self.machine.cpu;
        let or_unknown =
            |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
        let mut facts = Table::new(&[Side::Left, Side::Left]);
        for (name, value) in [
            ("CPU", self.cpu.text()),
            ("brand", or_unknown(&cpu.brand)),
            ("microcode", or_unknown(&cpu.microcode)),
            ("hypervisor", cpu.hypervisor.clone().unwrap_or_else(|| "none".to_owned())),
            ("kernel", or_unknown(&self.machine.kernel)),
            ("units", self.units.enabled().join(" ")),
        ] {
            facts.row(vec![name.to_owned(), value]);
        }
        let warning = match self.emulated {
            true => "An emulated PadLock. This confirms nothing.\n\n",
            false => "",
        };
        let mut text = format!(
            "What this PadLock does, by wirespeed {} (docs/padlock.md lists the points)\n\n{warning}{}\n\
             There are no secrets in here: keys and data are the checks' own.\n",
            self.version,
            facts.render(),
        );
        for point in &self.points {
            text.push_str(&format!("\n{} {}: {}\n", point.id, point.subject, point.answer));
            for line in &point.seen {
                text.push_str(&format!("    {line}\n"));
            }
        }
        let json = serde_json::to_string_pretty(self).map_err(std::io::Error::from)?;
        Ok(format!("{text}\nThe same as JSON:\n\n{json}\n"))
    }

    fn table(&self) -> String {
        let mut table = Table::new(&[Side::Left, Side::Left, Side::Left]);
        for point in &self.points {
            let cells = [point.id.to_owned(), point.subject.to_owned(), point.answer.clone()];
            table.row(cells.to_vec());
        }
        table.render()
    }
}
