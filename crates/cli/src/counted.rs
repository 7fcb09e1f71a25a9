//! What a module counted, as a table for people and as rows of JSON.

use wirespeed_results::schema::stats::Counted;
use wirespeed_stats::Row;

use crate::output::table::{Side, Table};

/// The counters as data.
pub(crate) fn counted(rows: &[Row]) -> Vec<Counted> {
    let counted = |row: &Row| Counted {
        algorithm: row.subject.name().to_owned(),
        direction: row.direction.name().to_owned(),
        route: row.route.name().to_owned(),
        calls: row.calls,
        bytes: row.bytes,
    };
    rows.iter().map(counted).collect()
}

/// The counters as a table; nothing where nothing was counted.
pub(crate) fn table(rows: &[Counted]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[Side::Left, Side::Left, Side::Left, Side::Right, Side::Right]);
    table.row(["algorithm", "", "route", "calls", "data"].map(str::to_owned).to_vec());
    for row in rows {
        let mut cells = [&row.algorithm, &row.direction, &row.route].map(Clone::clone).to_vec();
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
