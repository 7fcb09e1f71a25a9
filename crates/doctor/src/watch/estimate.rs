//! What the owner gains in this very program: its calls at the speed of OpenSSL alone.

use wirespeed_bench::{Candidate, Case, Contest, Host};
use wirespeed_cipher::{Direction, Route, Use};
use wirespeed_measure::Effort;
use wirespeed_results::schema::doctor::Estimate;
use wirespeed_stats::Row;

use crate::finding::Finding;

/// Below this a program has done too little to say anything: its clock ticks in hundredths.
const LEAST_SECONDS: f64 = 0.2;
/// Seconds for each figure.
const SECONDS: f64 = 0.05;

/// Measures each kind of call once more, both ways, in the cache: an upper bound of the gain.
pub(super) fn estimate(host: &Host, rows: &[Row], cpu_seconds: f64) -> Option<Estimate> {
    if cpu_seconds < LEAST_SECONDS || host.harness.library().is_err() {
        return None;
    }
    let contest = Contest::plain(&host.harness, Effort::lasting(SECONDS));
    let (mut ours, mut theirs) = (0.0, 0.0);
    for row in rows.iter().filter(|row| row.route != Route::Libcrypto) {
        let Some([route, openssl]) = nanos_per_byte(&contest, row) else { continue };
        ours += row.bytes as f64 * route / 1e9;
        theirs += row.bytes as f64 * openssl / 1e9;
    }
    (ours > 0.0).then(|| of(ours, theirs, cpu_seconds))
}

/// Of the route and of the host's OpenSSL, for calls of the mean size.
fn nanos_per_byte(contest: &Contest<'_>, row: &Row) -> Option<[f64; 2]> {
    let direction = match row.subject.is_symmetric() {
        true => Direction::Encrypt,
        false => row.direction,
    };
    let size = usize::try_from(row.bytes / row.calls).ok()?.clamp(16, 65536);
    let case = Case::new(row.subject, direction, Use::Message, size).ok()?;
    let candidates = [Candidate::Provider(row.route), Candidate::Host];
    let measured = contest.measure(case, &candidates, &|| ()).ok()?;
    let nanos =
        |candidate| measured.entry(candidate).map(|entry| entry.estimate.median / case.size as f64);
    Some([nanos(candidates[0])?, nanos(candidates[1])?])
}

fn of(ours: f64, theirs: f64, cpu_seconds: f64) -> Estimate {
    // Data that comes from memory takes longer than in the measurement, never less than it took.
    let ours = ours.min(cpu_seconds);
    Estimate {
        cipher_seconds: ours,
        openssl_cipher_seconds: theirs,
        gain: (cpu_seconds - ours + theirs) / cpu_seconds,
    }
}

pub(super) fn finding(estimate: &Estimate) -> Finding {
    Finding::note(format!(
        "estimate: about {:.2} s of its CPU time were these ciphers, which OpenSSL alone would do in \
         {:.2} s: in all {:.2}x",
        estimate.cipher_seconds, estimate.openssl_cipher_seconds, estimate.gain
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_is_of_the_whole_program() {
        let estimate = of(0.2, 0.6, 1.0);
        assert!((estimate.gain - 1.4).abs() < 1e-9, "0.8 s of other work, 0.6 s of OpenSSL's");
        assert!(finding(&estimate).words().ends_with("in all 1.40x"));
    }

    #[test]
    fn a_program_cannot_spend_more_than_its_time() {
        assert!((of(2.0, 4.0, 1.0).gain - 4.0).abs() < 1e-9);
    }
}
