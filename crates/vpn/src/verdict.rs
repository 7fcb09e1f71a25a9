//! What the figures say in words: which suite for which link, and whether what is in use is the fastest there
//! is.

use wirespeed_results::LINKS;
use wirespeed_results::schema::HOST;
use wirespeed_results::schema::vpn::Link;

use crate::suite::Suite;

/// Faster by less is no reason to change anything.
const CLEAR: f64 = 1.05;

/// Sentences about the packets that were measured first.
pub fn verdict(links: &[Link]) -> Vec<String> {
    let Some(packet) = links.first().map(|link| &link.packet) else { return Vec::new() };
    let all: Vec<&Link> = links.iter().filter(|link| link.packet == *packet).collect();
    let one: Vec<&Link> = all.iter().copied().filter(|link| link.in_flight == 1).collect();
    let best = best_of_each(one.iter().copied());
    let mut sentences = Vec::new();
    sentences.extend(fastest(&best));
    sentences.extend(with_a_mac(&best));
    sentences.extend(with_one_core(&best));
    sentences.extend(with_more_cores(&best));
    sentences.extend(in_use(&one));
    sentences.extend(together(&best, &best_of_each(all)));
    sentences
}

fn speed(link: &Link) -> f64 {
    link.packets_per_second_per_core
}

/// The fastest route of each suite with packets of one kind, in their order.
pub fn best_of_each<'a>(links: impl IntoIterator<Item = &'a Link>) -> Vec<&'a Link> {
    let mut best: Vec<&Link> = Vec::new();
    for link in links {
        let same = |it: &&mut &Link| (&it.suite, &it.packet) == (&link.suite, &link.packet);
        match best.iter_mut().find(same) {
            None => best.push(link),
            Some(other) if speed(link) > speed(other) => *other = link,
            Some(_) => {}
        }
    }
    best
}

fn fastest(best: &[&Link]) -> Option<String> {
    let first = best.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)))?;
    let packets = match first.packet.as_str() {
        "imix" => "a simple IMIX".to_owned(),
        bytes => format!("packets of {bytes} bytes"),
    };
    Some(format!(
        "With {packets} the fastest suite is {} by {}: {} one way with one core.",
        first.suite,
        first.route,
        rate(first.bits_per_second_per_core)
    ))
}

/// What a cipher and a MAC one after the other cost, against the fastest of all.
fn with_a_mac(best: &[&Link]) -> Option<String> {
    let first = sorted(best.iter()).into_iter().next()?;
    let has_mac = |link: &&&Link| link.suite.parse::<Suite>().is_ok_and(|it| it.digest().is_some());
    let of_two = sorted(best.iter().filter(has_mac)).into_iter().next()?;
    (of_two.suite != first.suite).then(|| {
        format!(
            "The fastest with a MAC of its own, {}, has {:.2} of that.",
            of_two.suite,
            speed(of_two) / speed(first)
        )
    })
}

/// A rate in words: "12.3 Gbit/s".
fn rate(bits: f64) -> String {
    match bits {
        bits if bits >= 9.995e9 => format!("{:.1} Gbit/s", bits / 1e9),
        bits if bits >= 0.9995e9 => format!("{:.2} Gbit/s", bits / 1e9),
        bits => format!("{:.0} Mbit/s", bits / 1e6),
    }
}

/// Names of suites as a part of a sentence; too many are counted.
fn named(suites: &[&str]) -> String {
    const MOST: usize = 4;
    match suites {
        [one] => (*one).to_owned(),
        [rest @ .., last] if rest.len() < MOST => format!("{} and {last}", rest.join(", ")),
        many => format!("{} and {} more", many[0], many.len() - 1),
    }
}

/// Suites, the fastest first.
fn sorted<'a>(links: impl Iterator<Item = &'a &'a Link>) -> Vec<&'a Link> {
    let mut links: Vec<&Link> = links.copied().collect();
    links.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
    links
}

/// Which suites fill which link with one core, from the largest link down to the one that all fill.
fn with_one_core(best: &[&Link]) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for (link, _) in LINKS.iter().rev() {
        let fill = best.iter().filter(|it| it.fills.iter().any(|it| it == link));
        let all: Vec<&str> = sorted(fill).iter().map(|it| it.suite.as_str()).collect();
        let more: Vec<&str> = all.iter().copied().filter(|suite| !told.contains(suite)).collect();
        if more.is_empty() {
            continue;
        }
        let suites = match (all.len() == best.len() && best.len() > 1, told.is_empty()) {
            (true, _) => "with every suite".to_owned(),
            (false, true) => format!("with {}", named(&more)),
            (false, false) => format!("with {} as well", named(&more)),
        };
        parts.push(format!("{link} {suites}"));
        told = all;
    }
    match parts.is_empty() {
        true if best.is_empty() => None,
        true => Some("One core fills no link of 100 Mbit/s or more with any suite.".to_owned()),
        false => Some(format!("One core fills {}.", parts.join("; "))),
    }
}

/// What takes more than one core, and what is left then: the largest link that can be filled at all.
fn with_more_cores(best: &[&Link]) -> Option<String> {
    let first = best.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)))?;
    let largest = first.cores_needed.iter().rev().find(|it| it.cores.is_some())?;
    let left = first.cpu_left?;
    let cores = match largest.cores? {
        1 => "one core".to_owned(),
        cores => format!("{cores} cores"),
    };
    Some(format!(
        "The largest link that {} fills is {}, with {cores}, and {:.0} % of all CPUs are left for everything else.",
        first.suite,
        largest.link,
        left * 100.0
    ))
}

