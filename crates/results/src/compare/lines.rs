//! The pieces of work that machines did, each machine's best at each.

use crate::computer::Computer;
use crate::figures;
use crate::schema::compare::{Figure, Line, Section};
use crate::schema::{bench, disk, tunnel, vpn};

/// What a piece of work is; figures of the same work stand in one line.
#[derive(PartialEq, Eq, Clone)]
struct Work {
    section: Section,
    /// How it was done, without which figures cannot be compared.
    mode: String,
    /// Lines of the same name stand together.
    name: String,
    /// Bytes in one call; 0 where the name says all.
    size: usize,
}

/// A line in the making.
struct Draft {
    work: Work,
    figures: Vec<Option<Figure>>,
    /// Where it was done otherwise than the line says.
    otherwise: Vec<(usize, String)>,
}

/// One line for each piece of work, sections together, otherwise in the files' order.
pub(super) fn of(machines: &[Computer<'_>]) -> Vec<Line> {
    let mut drafts: Vec<Draft> = Vec::new();
    for (place, computer) in machines.iter().enumerate() {
        for (work, figure) in works(computer) {
            let draft = match drafts.iter_mut().position(|draft| draft.work == work) {
                Some(found) => &mut drafts[found],
                None => {
                    let figures = vec![None; machines.len()];
                    drafts.push(Draft { work, figures, otherwise: Vec::new() });
                    drafts.last_mut().expect("it was just put there")
                }
            };
            let best = &mut draft.figures[place];
            let is_better =
                best.as_ref().is_none_or(|it| it.bytes_per_second < figure.bytes_per_second);
            if is_better {
                *best = Some(figure);
            }
        }
    }
    let drafts = side_by_side(drafts);
    let mut names: Vec<String> = Vec::new();
    for draft in &drafts {
        if !names.contains(&draft.work.name) {
            names.push(draft.work.name.clone());
        }
    }
    let mut keyed: Vec<_> = drafts
        .into_iter()
        .map(|draft| {
            let name = names.iter().position(|name| *name == draft.work.name);
            ((draft.work.section, draft.work.mode.clone(), name, draft.work.size), draft)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().map(|(_, draft)| draft.line()).collect()
}

/// Puts work that was done in different modes, by no machine in both, into one line, which says so.
fn side_by_side(drafts: Vec<Draft>) -> Vec<Draft> {
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts {
        let same = |it: &&mut Draft| {
            let (a, b) = (&it.work, &draft.work);
            (a.section, &a.name, a.size) == (b.section, &b.name, b.size)
                && it.figures.iter().zip(&draft.figures).all(|(a, b)| a.is_none() || b.is_none())
        };
        match kept.iter_mut().find(same) {
            Some(host) => {
                for (place, figure) in draft.figures.into_iter().enumerate() {
                    if figure.is_some() {
                        host.figures[place] = figure;
                        host.otherwise.push((place, draft.work.mode.clone()));
                    }
                }
            }
            None => kept.push(draft),
        }
    }
    kept
}

impl Draft {
    fn line(self) -> Line {
        let Work { section, mode, name, size } = self.work;
        let letters = |(place, mode): &(usize, String)| {
            format!("{}: {mode}", crate::computer::letter(*place))
        };
        let otherwise: Vec<String> = self.otherwise.iter().map(letters).collect();
        Line {
            section,
            group: mode,
            name: match (section, size) {
                (Section::Algorithms, size) => format!("{name} {}", figures::size(size)),
                _ => name,
            },
            figures: self.figures,
            winner: None,
            lead: None,
            incomparable: (!otherwise.is_empty()).then(|| otherwise.join(", ")),
        }
        .judge()
    }
}

/// Everything that a machine did.
fn works(computer: &Computer<'_>) -> Vec<(Work, Figure)> {
    let mut found: Vec<(Work, Figure)> = computer.rates().filter_map(algorithm).collect();
    let disk = computer.disk();
    let options = disk.map_or(&[][..], |disk| &disk.options);
    found.extend(disk_rows(computer.disk_rows()));
    found.extend(disk_rows(options));
    found.extend(computer.packets().iter().filter_map(packets));
    found.extend(computer.tunnels().iter().filter_map(tunnel));
    found
}

/// A figure that can be compared: nothing else is a speed.
fn figure(bytes_per_second: f64, by: &str) -> Option<Figure> {
    let is_speed = bytes_per_second.is_finite() && bytes_per_second > 0.0;
    let by = by.to_owned();
    is_speed.then_some(Figure { bytes_per_second, ratio: None, by, factor: None, noise: 0.0 })
}

fn algorithm(row: &bench::Row) -> Option<(Work, Figure)> {
    if !row.is_of_machine() {
        return None;
    }
    let api_path = match row.api_path.as_str() {
        "evp" => "through EVP",
        // As openssl speed had it until 3.0.
        _ if row.is_host() => "without EVP",
        _ => "kernels alone",
    };
    let threads = match row.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let name = match row.direction.as_str() {
        "hash" => row.algorithm.clone(),
        direction => format!("{} {direction}", row.algorithm),
    };
    let noise = match (row.mad_ns, row.median_ns) {
        (Some(deviation), Some(median)) if median > 0.0 => deviation / median,
        _ => 0.0,
    };
    let mode = format!("{}, {api_path}, {threads}", row.usage);
    let work = Work { section: Section::Algorithms, mode, name, size: row.size };
    let by = row.driver.as_deref().unwrap_or(&row.route);
    Some((work, Figure { noise, ..figure(row.bytes_per_second, by)? }))
}

/// The second pass of each test counts, and the first where there is no second.
fn disk_rows(rows: &[disk::Row]) -> Vec<(Work, Figure)> {
    let mut found = Vec::new();
    for row in rows {
        let (Some(speed), Some(test)) = (row.bytes_per_second, row.test.as_deref()) else {
            continue;
        };
        let second = format!("{test}2");
        let same = |it: &&disk::Row| {
            (&it.store, &it.cipher, &it.variant, it.key_bits, it.sector_bytes, &it.options)
                == (
                    &row.store,
                    &row.cipher,
                    &row.variant,
                    row.key_bits,
                    row.sector_bytes,
                    &row.options,
                )
        };
        if rows.iter().filter(same).any(|it| it.test.as_deref() == Some(&second)) {
            continue;
        }
        let mut mode = vec![row.store.clone()];
        mode.extend(row.sector_bytes.map(|bytes| format!("sectors of {bytes} bytes")));
        mode.extend(
            row.threads
                .map(|threads| format!("{threads} threads").replace("1 threads", "1 thread")),
        );
        mode.extend(row.options.iter().cloned());
        let word = if test.starts_with('w') { "written" } else { "read" };
        let key = if row.key_bits == 0 { String::new() } else { format!(" {}", row.key_bits) };
        let plain = if row.variant == "generic" { " (generic)" } else { "" };
        let name = format!("{}{key}{plain} {word}", row.cipher);
        let work = Work { section: Section::Disks, mode: mode.join(", "), name, size: 0 };
        let by = row.driver.as_deref().or(row.route.as_deref()).unwrap_or_default();
        found.extend(figure(speed, by).map(|it| (work, Figure { factor: row.factor, ..it })));
    }
    found
}

fn packets(row: &vpn::Row) -> Option<(Work, Figure)> {
    let mut mode = match row.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    if row.in_flight > 1 {
        mode.push_str(&format!(", {} in flight", row.in_flight));
    }
    let packet = match row.packet.as_str() {
        "imix" => "IMIX".to_owned(),
        bytes => format!("{bytes} B"),
    };
    let name = format!("{} {} {packet}", row.suite, row.direction);
    let work = Work { section: Section::Packets, mode, name, size: 0 };
    Some((work, figure(row.bytes_per_second?, &row.route)?))
}

fn tunnel(row: &tunnel::Row) -> Option<(Work, Figure)> {
    let mode = format!("{}, one stream", row.carrier);
    let work = Work { section: Section::Tunnels, mode, name: row.suite.clone(), size: 0 };
    Some((work, figure(row.bits_per_second? / 8.0, &row.provider)?))
}
