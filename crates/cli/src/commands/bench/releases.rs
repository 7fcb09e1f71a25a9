//! `--openssl FILE…`: other releases of OpenSSL beside this machine's, and the best that Wirespeed has in this one.
//!
//! Each libcrypto is opened in a process of its own, which is this program again: two in one process would share what the C
//! library has once, and one that breaks would take the others along. So they are not measured in turns, but block by
//! block, and small differences mean little.

mod process;

use wirespeed_bench::Host;
use wirespeed_results::schema::HOST;
use wirespeed_results::schema::bench::{Bench, Row};

pub(super) use process::results;
pub(crate) use process::{Other, Work};

use super::blocks::{self, Block};
use super::request::{Request, Unit};
use super::{SO_FAR, candidates, expected, keep, text};
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::table::{Side, Table, paragraph};
use crate::output::{People, Progress, figures, header};

pub(super) fn run(request: &Request) -> Result<(), Fault> {
    let interruption = Interruption::watch()?;
    let host = Host::discover();
    host.harness
        .library()
        .map_err(|why| Fault::usage(format!("{why}: there is nothing to compare with")))?;
    let candidates = candidates::of(&host, request)?;
    let (blocks, skipped) = blocks::of(request, &host, &candidates);
    let others = Other::all(&request.openssl)?;
    let people = People::beside(request.targets());
    people.show(&format!("{}\n", header(&host.machine)))?;
    let mut document = Bench {
        openssl: others.iter().map(Other::described).collect(),
        skipped,
        ..Bench::begin(&host.machine)
    };
    let routes = request.routes.as_ref().map_or(String::new(), |routes| {
        let names: Vec<&str> = routes.iter().map(|route| route.name()).collect();
        format!("{HOST},{}", names.join(","))
    });
    let progress = Progress::new((blocks.len() * (1 + others.len())) as u64);
    let measure = |block: &Block| {
        let title = format!("{}, {}", block.cases[0].title(), block.usage);
        let before = document.rows.len();
        let ended = measured(block, &title, request, &routes, &others, &progress, &mut document);
        // A signal of the terminal's ends them, too.
        let ended = interruption.check(SO_FAR).and(ended);
        let rows = &document.rows[before..];
        if !rows.is_empty() {
            let text = table(&title, rows, &others, request.unit);
            progress.around(|| people.show(&text))?;
        }
        ended
    };
    let ended = blocks.iter().try_for_each(measure);
    progress.done();
    document.interrupted = ended.is_err();
    let kept = keep(request, &document);
    let verdict = match document.rows.is_empty() {
        true => text::left_out(&expected(request, &document.skipped), &[]),
        false => verdict(&document.rows, &others),
    };
    people.finish(ended, kept, &verdict, &document.warnings)
}

/// Adds what each of them did to the document, however it ends.
fn measured(
    block: &Block,
    title: &str,
    request: &Request,
    routes: &str,
    others: &[Other],
    progress: &Progress,
    document: &mut Bench,
) -> Result<(), Fault> {
    progress.at(title.to_owned());
    let work = Work {
        subjects: &[block.subject],
        uses: &[block.usage],
        directions: &[block.cases[0].direction],
        sizes: &block.cases.iter().map(|case| case.size).collect::<Vec<_>>(),
        seconds: request.seconds,
        threads: request.threads,
    };
    let here = work.again(None, routes)?;
    progress.tick();
    document.rows.extend(here.rows);
    add(&mut document.warnings, here.warnings);
    document.clock = here.clock;
    for other in others {
        progress.at(format!("{title}, {}", other.title));
        let there = other.measure(&work)?;
        progress.tick();
        add(&mut document.warnings, there.warnings);
        document.rows.extend(there.rows);
    }
    Ok(())
}

/// Adds what was not said yet.
fn add(warnings: &mut Vec<String>, more: Vec<String>) {
    for warning in more {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

/// One piece of work, by everybody who did it.
struct Compared<'a> {
    size: usize,
    this: Option<f64>,
    /// The others in their order.
    others: Vec<Option<f64>>,
    /// The fastest of Wirespeed's routes in this OpenSSL.
    ours: Option<&'a Row>,
}

fn compared<'a>(rows: &'a [Row], others: &[Other]) -> Vec<Compared<'a>> {
    let mut works: Vec<&Row> = Vec::new();
    for row in rows {
        if !works.iter().any(|it| it.work() == row.work()) {
            works.push(row);
        }
    }
    let compare = |work: &&'a Row| {
        let same = || rows.iter().filter(|it| it.work() == work.work());
        let of = |openssl: Option<&str>| {
            let is_it = |it: &&Row| it.is_host() && it.openssl.as_deref() == openssl;
            same().find(is_it).map(|it| it.bytes_per_second)
        };
        let ours = same().filter(|it| it.openssl.is_none() && !it.is_host());
        Compared {
            size: work.size,
            this: of(None),
            others: others.iter().map(|other| of(Some(&other.title))).collect(),
            ours: ours.max_by(|a, b| a.bytes_per_second.total_cmp(&b.bytes_per_second)),
        }
    };
    works.iter().map(compare).collect()
}

