//! Single algorithms: curves where there are sizes enough, bars elsewhere.
//!
//! One machine's routes are drawn side by side; of several machines each one's best, and then the routes of each.

use wirespeed_results::schema::HOST;
use wirespeed_results::schema::bench::Row;
use wirespeed_results::{Computer, figures, letter};

use crate::chart::{Bar, COLOURS, Chart, Group, MEGABYTES, Series};
use crate::curves::{Curve, Curves};
use crate::text::Text;

/// So many sizes make a curve.
const CURVE: usize = 3;

/// Everything about single algorithms.
pub(crate) fn section(machines: &[Computer<'_>]) -> String {
    let mut text = String::new();
    if machines.len() > 1 {
        let best = best_of_each(machines);
        push(&mut text, "Speed by size, each machine's best", &draw(&best, "best", "of the first"));
    }
    for (place, machine) in machines.iter().enumerate() {
        let (title, id) = match machines.len() {
            1 => ("Speed by size".to_owned(), "speed".to_owned()),
            _ => (format!("Speed by size, routes of {}", machine.label), format!("speed-{place}")),
        };
        let mut works = works_of(machine);
        if machines.len() > 1 {
            works.retain(|work| work.lines.len() > 1);
        }
        push(&mut text, &title, &draw(&works, &id, "of libcrypto"));
    }
    text
}

fn push(text: &mut String, title: &str, charts: &str) {
    if !charts.is_empty() {
        text.push_str(&format!("<h2>{}</h2>\n{charts}", Text(title)));
    }
}

/// One algorithm in one mode, at every size.
struct Work {
    /// "AES-128-CBC enc".
    name: String,
    /// "message, through EVP".
    mode: String,
    lines: Vec<Line>,
}

/// Who did it.
struct Line {
    /// A route, or a machine's letter and name.
    name: String,
    mark: String,
    colour: usize,
    points: Vec<(usize, f64)>,
    limit: Option<f64>,
}

fn name_of(row: &Row) -> String {
    match row.direction.as_str() {
        "hash" => row.algorithm.clone(),
        direction => format!("{} {direction}", row.algorithm),
    }
}

fn mode_of(row: &Row) -> String {
    let mut mode = match row.usage.as_str() {
        "message" => "a message each call".to_owned(),
        "stream" => "one long message".to_owned(),
        "rekey" => "a new key each call".to_owned(),
        other => other.to_owned(),
    };
    mode.push_str(match row.api_path.as_str() {
        "evp" => ", through EVP",
        _ if row.is_host() => ", without EVP",
        _ => ", the kernels alone",
    });
    if row.threads > 1 {
        mode.push_str(&format!(", {} threads", row.threads));
    }
    mode
}

/// A route, a driver, or an OpenSSL from which something was taken away.
fn candidate(row: &Row) -> String {
    let mut name = match row.without.as_deref() {
        None => match (&row.openssl, &row.driver) {
            (Some(release), _) => format!("OpenSSL {release}"),
            (None, driver) => driver.clone().unwrap_or_else(|| row.route.clone()),
        },
        // Everything that there is was taken away.
        Some(without) if without.contains("ssse3") => "plain code".to_owned(),
        Some(without) => format!("no {without}"),
    };
    if let Some(lanes) = row.lanes.filter(|it| *it > 1) {
        name.push_str(&format!(" x{lanes}"));
    }
    name
}

/// The place of a thing in a list, into which it is put if need be.
fn place_in<T>(list: &mut Vec<T>, is_it: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    list.iter().position(is_it).unwrap_or_else(|| {
        list.push(make());
        list.len() - 1
    })
}

/// All that one machine did, a line for each route.
fn works_of(machine: &Computer<'_>) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    let mut colours: Vec<String> = Vec::new();
    // Nothing else has a place on scales of logarithms.
    let is_drawable =
        |row: &&Row| row.size > 0 && row.bytes_per_second.is_finite() && row.bytes_per_second > 0.0;
    for row in machine.rates().filter(is_drawable) {
        let (name, mode, by) = (name_of(row), mode_of(row), candidate(row));
        let colour = place_in(&mut colours, |it| *it == by, || by.clone());
        let work = place_in(
            &mut works,
            |it| it.name == name && it.mode == mode,
            || Work { name: name.clone(), mode: mode.clone(), lines: Vec::new() },
        );
        let lines = &mut works[work].lines;
        let line = place_in(
            lines,
            |it| it.name == by,
            || Line {
                name: by.clone(),
                mark: by.clone(),
                colour: colour % COLOURS,
                points: Vec::new(),
                limit: None,
            },
        );
        let line = &mut lines[line];
        // What a survey measured again is measured already.
        if line.points.iter().all(|(size, _)| *size != row.size) {
            line.points.push((row.size, row.bytes_per_second));
            let limit = row.limit_share.filter(|it| *it > 0.0);
            let limit = limit.map(|share| row.bytes_per_second / share).filter(|it| it.is_finite());
            line.limit = line.limit.into_iter().chain(limit).reduce(f64::max);
        }
    }
    for line in works.iter_mut().flat_map(|work| &mut work.lines) {
        line.points.sort_unstable_by_key(|(size, _)| *size);
    }
    works
}

/// What two machines or more did, a line for each machine's best.
fn best_of_each(machines: &[Computer<'_>]) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    for (place, machine) in machines.iter().enumerate() {
        for work in works_of(machine) {
            let mut points: Vec<(usize, f64)> = Vec::new();
            for (size, speed) in work.lines.iter().flat_map(|line| line.points.iter().copied()) {
                let point = place_in(&mut points, |(of, _)| *of == size, || (size, speed));
                points[point].1 = points[point].1.max(speed);
            }
            points.sort_unstable_by_key(|(size, _)| *size);
            let limit = work.lines.iter().filter_map(|line| line.limit).reduce(f64::max);
            let line = Line {
                name: format!("{} {}", letter(place), machine.label),
                mark: letter(place),
                colour: place % COLOURS,
                points,
                limit,
            };
            match works.iter_mut().find(|it| it.name == work.name && it.mode == work.mode) {
                Some(found) => found.lines.push(line),
                None => works.push(Work { lines: vec![line], ..work }),
            }
        }
    }
    works.retain(|work| work.lines.len() > 1);
    works
}

/// Curves of what has sizes enough, one after the other, then bars of the rest, a chart for each mode.
fn draw(works: &[Work], id: &str, factor: &'static str) -> String {
    let is_curve = |work: &&Work| work.lines.iter().any(|line| line.points.len() >= CURVE);
    let mut text = String::new();
    for (number, work) in works.iter().filter(is_curve).enumerate() {
        text.push_str(&curves(work, &format!("{id}-curves-{number}")).html());
    }
    let rest: Vec<&Work> = works.iter().filter(|work| !is_curve(work)).collect();
    let mut modes: Vec<&str> = Vec::new();
    for work in &rest {
        place_in(&mut modes, |it| *it == work.mode, || &work.mode);
    }
    for (number, mode) in modes.iter().enumerate() {
        let of_mode: Vec<&Work> = rest.iter().copied().filter(|work| work.mode == *mode).collect();
        text.push_str(&bars(mode, &of_mode, &format!("{id}-bars-{number}"), factor).html());
    }
    text
}

fn curves(work: &Work, id: &str) -> Curves {
    let rival = work.lines.iter().find(|line| line.name == HOST);
    let line = |line: &Line| Curve {
        name: line.name.clone(),
        colour: line.colour,
        points: line.points.clone(),
        break_even: rival.and_then(|rival| break_even(line, rival)),
        rival: HOST.to_owned(),
        limit: None,
    };
    let mut lines: Vec<Curve> = work.lines.iter().map(line).collect();
    // One limit is drawn: that of the best unit.
    let limit = |line: &&Line| line.limit;
    let best = work.lines.iter().enumerate().filter(|(_, line)| limit(line).is_some());
    let best = best.max_by(|(_, a), (_, b)| {
        a.limit.unwrap_or_default().total_cmp(&b.limit.unwrap_or_default())
    });
    if let Some((place, line)) = best {
        lines[place].limit = line.limit;
    }
    Curves { title: format!("{}, {}", work.name, work.mode), id: id.to_owned(), lines }
}

/// The size from which on, and at all above, a line is above its rival, if it is not from the first.
fn break_even(line: &Line, rival: &Line) -> Option<usize> {
    let beats = |(size, speed): &&(usize, f64)| {
        rival.points.iter().find(|(of, _)| of == size).is_some_and(|(_, other)| speed > other)
    };
    let first = line.points.iter().rev().take_while(beats).last()?;
    (line.points.first()?.0 != first.0).then_some(first.0)
}

fn bars(mode: &str, works: &[&Work], id: &str, factor: &'static str) -> Chart {
    let mut series: Vec<Series> = Vec::new();
    for line in works.iter().flat_map(|work| &work.lines) {
        let make = || Series { mark: line.mark.clone(), colour: line.colour };
        place_in(&mut series, |it| it.mark == line.mark, make);
    }
    // Stable: of machines the first stays where it is.
    series.sort_by_key(|it| it.mark != HOST);
    let mut groups = Vec::new();
    for work in works {
        let mut sizes: Vec<usize> =
            work.lines.iter().flat_map(|line| &line.points).map(|(size, _)| *size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            let speed = |series: &Series| {
                let line = work.lines.iter().find(|line| line.mark == series.mark)?;
                line.points.iter().find(|(of, _)| *of == size).map(|(_, speed)| *speed)
            };
            // Compared with the first: libcrypto, or the first machine.
            let first = series.first().and_then(speed);
            let bar = |series: &Series| {
                let bytes_per_second = speed(series)?;
                Some(Bar { bytes_per_second, factor: first.map(|it| bytes_per_second / it) })
            };
            let name = format!("{} {}", work.name, figures::size(size));
            groups.push(Group { name, bars: series.iter().map(bar).collect() });
        }
    }
    let (title, id) = (format!("Speed: {mode}"), id.to_owned());
    let factor = (series.len() > 1).then_some(factor);
    Chart { title, id, names: "work", factor, unit: MEGABYTES, series, groups }
}
