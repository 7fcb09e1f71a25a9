//! A fleet on one page: its kinds, how far hosts of one kind differ, and what better software or hardware would bring.

use std::collections::BTreeMap;

use wirespeed_results::figures::{percent, times_closely};
use wirespeed_results::fleet::{Fleet, Kind, Work, mean, median};
use wirespeed_results::schema::HOST;

use crate::page;
use crate::table::{Cell, Table};
use crate::text::Text;

/// Hosts that are further behind the fastest of their kind are outliers.
const OUTLIER: f64 = 0.15;
/// As many lines as a list of many has.
const MOST: usize = 50;
/// What one busy core takes in a server, for want of a measurement.
const WATTS: f64 = 10.0;

/// The whole page.
pub fn fleet(fleet: &Fleet) -> String {
    let body = [
        summary(fleet),
        kinds(fleet),
        figures(fleet),
        outliers(fleet),
        upgrades(fleet),
        savings(fleet),
        damaged(fleet),
    ];
    page::page("The fleet", &body.concat())
}

fn summary(fleet: &Fleet) -> String {
    let (hosts, kinds, damaged) = (fleet.hosts(), fleet.kinds.len(), fleet.damaged.len());
    let damaged = match damaged {
        0 => String::new(),
        1 => " One file was not understood; it is named at the end.".to_owned(),
        many => format!(" {many} files were not understood; they are named at the end."),
    };
    format!(
        "<p>{} of {}.{damaged} Rates are of one core; of a kind the median of its hosts.</p>\n",
        counted(hosts, "host", "hosts"),
        counted(kinds, "kind", "kinds")
    )
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A table below a heading.
fn section(heading: &str, about: &str, table: &Table) -> String {
    format!("<h2>{}</h2>\n<p>{}</p>\n{}", Text(heading), Text(about), table.open())
}

fn head(names: &[&str], figures: &[&str]) -> Vec<Cell> {
    let names = names.iter().map(|it| Cell::name(*it));
    names.chain(figures.iter().map(|it| Cell::figure(*it))).collect()
}

/// What a kind's hosts gain over their OpenSSL, and how far apart they are, over all that was measured.
fn kinds(fleet: &Fleet) -> String {
    let mut table =
        Table::new("Kinds", head(&["Kind", "What it is"], &["Hosts", "Gain", "Spread"]));
    for (id, kind) in &fleet.kinds {
        let works = kind.works();
        let gain = mean(works.iter().filter_map(|work| gain(kind, work)));
        let spread = works.iter().map(|work| spread(kind, work)).fold(0.0, f64::max);
        table.row(vec![
            Cell::name(id),
            Cell::words(&kind.words),
            Cell::figure(kind.hosts.len().to_string()),
            Cell::figure(times(gain)),
            Cell::figure(percent(spread)),
        ]);
    }
    let about = "The gain is over the host's OpenSSL, the mean of all that was measured. The spread is between the \
                 slowest and the fastest host where that is most.";
    section("Kinds", about, &table)
}

/// Each kind's rates.
fn figures(fleet: &Fleet) -> String {
    let columns = ["OpenSSL", "Best", "Gain", "Spread"];
    let mut table = Table::new("Rates in GB/s", head(&["Kind", "Work", "Route"], &columns));
    for (id, kind) in &fleet.kinds {
        for work in kind.works() {
            let openssl = median(&kind.values(&work, |rates| rates.openssl));
            let best = median(&kind.values(&work, |rates| Some(rates.best)));
            table.row(vec![
                Cell::name(id),
                Cell::name(named(&work)),
                Cell::name(route(kind, &work)),
                Cell::figure(gigabytes(openssl)),
                Cell::figure(gigabytes(best)),
                Cell::figure(times(gain(kind, &work))),
                Cell::figure(percent(spread(kind, &work))),
            ]);
        }
    }
    section("Figures", "Rates in 10^9 bytes a second.", &table)
}

/// Hosts that are not as the others of their kind.
fn outliers(fleet: &Fleet) -> String {
    let of_kind = |(id, kind): (&'_ String, &'_ Kind)| {
        let behind = kind.behind().into_iter().filter(|(.., share)| *share > OUTLIER);
        let row = |(host, work, share): (&str, &Work, f64)| {
            (share, [host, id, &named(work)].map(str::to_owned))
        };
        behind.map(row).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = fleet.kinds.iter().flat_map(of_kind).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    if found.is_empty() {
        return "<h2>Outliers</h2>\n<p>No host is more than 15 % behind the fastest of its kind.</p>\n".to_owned();
    }
    let mut table = Table::new("Outliers", head(&["Host", "Kind", "Furthest at"], &["Behind"]));
    for (share, cells) in found.iter().take(MOST) {
        let cells = cells.iter().map(Cell::name);
        table.row(cells.chain([Cell::figure(percent(*share))]).collect());
    }
    let about = format!(
        "{} more than 15 % behind the fastest of their kind{}. Look for another frequency governor, a busy neighbour, \
         heat or a lesser power limit.",
        counted(found.len(), "host is", "hosts are"),
        if found.len() > MOST { format!("; the furthest {MOST} are here") } else { String::new() }
    );
    section("Outliers", &about, &table)
}

/// What another OpenSSL brings on the same hardware, and what the hosts of the slowest kind would gain as the fastest.
fn upgrades(fleet: &Fleet) -> String {
    let mut table = Table::new(
        "Upgrades",
        head(&["From", "To", "What changes"], &["OpenSSL alone", "With Wirespeed"]),
    );
    let mut row = |from: (&String, &Kind), to: (&String, &Kind), what: String| {
        let ratio = |value: fn(&wirespeed_results::fleet::Rates) -> Option<f64>| {
            let of_work = |work: &Work| {
                Some(median(&to.1.values(work, value))? / median(&from.1.values(work, value))?)
            };
            times(mean(from.1.works().iter().filter_map(of_work)))
        };
        table.row(vec![
            Cell::name(from.0),
            Cell::name(to.0),
            Cell::words(what),
            Cell::figure(ratio(|rates| rates.openssl)),
            Cell::figure(ratio(|rates| Some(rates.best))),
        ]);
    };
    let mut any = false;
    for (from, to) in pairs(fleet) {
        any = true;
        row(from, to, format!("{} to {}", from.1.openssl, to.1.openssl));
    }
    let speed = |kind: &Kind| {
        mean(kind.works().iter().filter_map(|work| median(&kind.values(work, |it| Some(it.best)))))
    };
    let mut by_speed: Vec<_> =
        fleet.kinds.iter().filter_map(|(id, kind)| Some((speed(kind)?, (id, kind)))).collect();
    by_speed.sort_by(|one, other| one.0.total_cmp(&other.0));
    if let [(_, slowest), .., (_, fastest)] = by_speed[..] {
        any = true;
        row(slowest, fastest, "the slowest kind becomes the fastest".to_owned());
    }
    if !any {
        return String::new();
    }
    let about = "How many times as fast hosts would be, the mean of what both were measured at.";
    section("What an upgrade would bring", about, &table)
}

/// A kind, by its eight digits.
type Named<'a> = (&'a String, &'a Kind);

/// Kinds on the same hardware, the older OpenSSL first.
fn pairs(fleet: &Fleet) -> Vec<(Named<'_>, Named<'_>)> {
    let mut by_hardware: BTreeMap<&str, Vec<Named<'_>>> = BTreeMap::new();
    for (id, kind) in &fleet.kinds {
        by_hardware.entry(&kind.hardware).or_default().push((id, kind));
    }
    let mut pairs = Vec::new();
    for mut kinds in by_hardware.into_values() {
        kinds.sort_by_key(|(_, kind)| numbers(&kind.openssl));
        pairs.extend(kinds.windows(2).map(|pair| (pair[0], pair[1])));
    }
    pairs
}

/// "OpenSSL 3.0.19 27 Jan 2026" as 3, 0, 19.
fn numbers(version: &str) -> Vec<u32> {
    let word = version.split(' ').nth(1).unwrap_or(version);
    word.split(|letter: char| !letter.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
}

/// CPU time and energy, where hosts say what their programs did.
fn savings(fleet: &Fleet) -> String {
    let (mut before, mut after, mut bytes, mut hosts) = (0.0, 0.0, 0.0, 0);
    for kind in fleet.kinds.values() {
        for (host, rates) in &kind.hosts {
            let Some(done) = fleet.done_a_day.get(host) else { continue };
            hosts += 1;
            // What was left to OpenSSL was not saved.
            for ((algorithm, direction, _), done) in done.iter().filter(|(it, _)| it.2 != HOST) {
                let Some(rates) = done.like(rates, [algorithm, direction]) else { continue };
                let Some(openssl) = rates.openssl else { continue };
                before += done.bytes / openssl;
                after += done.bytes / rates.best;
                bytes += done.bytes;
            }
        }
    }
    if hosts == 0 {
        return String::new();
    }
    let saved = (before - after).max(0.0);
    format!(
        "<h2>What is saved a day</h2>\n<p>{} {} what programs do: {:.1} GB a day by measured ciphers of Wirespeed's. \
         OpenSSL alone would take {before:.0} s of CPU time for them, Wirespeed takes {after:.0} s. \
         <strong>{saved:.0} s of CPU time are saved a day, about {:.1} Wh</strong> at {WATTS} W for a busy core, \
         which is assumed.</p>\n",
        counted(hosts, "host", "hosts"),
        if hosts == 1 { "counts" } else { "count" },
        bytes / 1e9,
        saved * WATTS / 3600.0
    )
}

fn damaged(fleet: &Fleet) -> String {
    if fleet.damaged.is_empty() {
        return String::new();
    }
    let items: String =
        fleet.damaged.iter().take(MOST).map(|it| format!("<li>{}</li>\n", Text(it))).collect();
    let more = match fleet.damaged.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("<p>And {more} more.</p>\n"),
    };
    format!("<h2>Files that were not understood</h2>\n<ul>\n{items}</ul>\n{more}")
}

fn gain(kind: &Kind, work: &Work) -> Option<f64> {
    median(&kind.values(work, |rates| Some(rates.best / rates.openssl?)))
}

fn spread(kind: &Kind, work: &Work) -> f64 {
    match kind.values(work, |rates| Some(rates.best))[..] {
        [least, .., most] => 1.0 - least / most,
        _ => 0.0,
    }
}

/// The route that serves most of a kind's hosts best.
fn route(kind: &Kind, work: &Work) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for rates in kind.hosts.values().filter_map(|it| it.get(work)) {
        *counts.entry(&rates.route).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or("", |(route, _)| route).to_owned()
}

fn named((algorithm, direction, usage, size): &Work) -> String {
    let usage = if usage == "message" { String::new() } else { format!(", {usage}") };
    format!("{algorithm} {direction} {size} B{usage}")
}

fn times(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), times_closely)
}

fn gigabytes(rate: Option<f64>) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{:.2}", rate / 1e9))
}
