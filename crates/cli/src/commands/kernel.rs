//! `wirespeed kernel`: the kernel's crypto drivers, which of them serves, and which it is to load.

mod prefer;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::{ArgGroup, Args};
use serde::Serialize;
use wirespeed_cpu::{Feature, Features};
use wirespeed_kernel::drivers::{self, Driver, LIST};

use super::install::{Original, advice, obstacle, remove, unified, writable};
use crate::fault::Fault;
use crate::output::table::{Side, Table};
use crate::output::{notes, write_json, write_text};
use prefer::{FILE, PADLOCK, Preference};

const EXAMPLES: &str = "\
Examples:
  wirespeed kernel                            the kernel's drivers, and which of them serves
  wirespeed kernel --json                     the same as JSON
  wirespeed kernel --prefer padlock --dry-run
  sudo wirespeed kernel --prefer padlock      load PadLock's drivers where AES or SHA is wanted
  sudo wirespeed kernel --unprefer            take exactly that back

Hardware is named only where a driver's name leaves no doubt. Nothing is loaded to find out.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("change").args(["prefer", "unprefer"]))]
pub(crate) struct KernelArguments {
    /// Print JSON
    #[arg(long, conflicts_with = "change")]
    json: bool,
    /// Let the kernel load these drivers when their algorithms are wanted: padlock
    #[arg(long, value_name = "DRIVER")]
    prefer: Option<String>,
    /// Take that back
    #[arg(long)]
    unprefer: bool,
    /// With --prefer or --unprefer: only show what would change
    #[arg(long)]
    dry_run: bool,
}

/// What the kernel has: `wirespeed.kernel/1`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    version: &'static str,
    /// The kernel's release.
    kernel: Option<String>,
    /// Why there are no drivers, where there are none.
    reason: Option<String>,
    /// What `--prefer` was last told, null if nothing.
    preferred: Option<&'static str>,
    drivers: Vec<Listed>,
}

/// A driver, as JSON has it.
#[derive(Serialize)]
struct Listed {
    algorithm: String,
    driver: String,
    module: Option<String>,
    priority: i32,
    self_test_passed: bool,
    internal: bool,
    #[serde(rename = "type")]
    kind: String,
    serves: bool,
    hardware: Option<&'static str>,
}

impl From<Driver> for Listed {
    fn from(driver: Driver) -> Self {
        Self {
            algorithm: driver.algorithm,
            driver: driver.driver,
            module: driver.module,
            priority: driver.priority,
            self_test_passed: driver.self_test_passed,
            internal: driver.internal,
            kind: driver.kind,
            serves: driver.serves,
            hardware: driver.hardware,
        }
    }
}

pub(crate) fn run(arguments: KernelArguments) -> Result<(), Fault> {
    match (arguments.prefer.as_deref(), arguments.unprefer) {
        (Some(name), _) if name == PADLOCK.name => prefer(&PADLOCK, arguments.dry_run),
        (Some(name), _) => {
            let known = PADLOCK.name;
            Err(Fault::usage(format!("unknown driver '{name}' to prefer: choose from {known}")))
        }
        (None, true) => unprefer(arguments.dry_run),
        (None, false) if arguments.dry_run => {
            Err(Fault::usage("--dry-run of what? Name --prefer padlock or --unprefer"))
        }
        (None, false) => {
            let document = Document::here();
            match arguments.json {
                true => write_json("-", &document),
                false => write_text("-", &document.text()),
            }
        }
    }
}

impl Document {
    fn here() -> Self {
        let list = fs::read_to_string(LIST);
        let reason = list.as_ref().err().map(|error| format!("{LIST}: {error}"));
        let file = fs::read(FILE).unwrap_or_default();
        Self {
            schema: "wirespeed.kernel/1",
            version: env!("CARGO_PKG_VERSION"),
            kernel: release(),
            reason,
            preferred: prefer::is_preferred(&file).then_some(PADLOCK.name),
            drivers: drivers::parse(&list.unwrap_or_default())
                .into_iter()
                .map(Listed::from)
                .collect(),
        }
    }

    fn text(&self) -> String {
        let kernel = self.kernel.as_deref().unwrap_or("of unknown release");
        if let Some(reason) = &self.reason {
            return format!("Linux {kernel} has no crypto drivers to show: {reason}\n");
        }
        let mut text = format!("Linux {kernel}: {}\n\n{}\n", self.count(), self.table());
        text.push_str(&match self.hardware().as_slice() {
            [] => "No driver here is known to use crypto hardware.\n".to_owned(),
            known => format!("Crypto hardware in use or at hand: {}\n", known.join(", ")),
        });
        if let Some(name) = self.preferred {
            text.push_str(&format!("Preferred: {name}, by {FILE}\n"));
        }
        text
    }