/// A line for each size, a column for each OpenSSL.
fn table(title: &str, rows: &[Row], others: &[Other], unit: Unit) -> String {
    let mut sides = vec![Side::Right; 3 + others.len()];
    sides.push(Side::Left);
    let mut table = Table::new(&sides);
    let mut head = vec![unit.name().to_owned(), "this OpenSSL".to_owned()];
    head.extend(others.iter().map(|other| other.title.clone()));
    head.extend(["Wirespeed".to_owned(), String::new()]);
    table.row(head);
    for one in compared(rows, others) {
        let cell = |speed: Option<f64>| speed.map_or("-".to_owned(), |speed| unit.figure(speed));
        let mut cells = vec![figures::size(one.size), cell(one.this)];
        cells.extend(one.others.iter().map(|speed| cell(*speed)));
        cells.push(cell(one.ours.map(|row| row.bytes_per_second)));
        cells.push(one.ours.map(|row| row.route.clone()).unwrap_or_default());
        table.row(cells);
    }
    format!("\n{title}\n{}", table.render())
}

/// Runs after one another differ: less than this is behind for sure.
pub(crate) const BEHIND: f64 = 0.9;

/// Whether another OpenSSL would be worth as much, for each of them.
fn verdict(rows: &[Row], others: &[Other]) -> String {
    let works = compared(rows, others);
    let mut text = String::new();
    for (place, other) in others.iter().enumerate() {
        let both = works.iter().filter_map(|one| Some((one, one.this?, one.others[place]?)));
        let gains: Vec<f64> = both.clone().map(|(_, this, speed)| speed / this).collect();
        let against: Vec<f64> = both
            .filter_map(|(one, this, speed)| Some(speed / one.ours?.bytes_per_second.max(this)))
            .collect();
        text.push_str(&paragraph(&words(&other.title, &gains, &against), 0, 2));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn words(title: &str, gains: &[f64], against: &[f64]) -> String {
    let span = |ratios: &[f64]| {
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        match (figures::times(least), figures::times(most)) {
            (least, most) if least == most => least,
            (least, most) => format!("{least} to {most}"),
        }
    };
    if gains.is_empty() {
        return format!("OpenSSL {title} has nothing of it that this one has, too.");
    }
    let gain = format!("OpenSSL {title} is {} as fast as this one", span(gains));
    let behind: Vec<f64> =
        against.iter().filter(|ratio| **ratio < BEHIND).map(|ratio| 1.0 / ratio).collect();
    match (behind.len(), against.len()) {
        (_, 0) => format!("{gain}."),
        (0, _) => {
            format!("{gain}, and as fast as Wirespeed in this one: the upgrade is worth as much.")
        }
        (count, all) if count == all => {
            format!("{gain}; Wirespeed in this one is {} as fast as that.", span(&behind))
        }
        (count, all) => format!(
            "{gain}; at {} of {all} rows it is as fast as Wirespeed in this one, at the others Wirespeed is {} as fast.",
            all - count,
            span(&behind)
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn row(size: usize, route: &str, openssl: Option<&str>, speed: f64) -> Row {
        Row {
            algorithm: "AES-256-GCM".to_owned(),
            direction: "enc".to_owned(),
            usage: "message".to_owned(),
            size,
            route: route.to_owned(),
            openssl: openssl.map(ToOwned::to_owned),
            bytes_per_second: speed,
            ..Row::default()
        }
    }

    fn others() -> Vec<Other> {
        let mut others = Vec::new();
        for (path, version) in [
            ("/a/libcrypto.so.3", Some("OpenSSL 3.5.7 1 Jul 2026")),
            ("/b/libcrypto.so.3", Some("OpenSSL 3.5.7 1 Jul 2026")),
            ("/c/libcrypto.so.4", Some("OpenSSL 4.0.2 1 Jul 2026")),
        ] {
            let other = Other::new(Path::new(path), version.map(ToOwned::to_owned), &others);
            others.push(other);
        }
        others
    }

    #[test]
    fn a_column_for_each_release_and_the_best_of_ours() {
        let rows = [
            row(1420, "libcrypto", None, 2e9),
            row(1420, "aesni", None, 3e9),
            row(1420, "vaes512", None, 5e9),
            row(1420, "libcrypto", Some("3.5.7"), 4e9),
            row(1420, "libcrypto", Some("4.0.2"), 5e9),
            row(64, "libcrypto", Some("4.0.2"), 1e9),
        ];
        let text = table("AES-256-GCM, message", &rows, &others(), Unit::Megabytes);
        let expected = "
AES-256-GCM, message
  MB/s  this OpenSSL  3.5.7  3.5.7 (2)  4.0.2  Wirespeed
1420 B          2000   4000          -   5000       5000  vaes512
  64 B             -      -          -   1000          -
";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_verdict_says_whether_the_upgrade_is_worth_as_much() {
        let rows = |theirs: f64| {
            [
                row(1420, "libcrypto", None, 2e9),
                row(1420, "vaes512", None, 5e9),
                row(1420, "libcrypto", Some("3.5.7"), theirs),
                row(16384, "libcrypto", None, 4e9),
                row(16384, "vaes512", None, 12e9),
                row(16384, "libcrypto", Some("3.5.7"), 12e9),
            ]
        };
        let said = |theirs| verdict(&rows(theirs), &others()[..1]).replace("\n  ", " ");
        assert_eq!(
            said(5e9).trim(),
            "OpenSSL 3.5.7 is 2.5x to 3.0x as fast as this one, and as fast as Wirespeed in this one: the upgrade is worth as much."
        );
        assert_eq!(
            said(2.5e9).trim(),
            "OpenSSL 3.5.7 is 1.2x to 3.0x as fast as this one; at 1 of 2 rows it is as fast as Wirespeed in this one, at the others Wirespeed is 2.0x as fast."
        );
        let none = verdict(&rows(1.0), &others()[2..]);
        assert_eq!(none, "\nOpenSSL 4.0.2 has nothing of it that this one has, too.\n");
    }
}
