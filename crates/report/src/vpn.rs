//! The results of `wirespeed vpn`: what a core carries, which links that fills, and every figure.

use std::fmt::Write;

use wirespeed_results::Computer;
use wirespeed_results::figures::percent;
use wirespeed_results::schema::tunnel;
use wirespeed_results::schema::vpn::{CoresNeeded, Link, Row, Vpn};

use crate::chart::{Bar, Chart, Group, MEGABITS, Series};
use crate::table::{Cell, Table};
use crate::text::Text;

/// Charts of all machines that have results, then the tables of each.
pub(crate) fn section(machines: &[Computer<'_>]) -> String {
    let found: Vec<(usize, &Computer<'_>, &Vpn)> = machines
        .iter()
        .enumerate()
        .filter_map(|(place, machine)| Some((place, machine, machine.vpn()?)))
        .collect();
    if found.is_empty() {
        return String::new();
    }
    let mut text = String::from("<h2>VPN links</h2>\n");
    text.push_str(
        "<p>What one core carries one way, the slower of both ends: encrypted and authenticated, packet by packet.</p>\n",
    );
    let places: Vec<usize> = found.iter().map(|(place, ..)| *place).collect();
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for link in found.iter().flat_map(|(.., vpn)| &vpn.links) {
        let kind = (link.packet.as_str(), link.in_flight);
        if !kinds.contains(&kind) && link.bits_per_second_per_core > 0.0 {
            kinds.push(kind);
        }
    }
    for (number, kind) in kinds.iter().enumerate() {
        let links: Vec<&[Link]> = found.iter().map(|(.., vpn)| vpn.links.as_slice()).collect();
        let series = Series::of_machines(&places, machines.len());
        text.push_str(&chart(*kind, &links, series, format!("vpn-{number}")).html());
    }
    for (_, machine, vpn) in found {
        let of = if machines.len() > 1 { format!(" of {}", machine.label) } else { String::new() };
        sentences(&mut text, &format!("What they say{of}"), &vpn.verdict);
        tables(&mut text, &of, vpn);
        if !vpn.leaves_out.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "<p class=\"quiet\">The estimate leaves out: {}.</p>",
                Text(&vpn.leaves_out.join(", "))
            );
        }
    }
    text
}

fn sentences(text: &mut String, title: &str, sentences: &[String]) {
    if !sentences.is_empty() {
        let items: String = sentences.iter().map(|it| format!("<li>{}</li>\n", Text(it))).collect();
        let _ = write!(text, "<h3>{}</h3>\n<ul>\n{items}</ul>\n", Text(title));
    }
}

/// "packets of 1420 bytes".
fn packets(packet: &str) -> String {
    match packet {
        "imix" => "the IMIX of packets".to_owned(),
        bytes => format!("packets of {bytes} bytes"),
    }
}

fn chart(
    (packet, in_flight): (&str, usize),
    links: &[&[Link]],
    series: Vec<Series>,
    id: String,
) -> Chart {
    let is_of = |link: &&Link| link.packet == packet && link.in_flight == in_flight;
    let mut suites: Vec<&str> = Vec::new();
    for link in links.iter().flat_map(|links| links.iter()).filter(is_of) {
        if !suites.contains(&link.suite.as_str()) {
            suites.push(&link.suite);
        }
    }
    let bar = |links: &&[Link], suite: &str| {
        // Each route has a link of its own; the best of them counts.
        let of_suite = links.iter().filter(is_of).filter(|link| link.suite == suite);
        let bits = of_suite.map(|link| link.bits_per_second_per_core).reduce(f64::max)?;
        Some(Bar { bytes_per_second: bits / 8.0, factor: None })
    };
    let group = |suite: &&str| Group {
        name: (*suite).to_owned(),
        bars: links.iter().map(|links| bar(links, suite)).collect(),
    };
    let batch = match in_flight {
        1 => String::new(),
        many => format!(", {many} in flight"),
    };
    let groups = suites.iter().map(group).collect();
    let title = format!("By one core, {}{batch}", packets(packet));
    let mut chart =
        Chart { title, id, names: "suite", factor: None, unit: MEGABITS, series, groups };
    chart.sort();
    chart
}

