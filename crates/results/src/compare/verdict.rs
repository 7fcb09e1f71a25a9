//! What the figures mean to an owner, use by use.

use super::CLEAR;
use crate::computer::{Computer, letter};
use crate::figures;
use crate::merit::{Merit, Purpose, merits};
use crate::schema::compare::{Place, Verdict};

/// Every machine by the best that it can do for a use, whatever suite that is; and those of which nothing is known.
pub fn rank(machines: &[Computer<'_>], purpose: Purpose) -> (Vec<Place>, Vec<usize>) {
    let (mut ranked, mut unknown) = (Vec::new(), Vec::new());
    for (machine, computer) in machines.iter().enumerate() {
        let mut all = merits(computer, purpose);
        // What measured the work itself counts, if anything did.
        if all.iter().any(|merit| merit.from != "bench") {
            all.retain(|merit| merit.from != "bench");
        }
        let best = all.into_iter().max_by(|a, b| a.bytes_per_second.total_cmp(&b.bytes_per_second));
        match best {
            Some(merit) => ranked.push(place(machine, computer, merit)),
            None => unknown.push(machine),
        }
    }
    sort(&mut ranked);
    (ranked, unknown)
}

fn place(machine: usize, computer: &Computer<'_>, merit: Merit) -> Place {
    let Merit { work, bytes_per_second, by, from, fills, .. } = merit;
    let (letter, label) = (letter(machine), computer.label.clone());
    Place { letter, label, work, bytes_per_second, by, from: from.to_owned(), fills }
}

fn sort(places: &mut [Place]) {
    places.sort_by(|a, b| b.bytes_per_second.total_cmp(&a.bytes_per_second));
}

/// The verdict for a use, if two machines or more did the same work for it.
pub(super) fn of(machines: &[Computer<'_>], purpose: Purpose) -> Option<Verdict> {
    let all: Vec<Vec<Merit>> = machines.iter().map(|it| merits(it, purpose)).collect();
    let mut families: Vec<&str> = Vec::new();
    for merit in all.iter().flatten() {
        if !families.contains(&merit.family) {
            families.push(merit.family);
        }
    }
    let common = |family| Some((family, common(machines, &all, family)?));
    let found: Vec<(&str, Vec<Place>)> = families.into_iter().filter_map(common).collect();
    let winner = |places: &[Place]| clear(places).then(|| places[0].letter.clone());
    let (_, first) = found.first()?;
    let agree = found.iter().all(|(_, places)| winner(places) == winner(first));
    let mut sentence = format!("{}: ", purpose.title());
    if agree {
        // One family tells it all: the one in which the winner is fastest.
        let fastest =
            found.iter().max_by(|a, b| a.1[0].bytes_per_second.total_cmp(&b.1[0].bytes_per_second));
        sentence += &fastest.map(|(_, places)| words(places, purpose)).unwrap_or_default();
    } else {
        let parts = found
            .iter()
            .map(|(family, places)| format!("with {family} {}", words(places, purpose)));
        sentence += &format!("it depends; {}", parts.collect::<Vec<_>>().join("; "));
    }
    sentence.push('.');
    if purpose != Purpose::Disk && found.iter().any(|(_, places)| places[0].from == "bench") {
        sentence.push_str(
            " Estimated from single algorithms, without the kernel and the network card.",
        );
    }
    let ranking = found.into_iter().flat_map(|(_, places)| places).collect();
    Some(Verdict { purpose: purpose.name().to_owned(), sentence, ranking })
}

/// The work of a family that most machines did, of equals the one that tells most; the fastest first.
fn common(machines: &[Computer<'_>], all: &[Vec<Merit>], family: &str) -> Option<Vec<Place>> {
    let mut best: Vec<Place> = Vec::new();
    for merit in all.iter().flatten().filter(|merit| merit.family == family) {
        let found = all.iter().enumerate().filter_map(|(machine, merits)| {
            let same = merits.iter().find(|it| it.work == merit.work && it.from == merit.from)?;
            Some(place(machine, &machines[machine], same.clone()))
        });
        let found: Vec<Place> = found.collect();
        if found.len() > best.len() {
            best = found;
        }
    }
    sort(&mut best);
    (best.len() > 1).then_some(best)
}

/// Whether the first is clearly ahead.
fn clear(places: &[Place]) -> bool {
    places[0].bytes_per_second > CLEAR * places[1].bytes_per_second
}

/// "B (there), 1.7x of A: AES-128-GCM, packets of 1420 bytes, 3.21 Gbit/s, which fills 2.5 Gbit/s".
fn words(places: &[Place], purpose: Purpose) -> String {
    let (first, second) = (&places[0], &places[1]);
    let name = |place: &Place| format!("{} ({})", place.letter, place.label);
    let speed = |place: &Place| speed(place.bytes_per_second, purpose);
    let lead = match clear(places) {
        true => {
            let ratio = first.bytes_per_second / second.bytes_per_second;
            format!("{}, {} of {}", name(first), times(ratio), second.letter)
        }
        false => format!("{} and {} are even", name(first), name(second)),
    };
    let others: Vec<String> =
        places[1..].iter().map(|place| format!("{} {}", place.letter, speed(place))).collect();
    let link = |place: &Place| match (purpose, &place.fills) {
        (Purpose::Vpn, Some(link)) => format!(", a core fills {link}"),
        (Purpose::Vpn, None) => ", a core does not fill 100 Mbit/s".to_owned(),
        _ => String::new(),
    };
    format!("{lead}: {}, {} against {}{}", first.work, speed(first), others.join(", "), link(first))
}

/// "2.1x", and of a narrow lead more.
fn times(ratio: f64) -> String {
    if ratio < 1.095 { figures::times_closely(ratio) } else { figures::times(ratio) }
}

/// Packets in bits, sectors and records in bytes.
fn speed(bytes_per_second: f64, purpose: Purpose) -> String {
    let (value, unit) = match purpose {
        Purpose::Vpn => (bytes_per_second * 8.0, "bit/s"),
        Purpose::Disk | Purpose::Tls => (bytes_per_second, "B/s"),
    };
    let (value, prefix) = if value >= 1e9 { (value / 1e9, "G") } else { (value / 1e6, "M") };
    match value {
        value if value >= 99.95 => format!("{value:.0} {prefix}{unit}"),
        value if value >= 9.995 => format!("{value:.1} {prefix}{unit}"),
        value => format!("{value:.2} {prefix}{unit}"),
    }
}
