//! What a module counted, as a table for people and as rows of JSON.

use serde::Serialize;
use wirespeed_stats::Row;

use crate::output::table::{Side, Table};

/// One line of the counters.
#[derive(Serialize)]
pub(crate) struct Counted {
    algorithm: &'static str,
    direction: &'static str,
    route: &'static str,
    calls: u64,
    bytes: u64,
}

impl From<&Row> for Counted {
    fn from(row: &Row) -> Self {
        Self {
            algorithm: row.subject.name(),
            direction: row.direction.name(),
            route: row.route.name(),
            calls: row.calls,
            bytes: row.bytes,
        }
    }
}

/// The counters as a table; nothing where nothing was counted.
pub(crate) fn table(rows: &[Counted]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[Side::Left, Side::Left, Side::Left, Side::Right, Side::Right]);
    table.row(["algorithm", "", "route", "calls", "data"].map(str::to_owned).to_vec());
    for row in rows {
        let cells = [row.algorithm, row.direction, row.route].map(str::to_owned);
        let mut cells = cells.to_vec();
        cells.extend([row.calls.to_string(), volume(row.bytes)]);
        table.row(cells);
    }
    table.render()
}

/// "1420 B", "16.0 KiB", "1.5 GiB".
pub(crate) fn volume(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes() {
        assert_eq!(
            [17, 1 << 10, 3 << 19, 5 << 30].map(volume),
            ["17 B", "1.0 KiB", "1.5 MiB", "5.0 GiB"]
        );
    }
}
