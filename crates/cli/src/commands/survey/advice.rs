//! The last words of the survey: what the owner would gain, and what to type next.

use wirespeed_results::schema::survey::Gain;

use crate::output::{call, figures};

/// For whom which row stands: records, packets, and the cipher that ssh prefers after ChaCha20.
pub(super) const USERS: [(&str, &str, &str, usize); 3] = [
    ("TLS", "AES-256-GCM", "enc", 16384),
    ("VPN", "AES-256-GCM", "enc", 1420),
    ("ssh", "AES-256-CTR", "enc", 16384),
];

pub(super) fn text(gains: &[Gain], has_libcrypto: bool) -> String {
    if !has_libcrypto {
        return "\nWhat you would gain   nothing yet: no program here uses a libcrypto of version 3 or 4\n\
                What to do next       install OpenSSL 3 or later, then run wirespeed again\n"
            .to_owned();
    }
    match gained(gains) {
        Some(gained) => {
            format!("\nWhat you would gain   {gained}\nMake it so            {}\n", call::install())
        }
        None => format!(
            "\nWhat you would gain   nothing where it counts: this OpenSSL uses the machine well\n\
             What to do next       {}\n",
            faster_cipher(gains).as_deref().unwrap_or("nothing")
        ),
    }
}

/// What whoever chooses ciphers can gain without instructions for AES, and what else can make AES faster there.
fn faster_cipher(gains: &[Gain]) -> Option<String> {
    let speed = |algorithm: &str| {
        let found = gains.iter().find(|gain| {
            (gain.algorithm.as_str(), gain.direction.as_str(), gain.size)
                == (algorithm, "enc", 16384)
        });
        found?.libcrypto_bytes_per_second
    };
    let ratio = speed("ChaCha20-Poly1305")? / speed("AES-256-GCM")?;
    let text = || {
        format!(
            "offer ChaCha20-Poly1305 first: it is {} as fast as AES-256-GCM.\n\
             {:22}AES gains only from a crypto device: {} kernel",
            figures::times(ratio),
            "",
            call::program()
        )
    };
    (ratio >= 1.5).then(text)
}

/// The cipher's gain, and the truth about whole programs: measured on Debian 12, a TLS file server
/// needs 1.13 to 1.25 times less CPU time with GCM twice to 2.7 times as fast, sshd 1.1 to 1.2 times,
/// OpenVPN 1.02 times less; the kernel and copies take the rest.
fn gained(gains: &[Gain]) -> Option<String> {
    let user = |(user, algorithm, direction, size): &(&str, &str, &str, usize)| {
        let row = gains.iter().find(|gain| {
            (gain.algorithm.as_str(), gain.direction.as_str(), gain.size)
                == (algorithm, direction, *size)
        })?;
        if row.openssl_stays { None } else { Some(format!("{user} {}", figures::times(row.gain?))) }
    };
    let users: Vec<String> = USERS.iter().filter_map(user).collect();
    let users = Some(users).filter(|users| !users.is_empty())?;
    Some(format!("{} in the cipher; whole programs 1.0x to 1.3x", users.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(algorithm: &str, size: usize, openssl_stays: bool) -> Gain {
        Gain {
            algorithm: algorithm.to_owned(),
            direction: "enc".to_owned(),
            usage: "message".to_owned(),
            size,
            libcrypto_bytes_per_second: Some(1e9),
            best_route: "vaes512".to_owned(),
            best_bytes_per_second: 3.6e9,
            gain: Some(3.6),
            gain_interval: Some([3.5, 3.7]),
            openssl_stays,
            limit_share: None,
        }
    }

    #[test]
    fn a_gain_leads_to_the_installation() {
        let gains = [gain("AES-256-GCM", 1420, false), gain("AES-256-CTR", 16384, true)];
        let expected = format!(
            "\nWhat you would gain   VPN 3.6x in the cipher; whole programs 1.0x to 1.3x\nMake it so            {}\n",
            call::install()
        );
        assert_eq!(text(&gains, true), expected);
        assert!(expected.contains("sudo ") && expected.contains(" install"), "{expected}");
    }

    #[test]
    fn without_a_gain_nothing_is_to_be_done() {
        let text = text(&[gain("AES-256-GCM", 1420, true)], true);
        assert!(text.contains("nothing where it counts") && !text.contains("install"), "{text}");
        assert!(text.ends_with("next       nothing\n"), "{text}");
    }

    #[test]
    fn without_fast_aes_another_cipher_is_named() {
        let mut gains = [gain("AES-256-GCM", 16384, true), gain("ChaCha20-Poly1305", 16384, true)];
        assert!(!text(&gains, true).contains("ChaCha20"), "no difference");
        gains[1].libcrypto_bytes_per_second = Some(6.2e9);
        let text = text(&gains, true);
        assert!(text.contains("ChaCha20-Poly1305 first: it is 6.2x as fast"), "{text}");
        assert!(text.trim_end().ends_with(" kernel"), "{text}");
    }
}
