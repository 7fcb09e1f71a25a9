//! Machines side by side, as people read them.

use wirespeed_results::schema::compare::{Described, Figure, Line, Place, Section, Verdict};
use wirespeed_results::{Computer, Purpose};

use crate::output::WIDTH;
use crate::output::figures;
use crate::output::table::{Side, Table, paragraph};

/// The legend, then the tables, then what each did alone.
pub(super) fn comparison(machines: &[Described], rows: &[Line], alone: &[usize]) -> String {
    let mut text = String::new();
    for Described { letter, label, description, source } in machines {
        let about = [description.as_ref(), source.as_ref()].into_iter().flatten();
        let about: Vec<&str> = about.map(String::as_str).collect();
        text.push_str(&paragraph(&format!("{letter}  {label}: {}", about.join(". ")), 0, 3));
    }
    for section in Section::ALL {
        let of: Vec<&Line> = rows.iter().filter(|row| row.section == section).collect();
        if !of.is_empty() {
            text.push_str(&format!("\n{}, {}\n", section.title(), section.unit().0));
            text.push_str(&columns(machines, section, &of));
        }
    }
    if rows.is_empty() {
        text.push_str("\nNo two of these machines did the same work.\n");
    }
    let alone: Vec<String> = machines
        .iter()
        .zip(alone)
        .filter(|(_, count)| **count > 0)
        .map(|(machine, count)| format!("{} {count}", machine.letter))
        .collect();
    if !alone.is_empty() {
        text.push_str(&format!("\nDone by one alone, and not shown: {}\n", alone.join(", ")));
    }
    text
}

/// A table of all machines that have figures, or as many tables beside one another's place as the width asks for.
fn columns(machines: &[Described], section: Section, rows: &[&Line]) -> String {
    let has_some = |place: &usize| rows.iter().any(|row| row.figures[*place].is_some());
    let places: Vec<usize> = (0..machines.len()).filter(has_some).collect();
    for at_once in (1..=places.len()).rev() {
        let panels = places.chunks(at_once).map(|chunk| panel(machines, section, rows, chunk));
        let text = panels.collect::<Vec<_>>().join("\n");
        if at_once == 1 || text.lines().all(|line| line.chars().count() <= WIDTH) {
            return text;
        }
    }
    String::new()
}

/// These machines alone; rows in which they have nothing are left out.
fn panel(machines: &[Described], section: Section, rows: &[&Line], places: &[usize]) -> String {
    let mut sides = vec![Side::Left];
    sides.extend([Side::Right, Side::Left].repeat(places.len()));
    sides.push(Side::Right);
    let mut text = String::new();
    let mut groups: Vec<&str> = rows.iter().map(|row| row.group.as_str()).collect();
    groups.dedup();
    // One table for all groups, so that the columns stand below one another.
    let mut table = Table::new(&sides);
    let mut headings = Vec::new();
    for group in groups {
        let shown = |row: &&&Line| {
            row.group == group && places.iter().any(|place| row.figures[*place].is_some())
        };
        let shown: Vec<&&Line> = rows.iter().filter(shown).collect();
        if shown.is_empty() {
            continue;
        }
        headings.push((shown.len(), group));
        for row in shown {
            table.row(cells(machines, section, row, places));
        }
    }
    let mut head = vec![String::new()];
    for &place in places {
        head.extend([machines[place].letter.clone(), String::new()]);
    }
    head.push("ahead".to_owned());
    let mut with_head = Table::new(&sides);
    with_head.row(head);
    with_head.append(table);
    let lines = with_head.render();
    let mut lines = lines.lines();
    text.push_str(lines.next().unwrap_or_default());
    text.push('\n');
    for (count, group) in headings {
        text.push_str(&format!("{group}\n"));
        for line in lines.by_ref().take(count) {
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

fn cells(machines: &[Described], section: Section, row: &Line, places: &[usize]) -> Vec<String> {
    let mut cells = vec![format!("  {}", row.name)];
    let tilde = if row.incomparable.is_some() { "~" } else { "" };
    for &place in places {
        let figure = row.figures[place].as_ref();
        let value = |it: &Figure| {
            let value = figures::aligned(it.bytes_per_second / section.unit().1);
            format!("{tilde}{value}")
        };
        cells.push(figure.map_or("-   ".to_owned(), value));
        let by = figure.map(|it| match it.factor {
            Some(factor) => format!("{factor:.2} {}", it.by),
            None => it.by.clone(),
        });
        cells.push(by.unwrap_or_default());
    }
    cells.push(match (row.winner, row.lead) {
        (Some(winner), Some(lead)) => {
            format!("{} {}", machines[winner].letter, figures::times(lead))
        }
        _ if row.incomparable.is_some() => "~".to_owned(),
        _ => "even".to_owned(),
    });
    cells
}

/// What it means.
pub(super) fn verdicts(verdicts: &[Verdict]) -> String {
    let sentences: String = verdicts.iter().map(|it| paragraph(&it.sentence, 0, 2)).collect();
    if sentences.is_empty() { sentences } else { format!("\n{sentences}") }
}

/// What must be known before it is believed.
pub(super) fn remarks(remarks: &[String]) -> String {
    let sentences: String =
        remarks.iter().map(|it| paragraph(&format!("note: {it}"), 0, 2)).collect();
    if sentences.is_empty() { sentences } else { format!("\n{sentences}") }
}

/// Machines in the order of what they are worth for a use.
pub(super) fn ranking(
    machines: &[Computer<'_>],
    purpose: Purpose,
    ranking: &[Place],
    unknown: &[usize],
) -> String {
    let unit = if purpose == Purpose::Vpn { "Mbit/s" } else { "MB/s" };
    let one_core = if purpose == Purpose::Disk { "" } else { ", one core" };
    let mut text = format!("Best for {}{one_core}\n", purpose.title());
    let mut sides = vec![Side::Right, Side::Left, Side::Right, Side::Left];
    let is_vpn = purpose == Purpose::Vpn;
    sides.extend(is_vpn.then_some(Side::Left));
    let mut table = Table::new(&sides);
    let mut head = ["", "machine", unit, "work"].map(ToOwned::to_owned).to_vec();
    head.extend(is_vpn.then(|| "fills".to_owned()));
    table.row(head);
    for (number, place) in ranking.iter().enumerate() {
        let per_unit = if is_vpn { 1e6 / 8.0 } else { 1e6 };
        // An estimate from single algorithms is marked.
        let work = if place.from == "bench" && purpose != Purpose::Disk {
            format!("{} *", place.work)
        } else {
            place.work.clone()
        };
        let mut cells = vec![
            (number + 1).to_string(),
            place.label.clone(),
            figures::aligned(place.bytes_per_second / per_unit),
            work,
        ];
        cells.extend(is_vpn.then(|| place.fills.clone().unwrap_or("-".to_owned())));
        table.row(cells);
    }
    let command = match purpose {
        Purpose::Vpn => "vpn",
        Purpose::Disk => "disk",
        Purpose::Tls => "bench",
    };
    match ranking {
        [] => text.push_str(&format!(
            "none of these machines was measured for it: wirespeed {command} --json FILE does that\n"
        )),
        _ => text.push_str(&table.render()),
    }
    if ranking.iter().any(|place| place.from == "bench") && purpose != Purpose::Disk {
        text.push_str(
            "* estimated from single algorithms, without the kernel and the network card\n",
        );
    }
    if !unknown.is_empty() {
        let labels: Vec<&str> = unknown.iter().map(|it| machines[*it].label.as_str()).collect();
        text.push_str(&paragraph(&format!("Not measured for it: {}", labels.join(", ")), 0, 2));
    }
    text
}
