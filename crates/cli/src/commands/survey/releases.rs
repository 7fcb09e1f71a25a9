//! Whether another OpenSSL would do as much: the survey's last lines, where one was named.

use wirespeed_cipher::{Direction, Use};
use wirespeed_results::schema::bench::Row;
use wirespeed_results::schema::survey::Gain;

use super::advice::USERS;
use crate::commands::bench::releases::{BEHIND, Other, Work};
use crate::fault::Fault;
use crate::output::figures;
use crate::output::table::paragraph;

/// What each of them does by itself of what the advice speaks of.
pub(super) fn measure(others: &[Other], seconds: f64) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    for other in others {
        for (_, algorithm, _, size) in USERS {
            let work = Work {
                subjects: &[algorithm.parse().map_err(Fault::usage)?],
                uses: &[Use::Message],
                directions: &[Direction::Encrypt],
                sizes: &[size],
                seconds,
                threads: 1,
            };
            rows.extend(other.measure(&work)?.rows);
        }
    }
    Ok(rows)
}

/// What stands before the lines.
const HEAD: &str = "Another OpenSSL";
const INDENT: usize = 22;

/// A line for each.
pub(super) fn text(others: &[Other], rows: &[Row], gains: &[Gain]) -> String {
    let mut text = String::new();
    for (number, other) in others.iter().enumerate() {
        let head = if number == 0 { HEAD } else { "" };
        let lines = paragraph(&words(other, rows, gains), INDENT, INDENT);
        text.push_str(&format!("{head:<INDENT$}{lines}"));
    }
    text
}

fn words(other: &Other, rows: &[Row], gains: &[Gain]) -> String {
    let mut users = Vec::new();
    let mut is_as_good = true;
    for (user, algorithm, direction, size) in USERS {
        let gain = gains.iter().find(|gain| {
            (gain.algorithm.as_str(), gain.direction.as_str(), gain.size)
                == (algorithm, direction, size)
        });
        let row = rows.iter().find(|row| {
            row.openssl.as_deref() == Some(&*other.title)
                && (row.algorithm.as_str(), row.size) == (algorithm, size)
        });
        let (Some(gain), Some(row)) = (gain, row) else { continue };
        let Some(this) = gain.libcrypto_bytes_per_second else { continue };
        users.push(format!("{user} {}", figures::times(row.bytes_per_second / this)));
        let best = gain.best_bytes_per_second.max(this);
        is_as_good &= row.bytes_per_second >= BEHIND * best;
    }
    let verdict = match is_as_good {
        true => "worth as much as Wirespeed",
        false => "worth less than Wirespeed",
    };
    match users.is_empty() {
        true => format!("{} was not compared: this OpenSSL was not measured", other.title),
        false => format!("{}: {} in the cipher; {verdict}", other.title, users.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_upgrade_is_weighed_against_the_module() {
        let gain = |algorithm: &str, size| Gain {
            algorithm: algorithm.to_owned(),
            direction: "enc".to_owned(),
            usage: "message".to_owned(),
            size,
            libcrypto_bytes_per_second: Some(2e9),
            best_route: "vaes512".to_owned(),
            best_bytes_per_second: 5e9,
            gain: Some(2.5),
            gain_interval: None,
            openssl_stays: false,
            limit_share: None,
        };
        let gains = [gain("AES-256-GCM", 16384), gain("AES-256-GCM", 1420)];
        let row = |size, speed| Row {
            algorithm: "AES-256-GCM".to_owned(),
            size,
            openssl: Some("3.5.7".to_owned()),
            bytes_per_second: speed,
            ..Row::default()
        };
        let other = Other::new(Path::new("a"), Some("OpenSSL 3.5.7 1 Jul 2026".to_owned()), &[]);
        let others = [other];
        let less = text(&others, &[row(16384, 5e9), row(1420, 3e9)], &gains);
        assert_eq!(
            less,
            "Another OpenSSL       3.5.7: TLS 2.5x, VPN 1.5x in the cipher; worth less than Wirespeed\n"
        );
        let as_much = text(&others, &[row(16384, 5e9), row(1420, 4.6e9)], &gains);
        assert!(as_much.ends_with("worth as much as Wirespeed\n"), "{as_much}");
        assert_eq!(text(&[], &[], &gains), "");
    }
}
