//! The last words of the survey: what the owner would gain, and what to type next.

use wirespeed_results::schema::survey::Gain;

use crate::output::{call, figures};

/// For whom which row stands: records, packets, and the cipher that ssh prefers after ChaCha20.
pub(super) const USERS: [(&str, &str, &str, usize); 3] = [
    ("TLS", "AES-256-GCM", "enc", 16384),
    ("VPN", "AES-256-GCM", "enc", 1420),
    ("ssh", "AES-256-CTR", "enc", 16384),
];

pub(super) fn text(
    gains: &[Gain],
    has_libcrypto: bool,
    has_aes: bool,
    device_for_aes: Option<&str>,
) -> String {
    if !has_libcrypto {
        return "\nWhat you would gain   nothing yet: no program here uses a libcrypto of version 3 or 4\n\
                What to do next       install OpenSSL 3 or later, then run wirespeed again\n"
            .to_owned();
    }
    let other = faster_cipher(gains);
    match gained(gains, has_aes) {
        Some(gained) => {
            let more = other.map_or(String::new(), |it| format!("Faster still          {it}\n"));
            format!(
                "\nWhat you would gain   {gained}\nMake it so            {}\n{more}",
                call::install()
            )
        }
        None => {
            let next = other.map_or("nothing".to_owned(), |it| {
                format!("{it}\n{:22}{}", "", device(device_for_aes))
            });
            format!(
                "\nWhat you would gain   nothing where it counts: this OpenSSL uses the machine well\n\
                 What to do next       {next}\n"
            )
        }
    }
}

/// What is said of a machine that others measure.
pub(super) fn routes() -> String {
    format!("What AES gains by our routes is for that machine to say: {} tune", call::program())
}

/// What AES may gain where no route of ours is faster.
pub(super) fn device(known: Option<&str>) -> String {
    let which = known.map_or("a crypto device".to_owned(), |it| format!("its device, {it}"));
    format!("AES gains only from {which}: {} kernel", call::program())
}

fn row<'g>(gains: &'g [Gain], algorithm: &str, direction: &str, size: usize) -> Option<&'g Gain> {
    gains.iter().find(|gain| {
        (gain.algorithm.as_str(), gain.direction.as_str(), gain.size)
            == (algorithm, direction, size)
    })
}

/// The best rate of a cipher's encryption of 16 KiB, by OpenSSL or a route.
fn best(gains: &[Gain], algorithm: &str) -> Option<f64> {
    let found = row(gains, algorithm, "enc", 16384)?;
    Some(found.best_bytes_per_second.max(found.libcrypto_bytes_per_second.unwrap_or(0.0)))
}

/// What whoever chooses ciphers can gain without instructions for AES.
fn faster_cipher(gains: &[Gain]) -> Option<String> {
    let ratio = best(gains, "ChaCha20-Poly1305")? / best(gains, "AES-256-GCM")?;
    (ratio >= 1.5).then(|| {
        format!(
            "offer ChaCha20-Poly1305 first: it is {} as fast as AES-256-GCM.",
            figures::times(ratio)
        )
    })
}

/// How many times as fast AES would be with the instructions that a hypervisor hides: at one round in each cycle, against
/// the best here.
pub(super) fn cost_of_hidden_aes(gains: &[Gain], cycles_per_second: f64) -> Option<f64> {
    /// Of AES-256.
    const ROUNDS: f64 = 14.0;
    Some(cycles_per_second * 16.0 / ROUNDS / best(gains, "AES-256-CTR")?)
}

/// The same in words.
pub(super) fn words_of_hidden_aes(times: f64) -> String {
    format!(
        "The hidden instructions for AES: AES-256-CTR of 16 KiB would be {} as fast as the best here, with one round in \
         each cycle. Intel's processors since 2011 and AMD's since 2017 do at least that.",
        figures::times(times)
    )
}

/// The cipher's gain, and the truth about whole programs (docs/programs.md): the less of their time a cipher takes, the less
/// they gain. Without instructions for AES it takes most of it.
fn gained(gains: &[Gain], has_aes: bool) -> Option<String> {
    let user = |(user, algorithm, direction, size): &(&str, &str, &str, usize)| {
        let row = row(gains, algorithm, direction, *size)?;
        if row.openssl_stays { None } else { Some(format!("{user} {}", figures::times(row.gain?))) }
    };
    let users: Vec<String> = USERS.iter().filter_map(user).collect();
    let users = Some(users).filter(|users| !users.is_empty())?;
    let programs = if has_aes { "1.0x to 1.4x" } else { "1.0x to 2x" };
    Some(format!("{} in the cipher; whole programs {programs}", users.join(", ")))
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
            "\nWhat you would gain   VPN 3.6x in the cipher; whole programs 1.0x to 1.4x\nMake it so            {}\n",
            call::install()
        );
        assert_eq!(text(&gains, true, true, None), expected);
        assert!(expected.contains("sudo ") && expected.contains(" install"), "{expected}");
    }

    #[test]
    fn without_a_gain_nothing_is_to_be_done() {
        let text = text(&[gain("AES-256-GCM", 1420, true)], true, true, None);
        assert!(text.contains("nothing where it counts") && !text.contains("install"), "{text}");
        assert!(text.ends_with("next       nothing\n"), "{text}");
    }

    #[test]
    fn without_fast_aes_another_cipher_is_named() {
        let mut gains = [gain("AES-256-GCM", 16384, true), gain("ChaCha20-Poly1305", 16384, true)];
        assert!(!text(&gains, true, true, None).contains("ChaCha20"), "no difference");
        gains[1].best_bytes_per_second = 3.6e9 * 6.2;
        let stays = text(&gains, true, true, None);
        assert!(stays.contains("ChaCha20-Poly1305 first: it is 6.2x as fast"), "{stays}");
        assert!(stays.contains("AES gains only from a crypto device: "), "{stays}");
        assert!(stays.trim_end().ends_with(" kernel"), "{stays}");
        let known = text(&gains, true, true, Some("Marvell CESA"));
        assert!(known.contains("AES gains only from its device, Marvell CESA: "), "{known}");
        gains[0].openssl_stays = false;
        let both = text(&gains, true, false, None);
        assert!(
            both.contains("1.0x to 2x"),
            "without them a cipher takes most of a program: {both}"
        );
        assert!(both.contains(" install"), "{both}");
        assert!(both.contains("\nFaster still          offer ChaCha20-Poly1305 first"), "{both}");
    }

    /// 3 GHz do 3.4 GB/s of AES-256 at a round in each cycle.
    #[test]
    fn hidden_aes_costs_what_a_round_in_each_cycle_would_gain() {
        assert_eq!(cost_of_hidden_aes(&[gain("AES-256-GCM", 16384, false)], 3e9), None);
        let mut ours = gain("AES-256-CTR", 16384, false);
        ours.best_bytes_per_second = 1e9;
        let times = cost_of_hidden_aes(&[ours], 3e9).expect("the row is there");
        assert!(words_of_hidden_aes(times).contains("3.4x as fast"), "{times}");
    }
}
