//! The figures behind each choice.

use wirespeed_cipher::Route;
use wirespeed_results::schema::plan::Row;

use super::{Line, Told};
use crate::output::figures;
use crate::output::table::{Side, Table, paragraph};

/// A block for each algorithm and direction, a line for each size.
pub(super) fn text(told: &Told) -> String {
    let mut blocks = Vec::new();
    for (served, lines) in told.routes.algorithms.iter().zip(&told.lines) {
        for Line { direction, title, routes, looked_up, .. } in lines {
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
            let offload = Route::OFFLOADS.into_iter();
            let mut offload = offload.filter(|it| rows.iter().any(|row| row.route == it.name()));
            let driver = driver(offload.next().zip(served.driver.as_deref()));
            let cost = cost(&rows, looked_up.unwrap_or("keys and data"));
            blocks.push(format!("{title}{note}\n{}{driver}{cost}", block(&rows)));
        }
    }
    for other in &told.others {
        let driver = driver(other.driver.as_ref().map(|(route, name)| (*route, name.as_str())));
        blocks.push(format!("{}: {}\n{driver}", other.title, other.routes));
    }
    blocks.join("\n")
}

/// Whose times the kernel's are, and which.
fn driver(named: Option<(Route, &str)>) -> String {
    let told = |(route, name)| format!("{route}: by the driver {name}, chosen by elapsed time\n");
    named.map_or(String::new(), told)
}

/// Where a route serves for constant time alone, and what that costs: "constant time at 16 B, 64 B: 0.62x to 0.97x of
/// this OpenSSL, whose code looks up in tables: keys and all blocks".
fn cost(rows: &[&Row], looked_up: &str) -> String {
    let forced: Vec<&&Row> = rows.iter().filter(|row| row.constant_time).collect();
    let gains = || forced.iter().filter_map(|row| row.gain);
    let (Some(least), Some(most)) = (gains().reduce(f64::min), gains().reduce(f64::max)) else {
        return String::new();
    };
    let sizes: Vec<String> = forced.iter().map(|row| figures::size(row.size)).collect();
    let sizes = match forced.len() == rows.len() {
        true => String::new(),
        false => format!(" at {}", sizes.join(", ")),
    };
    let [least, most] = [least, most].map(figures::times_closely);
    let gain = if least == most { least } else { format!("{least} to {most}") };
    let text = format!(
        "constant time{sizes}: {gain} of this OpenSSL, whose code looks up in tables: {looked_up}"
    );
    paragraph(&text, 0, 2)
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
            row.gain.map_or("-".to_owned(), figures::times_closely),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(size: usize, gain: f64, constant_time: bool) -> Row {
        Row { size, gain: Some(gain), constant_time, ..Row::default() }
    }

    #[test]
    fn what_constant_time_costs_is_told_with_its_reason() {
        let rows = [row(16, 0.824, true), row(64, 0.971, true), row(256, 1.4, false)];
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(
            cost(&rows, "keys and all blocks"),
            "constant time at 16 B, 64 B: 0.82x to 0.97x of this OpenSSL, whose code looks up in tables: \
             keys and\n  all blocks\n"
        );
        assert_eq!(
            cost(&rows[..1], "the hash"),
            "constant time: 0.82x of this OpenSSL, whose code looks up in tables: the hash\n"
        );
        assert_eq!(cost(&rows[2..], "the hash"), "");
    }
}
