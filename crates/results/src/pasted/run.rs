//! One run of `openssl speed`: what it printed while it measured, and its table.

use super::aead;
use super::algorithm::Algorithm;
use super::command::Command;
use super::figure::Figure;
use super::leftovers::Leftovers;
use super::line::{Ended, Line};
use crate::schema::HOST;
use crate::schema::bench::Row;

/// Why a line is of no use to a run.
pub(super) enum Unused {
    PublicKey,
    NoSpeed,
    Unknown,
}

/// What the figures were divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// CPU time of the program's, without Linux's for it.
    User,
    Wall,
}

impl Clock {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::User => "user-cpu",
            Self::Wall => "wall",
        }
    }
}

/// What there is of one run.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) version: Option<String>,
    command: Command,
    /// Whether the command is there to be asked.
    has_command: bool,
    engine: Option<String>,
    is_elapsed: bool,
    is_sbc_bench: bool,
    processes: usize,
    sizes: Vec<usize>,
    table: Vec<TableRow>,
    sums: Vec<Sum>,
    begun: Option<(String, usize)>,
    /// All that was begun, each once, in its order.
    asked: Vec<(String, usize)>,
    /// What several processes ended, in its order.
    counted: Vec<(String, Ended)>,
    /// What the line says, and which it is.
    ended: Vec<(usize, String, usize, Ended)>,
    /// Whether the line before was of the table, so that this one may go on with it.
    is_in_table: bool,
}

#[derive(Debug)]
struct TableRow {
    line: usize,
    name: String,
    figures: Vec<Figure>,
    sizes: Vec<usize>,
}

/// What one process of several did.
#[derive(Debug)]
struct Sum {
    process: usize,
    name: String,
    figures: Vec<Figure>,
    sizes: Vec<usize>,
}

/// What is measured where nobody says what (apps/speed.c): since 1.1.0, before, and with `-aead` and `-mb`.
const USUAL: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];
const OLD: [usize; 5] = [16, 64, 256, 1024, 8192];
const AEAD: [usize; 6] = [2, 31, 136, 1024, 8192, 16384];
const MULTI_BLOCK: [usize; 5] = [8192, 16384, 32768, 65536, 131_072];

/// Larger pieces are never so much slower: such a figure has lost its last digits and its k.
const SLOWER: f64 = 20.0;

/// What was cut to a figure that could be one is none.
fn without_cut(mut figures: Vec<Figure>) -> Vec<Figure> {
    if let [.., Figure::Speed(before), last @ Figure::Speed(_)] = figures.as_mut_slice()
        && matches!(last, Figure::Speed(speed) if *speed * SLOWER < *before)
    {
        *last = Figure::None;
    }
    figures
}

impl Run {
    /// One that begins behind another.
    pub(super) fn after(before: Option<&Self>, is_sbc_bench: bool) -> Self {
        let version = before.and_then(|run| run.version.clone());
        Self { version, is_sbc_bench, ..Self::default() }
    }

    /// Whether a line is the beginning of the next.
    pub(super) fn is_ended_by(&self, line: &Line) -> bool {
        let has_figures = !self.table.is_empty() || !self.sums.is_empty();
        match line {
            Line::Command(_) => self.has_command || has_figures || !self.ended.is_empty(),
            Line::Sizes { is_head: true, .. } => !self.table.is_empty(),
            Line::Elapsed | Line::Engine(_) | Line::Begun { .. } | Line::Version(_) => {
                !self.table.is_empty()
            }
            Line::Processes(number) => has_figures && *number == 1,
            _ => false,
        }
    }

    /// Whether there is any sign of it.
    pub(super) const fn has_begun(&self) -> bool {
        self.has_command || self.begun.is_some() || self.processes > 0
    }

