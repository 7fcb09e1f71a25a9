//! The tables as people read them.

use wirespeed_results::LINKS;
use wirespeed_results::schema::HOST;
use wirespeed_results::schema::vpn::{Link, Row};
use wirespeed_vpn::verdict::best_of_each;
use wirespeed_vpn::{IN_FLIGHT, Suite};

use super::document::Found;
use crate::output::figures;
use crate::output::table::{Side, Table};

/// Both tables of one kind of packet, and with `batch` both once more for many at once.
pub(super) fn packets(found: &Found, packet: &str, batch: bool) -> String {
    let links = found.links_of(packet);
    let rows: Vec<&Row> = found.vpn.rows.iter().filter(|row| row.packet == packet).collect();
    if rows.is_empty() {
        return String::new();
    }
    let name = match packet {
        "imix" => "Simple IMIX (7 of 40, 4 of 576, 1 of 1500 bytes)".to_owned(),
        bytes => format!("Packets of {bytes} bytes"),
    };
    let mut text = format!("\n{name}, Mbit/s inside the tunnel, one core\n");
    text.push_str(&speeds(&rows, &links, |row| row.suite.clone()));
    text.push_str(&reasons(&rows));
    text.push_str("\nWhat that fills, by the slower end and the faster route: cores for a link\n");
    let one_at_a_time = |link: &&Link| link.in_flight == 1;
    text.push_str(&filled(&rows, &best_of_each(links.iter().filter(one_at_a_time))));
    if batch {
        text.push_str(&format!("\nThe same, {IN_FLIGHT} packets at once\n"));
        text.push_str(&filled(&rows, &best_of_each(links.iter().filter(|it| it.in_flight > 1))));
    }
    text
}

/// One suite at every size that was measured.
pub(super) fn sizes(found: &Found, suite: Suite) -> String {
    let rows: Vec<&Row> = found.vpn.rows.iter().filter(|row| row.suite == suite.name).collect();
    let mut links = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for row in &rows {
        if !seen.contains(&row.packet.as_str()) {
            seen.push(&row.packet);
            links.extend(
                found.links_of(&row.packet).into_iter().filter(|it| it.suite == suite.name),
            );
        }
    }
    let title = format!("\n{suite} at every size, Mbit/s inside the tunnel, one core\n");
    title + &speeds(&rows, &links, |row| row.packet.clone())
}

fn megabits(row: Option<&&Row>) -> String {
    let rate = row.and_then(|row| row.bytes_per_second);
    rate.map_or("-".to_owned(), |bytes| format!("{:.0}", bytes * 8.0 / 1e6))
}

/// A line for each subject: what the host's OpenSSL does, what we do, and what all cores do together.
fn speeds(rows: &[&Row], links: &[Link], subject: impl Fn(&Row) -> String) -> String {
    let mut table = Table::new(&[
        Side::Left,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Left,
    ]);
    let heading = |cells: [&str; 8]| cells.map(str::to_owned).to_vec();
    let most = rows.iter().map(|row| row.threads).max().unwrap_or(1);
    let cores = if most > 1 { format!("{most} cores") } else { String::new() };
    table.row(heading(["", "OpenSSL", "OpenSSL", "ours", "ours", "", &cores, ""]));
    table.row(heading(["", "enc", "dec", "enc", "dec", "gain", "", "route"]));
    let mut subjects: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        let one = (row.suite.as_str(), row.packet.as_str());
        if subjects.contains(&one) {
            continue;
        }
        subjects.push(one);
        let find = |is_host: bool, direction: &str, threads: usize| {
            rows.iter().find(|it| {
                (it.suite.as_str(), it.packet.as_str()) == one
                    && (it.direction.as_str(), it.threads, it.in_flight) == (direction, threads, 1)
                    && (it.route == HOST) == is_host
            })
        };
        let speed = |is_host: bool| {
            let same = |it: &&Link| {
                (it.suite.as_str(), it.packet.as_str(), it.in_flight) == (one.0, one.1, 1)
                    && (it.route == HOST) == is_host
            };
            links.iter().find(same).map(|link| link.packets_per_second_per_core)
        };
        let (host, ours) = (speed(true), speed(false));
        let gain = ours.zip(host).map(|(ours, host)| ours / host);
        let is_host_best = ours.is_none() || gain.is_some_and(|gain| gain < 1.0);
        let together = ["enc", "dec"].map(|direction| find(is_host_best, direction, most));
        let slower = together.iter().flatten().min_by(|a, b| {
            let rate = |row: &Row| row.bytes_per_second.unwrap_or(f64::MAX);
            rate(a).total_cmp(&rate(b))
        });
        let route = find(false, "enc", 1).filter(|row| row.absent.is_none());
        table.row(vec![
            subject(row),
            megabits(find(true, "enc", 1)),
            megabits(find(true, "dec", 1)),
            megabits(find(false, "enc", 1)),
            megabits(find(false, "dec", 1)),
            gain.map_or("-".to_owned(), figures::times),
            if most > 1 { megabits(slower.copied()) } else { String::new() },
            route.map_or(HOST.to_owned(), |row| row.route.clone()),
        ]);
    }
    table.render()
}

/// Why figures are missing, each reason once.
fn reasons(rows: &[&Row]) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for reason in rows.iter().filter_map(|row| row.absent.as_deref()) {
        if !seen.contains(&reason) {
            seen.push(reason);
        }
    }
    seen.iter().map(|reason| format!("left out: {reason}\n")).collect()
}

/// A line for each suite: packets in a second, latencies, and cores for each link.
fn filled(rows: &[&Row], links: &[&Link]) -> String {
    let mut table = Table::new(&[&[Side::Left][..], &[Side::Right; 10]].concat());
    let short = |(name, _): &(&str, f64)| match name.split_once(' ') {
        Some(("100", "Mbit/s")) => "0.1G".to_owned(),
        Some((count, _)) => format!("{count}G"),
        None => (*name).to_owned(),
    };
    let mut heading = ["", "kpkt/s", "p50 µs", "p99 µs"].map(str::to_owned).to_vec();
    heading.extend(LINKS.iter().map(short));
    heading.push("left".to_owned());
    table.row(heading);
    for link in links {
        // That of the end which takes longer.
        let slower = |of: fn(&Row) -> Option<f64>| {
            let same = rows.iter().filter(|row| {
                (&row.suite, row.threads, row.in_flight) == (&link.suite, 1, link.in_flight)
                    && row.route == link.route
            });
            let nanos = same.filter_map(|row| of(row)).reduce(f64::max);
            nanos.map_or("-".to_owned(), |nanos| format!("{:.2}", nanos / 1e3))
        };
        let mut cells = vec![
            link.suite.clone(),
            format!("{:.0}", link.packets_per_second_per_core / 1e3),
            slower(|row| row.median_ns),
            slower(|row| row.p99_ns),
        ];
        let cores = |cores: Option<usize>| cores.map_or("-".to_owned(), |count| count.to_string());
        cells.extend(link.cores_needed.iter().map(|it| cores(it.cores)));
        cells.push(link.cpu_left.map_or("-".to_owned(), figures::percent));
        table.row(cells);
    }
    table.render()
}
