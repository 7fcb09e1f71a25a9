//! Machines side by side: who wins what, as a table, and what it means, in words.

use std::fmt::Write;

use wirespeed_results::compare::compare;
use wirespeed_results::schema::compare::{Figure, Line, Section};
use wirespeed_results::{Computer, letter};

use crate::chart::factor;
use crate::table::{Cell, Table};
use crate::text::Text;

/// The verdicts, what to know before they are believed, and all that two machines did.
pub(crate) fn section(machines: &[Computer<'_>]) -> String {
    let (comparison, warnings) = compare(machines);
    let mut text = String::new();
    let verdicts: Vec<&str> = comparison.verdicts.iter().map(|it| it.sentence.as_str()).collect();
    list(&mut text, "What this says", &verdicts);
    let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
    list(&mut text, "Before you believe it", &warnings);
    for section in Section::ALL {
        let rows: Vec<&Line> =
            comparison.rows.iter().filter(|row| row.section == section).collect();
        if rows.is_empty() {
            continue;
        }
        let title = format!("{}, side by side", section.title());
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "<h2>{title}</h2>\n<p class=\"quiet\">{}; each machine's best route at the same work. A figure in another \
             mode of use is marked ~, and its row has no winner.</p>\n",
            section.unit().0
        );
        text.push_str(&table(&title, machines.len(), section, &rows).open());
    }
    text
}

fn list(text: &mut String, title: &str, sentences: &[&str]) {
    if !sentences.is_empty() {
        let items: String = sentences.iter().map(|it| format!("<li>{}</li>\n", Text(it))).collect();
        let _ = write!(text, "<h2>{title}</h2>\n<ul>\n{items}</ul>\n");
    }
}

fn table(title: &str, machines: usize, section: Section, rows: &[&Line]) -> Table {
    // A machine that did nothing of it has no column.
    let has_some = |place: &usize| rows.iter().any(|row| row.figures[*place].is_some());
    let places: Vec<usize> = (0..machines).filter(has_some).collect();
    let mut head = vec![Cell::name("work"), Cell::name("ahead")];
    for &place in &places {
        head.push(Cell::figure(letter(place)));
        head.push(Cell::name("by"));
    }
    let mut table = Table::new(title, head);
    let mut group = "";
    for row in rows {
        if row.group != group {
            group = &row.group;
            table.row(vec![Cell::across(group, 2 + 2 * places.len())]);
        }
        let tilde = if row.incomparable.is_some() { "~" } else { "" };
        let ahead = match (row.winner, row.lead) {
            (Some(winner), Some(lead)) => format!("{} {lead:.1}x", letter(winner)),
            (None, _) if row.incomparable.is_some() => "~".to_owned(),
            _ => "even".to_owned(),
        };
        let mut cells = vec![Cell::name(&row.name), Cell::name(ahead)];
        for &place in &places {
            let speed =
                |it: &Figure| format!("{tilde}{:.1}", it.bytes_per_second / section.unit().1);
            let figure = row.figures[place].as_ref();
            cells.push(Cell::figure(figure.map_or("-".to_owned(), speed)));
            let by = figure.map(|it| match it.factor {
                Some(ratio) => format!("{} {}", factor(ratio), it.by),
                None => it.by.clone(),
            });
            cells.push(Cell::name(by.unwrap_or_default()));
        }
        table.row(cells);
    }
    table
}
