//! What the survey measures, and what it makes of it.

use wirespeed_af_alg::drivers::{self, Driver, LIST};
use wirespeed_bench::{Candidate, Case, Entry, Measured};
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_machine::Source;
use wirespeed_measure::statistics::Estimate;
use wirespeed_results::schema::survey::{Gain, RouteState};

use wirespeed_bench::{Found, Host};

use Direction::{Decrypt, Encrypt};

/// The rows for people: packets, records, sectors and very short messages, where the time goes.
const ROWS: [(&str, Direction, usize); 24] = [
    ("AES-128-GCM", Encrypt, 16),
    ("AES-128-GCM", Encrypt, 1420),
    ("AES-128-GCM", Encrypt, 16384),
    ("AES-256-GCM", Encrypt, 1420),
    ("AES-256-GCM", Encrypt, 16384),
    ("AES-256-GCM", Decrypt, 1420),
    ("AES-256-GCM", Decrypt, 16384),
    ("AES-256-CTR", Encrypt, 16),
    ("AES-256-CTR", Encrypt, 16384),
    ("AES-256-CBC", Decrypt, 1024),
    ("AES-256-CBC", Decrypt, 16384),
    ("AES-256-CBC", Encrypt, 16384),
    ("AES-256-XTS", Encrypt, 512),
    ("AES-256-XTS", Encrypt, 4096),
    ("AES-256-CFB", Decrypt, 16384),
    ("ChaCha20-Poly1305", Encrypt, 1420),
    ("ChaCha20-Poly1305", Encrypt, 16384),
    ("CAMELLIA-256-CTR", Encrypt, 16384),
    ("ARIA-256-CTR", Encrypt, 16384),
    ("SM4-CTR", Encrypt, 16384),
    ("SHA2-256", Encrypt, 64),
    ("SHA2-256", Encrypt, 16384),
    ("SHA2-512", Encrypt, 16384),
    ("SHA3-256", Encrypt, 16384),
];

/// The algorithms of the survey.
pub(crate) fn subjects() -> impl Iterator<Item = Subject> {
    let names = ROWS.chunk_by(|(one, ..), (other, ..)| one == other).map(|rows| rows[0].0);
    names.map(|name| name.parse().expect("the table holds known names"))
}

/// The cases of the survey.
pub(crate) fn cases() -> Vec<Case> {
    let case = |&(name, direction, size): &(&str, Direction, usize)| {
        let subject: Subject = name.parse().expect("the table holds known names");
        Case::new(subject, direction, Use::Message, size).expect("the table holds real cases")
    };
    ROWS.iter().map(case).collect()
}

/// The device for AES that only Linux reaches, if one is known to be here.
pub(crate) fn device_for_aes(source: &dyn Source) -> Option<&'static str> {
    let list = source.file(&LIST[1..]).unwrap_or_default();
    let drivers = drivers::parse(&list);
    let mut of_aes = drivers.iter().filter(|it| it.algorithm.contains("aes"));
    of_aes.find_map(Driver::device)
}

/// Linux's crypto, of which the survey only says whether it is here.
pub(crate) fn state_of_offload(found: &Found, is_on: bool) -> RouteState {
    RouteState { off: found.presence.is_ok() && !is_on, ..presence(found) }
}

/// Proves a route that is here.
pub(crate) fn state(host: &Host, found: &Found) -> RouteState {
    let proof = found.presence.is_ok().then(|| host.prove(found));
    let (proof, quarantined) = match proof {
        Some(Ok(proof)) => (Some(proof), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    RouteState { proof, quarantined, ..presence(found) }
}

fn presence(found: &Found) -> RouteState {
    RouteState {
        route: found.route.name().to_owned(),
        present: found.presence.is_ok(),
        reason: found.presence.as_ref().err().map(ToString::to_string),
        ..RouteState::default()
    }
}

/// A gain below this is no clear one: differences between two runs are about as large.
const CLEAR: f64 = 1.05;

/// What a measured case says; `None` if only the host's OpenSSL ran.
pub(crate) fn gain(measured: &Measured) -> Option<Gain> {
    let others = measured.entries.iter().filter(|entry| entry.candidate != Candidate::Host);
    let best = others.min_by(|a, b| a.estimate.median.total_cmp(&b.estimate.median))?;
    let host = measured.entry(Candidate::Host);
    let ratio = measured.ratio(Candidate::Host, best.candidate);
    let stays = ratio.as_ref().is_some_and(no_clear_gain);
    let shown = if stays { host.unwrap_or(best) } else { best };
    let case = measured.case;
    Some(Gain {
        algorithm: case.subject.name().to_owned(),
        direction: case.direction.name().to_owned(),
        usage: case.usage.name().to_owned(),
        size: case.size,
        libcrypto_bytes_per_second: host.map(Entry::bytes_per_second),
        best_route: best.candidate.route().map_or("", Route::name).to_owned(),
        best_bytes_per_second: best.bytes_per_second(),
        gain: ratio.map(|ratio| ratio.median),
        gain_interval: ratio.map(|ratio| [ratio.low, ratio.high]),
        openssl_stays: stays,
        limit_share: shown.limit_share.map(|share| share.median),
    })
}

fn no_clear_gain(ratio: &Estimate) -> bool {
    ratio.median < CLEAR || ratio.low <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_real_cases() {
        assert_eq!(cases().len(), ROWS.len());
    }

    #[test]
    fn a_gain_within_the_noise_is_none() {
        let ratio = |median, low| Estimate { median, mad: 0.0, low, high: median };
        assert!(no_clear_gain(&ratio(1.02, 1.01)));
        assert!(no_clear_gain(&ratio(1.2, 0.9)));
        assert!(!no_clear_gain(&ratio(1.2, 1.1)));
    }
}