fn tables(text: &mut String, of: &str, vpn: &Vpn) {
    if !vpn.links.is_empty() {
        let title = format!("Links filled{of}");
        let _ = writeln!(text, "<h3>{}</h3>", Text(&title));
        text.push_str(&links(&title, &vpn.links).open());
    }
    if !vpn.real.is_empty() {
        let title = format!("Tunnels of real programs{of}");
        let _ = writeln!(text, "<h3>{}</h3>", Text(&title));
        text.push_str(&tunnels(&title, &vpn.real).open());
    }
    if !vpn.rows.is_empty() {
        let title = format!("Every packet{of}");
        let _ = writeln!(text, "<h3>{}</h3>", Text(&title));
        text.push_str(&rows(&title, &vpn.rows).open());
    }
}

fn figure(value: Option<f64>, digits: usize) -> Cell {
    Cell::figure(value.map_or("-".to_owned(), |value| format!("{value:.digits$}")))
}

fn links(title: &str, links: &[Link]) -> Table {
    let head = vec![
        Cell::name("suite"),
        Cell::name("packets"),
        Cell::figure("in flight"),
        Cell::name("route"),
        Cell::figure("Mbit/s a core"),
        Cell::name("one core fills"),
        Cell::name("more take"),
        Cell::figure("CPU left"),
    ];
    let mut table = Table::new(title, head);
    for link in links {
        let needs = |it: &CoresNeeded| match it.cores {
            Some(cores) => format!("{}: {cores} cores", it.link),
            None => format!("{}: more than there are", it.link),
        };
        let more = link.cores_needed.iter().filter(|it| !link.fills.contains(&it.link));
        let more: Vec<String> = more.map(needs).collect();
        let fills = if link.fills.is_empty() { "none".to_owned() } else { link.fills.join(", ") };
        table.row(vec![
            Cell::name(&link.suite),
            Cell::name(&link.packet),
            Cell::figure(link.in_flight.to_string()),
            Cell::name(&link.route),
            figure(Some(link.bits_per_second_per_core / 1e6), 1),
            Cell::words(fills),
            Cell::words(more.join(", ")),
            Cell::figure(link.cpu_left.map_or("-".to_owned(), percent)),
        ]);
    }
    table
}

fn tunnels(title: &str, tunnels: &[tunnel::Row]) -> Table {
    let head = vec![
        Cell::name("carrier"),
        Cell::name("suite"),
        Cell::name("provider"),
        Cell::figure("Mbit/s"),
        Cell::figure("without tunnel"),
        Cell::figure("CPU s/GiB"),
    ];
    let mut table = Table::new(title, head);
    for tunnel in tunnels {
        let mut cells = vec![
            Cell::name(&tunnel.carrier),
            Cell::name(&tunnel.suite),
            Cell::name(&tunnel.provider),
        ];
        match &tunnel.absent {
            Some(why) => cells.push(Cell::across(format!("absent: {why}"), 3)),
            None => cells.extend([
                figure(tunnel.bits_per_second.map(|bits| bits / 1e6), 1),
                figure(tunnel.plain_bits_per_second.map(|bits| bits / 1e6), 1),
                figure(tunnel.cpu_s_per_gib, 3),
            ]),
        }
        table.row(cells);
    }
    table
}

fn rows(title: &str, rows: &[Row]) -> Table {
    let head = vec![
        Cell::name("suite"),
        Cell::name("way"),
        Cell::name("packet"),
        Cell::figure("threads"),
        Cell::figure("in flight"),
        Cell::name("route"),
        Cell::figure("packets/s"),
        Cell::figure("Mbit/s"),
        Cell::figure("median µs"),
        Cell::figure("90 %"),
        Cell::figure("99 %"),
    ];
    let mut table = Table::new(title, head);
    for row in rows {
        let mut cells = vec![
            Cell::name(&row.suite),
            Cell::name(&row.direction),
            Cell::name(&row.packet),
            Cell::figure(row.threads.to_string()),
            Cell::figure(row.in_flight.to_string()),
        ];
        match &row.absent {
            Some(why) => cells.push(Cell::across(format!("absent: {why}"), 6)),
            None => cells.extend([
                Cell::name(&row.route),
                figure(row.packets_per_second, 0),
                figure(row.bytes_per_second.map(|bytes| bytes * 8.0 / 1e6), 1),
                figure(row.median_ns.map(|nanos| nanos / 1e3), 2),
                figure(row.p90_ns.map(|nanos| nanos / 1e3), 2),
                figure(row.p99_ns.map(|nanos| nanos / 1e3), 2),
            ]),
        }
        table.row(cells);
    }
    table
}
