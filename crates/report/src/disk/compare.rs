//! The same ciphers of several results, side by side.

use wirespeed_results::schema::disk::Row;

use super::Drive;
use super::words::place;
use crate::chart::{Bar, Chart, Group, MEGABYTES, Series};

/// Writing and reading: the second pass counts, as the comparison of 2007 had it, and the first where there is no
/// second.
const DIRECTIONS: [(&str, [&str; 2]); 2] = [("written", ["w2", "w"]), ("read", ["r2", "r"])];

/// Where sectors lay, in the files' order.
pub(super) fn stores(drives: &[Drive<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for row in drives.iter().flat_map(|drive| &drive.disk.rows) {
        if !found.contains(&row.store) && row.bytes_per_second.is_some() {
            found.push(row.store.clone());
        }
    }
    found
}

/// The charts of one place.
pub(super) fn charts(drives: &[Drive<'_>], machines: usize, store: &str) -> Vec<Chart> {
    let rows = |drive: &Drive<'_>| -> Vec<Row> {
        drive.disk.rows.iter().filter(|row| row.store == store).cloned().collect()
    };
    of(drives, machines, &rows, &cipher_and_key, store, &place(store))
}

/// The charts of dm-crypt's options.
pub(super) fn options(drives: &[Drive<'_>], machines: usize) -> Vec<Chart> {
    let name = |row: &Row| match (row.options.as_slice(), row.sector_bytes) {
        _ if row.key_bits == 0 => "none".to_owned(),
        ([], bytes) => format!("{}, sectors of {} bytes", cipher(row), bytes.unwrap_or_default()),
        (options, bytes) => format!(
            "{}, sectors of {} bytes, {}",
            cipher(row),
            bytes.unwrap_or_default(),
            options.join(" ")
        ),
    };
    let rows = |drive: &Drive<'_>| drive.disk.options.clone();
    of(drives, machines, &rows, &name, "options", "Options of dm-crypt")
}

/// A chart for each direction that was measured.
fn of(
    drives: &[Drive<'_>],
    machines: usize,
    rows: &dyn Fn(&Drive<'_>) -> Vec<Row>,
    name: &dyn Fn(&Row) -> String,
    id: &str,
    title: &str,
) -> Vec<Chart> {
    let places: Vec<usize> = drives.iter().map(|drive| drive.place).collect();
    let all: Vec<Vec<Row>> = drives.iter().map(rows).collect();
    let chart = |(word, tests): (&str, [&str; 2])| {
        let mut names: Vec<String> = Vec::new();
        for row in all.iter().flatten() {
            let is_measured = row.test.as_deref().is_some_and(|test| tests.contains(&test));
            if is_measured && !names.contains(&name(row)) {
                names.push(name(row));
            }
        }
        let bar = |rows: &Vec<Row>, wanted: &str| {
            let of_test = |test: &&str| {
                rows.iter().find(|row| row.test.as_deref() == Some(*test) && name(row) == wanted)
            };
            let row = tests.iter().find_map(of_test)?;
            Some(Bar { bytes_per_second: row.bytes_per_second?, factor: row.factor })
        };
        let groups = names
            .into_iter()
            .map(|name| Group { bars: all.iter().map(|rows| bar(rows, &name)).collect(), name });
        let mut chart = Chart {
            title: format!("{title}: {word}"),
            id: format!(
                "{}-{word}",
                id.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-")
            ),
            names: "cipher",
            factor: Some("factor"),
            unit: MEGABYTES,
            series: Series::of_machines(&places, machines),
            groups: groups.collect(),
        };
        chart.sort();
        (!chart.groups.is_empty()).then_some(chart)
    };
    DIRECTIONS.into_iter().filter_map(chart).collect()
}

/// The cipher's name, and whether plain code was asked for.
pub(super) fn cipher(row: &Row) -> String {
    match row.variant.as_str() {
        "generic" => format!("{} (generic)", row.cipher),
        _ => row.cipher.clone(),
    }
}

fn cipher_and_key(row: &Row) -> String {
    match row.key_bits {
        0 => cipher(row),
        bits => format!("{} {bits}", cipher(row)),
    }
}