    fn count(&self) -> String {
        let names: BTreeSet<&str> = self.drivers.iter().map(|it| it.algorithm.as_str()).collect();
        let [drivers, algorithms] = [(self.drivers.len(), "driver"), (names.len(), "algorithm")]
            .map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }));
        format!("{drivers} for {algorithms}")
    }

    /// Each algorithm once, the driver that serves it first.
    fn table(&self) -> String {
        let mut rows: Vec<&Listed> =
            self.drivers.iter().filter(|driver| !driver.internal).collect();
        rows.sort_by_key(|driver| (&driver.algorithm, &driver.kind, !driver.serves));
        let (left, right) = (Side::Left, Side::Right);
        let mut table = Table::new(&[left, left, left, right, left, left, left]);
        table.row(
            ["algorithm", "driver", "module", "priority", "self-test", "", ""]
                .map(str::to_owned)
                .to_vec(),
        );
        let mut last = "";
        for driver in rows {
            let algorithm = if driver.algorithm == last { "" } else { &driver.algorithm };
            last = &driver.algorithm;
            table.row(vec![
                algorithm.to_owned(),
                driver.driver.clone(),
                driver.module.clone().unwrap_or_else(|| "built in".to_owned()),
                driver.priority.to_string(),
                if driver.self_test_passed { "passed" } else { "not passed" }.to_owned(),
                if driver.serves { "serves" } else { "" }.to_owned(),
                driver.hardware.unwrap_or_default().to_owned(),
            ]);
        }
        table.render()
    }

    /// Every hardware that a driver is known to use.
    fn hardware(&self) -> Vec<&'static str> {
        let mut known: Vec<_> = self.drivers.iter().filter_map(|driver| driver.hardware).collect();
        known.sort_unstable();
        known.dedup();
        known
    }
}

fn prefer(preference: &Preference, dry_run: bool) -> Result<(), Fault> {
    let file = original()?;
    let text = prefer::added(file.bytes(), preference);
    let command = format!("wirespeed kernel --prefer {}", preference.name);
    if file.bytes() == Some(&text) {
        return show(&format!("Already preferred: nothing to change in {FILE}.\n"));
    }
    if !dry_run {
        writable(&file, &command)?;
    }
    show(&unified(file.path(), file.bytes().unwrap_or_default(), &text))?;
    show(&notes(&doubts(preference)))?;
    if dry_run {
        return show("\nNothing was changed.\n");
    }
    let placed = file.stage(&text).and_then(super::install::Staged::place);
    placed.map_err(|error| obstacle(file.path(), &error, &command))?;
    let modules = preference.modules.join(" ");
    show(&format!(
        "\nWritten. The kernel loads them the next time that it lacks a driver; now: sudo modprobe -a \
         {modules}\n\
         A root disk under dm-crypt is opened from the initramfs, which has a copy of its own:\n\
         sudo update-initramfs -u on Debian, sudo dracut -f on Fedora.\n\
         \nCheck it: wirespeed kernel      Undo: sudo wirespeed kernel --unprefer\n"
    ))
}

fn unprefer(dry_run: bool) -> Result<(), Fault> {
    const COMMAND: &str = "wirespeed kernel --unprefer";
    if !fs::read(FILE).is_ok_and(|bytes| prefer::is_preferred(&bytes)) {
        return show("Nothing is preferred: nothing to change.\n");
    }
    let file = original()?;
    let bytes = file.bytes().unwrap_or_default();
    let kept = prefer::removed(bytes);
    if !dry_run {
        writable(&file, COMMAND)?;
    }
    show(&unified(file.path(), bytes, kept.as_deref().unwrap_or_default()))?;
    if dry_run {
        return show("\nNothing was changed.\n");
    }
    let replaced = match &kept {
        Some(text) => file.stage(text).and_then(super::install::Staged::place),
        None => remove(file.path()),
    };
    replaced.map_err(|error| obstacle(file.path(), &error, COMMAND))?;
    let end = match kept {
        None => "is gone, as before",
        Some(_) => "is as before: our lines are out, all others stay",
    };
    let name = file.path().display();
    show(&format!("\n{name} {end}. Drivers that are loaded stay until the next boot.\n"))
}

fn original() -> Result<Original, Fault> {
    let path = Path::new(FILE);
    Original::read(path).map_err(|error| Fault::usage(advice(path, &error)))
}

/// Why a preference may be without effect here; that is no error, the file may be for another machine.
fn doubts(preference: &Preference) -> Vec<&'static str> {
    let features = Features::detect();
    let has_padlock = features.has(Feature::Ace) || features.has(Feature::Phe);
    let has_modules = release().is_none_or(|release| {
        let list = fs::read_to_string(format!("/lib/modules/{release}/modules.dep"));
        let list = list.unwrap_or_default();
        preference.modules.iter().all(|module| list.contains(&format!("/{module}.ko")))
    });
    let doubts = [
        (
            !has_padlock,
            "This CPU has no PadLock in use: its drivers refuse to load, and all stays as it is.",
        ),
        (!has_modules, "This kernel comes without the modules padlock-aes and padlock-sha."),
    ];
    doubts.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect()
}

/// The kernel's release, such as "6.1.0-18-amd64".
fn release() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    Some(text.trim().to_owned())
}

fn show(text: &str) -> Result<(), Fault> {
    write_text("-", text)
}
