//! `wirespeed bench`: algorithms at every size, the routes side by side.

use std::collections::HashSet;

use wirespeed_bench::{BENCH_SCHEMA, Case, Contender, Contest, Document, Measured, Row, Skipped};
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_measure::Effort;

use crate::arguments::{BenchRequest, Unit};
use crate::fault::Fault;
use crate::host::Host;
use crate::output::table::{Side, Table};
use crate::output::{Progress, figures, header, notes, warnings, write_json, write_text};

/// The sizes of one algorithm in one direction and use: one block of the table.
struct Block {
    subject: Subject,
    usage: Use,
    cases: Vec<Case>,
}

pub(crate) fn run(request: BenchRequest) -> Result<(), Fault> {
    let host = Host::discover();
    let contenders = contenders(&host, request.routes.as_deref())?;
    let (blocks, mut skipped) = blocks(&request, &there_is_a_choice(&host, &contenders));
    let contest = Contest {
        arena: &host.arena,
        effort: Effort::lasting(request.seconds),
        threads: request.threads,
        limits: true,
    };
    let slices = |block: &Block| -> u64 {
        block.cases.iter().map(|case| contest.ticks(*case, &contenders)).sum()
    };
    let to_people = ![&request.json, &request.csv].iter().any(|t| t.as_deref() == Some("-"));
    let show = |text: &str| if to_people { write_text("-", text) } else { Ok(()) };
    show(&format!("{}\n", header(&host.machine)))?;
    if let Err(why) = host.arena.library() {
        show(&format!("{why}; the kernels run directly\n"))?;
    }
    let progress = Progress::new(blocks.iter().map(slices).sum());
    let mut all = Vec::new();
    for block in &blocks {
        let mut here = present_for(&contest, block, &contenders, &mut skipped);
        if request.routes.is_none() && here.iter().all(|it| *it == Contender::Host) {
            let portable = [host.find(Route::Portable).contender];
            here.extend(present_for(&contest, block, &portable, &mut skipped));
        }
        if here.is_empty() {
            continue;
        }
        let mut measured = Vec::new();
        for case in &block.cases {
            progress.at(case.to_string());
            measured.push(contest.measure(*case, &here, &|| progress.tick())?);
        }
        progress.around(|| show(&text(block, &here, &measured, request.unit)))?;
        all.extend(measured);
    }
    progress.done();
    let warnings = warnings(&all);
    show(&left_out(&skipped))?;
    show(&notes(&warnings))?;
    let rows: Vec<Row> = all.iter().flat_map(Measured::rows).collect();
    let csv = csv(&rows);
    let document = Document {
        schema: BENCH_SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        machine: host.machine,
        clock: if request.threads > 1 { "wall" } else { "thread-cpu" },
        rows,
        skipped,
        warnings,
    };
    if let Some(target) = &request.csv {
        write_text(target, &csv)?;
    }
    request.json.as_ref().map_or(Ok(()), |target| write_json(target, &document))
}

/// Those asked for, all of which must be here; or all that are here, the host's OpenSSL first. The
/// portable route, slow by nature, comes only on request or for want of a better one.
fn contenders(host: &Host, routes: Option<&[Route]>) -> Result<Vec<Contender>, Fault> {
    if let Some(routes) = routes {
        let mut seen = HashSet::new();
        return routes
            .iter()
            .filter(|route| seen.insert(**route))
            .map(|route| {
                let found = host.find(*route);
                let absent = |why| Fault::usage(format!("route {route} is absent: {why}"));
                found.presence.map(|()| found.contender).map_err(absent)
            })
            .collect();
    }
    let here = |route: &Route| host.arena.presence(host.find(*route).contender).is_ok();
    let fast = Route::LADDER.into_iter().filter(here);
    let mut routes: Vec<Route> = [Route::Libcrypto].into_iter().filter(here).chain(fast).collect();
    if routes.iter().all(|route| *route == Route::Libcrypto) {
        routes.push(Route::Portable);
    }
    Ok(routes.into_iter().map(|route| host.find(route).contender).collect())
}

/// The algorithms that somebody besides the host's OpenSSL knows.
fn there_is_a_choice(host: &Host, contenders: &[Contender]) -> Vec<Subject> {
    let others = || contenders.iter().filter(|contender| **contender != Contender::Host);
    Subject::ours().filter(|it| others().any(|other| host.arena.knows(*other, *it))).collect()
}

/// Every block that has cases, and why the other cases are none.
fn blocks(request: &BenchRequest, usual: &[Subject]) -> (Vec<Block>, Vec<Skipped>) {
    let (mut blocks, mut skipped) = (Vec::new(), Vec::new());
    for &subject in request.algorithms.as_deref().unwrap_or(usual) {
        // OFB, CTR and hashes are the same function both ways: --decrypt measures that one.
        let directions = match subject.is_symmetric() {
            true => vec![Direction::Encrypt],
            false => request.directions.clone(),
        };
        for direction in directions {
            for &usage in &request.uses {
                let mut cases = Vec::new();
                for &size in &request.sizes {
                    match Case::new(subject, direction, usage, size) {
                        Ok(case) if !cases.contains(&case) => cases.push(case),
                        Ok(_) => {}
                        Err(reason) => note(&mut skipped, subject, Some(usage), None, reason),
                    }
                }
                if !cases.is_empty() {
                    blocks.push(Block { subject, usage, cases });
                }
            }
        }
    }
    (blocks, skipped)
}

