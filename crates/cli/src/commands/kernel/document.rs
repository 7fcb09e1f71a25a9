//! What the kernel has, as JSON and as text.

use std::collections::BTreeSet;
use std::{fs, io};

use wirespeed_af_alg::drivers::{self, Driver, LIST};
use wirespeed_af_alg::{Transform, presence};
use wirespeed_installation::shell;
use wirespeed_machine::{Folder, Source, ThisMachine};
use wirespeed_results::schema::kernel::{Faster, Kernel, Listed, Measured, Raised, Row};
use wirespeed_results::schema::{Document, VERSION};

use super::devcrypto;
use super::lines::{self, FILE};
use super::measure::{Entry, Group, SIZES, measure, usual};
use super::raised;
use super::release;
use super::verdict::{Verdict, verdict};
use crate::output::figures::{megabytes, size, times};
use crate::output::table::{Side, Table, paragraph};

/// What the kernel has.
pub(super) struct Found {
    /// As data.
    pub(super) kernel: Kernel,
    groups: Vec<Group>,
    /// Whether only the groups were asked for.
    narrow: bool,
}

impl Found {
    /// What is there already; nothing is opened.
    pub(super) fn listed() -> Self {
        Self::of(Vec::new(), Some("--list measures nothing".to_owned()), None)
    }

