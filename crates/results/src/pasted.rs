//! Figures that people already have: what `openssl speed`, `cryptsetup benchmark` and sbc-bench printed, as pasted.
//!
//! Every line is looked at by itself, so text between, around and instead of what is known does no harm. What was
//! understood is used; of what was not, the lines are named.

mod aead;
mod algorithm;
mod command;
mod facts;
mod figure;
mod leftovers;
mod line;
mod run;
mod sectors;

use crate::file::{Content, Results};
use crate::schema::bench::{Bench, Row};
use crate::schema::disk;
use crate::schema::{Document, Libcrypto, Machine};
use facts::Facts;
use leftovers::Leftovers;
use line::{Line, clean};
use run::{Clock, Run};

/// Results of a text, one for each OpenSSL in it and one of disks.
///
/// # Errors
/// If it has no figure that can be used, with what there is instead.
pub(crate) fn read(label: &str, text: &str) -> Result<Vec<Results>, String> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        reader.take(number + 1, &clean(line));
    }
    reader.end(label)
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    runs: Vec<Run>,
    sectors: Vec<disk::Row>,
    facts: Facts,
    leftovers: Leftovers,
    /// Whether this is a file of sbc-bench's, most of which is about other tests.
    is_sbc_bench: bool,
    /// The first line, if it is a heading: a report of sbc-bench's begins with the board's name.
    heading: Option<String>,
}

impl Reader {
    fn take(&mut self, number: usize, text: &str) {
        let line = Line::parse(text);
        if number == 1 {
            self.heading = text.strip_prefix("# ").map(ToOwned::to_owned);
        }
        if let Line::SbcBench(model) = &line {
            self.is_sbc_bench = true;
            self.facts.model(model);
            self.facts.model(self.heading.as_deref().unwrap_or_default());
        }
        if let Line::Machine(fact) = line {
            self.facts.take(fact);
            return;
        }
        if let Line::Sectors(rows) = line {
            if rows.is_empty() {
                self.leftovers.no_speed(number);
            }
            self.sectors.extend(rows);
            return;
        }
        let unfit = self.runs.last().is_none_or(|run| run.is_ended_by(&line));
        if unfit {
            let before = self.runs.last();
            self.runs.push(Run::after(before, self.is_sbc_bench));
        }
        let run = self.runs.last_mut().expect("there is one now");
        match run.take(number, line) {
            Ok(()) => {}
            Err(run::Unused::PublicKey) => self.leftovers.public_key(number),
            Err(run::Unused::NoSpeed) => self.leftovers.no_speed(number),
            Err(run::Unused::Unknown) if self.is_sbc_bench => self.leftovers.other_test(),
            Err(run::Unused::Unknown) => self.leftovers.unknown(number),
        }
    }

    fn end(mut self, label: &str) -> Result<Vec<Results>, String> {
        let rows = self.rows();
        let mut versions: Vec<Option<String>> = Vec::new();
        for (version, ..) in &rows {
            if !versions.contains(version) {
                versions.push(version.clone());
            }
        }
        let source = source(self.is_sbc_bench, !rows.is_empty(), !self.sectors.is_empty());
        let machine = |version: Option<String>| Machine {
            libcrypto: version.map(|it| Libcrypto { path: None, version: Some(it) }),
            ..self.facts.machine()
        };
        let of_version = |version: &Option<String>| {
            let of_it: Vec<_> = rows.iter().filter(|(it, ..)| it == version).collect();
            let label = match version {
                Some(version) if versions.len() > 1 => format!("{label}, {version}"),
                _ => label.to_owned(),
            };
            let bench = Bench {
                schema: Bench::SCHEMA.to_owned(),
                source: Some(source.clone()),
                clock: common_clock(&of_it),
                machine: Some(machine(version.clone())),
                rows: of_it.iter().flat_map(|(_, _, rows)| rows.clone()).collect(),
                ..Bench::default()
            };
            results(label, &source, bench.machine.clone(), Content::Bench(bench))
        };
        let mut found: Vec<Results> = versions.iter().map(of_version).collect();
        if !self.sectors.is_empty() {
            let machine = machine(versions.first().cloned().flatten());
            let label = found.first().map_or(label, |first| first.label.as_str()).to_owned();
            let disk = sectors::disk(&source, machine.clone(), std::mem::take(&mut self.sectors));
            found.push(results(label, &source, Some(machine), Content::Disk(disk)));
        }
        let repeated: usize = found.iter().map(repeated).sum();
        let Some(first) = found.first_mut() else { return Err(self.instead()) };
        first.warnings = self.leftovers.sentences();
        if self.runs.iter().any(Run::is_offloaded_by_cpu_time) {
            first.warnings.push(OFFLOADED.to_owned());
        }
        if repeated > 0 && !self.is_sbc_bench {
            first.warnings.push(format!("{repeated} {REPEATED}"));
        }
        Ok(found)
    }