fn note(
    skipped: &mut Vec<Skipped>,
    subject: Subject,
    usage: Option<Use>,
    route: Option<Route>,
    reason: impl Into<String>,
) {
    let entry = Skipped {
        algorithm: subject.name(),
        usage: usage.map(Use::name),
        route: route.map(Route::name),
        reason: reason.into(),
    };
    if !skipped.contains(&entry) {
        skipped.push(entry);
    }
}

/// The contenders that know the block's algorithm; a route may leave one to OpenSSL.
fn present_for(
    contest: &Contest<'_>,
    block: &Block,
    contenders: &[Contender],
    skipped: &mut Vec<Skipped>,
) -> Vec<Contender> {
    let mut here = Vec::new();
    for contender in contenders {
        match contest.arena.runner(*contender, block.cases[0]) {
            Ok(_) => here.push(*contender),
            Err(why) => note(skipped, block.subject, None, contender.route(), why.to_string()),
        }
    }
    here
}

/// One block: a line for each size, a column for each route.
fn text(block: &Block, contenders: &[Contender], measured: &[Measured], unit: Unit) -> String {
    let title = |contender: &Contender| contender.route().map_or("", Route::name).to_owned();
    let mut table = Table::new(&vec![Side::Right; contenders.len() + 4]);
    let mut heading = vec![unit.name().to_owned()];
    heading.extend(contenders.iter().map(title));
    heading.extend(["best".to_owned(), "of limit".to_owned(), "±".to_owned()]);
    table.row(heading);
    for one in measured {
        let fastest =
            one.entries.iter().min_by(|a, b| a.estimate.median.total_cmp(&b.estimate.median));
        let Some(fastest) = fastest else { continue };
        let mut cells = vec![figures::size(one.case.size)];
        cells.extend(one.entries.iter().map(|entry| unit.figure(entry.bytes_per_second())));
        cells.push(title(&fastest.contender));
        cells.push(fastest.limit_share.map_or("-".to_owned(), |s| figures::percent(s.median)));
        let spread = one.entries.iter().map(|entry| entry.estimate.spread()).fold(0.0, f64::max);
        cells.push(format!("{:.1} %", spread * 100.0));
        table.row(cells);
    }
    let first = &block.cases[0];
    let mut text = format!("\n{}, {}\n{}", first.title(), block.usage, table.render());
    text.push_str(&break_even(contenders, measured));
    text
}

/// From which size on each route beats the host's OpenSSL, at that size and all above.
fn break_even(contenders: &[Contender], measured: &[Measured]) -> String {
    if !contenders.contains(&Contender::Host) || contenders.len() < 2 {
        return String::new();
    }
    let from = |contender: &Contender| {
        let beats = |one: &&Measured| {
            one.ratio(Contender::Host, *contender).is_some_and(|ratio| ratio.low > 1.0)
        };
        let size = measured.iter().rev().take_while(beats).last();
        let from =
            size.map_or("never".to_owned(), |one| format!("from {}", figures::size(one.case.size)));
        format!("{} {from}", contender.route().map_or("", Route::name))
    };
    let others = contenders.iter().filter(|contender| **contender != Contender::Host);
    format!("break-even with libcrypto: {}\n", others.map(from).collect::<Vec<_>>().join(", "))
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Self::Megabytes => "MB/s",
            Self::Kilobytes => "kB/s",
        }
    }

    fn figure(self, bytes_per_second: f64) -> String {
        match self {
            Self::Megabytes if bytes_per_second < 1e8 => format!("{:.1}", bytes_per_second / 1e6),
            Self::Megabytes => format!("{:.0}", bytes_per_second / 1e6),
            Self::Kilobytes => format!("{:.2}", bytes_per_second / 1e3),
        }
    }
}

fn csv(rows: &[Row]) -> String {
    let lines = rows.iter().map(Row::to_csv);
    let lines: Vec<String> = [Row::CSV_HEADER.to_owned()].into_iter().chain(lines).collect();
    lines.join("\n") + "\n"
}

/// What was left out, and why.
fn left_out(skipped: &[Skipped]) -> String {
    let line = |one: &Skipped| {
        let what = [Some(one.algorithm), one.usage, one.route];
        let what: Vec<&str> = what.into_iter().flatten().collect();
        format!("\nleft out: {}: {}", what.join(" "), one.reason)
    };
    let text: String = skipped.iter().map(line).collect();
    if text.is_empty() { text } else { text + "\n" }
}