    /// What is there once these algorithms, or the usual ones, have been asked for and measured.
    pub(super) fn measured(asked: Option<&[&'static Transform]>) -> Self {
        let usual = usual();
        let asked_for = asked.unwrap_or(&usual);
        let mut found = match presence() {
            Ok(()) => Self::of(measure(asked_for), None, Some(asked_for)),
            Err(absent) => Self::of(Vec::new(), Some(absent.0), Some(asked_for)),
        };
        found.narrow = asked.is_some() && found.kernel.unmeasured.is_none();
        found
    }

    /// What another machine's kernel had.
    pub(super) fn in_files(folder: &Folder) -> Self {
        let list = fs::read_to_string(folder.root().join(&LIST[1..]));
        let kernel = described(folder, list.map(|text| drivers::parse(&text)));
        let unmeasured = Some("these are another machine's files".to_owned());
        Self { kernel: Kernel { unmeasured, ..kernel }, groups: Vec::new(), narrow: false }
    }

    fn of(
        groups: Vec<Group>,
        unmeasured: Option<String>,
        asked: Option<&[&'static Transform]>,
    ) -> Self {
        let file = fs::read(FILE).unwrap_or_default();
        let kernel = Kernel {
            unmeasured,
            preferred: lines::preferred(&file).map(|preference| preference.name),
            raised: raised::remembered().unwrap_or_default(),
            measured: groups.iter().map(measured).collect(),
            devcrypto: devcrypto::look(asked),
            ..described(&ThisMachine, drivers::of_proc())
        };
        Self { kernel, groups, narrow: false }
    }

    pub(super) fn text(&self) -> String {
        let kernel = self.kernel.kernel.as_deref().unwrap_or("of unknown release");
        if let Some(reason) = &self.kernel.reason {
            return format!("Linux {kernel} has no crypto drivers to show: {reason}\n");
        }
        let mut text = format!("Linux {kernel}: {}\n", self.count());
        if !self.groups.is_empty() {
            text.push_str(&groups(&self.groups));
        }
        if !self.narrow {
            text.push_str(&format!("\n{}", self.table()));
        }
        text.push('\n');
        text.push_str(&match self.hardware().as_slice() {
            [] => "No driver here is known to use crypto hardware.\n".to_owned(),
            known => format!("Crypto hardware in use or at hand: {}\n", known.join(", ")),
        });
        text.push_str(&self.kernel.devcrypto.as_ref().map(devcrypto::text).unwrap_or_default());
        if let Some(why) = &self.kernel.unmeasured {
            text.push_str(&format!("Not measured: {why}\n"));
        }
        if let Some(name) = &self.kernel.preferred {
            text.push_str(&format!("Preferred: {name}, by {FILE}\n"));
        }
        for Raised { driver, former, now, .. } in &self.kernel.raised {
            text.push_str(&format!("Preferred: {driver}, priority {now} instead of {former}\n"));
        }
        text
    }

    fn count(&self) -> String {
        let names: BTreeSet<&str> =
            self.kernel.drivers.iter().map(|it| it.algorithm.as_str()).collect();
        let [drivers, algorithms] =
            [(self.kernel.drivers.len(), "driver"), (names.len(), "algorithm")].map(
                |(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }),
            );
        format!("{drivers} for {algorithms}")
    }

    /// Each algorithm that was not measured once, the driver that serves it first.
    fn table(&self) -> String {
        let measured = |listed: &Listed| {
            self.groups.iter().flat_map(|group| &group.entries).any(|entry| {
                let Driver { algorithm, driver, .. } = &entry.driver;
                (algorithm, driver) == (&listed.algorithm, &listed.driver)
            })
        };
        let mut rows: Vec<&Listed> = self
            .kernel
            .drivers
            .iter()
            .filter(|driver| !driver.internal && !measured(driver))
            .collect();
        rows.sort_by_key(|driver| (&driver.algorithm, &driver.kind, !driver.serves));
        let (left, right) = (Side::Left, Side::Right);
        let mut table = Table::new(&[left, left, left, right, left, left]);
        let head = ["algorithm", "driver", "module", "priority", "", ""];
        table.row(head.map(str::to_owned).to_vec());
        let mut last = "";
        // Long names stand in a line of their own, above the rest of theirs.
        let mut above = vec![None];
        for driver in rows {
            let algorithm = if driver.algorithm == last { "" } else { &driver.algorithm };
            last = &driver.algorithm;
            let [most, most_of_driver] = NAMES;
            let is_long = algorithm.len() > most || driver.driver.len() > most_of_driver;
            above.push(is_long.then(|| format!("{algorithm:most$}  {}\n", driver.driver)));
            let names = if is_long { ["", ""] } else { [algorithm, &driver.driver] };
            let mut cells = names.map(str::to_owned).to_vec();
            cells.extend([
                driver.module.clone().unwrap_or_else(|| "built in".to_owned()),
                driver.priority.to_string(),
                standing(driver.serves, driver.self_test_passed).to_owned(),
                driver.hardware.clone().unwrap_or_default(),
            ]);
            table.row(cells);
        }
        let line = |(above, line): (Option<String>, &str)| above.unwrap_or_default() + line + "\n";
        above.into_iter().zip(table.render().lines()).map(line).collect()
    }

    /// Every hardware that a driver is known to use.
    fn hardware(&self) -> Vec<&str> {
        let mut known: Vec<_> =
            self.kernel.drivers.iter().filter_map(|driver| driver.hardware.as_deref()).collect();
        known.sort_unstable();
        known.dedup();
        known
    }
}

/// The longest algorithm and the longest driver that leave room for what stands beside them.
const NAMES: [usize; 2] = [18, 24];

/// How a driver stands among those of its algorithm: one whose self-test failed never serves.
const fn standing(serves: bool, self_test_passed: bool) -> &'static str {
    match (serves, self_test_passed) {
        (_, false) => "not passed",
        (true, true) => "serves",
        (false, true) => "",
    }
}

/// What was measured: each algorithm with its drivers below it, the columns of all in line.
fn groups(groups: &[Group]) -> String {
    let (left, right) = (Side::Left, Side::Right);
    let mut table = Table::new(&[left, right, right, right, left, left, left]);
    let sizes = SIZES.map(|bytes| format!("{} MB/s", size(bytes)));
    let [small, large] = sizes;
    let head = ["  driver", "priority", &small, &large, "", "", ""];
    table.row(head.map(str::to_owned).to_vec());
    for entry in groups.iter().flat_map(|group| &group.entries) {
        let speed = |bytes: usize| match &entry.nanos {
            Ok(_) => entry.bytes_per_second(place(bytes), bytes).map_or("-".to_owned(), megabytes),
            Err(_) => "-".to_owned(),
        };
        let driver = &entry.driver;
        let [small, large] = SIZES.map(speed);
        table.row(vec![
            format!("  {}", driver.driver),
            driver.priority.to_string(),
            small,
            large,
            standing(driver.serves, driver.self_test_passed).to_owned(),
            driver.module.clone().unwrap_or_else(|| "built in".to_owned()),
            driver.hardware.unwrap_or_default().to_owned(),
        ]);
    }
    let rendered = table.render();
    let mut lines = rendered.lines();
    let mut text = format!("\n{}\n", lines.next().unwrap_or_default());
    for group in groups {
        text.push_str(&format!(
            "{}: the kernel's {}\n",
            group.transform.name, group.transform.kernel
        ));
        for entry in &group.entries {
            text.push_str(&format!("{}\n", lines.next().unwrap_or_default()));
            if let Err(why) = &entry.nanos {
                text.push_str(&remark(why));
            }
        }
        if let Some(why) = &group.absent {
            text.push_str(&remark(why));
        }
        if let Some(verdict) = verdict(group) {
            text.push_str(&remark(&advice(group, &verdict)));
        }
    }
    text
}