    /// Takes a line in.
    pub(super) fn take(&mut self, number: usize, line: Line) -> Result<(), Unused> {
        let was_in_table = std::mem::take(&mut self.is_in_table);
        match line {
            Line::Nothing | Line::Machine(_) | Line::Sectors(_) => {}
            Line::SbcBench(_) => self.is_sbc_bench = true,
            Line::Command(command) => {
                self.is_elapsed |= command.is_elapsed;
                (self.command, self.has_command) = (command, true);
            }
            Line::Elapsed => self.is_elapsed = true,
            Line::Engine(name) => self.engine = Some(name),
            Line::Processes(count) => self.processes = self.processes.max(count),
            Line::Version(version) => self.version = Some(version),
            Line::Sizes { sizes, is_head } => {
                if is_head || !was_in_table {
                    self.sizes.clear();
                }
                self.sizes.extend(sizes);
                self.is_in_table = true;
            }
            Line::Row { name, figures } => return self.row(number, was_in_table, name, figures),
            Line::Figures(figures) => {
                let row = self.table.last_mut().filter(|_| was_in_table).ok_or(Unused::Unknown)?;
                if row.figures.len() + figures.len() > row.sizes.len() {
                    return Err(Unused::Unknown);
                }
                row.figures.extend(figures);
                self.is_in_table = true;
            }
            Line::MachineReadable { name, figures, process: None } => {
                return self.row(number, true, name, figures);
            }
            Line::MachineReadable { name, figures, process: Some(process) } => {
                let sizes = self.sizes_for(figures.len()).ok_or(Unused::Unknown)?;
                self.sums.push(Sum { process, name, figures, sizes });
            }
            Line::Begun { name, size, ended: Some(ended) } => {
                self.ended.push((number, name, size, ended));
            }
            Line::Begun { name, size, ended: None } => {
                let asked = (name, size);
                if !self.asked.contains(&asked) {
                    self.asked.push(asked.clone());
                }
                self.begun = Some(asked);
            }
            // Several processes print at once.
            Line::Ended { name: Some(name), ended } if self.has_processes() => {
                self.counted.push((name, ended));
            }
            Line::Ended { ended, .. } => match self.begun.take() {
                Some((name, size)) => self.ended.push((number, name, size, ended)),
                None if self.has_processes() => {}
                None => return Err(Unused::Unknown),
            },
            Line::PublicKey => return Err(Unused::PublicKey),
            Line::Unknown => return Err(Unused::Unknown),
        }
        Ok(())
    }

    fn row(
        &mut self,
        line: usize,
        is_in_table: bool,
        name: String,
        figures: Vec<Figure>,
    ) -> Result<(), Unused> {
        let is_known = name == "evp" || Algorithm::called(&name).is_some();
        if !is_known && !is_in_table {
            return Err(Unused::Unknown);
        }
        let sizes = self.sizes_for(figures.len()).ok_or(Unused::Unknown)?;
        let is_cut_off = figures.len() > sizes.len();
        let figures = without_cut(figures);
        self.table.push(TableRow { line, name, figures, sizes });
        self.is_in_table = true;
        if is_cut_off { Err(Unused::NoSpeed) } else { Ok(()) }
    }

    /// The sizes above the figures, or those that are usual for so many.
    fn sizes_for(&self, count: usize) -> Option<Vec<usize>> {
        if !self.sizes.is_empty() {
            return Some(self.sizes.clone());
        }
        match count {
            5.. if self.command.is_multi_block => Some(MULTI_BLOCK.to_vec()),
            6 if self.command.is_aead => Some(AEAD.to_vec()),
            6 => Some(USUAL.to_vec()),
            5 => Some(OLD.to_vec()),
            _ => None,
        }
    }

    /// Whether several processes measured.
    const fn has_processes(&self) -> bool {
        self.processes > 0 || self.command.processes.is_some() || !self.sums.is_empty()
    }

    fn threads(&self) -> usize {
        let told = self.command.processes.filter(|count| *count > 0);
        let seen = self.sums.iter().map(|sum| sum.process + 1).max().unwrap_or(0);
        told.unwrap_or_else(|| self.processes.max(seen)).max(1)
    }

    pub(super) fn clock(&self) -> Clock {
        // Several processes are always timed so (do_multi in apps/speed.c), and sbc-bench asks for it.
        match self.is_elapsed || self.is_sbc_bench || self.has_processes() {
            true => Clock::Wall,
            false => Clock::User,
        }
    }

    fn engine(&self) -> Option<&str> {
        let engine = self.engine.as_deref().or(self.command.engine.as_deref());
        // What they have is no cipher.
        engine.filter(|it| !["dynamic", "rdrand"].contains(it))
    }

    /// Whether the figures are too high: the work was not done in the time that was counted.
    pub(super) fn is_offloaded_by_cpu_time(&self) -> bool {
        let works_elsewhere = self.engine().is_some_and(|it| it != "padlock");
        let has_figures = !self.table.is_empty() || !self.ended.is_empty();
        works_elsewhere && self.clock() == Clock::User && has_figures
    }

