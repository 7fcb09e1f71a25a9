//! From packets in a second to links that are filled.
//!
//! A tunnel is as fast as the slower of its ends, and a link is full when the sealed packets, with all that
//! Ethernet adds, take all of it. So a link carries less of what is inside the tunnel than its name says: of
//! packets of 1420 bytes by ESP 9.4 of 10 Gbit/s.

use wirespeed_results::LINKS;
use wirespeed_results::schema::vpn::{CoresNeeded, Link, Row};

use crate::sizes::Sizes;
use crate::suite::Suite;

/// What the estimate leaves out.
pub const LEAVES_OUT: [&str; 7] = [
    "kernel path",
    "NIC",
    "NAT and firewall rules",
    "routing and the look-up of the tunnel",
    "replay window",
    "random IVs (CBC)",
    "fragments, where a packet outgrows the MTU",
];

/// Each suite, kind of packet and route, of which both ends were measured, on a machine with so many CPUs.
pub fn links(rows: &[Row], cpus: usize) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for row in rows {
        let same = |it: &Link| is_same(row, &it.suite, &it.packet, &it.route, it.in_flight);
        if row.absent.is_none() && !found.iter().any(same) {
            found.extend(link(rows, row, cpus));
        }
    }
    found
}

fn is_same(row: &Row, suite: &str, packet: &str, route: &str, in_flight: usize) -> bool {
    (row.suite.as_str(), row.packet.as_str(), row.route.as_str(), row.in_flight)
        == (suite, packet, route, in_flight)
}

/// The link row to which a result belongs, if the other end was measured too.
fn link(rows: &[Row], of: &Row, cpus: usize) -> Option<Link> {
    let suite = Suite::ALL.into_iter().find(|suite| suite.name == of.suite)?;
    let sizes: Sizes = of.packet.parse().ok()?;
    let same =
        || rows.iter().filter(|it| is_same(it, &of.suite, &of.packet, &of.route, of.in_flight));
    // Packets in a second by the slower end.
    let slower = |threads: usize| {
        let end = |direction| {
            let mut rows =
                same().filter(|it| (it.direction.as_str(), it.threads) == (direction, threads));
            rows.next()?.packets_per_second
        };
        Some(f64::min(end("enc")?, end("dec")?))
    };
    // More than there are take turns.
    let most = same().map(|it| it.threads).filter(|threads| *threads <= cpus.max(1)).max()?;
    let one = slower(1)?;
    let all = slower(most).unwrap_or(one).max(one);
    let speed = Speed { one, all, most };
    let wire_bytes = sizes.mean(|bytes| suite.wire_bytes(bytes));
    let inner_bytes = sizes.mean(|bytes| bytes);
    let busy = |bits: f64| speed.cores(bits / 8.0 / wire_bytes);
    let needed = |(link, bits): &(&str, f64)| CoresNeeded {
        link: (*link).to_owned(),
        cores: busy(*bits).map(|cores| cores.ceil() as usize),
    };
    let cores_needed: Vec<CoresNeeded> = LINKS.iter().map(needed).collect();
    let fills = cores_needed.iter().filter(|it| it.cores == Some(1));
    let largest = LINKS.iter().rev().find_map(|(_, bits)| busy(*bits));
    Some(Link {
        suite: suite.name.to_owned(),
        packet: of.packet.clone(),
        wire_bytes,
        route: of.route.clone(),
        in_flight: of.in_flight,
        packets_per_second_per_core: one,
        bits_per_second_per_core: one * 8.0 * inner_bytes,
        fills: fills.map(|it| it.link.clone()).collect(),
        cores_needed,
        cpu_left: largest.map(|busy| 1.0 - busy / cpus.max(1) as f64),
    })
}

/// Packets in a second with one core and with as many as were measured; between them a straight line.
struct Speed {
    one: f64,
    all: f64,
    most: usize,
}