    /// The rows of each run that has some, with the release and the clock.
    fn rows(&mut self) -> Vec<(Option<String>, Clock, Vec<Row>)> {
        let only = only_version(&self.runs);
        let of = |run: &Run| {
            let version = run.version.clone().or_else(|| only.clone());
            let rows = run.rows(version.as_deref(), &mut self.leftovers);
            (version, run.clock(), rows)
        };
        self.runs.iter().map(of).filter(|(_, _, rows)| !rows.is_empty()).collect()
    }

    /// What there is instead of figures.
    fn instead(&self) -> String {
        let has_begun = self.runs.iter().any(Run::has_begun);
        let said = match has_begun {
            true => "openssl speed began there, but its figures are cut off",
            false => "no JSON, and no figures as openssl speed or cryptsetup benchmark print them",
        };
        self.leftovers.instead().unwrap_or(said.to_owned())
    }
}

const OFFLOADED: &str = "Figures with an engine but without -elapsed count the program's CPU time alone, and are too \
    high where a device or Linux did the work.";
const REPEATED: &str = "figures are there for work that has one already, and the fastest counts: a text of several machines, \
    or of several settings, is better cut in pieces.";

/// How many figures are for work that has one already.
fn repeated(results: &Results) -> usize {
    let mut works: Vec<String> = match &results.content {
        Content::Bench(bench) => bench
            .rows
            .iter()
            .map(|row| {
                let by = (&row.route, &row.driver, &row.without, row.threads, row.lanes);
                format!("{:?} {by:?} {}", row.work(), row.api_path)
            })
            .collect(),
        Content::Disk(disk) => disk
            .rows
            .iter()
            .map(|row| format!("{} {} {:?}", row.cipher, row.key_bits, row.test))
            .collect(),
        Content::Survey(_) | Content::Vpn(_) => Vec::new(),
    };
    let all = works.len();
    works.sort_unstable();
    works.dedup();
    all - works.len()
}

fn results(label: String, source: &str, machine: Option<Machine>, content: Content) -> Results {
    Results {
        label,
        version: None,
        source: Some(source.to_owned()),
        machine,
        interrupted: false,
        warnings: Vec::new(),
        content,
    }
}

/// The version that a text names, if it names but one: it holds for figures above it as well.
fn only_version(runs: &[Run]) -> Option<String> {
    let mut versions = runs.iter().filter_map(|run| run.version.as_ref());
    let first = versions.next()?;
    versions.all(|it| it == first).then(|| first.clone())
}

/// The clock of all, if it is one.
fn common_clock(runs: &[&(Option<String>, Clock, Vec<Row>)]) -> Option<String> {
    let (_, first, _) = runs.first()?;
    runs.iter().all(|(_, clock, _)| clock == first).then(|| first.name().to_owned())
}

/// What every source here begins with, and that of `openssl speed`.
const PRINTED: &str = "As printed by ";
pub(crate) const PASTED: &str = "As printed by openssl speed";

/// Whose figures they are.
fn source(is_sbc_bench: bool, has_rates: bool, has_sectors: bool) -> String {
    let printed = match (has_rates, has_sectors) {
        (true, true) => "openssl speed and cryptsetup benchmark",
        (false, true) => "cryptsetup benchmark",
        _ => "openssl speed",
    };
    match is_sbc_bench {
        true => format!("{PRINTED}{printed} in a file of sbc-bench's"),
        false => format!("{PRINTED}{printed}"),
    }
}