    /// Its figures; what has none is named.
    pub(super) fn rows(&self, version: Option<&str>, leftovers: &mut Leftovers) -> Vec<Row> {
        let mut found: Vec<Row> = Vec::new();
        for row in &self.table {
            let Some(algorithm) = self.algorithm(&row.name) else {
                leftovers.unnamed(row.line);
                continue;
            };
            let is_known = self.command.is_multi_block || self.is_sbc_bench;
            if self.sizes.is_empty() && !is_known {
                leftovers.assumed(row.line);
            }
            for (figure, size) in row.figures.iter().zip(&row.sizes) {
                match *figure {
                    Figure::Speed(speed) => {
                        found.push(self.rate(&algorithm, *size, speed, version));
                    }
                    Figure::None => leftovers.no_speed(row.line),
                }
            }
        }
        if self.table.is_empty() {
            found.extend(self.summed(version));
        }
        if found.is_empty() {
            found.extend(self.in_step(version));
        }
        // What was cut off the table stands above it.
        if !self.has_processes() {
            let table = found.len();
            for (line, name, size, Ended { calls, seconds }) in &self.ended {
                let Some(algorithm) = self.algorithm(name) else {
                    leftovers.unnamed(*line);
                    continue;
                };
                let is_there = |row: &Row| row.algorithm == algorithm.name && row.size == *size;
                let speed = calls * *size as f64 / seconds;
                match found[..table].iter().any(is_there) {
                    true => {}
                    false if speed.is_finite() && speed > 0.0 => {
                        found.push(self.rate(&algorithm, *size, speed, version));
                    }
                    false => leftovers.no_speed(*line),
                }
            }
        }
        found
    }

    /// What all processes did together, where no table says it.
    fn summed(&self, version: Option<&str>) -> Vec<Row> {
        let mut found: Vec<Row> = Vec::new();
        for sum in &self.sums {
            let Some(algorithm) = self.algorithm(&sum.name) else { continue };
            for (figure, size) in sum.figures.iter().zip(&sum.sizes) {
                let Figure::Speed(speed) = *figure else { continue };
                let same = |row: &&mut Row| row.algorithm == algorithm.name && row.size == *size;
                match found.iter_mut().find(same) {
                    Some(row) => row.bytes_per_second += speed,
                    None => found.push(self.rate(&algorithm, *size, speed, version)),
                }
            }
        }
        found
    }

    /// What all processes did together, where it was cut off before they told: each works for the same seconds, so all end
    /// a size before one ends the next.
    fn in_step(&self, version: Option<&str>) -> Vec<Row> {
        let processes = self.threads();
        let is_counted = self.processes == processes || self.command.processes == Some(processes);
        if !self.has_processes() || !is_counted {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut ended = self.counted.clone();
        for (name, size) in &self.asked {
            let Some(algorithm) = self.algorithm(name) else { continue };
            let (mut of_size, mut rest) = (Vec::new(), Vec::new());
            for (whose, one) in ended {
                match whose == *name && of_size.len() < processes {
                    true => of_size.push(one),
                    false => rest.push((whose, one)),
                }
            }
            ended = rest;
            let speed: f64 = of_size.iter().map(|it| it.calls * *size as f64 / it.seconds).sum();
            if of_size.len() == processes && speed.is_finite() && speed > 0.0 {
                found.push(self.rate(&algorithm, *size, speed, version));
            }
        }
        found
    }

    /// The algorithm of a name; several processes call all that EVP does "evp".
    fn algorithm(&self, name: &str) -> Option<Algorithm> {
        if name != "evp" {
            return Algorithm::called(name);
        }
        let others = self.sums.iter().map(|sum| &sum.name);
        let others = others.chain(self.ended.iter().map(|(_, name, ..)| name));
        let mut names =
            self.command.evp.iter().chain(others.chain(self.asked.iter().map(|it| &it.0)));
        names.find_map(|name| Algorithm::called(name))
    }

    fn rate(&self, algorithm: &Algorithm, size: usize, speed: f64, version: Option<&str>) -> Row {
        let is_before_3 = version.is_some_and(|version| aead::numbers(version)[0] < 3);
        // Until 3.0 what is not asked for with -evp is called below EVP.
        let is_below_evp = algorithm.is_below_evp
            || is_before_3 && self.has_command && self.command.evp.is_none() && !self.is_sbc_bench;
        let usage = match (algorithm.is_hash, algorithm.has_tag) {
            (true, _) => "message",
            (false, true) => {
                aead::usage(version, self.command.is_aead, algorithm.name.ends_with("-CCM"))
            }
            (false, false) => "stream",
        };
        let (route, driver) = match (self.engine(), &self.command.provider) {
            (Some("afalg" | "af_alg"), _) => ("kernel", None),
            (Some("devcrypto" | "cryptodev"), _) => ("devcrypto", None),
            (Some("padlock"), _) => ("padlock", None),
            (Some(engine), _) => (HOST, Some(format!("engine {engine}"))),
            (None, Some(provider)) => (HOST, Some(format!("provider {provider}"))),
            (None, None) => (HOST, None),
        };
        Row {
            algorithm: algorithm.name.clone(),
            direction: algorithm.direction(self.command.direction()).to_owned(),
            usage: usage.to_owned(),
            size,
            route: route.to_owned(),
            api_path: if is_below_evp { "direct" } else { "evp" }.to_owned(),
            threads: self.threads(),
            bytes_per_second: speed,
            driver,
            lanes: Some(self.command.jobs.unwrap_or(1)),
            without: self.command.without.clone(),
            ..Row::default()
        }
    }
}
