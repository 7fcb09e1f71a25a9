//! What a module counted, as a table for people.

use wirespeed_cipher::Digest;
use wirespeed_doctor::volume;
use wirespeed_results::schema::stats::Counted;

use crate::output::table::{Side, Table};

/// The counters as a table; nothing where nothing was counted.
pub(crate) fn table(rows: &[Counted]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[Side::Left, Side::Left, Side::Left, Side::Right, Side::Right]);
    table.row(["algorithm", "", "route", "calls", "data"].map(str::to_owned).to_vec());
    for row in rows {
        // Hash functions have one direction.
        let is_hash = row.algorithm.parse::<Digest>().is_ok();
        let direction = if is_hash { "" } else { &row.direction };
        let mut cells = [row.algorithm.as_str(), direction, &row.route].map(str::to_owned).to_vec();
        cells.extend([row.calls.to_string(), volume(row.bytes)]);
        table.row(cells);
    }
    table.render()
}