impl Speed {
    /// How many cores are busy with so many packets in a second; nothing if all are too few.
    fn cores(&self, wanted: f64) -> Option<f64> {
        if wanted <= self.one {
            return Some(wanted / self.one);
        }
        if wanted > self.all {
            return None;
        }
        Some(1.0 + (wanted - self.one) / (self.all - self.one) * (self.most - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of so many packets in a second.
    fn row(direction: &str, threads: usize, packets: f64) -> Row {
        Row {
            suite: "ESP AES-128-GCM".to_owned(),
            direction: direction.to_owned(),
            packet: "1420".to_owned(),
            packet_bytes: 1420.0,
            threads,
            in_flight: 1,
            route: "vaes512".to_owned(),
            packets_per_second: Some(packets),
            ..Row::default()
        }
    }

    /// 1420 bytes become 8 + 8 + 1424 + 16 by ESP, 1476 as an IPv4 packet, 1514 of an Ethernet: 10 Gbit/s are
    /// 825627 of them in a second.
    const FULL: f64 = 1e10 / 8.0 / 1514.0;

    fn only(rows: &[Row], cpus: usize) -> Link {
        let mut links = links(rows, cpus);
        assert_eq!(links.len(), 1);
        links.remove(0)
    }

    #[test]
    fn the_slower_end_counts() {
        let rows = [row("enc", 1, 2.0 * FULL), row("dec", 1, 1.25 * FULL)];
        let link = only(&rows, 4);
        assert_eq!(link.wire_bytes, 1514.0);
        assert_eq!(link.packets_per_second_per_core, 1.25 * FULL);
        assert_eq!(link.bits_per_second_per_core, 1.25 * FULL * 8.0 * 1420.0);
        assert_eq!(link.fills, ["100 Mbit/s", "1 Gbit/s", "2.5 Gbit/s", "10 Gbit/s"]);
        let cores: Vec<_> = link.cores_needed.iter().map(|it| it.cores).collect();
        assert_eq!(cores, [Some(1), Some(1), Some(1), Some(1), None, None]);
        // 0.8 of one CPU of four.
        assert!((link.cpu_left.expect("a link fits") - 0.8).abs() < 1e-9);
    }

    #[test]
    fn more_cores_fill_more() {
        let mut rows: Vec<Row> = ["enc", "dec"].map(|end| row(end, 1, 0.6 * FULL)).to_vec();
        rows.extend(["enc", "dec"].map(|end| row(end, 4, 2.4 * FULL)));
        let link = only(&rows, 4);
        assert_eq!(link.fills, ["100 Mbit/s", "1 Gbit/s", "2.5 Gbit/s"]);
        // 1 / 0.6 cores: two. 25 Gbit/s would be 2.5 / 0.6: more than four.
        let needed = |link: &str, cores| CoresNeeded { link: link.to_owned(), cores };
        assert_eq!(link.cores_needed[3], needed("10 Gbit/s", Some(2)));
        assert_eq!(link.cores_needed[4], needed("25 Gbit/s", None));
        assert!((link.cpu_left.expect("a link fits") - (1.0 - 1.0 / 0.6 / 4.0)).abs() < 1e-9);
    }

    #[test]
    fn nothing_fits_and_nothing_is_measured() {
        let rows = ["enc", "dec"].map(|end| row(end, 1, 1000.0));
        let link = only(&rows, 2);
        assert!(link.fills.is_empty() && link.cpu_left.is_none());
        assert!(links(&rows[..1], 2).is_empty(), "one end alone is no tunnel");
        let absent = Row { absent: Some("no such cipher".to_owned()), ..row("enc", 1, 0.0) };
        assert!(links(&[absent], 2).is_empty());
    }

    #[test]
    fn a_mix_counts_by_its_mean() {
        let mix = |end| Row { packet: "imix".to_owned(), ..row(end, 1, 1e6) };
        let link = only(&["enc", "dec"].map(mix), 1);
        let wire = |inner: usize| (inner + 2).next_multiple_of(4) as f64 + 32.0 + 20.0 + 38.0;
        let mean = (7.0 * wire(40) + 4.0 * wire(576) + wire(1500)) / 12.0;
        assert!((link.wire_bytes - mean).abs() < 1e-9);
    }
}
