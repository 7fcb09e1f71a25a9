//! The figures behind each choice.

use wirespeed_cipher::Route;
use wirespeed_results::schema::plan::Row;

use super::{Line, Told};
use crate::output::figures;
use crate::output::table::{Side, Table};

/// A block for each algorithm and direction, a line for each size.
pub(super) fn text(told: &Told) -> String {
    let mut blocks = Vec::new();
    for (served, lines) in told.routes.algorithms.iter().zip(&told.lines) {
        for Line { direction, title, routes, .. } in lines {
            let here = |row: &&Row| row.direction == direction.name();
            let rows: Vec<&Row> = served.rows.iter().filter(here).collect();
            if rows.iter().all(|row| row.ns.is_none()) {
                blocks.push(format!("{title}: {routes}; nothing was measured\n"));
                continue;
            }
            let note = if served.claimed {
                ""
            } else {
                ": left to this OpenSSL, for there is no clear gain without a loss elsewhere"
            };
            let in_kernel = rows.iter().any(|row| row.route == Route::Kernel.name());
            let driver = driver(served.driver.as_deref().filter(|_| in_kernel));
            blocks.push(format!("{title}{note}\n{}{driver}", block(&rows)));
        }
    }
    for other in &told.others {
        let driver = driver(other.driver.as_deref());
        blocks.push(format!("{}: {}\n{driver}", other.title, other.routes));
    }
    blocks.join("\n")
}

/// Whose times the kernel's are, and which.
fn driver(name: Option<&str>) -> String {
    let told = |name| format!("kernel: by the driver {name}, chosen by elapsed time\n");
    name.map_or(String::new(), told)
}

fn block(rows: &[&Row]) -> String {
    let mut table = Table::new(&[
        Side::Right,
        Side::Left,
        Side::Right,
        Side::Left,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Left,
    ]);
    let heading = ["", "route", "ns a call", "second", "ns a call", "this OpenSSL", "gain", "use"];
    table.row(heading.map(str::to_owned).to_vec());
    for row in rows {
        table.row(vec![
            figures::size(row.size),
            row.route.clone(),
            time(row.ns, row.spread_ns),
            row.second.as_deref().unwrap_or("-").to_owned(),
            time(row.second_ns, row.second_spread_ns),
            time(row.libcrypto_ns, row.libcrypto_spread_ns),
            row.gain.map_or("-".to_owned(), |gain| format!("{gain:.2}x")),
            row.usage.as_deref().unwrap_or("-").to_owned(),
        ]);
    }
    table.render()
}

/// "81.4 ±0.3".
fn time(nanos: Option<f64>, spread: Option<f64>) -> String {
    match (nanos, spread) {
        (Some(nanos), Some(spread)) => format!("{nanos:.1} ±{spread:.1}"),
        _ => "-".to_owned(),
    }
}