/// Where the encryption of so many bytes stands among the works of a group.
fn place(bytes: usize) -> usize {
    SIZES.iter().position(|size| *size == bytes).unwrap_or_default()
}

/// A line below a driver or an algorithm.
fn remark(words: &str) -> String {
    format!("    {}", paragraph(&format!("-> {words}"), 4, 7))
}

/// Where the kernel's order is not that of the speed, and what to do.
fn advice(group: &Group, verdict: &Verdict) -> String {
    let [faster, serves] = parties(group, verdict).map(|entry| entry.driver.driver.as_str());
    let ratio = times(verdict.ratio);
    match command(group, verdict) {
        Some(command) => format!(
            "not in the order of speed: {faster} is {ratio} as fast as {serves} or more: {command}"
        ),
        None => format!(
            "{faster} is up to {ratio} as fast as {serves}, but not in all that was measured: it may stay"
        ),
    }
}

/// The driver that is faster, and the one that serves.
fn parties<'a>(group: &'a Group, verdict: &Verdict) -> [&'a Entry; 2] {
    let serves = group.entries.iter().find(|entry| entry.driver.serves);
    let faster = &group.entries[verdict.faster];
    [faster, serves.unwrap_or(faster)]
}

/// What makes the faster driver serve, if it is to.
fn command(group: &Group, verdict: &Verdict) -> Option<String> {
    let [faster, _] = parties(group, verdict);
    let name = shell::word(&faster.driver.driver);
    verdict.everywhere.then(|| format!("sudo wirespeed kernel --prefer {name}"))
}

fn measured(group: &Group) -> Measured {
    let rows = group.entries.iter().flat_map(|entry| {
        let blank = || Row { driver: entry.driver.driver.clone(), ..Row::default() };
        match &entry.nanos {
            Err(reason) => vec![Row { reason: Some(reason.clone()), ..blank() }],
            Ok(_) => group
                .works
                .iter()
                .enumerate()
                .map(|(place, work)| Row {
                    direction: Some(work.direction.name().to_owned()),
                    size: Some(work.size),
                    bytes_per_second: entry.bytes_per_second(place, work.size),
                    ..blank()
                })
                .collect(),
        }
    });
    let faster = verdict(group).map(|verdict| {
        let [faster, serves] = parties(group, &verdict).map(|entry| entry.driver.driver.clone());
        let command = command(group, &verdict);
        let Verdict { ratio, everywhere, .. } = verdict;
        Faster { driver: faster, serves, ratio, everywhere, command }
    });
    Measured {
        algorithm: group.transform.name.to_owned(),
        kernel: group.transform.kernel.to_owned(),
        absent: group.absent.clone(),
        rows: rows.collect(),
        faster,
    }
}

/// A kernel by its release and its list of drivers.
fn described(source: &dyn Source, list: io::Result<Vec<Driver>>) -> Kernel {
    Kernel {
        schema: Kernel::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        kernel: release(source),
        reason: list.as_ref().err().map(|error| format!("{LIST}: {error}")),
        drivers: list.unwrap_or_default().into_iter().map(listed).collect(),
        ..Kernel::default()
    }
}

fn listed(driver: Driver) -> Listed {
    Listed {
        algorithm: driver.algorithm,
        driver: driver.driver,
        module: driver.module,
        priority: driver.priority,
        self_test_passed: driver.self_test_passed,
        internal: driver.internal,
        kind: driver.kind,
        asynchronous: driver.asynchronous,
        serves: driver.serves,
        hardware: driver.hardware.map(str::to_owned),
    }
}
