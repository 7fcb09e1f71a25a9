//! What the survey measures, and what it makes of it.

use serde::Serialize;
use wirespeed_bench::{Candidate, Case, Entry, Measured, Row};
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_machine::Machine;
use wirespeed_measure::statistics::Estimate;

use crate::host::{Found, Host, Proof};

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

/// Everything that `wirespeed` found: `wirespeed.survey/1`.
#[derive(Serialize)]
pub(crate) struct Document {
    pub(crate) schema: &'static str,
    pub(crate) version: &'static str,
    pub(crate) machine: Machine,
    pub(crate) routes: Vec<RouteState>,
    pub(crate) gains: Vec<Gain>,
    pub(crate) rows: Vec<Row>,
    pub(crate) warnings: Vec<&'static str>,
}

/// A route: absent, quarantined or proved.
#[derive(Serialize)]
pub(crate) struct RouteState {
    pub(crate) route: &'static str,
    pub(crate) present: bool,
    /// Why it is absent.
    pub(crate) reason: Option<String>,
    pub(crate) proof: Option<Proof>,
    /// Why its proof failed.
    pub(crate) quarantined: Option<String>,
    /// Whether it is here and openssl.cnf does not turn it on.
    pub(crate) off: bool,
}

impl RouteState {
    /// Linux's crypto, of which the survey only says whether it is here.
    pub(crate) fn of_kernel(found: &Found, is_on: bool) -> Self {
        Self {
            route: found.route.name(),
            present: found.presence.is_ok(),
            reason: found.presence.as_ref().err().map(ToString::to_string),
            proof: None,
            quarantined: None,
            off: found.presence.is_ok() && !is_on,
        }
    }

    /// Proves a route that is here.
    pub(crate) fn of(host: &Host, found: &Found) -> Self {
        let proof = found.presence.is_ok().then(|| host.prove(found));
        let (proof, quarantined) = match proof {
            Some(Ok(proof)) => (Some(proof), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        Self {
            route: found.route.name(),
            present: found.presence.is_ok(),
            reason: found.presence.as_ref().err().map(ToString::to_string),
            proof,
            quarantined,
            off: false,
        }
    }
}

/// One line of the table: the host's OpenSSL against the best of the others.
#[derive(Serialize)]
pub(crate) struct Gain {
    pub(crate) algorithm: &'static str,
    pub(crate) direction: &'static str,
    #[serde(rename = "use")]
    pub(crate) usage: &'static str,
    pub(crate) size: usize,
    /// Null without a libcrypto.
    pub(crate) libcrypto_bytes_per_second: Option<f64>,
    pub(crate) best_route: &'static str,
    pub(crate) best_bytes_per_second: f64,
    /// How many times as fast; null without a libcrypto.
    pub(crate) gain: Option<f64>,
    /// A 95 % confidence interval of the gain.
    pub(crate) gain_interval: Option<[f64; 2]>,
    /// Whether the host's OpenSSL stays: the gain is no clear one.
    pub(crate) openssl_stays: bool,
    pub(crate) limit_share: Option<f64>,
    #[serde(skip)]
    pub(crate) title: String,
}

/// A gain below this is no clear one: differences between two runs are about as large.
const CLEAR: f64 = 1.05;

impl Gain {
    /// What a measured case says; `None` if only the host's OpenSSL ran.
    pub(crate) fn of(measured: &Measured) -> Option<Self> {
        let others = measured.entries.iter().filter(|entry| entry.candidate != Candidate::Host);
        let best = others.min_by(|a, b| a.estimate.median.total_cmp(&b.estimate.median))?;
        let host = measured.entry(Candidate::Host);
        let ratio = measured.ratio(Candidate::Host, best.candidate);
        let stays = ratio.as_ref().is_some_and(no_clear_gain);
        let shown = if stays { host.unwrap_or(best) } else { best };
        let case = measured.case;
        Some(Self {
            algorithm: case.subject.name(),
            direction: case.direction.name(),
            usage: case.usage.name(),
            size: case.size,
            libcrypto_bytes_per_second: host.map(Entry::bytes_per_second),
            best_route: best.candidate.route().map_or("", Route::name),
            best_bytes_per_second: best.bytes_per_second(),
            gain: ratio.map(|ratio| ratio.median),
            gain_interval: ratio.map(|ratio| [ratio.low, ratio.high]),
            openssl_stays: stays,
            limit_share: shown.limit_share.map(|share| share.median),
            title: case.title(),
        })
    }
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
