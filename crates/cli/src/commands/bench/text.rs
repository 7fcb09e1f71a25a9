//! The tables as people read them.

use wirespeed_bench::{Candidate, Entry, Measured};
use wirespeed_results::schema::bench::{BreakEven, Quarantined, Skipped};

use super::blocks::Block;
use super::break_even::from;
use super::request::Unit;
use crate::output::figures;
use crate::output::table::{Side, Table};

/// One block: a line for each size, a column for each route; where somebody may sleep, the same for CPU
/// time.
pub(super) fn block(
    block: &Block,
    candidates: &[Candidate],
    measured: &[Measured],
    found: &[BreakEven],
    unit: Unit,
) -> String {
    let first = &block.cases[0];
    let mut text = format!("\n{}, {}\n", first.title(), block.usage);
    text.push_str(&rates(candidates, measured, unit));
    if candidates.iter().any(|candidate| candidate.may_sleep()) {
        text.push_str(&format!("\n{}", cpu_times(candidates, measured)));
    }
    text.push_str(&against_libcrypto(candidates, measured));
    text.push_str(&against_the_process(found));
    text
}

fn titles(candidates: &[Candidate]) -> impl Iterator<Item = String> {
    candidates.iter().map(|candidate| candidate.title())
}

fn rates(candidates: &[Candidate], measured: &[Measured], unit: Unit) -> String {
    let mut table = Table::new(&vec![Side::Right; candidates.len() + 4]);
    let mut heading = vec![unit.name().to_owned()];
    heading.extend(titles(candidates));
    heading.extend(["best".to_owned(), "of limit".to_owned(), "±".to_owned()]);
    table.row(heading);
    for one in measured {
        let fastest =
            one.entries.iter().min_by(|a, b| a.estimate.median.total_cmp(&b.estimate.median));
        let Some(fastest) = fastest else { continue };
        let mut cells = vec![figures::size(one.case.size)];
        let rate = |entry: &Entry| unit.figure(entry.bytes_per_second());
        cells.extend(figures_of(candidates, one, rate));
        cells.push(fastest.candidate.title());
        cells.push(fastest.limit_share.map_or("-".to_owned(), |s| figures::percent(s.median)));
        let spread = one.entries.iter().map(|entry| entry.estimate.spread()).fold(0.0, f64::max);
        cells.push(format!("{:.1} %", spread * 100.0));
        table.row(cells);
    }
    table.render()
}

/// A figure of each candidate, of which one may lack this size.
fn figures_of(
    candidates: &[Candidate],
    one: &Measured,
    figure: impl Fn(&Entry) -> String,
) -> Vec<String> {
    let of = |candidate: &Candidate| one.entry(*candidate).map_or("-".to_owned(), &figure);
    candidates.iter().map(of).collect()
}

/// CPU time, and the system calls of who makes some.
fn cpu_times(candidates: &[Candidate], measured: &[Measured]) -> String {
    let callers: Vec<Candidate> =
        candidates.iter().copied().filter(|candidate| candidate.may_sleep()).collect();
    let mut table = Table::new(&vec![Side::Right; candidates.len() + 2 + callers.len()]);
    let mut heading = vec!["CPU s/GiB".to_owned()];
    heading.extend(titles(candidates));
    heading.push("least".to_owned());
    heading.extend(callers.iter().map(|caller| match callers.len() {
        1 => "calls/message".to_owned(),
        _ => format!("calls {}", caller.title()),
    }));
    table.row(heading);
    for one in measured {
        let cpu = Entry::cpu_seconds_per_gibibyte;
        let Some(least) = one.entries.iter().min_by(|a, b| cpu(a).total_cmp(&cpu(b))) else {
            continue;
        };
        let mut cells = vec![figures::size(one.case.size)];
        cells.extend(figures_of(candidates, one, |entry| figures::digits(cpu(entry))));
        cells.push(least.candidate.title());
        cells.extend(callers.iter().map(|caller| {
            let calls = one.entry(*caller).and_then(|entry| entry.system_calls);
            calls.map_or("-".to_owned(), |calls| format!("{calls:.1}"))
        }));
        table.row(cells);
    }
    table.render()
}

/// From which size on each route in the process beats the host's OpenSSL, at that size and all above.
fn against_libcrypto(candidates: &[Candidate], measured: &[Measured]) -> String {
    let others = || candidates.iter().filter(|it| **it != Candidate::Host && !it.may_sleep());
    if !candidates.contains(&Candidate::Host) || others().next().is_none() {
        return String::new();
    }
    let words = |candidate: &Candidate| {
        let size = from(measured, *candidate, &[Candidate::Host], Measured::ratio);
        format!("{} {}", candidate.title(), from_size(size))
    };
    format!("break-even with libcrypto: {}\n", others().map(words).collect::<Vec<_>>().join(", "))
}

/// The same of the kernel against all of them.
fn against_the_process(found: &[BreakEven]) -> String {
    let line = |one: &BreakEven| {
        let (time, cpu) = (from_size(one.size), from_size(one.cpu_size));
        format!(
            "break-even of {} with the best in the process: {time}; in CPU time {cpu}\n",
            one.name
        )
    };
    found.iter().map(line).collect()
}

fn from_size(size: Option<usize>) -> String {
    size.map_or("never".to_owned(), |size| format!("from {}", figures::size(size)))
}

impl Unit {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Megabytes => "MB/s",
            Self::Kilobytes => "kB/s",
        }
    }

    pub(super) fn figure(self, bytes_per_second: f64) -> String {
        match self {
            Self::Megabytes if bytes_per_second < 1e6 => format!("{:.3}", bytes_per_second / 1e6),
            Self::Megabytes if bytes_per_second < 1e8 => format!("{:.1}", bytes_per_second / 1e6),
            Self::Megabytes => format!("{:.0}", bytes_per_second / 1e6),
            Self::Kilobytes => format!("{:.2}", bytes_per_second / 1e3),
        }
    }
}

/// What was left out, and why.
pub(super) fn left_out(skipped: &[Skipped], quarantined: &[Quarantined]) -> String {
    // Routes that lack an algorithm for the same reason share a line.
    let same = |a: &Skipped, b: &Skipped| {
        (&a.algorithm, &a.usage, &a.reason) == (&b.algorithm, &b.usage, &b.reason)
    };
    let line = |alike: &[Skipped]| {
        let one = &alike[0];
        let mut what = vec![one.algorithm.as_str()];
        what.extend(one.usage.as_deref());
        what.extend(alike.iter().filter_map(|it| it.route.as_deref()));
        format!("\nleft out: {}: {}", what.join(" "), one.reason)
    };
    let wrong = |one: &Quarantined| format!("\nquarantined, not measured: {one}: {}", one.reason);
    let lines = skipped.chunk_by(same).map(line).chain(quarantined.iter().map(wrong));
    let text: String = lines.collect();
    if text.is_empty() { text } else { text + "\n" }
}
