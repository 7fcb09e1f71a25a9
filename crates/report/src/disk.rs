//! The results of `wirespeed disk`: charts of each place where sectors lay, then every figure.

mod compare;
mod words;

use std::fmt::Write;

use wirespeed_disk::document::Row;

use crate::chart::{COLOURS, factor, letter};
use crate::results::Disk;
use crate::table::{Cell, Table};
use crate::text::Text;
use words::{clock, machine, place, settings, tests};

/// Everything below the page's title.
pub(crate) fn body(disks: &[&Disk]) -> String {
    let mut text = intro(disks);
    for store in compare::stores(disks) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "<h2>{}</h2>", Text(&place(&store)));
        for chart in compare::charts(disks, &store) {
            text.push_str(&chart.html());
        }
    }
    let options = compare::options(disks);
    if !options.is_empty() {
        text.push_str("<h2>Options of dm-crypt</h2>\n");
        options.iter().for_each(|chart| text.push_str(&chart.html()));
    }
    for disk in disks {
        text.push_str(&figures(disk, disks.len() > 1));
    }
    text
}

/// What is compared, and how to read it.
fn intro(disks: &[&Disk]) -> String {
    let mut text = String::from(
        "<p>How fast each cipher writes and reads sectors. The second figure is the factor against no \
         encryption (<code>none</code>): 1 is as fast as that, 0.5 half as fast.</p>\n<ul class=\"results\">\n",
    );
    for (series, disk) in disks.iter().enumerate() {
        let key = match disks.len() {
            1 => String::new(),
            _ => format!("<span class=\"key s{}\"></span>{} ", series % COLOURS, letter(series)),
        };
        let lines = [machine(disk), settings(disk), disk.source.clone()];
        let lines = lines.into_iter().flatten().map(|it| format!("<br>{}", Text(&it)));
        let _ = writeln!(
            text,
            "<li>{key}<strong>{}</strong>{}{}</li>",
            Text(&disk.label),
            if disk.interrupted { " (broken off)" } else { "" },
            lines.collect::<String>()
        );
    }
    text.push_str("</ul>\n");
    text
}

/// All rows of one file, and what it says of them.
fn figures(disk: &Disk, is_one_of_several: bool) -> String {
    let mut text = match is_one_of_several {
        true => format!("<h2>All figures of {}</h2>\n", Text(&disk.label)),
        false => "<h2>All figures</h2>\n".to_owned(),
    };
    for (title, sentences) in [
        ("What they say", &disk.advice),
        ("Cautions", &disk.cautions),
        ("What disturbed the measurement", &disk.warnings),
    ] {
        if sentences.is_empty() {
            continue;
        }
        let items: String = sentences.iter().map(|it| format!("<li>{}</li>\n", Text(it))).collect();
        let _ = write!(text, "<h3>{title}</h3>\n<ul>\n{items}</ul>\n");
    }
    let mut rows: Vec<&Row> = disk.rows.iter().collect();
    rows.extend(&disk.options);
    if !rows.is_empty() {
        text.push_str("<h3>Every test</h3>\n");
        let _ = writeln!(text, "<p class=\"quiet\">{}</p>", tests());
        text.push_str(&table(&rows).open());
    }
    text
}

/// Columns of the table of everything; what is absent says why across those from `test` on.
const COLUMNS: [&str; 13] = [
    "cipher",
    "key",
    "place",
    "sector",
    "options",
    "test",
    "load",
    "elapsed",
    "CPU %",
    "bytes",
    "MB/s",
    "factor",
    "CPU s/GiB",
];

fn table(rows: &[&Row]) -> Table {
    let is_name = |name: &str| ["cipher", "place", "options", "test"].contains(&name);
    let head =
        COLUMNS.map(|name| if is_name(name) { Cell::name(name) } else { Cell::figure(name) });
    let mut table =
        Table::new("Every test", head.into_iter().chain([Cell::name("route or driver")]).collect());
    for row in rows {
        let mut cells = vec![
            Cell::name(compare::cipher(row)),
            Cell::figure(if row.key_bits == 0 { String::new() } else { row.key_bits.to_string() }),
            Cell::name(&row.store),
            Cell::figure(row.sector_bytes.map(|it| it.to_string()).unwrap_or_default()),
            Cell::name(row.options.join(" ")),
        ];
        let reasons = [("absent", &row.absent), ("WRONG", &row.wrong)];
        let reason = reasons.into_iter().find_map(|(word, why)| Some((word, why.as_ref()?)));
        if let Some((word, why)) = reason {
            cells.push(Cell::across(format!("{word}: {why}"), COLUMNS.len() + 1 - cells.len()));
            table.row(cells);
            continue;
        }
        let figure = |value: Option<f64>, digits: usize| {
            Cell::figure(value.map_or("-".to_owned(), |value| format!("{value:.digits$}")))
        };
        cells.extend([
            Cell::name(row.test.clone().unwrap_or_default()),
            figure(row.load, 2),
            Cell::figure(row.elapsed_ns.map_or("-".to_owned(), clock)),
            figure(row.cpu_percent, 0),
            Cell::figure(row.bytes.map_or("-".to_owned(), |bytes| bytes.to_string())),
            figure(row.bytes_per_second.map(|speed| speed / 1e6), 1),
            Cell::figure(row.factor.map_or("-".to_owned(), factor)),
            figure(row.cpu_s_per_gib, 3),
            Cell::name(row.driver.clone().or_else(|| row.route.clone()).unwrap_or_default()),
        ]);
        table.row(cells);
    }
    table
}