/// Whether the host's OpenSSL, which VPN daemons use here as they are, is the fastest of each suite.
fn in_use(one: &[&Link]) -> Option<String> {
    let mut gains: Vec<(f64, &Link)> = Vec::new();
    let mut compared = 0;
    for host in one.iter().filter(|link| link.route == HOST) {
        let ours = one.iter().find(|link| link.suite == host.suite && link.route != HOST);
        let Some(ours) = ours else { continue };
        compared += 1;
        let gain = speed(ours) / speed(host);
        if gain >= CLEAR {
            gains.push((gain, ours));
        }
    }
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (gain, best) = match gains.first() {
        None if compared == 0 => return None,
        None => {
            return Some(
                "This OpenSSL by itself is the fastest that this machine has, for every suite that others \
                 could run."
                    .to_owned(),
            );
        }
        Some((gain, best)) => (gain, best),
    };
    Some(format!(
        "This OpenSSL by itself is not the fastest that this machine has: with the module {} of {compared} suites \
         are faster, most of all {} by {}, {gain:.1} times.",
        gains.len(),
        best.suite,
        best.route
    ))
}

/// What packets side by side would bring.
fn together(one: &[&Link], all: &[&Link]) -> Option<String> {
    let pairs = all.iter().filter_map(|best| {
        let alone = one.iter().find(|it| it.suite == best.suite)?;
        Some((speed(best) / speed(alone), best))
    });
    let (gain, best) = pairs.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (gain >= CLEAR).then(|| {
        format!(
            "A gateway that takes {} packets at once gains most with {}: {gain:.1} times, {} with one core.",
            best.in_flight,
            best.suite,
            rate(best.bits_per_second_per_core)
        )
    })
}

#[cfg(test)]
mod tests {
    use wirespeed_results::schema::vpn::Row;

    use super::*;
    use crate::links::links;

    /// Both ends of a suite at so many thousand packets of 1420 bytes in a second, with one core and with two.
    fn rows(suite: &str, route: &str, in_flight: usize, kilopackets: f64) -> Vec<Row> {
        let row = |(direction, threads): (&str, usize)| Row {
            suite: suite.to_owned(),
            direction: direction.to_owned(),
            packet: "1420".to_owned(),
            packet_bytes: 1420.0,
            threads,
            in_flight,
            route: route.to_owned(),
            packets_per_second: Some(kilopackets * 1e3 * threads as f64),
            ..Row::default()
        };
        [("enc", 1), ("dec", 1), ("enc", 2), ("dec", 2)].map(row).to_vec()
    }

    fn said(parts: &[Vec<Row>]) -> String {
        verdict(&links(&parts.concat(), 2)).join("\n")
    }

    #[test]
    fn which_suite_for_which_link() {
        let text = said(&[
            rows("ESP AES-128-GCM", "libcrypto", 1, 600.0),
            rows("ESP AES-128-GCM", "vaes512", 1, 1500.0),
            rows("WireGuard", "libcrypto", 1, 400.0),
            rows("WireGuard", "avx512", 1, 410.0),
            rows("ESP 3DES-CBC HMAC-SHA1", "libcrypto", 1, 20.0),
        ]);
        assert_eq!(
            text,
            "With packets of 1420 bytes the fastest suite is ESP AES-128-GCM by vaes512: 17.0 Gbit/s one way with \
             one core.\n\
             The fastest with a MAC of its own, ESP 3DES-CBC HMAC-SHA1, has 0.01 of that.\n\
             One core fills 10 Gbit/s with ESP AES-128-GCM; 2.5 Gbit/s with WireGuard as well; 100 Mbit/s with \
             every suite.\n\
             The largest link that ESP AES-128-GCM fills is 25 Gbit/s, with 2 cores, and 31 % of all CPUs are left \
             for everything else.\n\
             This OpenSSL by itself is not the fastest that this machine has: with the module 1 of 2 suites are faster, most of all ESP AES-128-GCM by vaes512, 2.5 times."
        );
    }

    #[test]
    fn an_openssl_that_is_the_fastest_is_praised() {
        let text = said(&[
            rows("WireGuard", "libcrypto", 1, 5.0),
            rows("WireGuard", "avx2", 1, 4.0),
            rows("WireGuard", "avx2", 32, 4.5),
        ]);
        assert!(text.contains("by libcrypto: 57 Mbit/s"), "{text}");
        assert!(text.contains("One core fills no link"), "{text}");
        assert!(text.contains("is the fastest that this machine has, for every suite"), "{text}");
        assert!(!text.contains("at once"), "{text}");
    }

    #[test]
    fn packets_at_once_are_told_apart() {
        let suite = "ESP AES-128-CBC HMAC-SHA1";
        let text = said(&[
            rows(suite, "libcrypto", 1, 100.0),
            rows(suite, "vaes512+sha-ni", 1, 101.0),
            rows(suite, "vaes512+avx512", 32, 350.0),
        ]);
        assert!(
            text.ends_with(&format!(
                "at once gains most with {suite}: 3.5 times, 3.98 Gbit/s with one core."
            )),
            "{text}"
        );
    }

    /// As where this OpenSSL lacks a suite that many at once can run.
    #[test]
    fn a_suite_that_nobody_runs_one_at_a_time_is_compared_with_none() {
        let text = said(&[
            rows("ESP CAMELLIA-128-CBC HMAC-SHA1", "avx2", 32, 300.0),
            rows("ESP 3DES-CBC HMAC-SHA1", "libcrypto", 1, 5.0),
            rows("WireGuard", "avx512", 1, 400.0),
            rows("WireGuard", "avx512", 32, 440.0),
        ]);
        assert!(text.contains("at once gains most with WireGuard: 1.1 times"), "{text}");
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert!(verdict(&[]).is_empty());
    }
}
