//! The results of `wirespeed disk`: charts of each place where sectors lay, and every figure.

mod compare;
mod words;

use std::fmt::Write;

use wirespeed_results::schema::disk::{Disk, Row};
use wirespeed_results::{Computer, Content, Results};

use crate::chart::factor;
use crate::table::{Cell, Table};
use crate::text::Text;
pub(crate) use words::settings;
use words::{clock, place, tests};

/// One machine's disks.
pub(crate) struct Drive<'a> {
    /// Its place among the machines of the page.
    pub(crate) place: usize,
    pub(crate) label: &'a str,
    pub(crate) disk: &'a Disk,
    /// What disturbed the measurement.
    pub(crate) warnings: &'a [String],
}

impl<'a> Drive<'a> {
    /// What a machine's files say of disks.
    pub(crate) fn of(place: usize, machine: &'a Computer<'a>) -> Option<Self> {
        let disk = machine.disk()?;
        let is_this = |file: &&&Results| matches!(&file.content, Content::Disk(_));
        let warnings = machine.files.iter().find(is_this).map_or(&[][..], |file| &file.warnings);
        Some(Self { place, label: &machine.label, disk, warnings })
    }
}

/// Charts of each place, and of dm-crypt's options.
pub(crate) fn charts(drives: &[Drive<'_>], machines: usize) -> String {
    let mut text = String::from(
        "<p>How fast each cipher writes and reads sectors. The second figure is the factor against no \
         encryption (<code>none</code>): 1 is as fast as that, 0.5 half as fast.</p>\n",
    );
    for store in compare::stores(drives) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "<h2>{}</h2>", Text(&place(&store)));
        for chart in compare::charts(drives, machines, &store) {
            text.push_str(&chart.html());
        }
    }
    let options = compare::options(drives, machines);
    if !options.is_empty() {
        text.push_str("<h2>Options of dm-crypt</h2>\n");
        options.iter().for_each(|chart| text.push_str(&chart.html()));
    }
    text
}

/// All rows of one file, and what it says of them.
pub(crate) fn figures(drive: &Drive<'_>, is_one_of_several: bool) -> String {
    let disk = drive.disk;
    let mut text = match is_one_of_several {
        true => format!("<h2>All figures of {}</h2>\n", Text(drive.label)),
        false => "<h2>All figures</h2>\n".to_owned(),
    };
    for (title, sentences) in [
        ("What they say", disk.advice.as_slice()),
        ("Cautions", &disk.cautions),
        ("What disturbed the measurement", drive.warnings),
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
