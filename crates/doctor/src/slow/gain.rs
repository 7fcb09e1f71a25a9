//! What the whole program gains if its ciphers get faster: Amdahl's law, by measured shares.

use wirespeed_bench::{Candidate, Case, Contest, Host};
use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_cipher::{Subject, Use};
use wirespeed_measure::Effort;
use wirespeed_profile::{Kind, Profile};

/// Bytes in one call: a full TLS record.
const SIZE: usize = 16384;
/// Seconds for each figure.
const SECONDS: f64 = 0.05;

/// What an operation of the profile is measured by.
const MEASURED_BY: [(&str, &str, Direction); 8] = [
    ("AES-GCM", "AES-256-GCM", Encrypt),
    ("AES-CBC enc", "AES-256-CBC", Encrypt),
    ("AES-CBC dec", "AES-256-CBC", Decrypt),
    ("AES-CTR", "AES-256-CTR", Encrypt),
    ("ChaCha20-Poly1305", "ChaCha20-Poly1305", Encrypt),
    ("SHA1", "SHA1", Encrypt),
    ("SHA2-256", "SHA2-256", Encrypt),
    ("SHA2-512", "SHA2-512", Encrypt),
];

/// How many times less processor time.
#[derive(Clone, Copy, Debug)]
pub struct Gain {
    /// With Wirespeed; none where no cipher of OpenSSL's was seen.
    pub expected: Option<f64>,
    /// If ciphers cost nothing.
    pub at_most: f64,
}

impl Gain {
    /// By the shares of a profile; `faster` is how many times as fast an operation gets.
    pub(super) fn of(profile: &Profile, faster: impl Fn(&str) -> Option<f64>) -> Self {
        let bulk = profile.parts.iter().filter(|(part, _)| part.kind == Kind::Bulk);
        let saved: f64 = bulk
            .filter_map(|(part, share)| Some(share * (1.0 - 1.0 / faster(&part.name)?.max(1.0))))
            .sum();
        let share = profile.share(Kind::Bulk);
        Self {
            expected: (share > 0.0).then(|| 1.0 / (1.0 - saved)),
            at_most: profile.gain_at_most(),
        }
    }
}

/// How many times as fast as the host's OpenSSL the best route is here.
pub(super) fn measured(host: &Host, operation: &str) -> Option<f64> {
    let (_, name, direction) = MEASURED_BY.iter().find(|(known, ..)| *known == operation)?;
    let subject: Subject = name.parse().ok()?;
    let case = Case::new(subject, *direction, Use::Message, SIZE).ok()?;
    let here = host.routes().into_iter().filter(|found| found.presence.is_ok());
    let ours = here
        .map(|found| Candidate::Provider(found.route))
        .filter(|it| host.harness.knows(*it, subject) && host.harness.competes(*it, subject));
    let candidates: Vec<Candidate> = [Candidate::Host].into_iter().chain(ours).collect();
    let contest = Contest::plain(&host.harness, Effort::lasting(SECONDS));
    let measured = contest.measure(case, &candidates, &|| ()).ok()?;
    let nanos = |candidate| measured.entry(candidate).map(|it| it.estimate.median);
    let best = candidates.iter().filter_map(|it| nanos(*it)).fold(f64::INFINITY, f64::min);
    Some(nanos(Candidate::Host)? / best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow::tests::made_up;

    #[test]
    fn each_operation_counts_by_its_share() {
        let profile = made_up(&[(Kind::Bulk, "AES-GCM", 0.5), (Kind::Bulk, "SHA1", 0.25)]);
        let gain = Gain::of(&profile, |name| Some(if name == "SHA1" { 1.0 } else { 2.0 }));
        assert!((gain.expected.expect("ciphers") - 1.0 / 0.75).abs() < 1e-9);
        assert!((gain.at_most - 4.0).abs() < 1e-9);
    }

    #[test]
    fn what_would_be_slower_is_not_taken() {
        let profile = made_up(&[(Kind::Bulk, "SHA1", 0.5), (Kind::Linux, "", 0.5)]);
        let gain = Gain::of(&profile, |_| Some(0.5)).expected.expect("a hash");
        assert!((gain - 1.0).abs() < 1e-9);
    }

    #[test]
    fn operations_have_names_that_are_known() {
        for (_, name, _) in MEASURED_BY {
            assert!(name.parse::<Subject>().is_ok(), "{name}");
        }
    }
}
