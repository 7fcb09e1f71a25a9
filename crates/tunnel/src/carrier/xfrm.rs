//! The kernel's own ESP, with keys from ip-xfrm(8) instead of IKE.

use std::fmt::Write;

use rustix::rand::{GetRandomFlags, getrandom};
use wirespeed_vpn::Suite;

use crate::cable::{ADDRESSES, Cable, End};
use crate::spelling::Kernel;
use crate::tunnel::{Tunnel, Witness};

/// Traffic from the first to the second and back, and the SPI for it.
const WAYS: [(&str, usize, usize); 2] = [("0x100", 0, 1), ("0x101", 1, 0)];

/// Sets the states and policies of both ends, in tunnel mode as between two gateways.
pub(super) fn open(name: &str, suite: &Suite) -> Result<Tunnel, String> {
    let cable = Cable::lay(name)?;
    for (spi, from, to) in WAYS {
        let algorithms = algorithms(suite)?;
        for end in cable.ends() {
            let refused = |why: String| format!("this kernel has no such ESP: {}", words(&why));
            add_state(end, spi, [from, to], &algorithms).map_err(refused)?;
        }
    }
    for (own, end) in cable.ends().iter().enumerate() {
        for (direction, from, to) in [("out", own, 1 - own), ("in", 1 - own, own)] {
            let [source, destination] = [ADDRESSES[from], ADDRESSES[to]];
            let policy = ["xfrm", "policy", "add", "src", source, "dst", destination];
            let template = ["dir", direction, "tmpl", "src", source, "dst", destination];
            let esp = ["proto", "esp", "reqid", "1", "mode", "tunnel"];
            end.ip(&[&policy[..], &template, &esp].concat())?;
        }
    }
    Ok(Tunnel { daemons: Vec::new(), cable, addresses: ADDRESSES, witness: Witness::Kernel })
}

fn add_state(
    end: &End,
    spi: &str,
    [from, to]: [usize; 2],
    algorithms: &[String],
) -> Result<String, String> {
    let state = ["xfrm", "state", "add", "src", ADDRESSES[from], "dst", ADDRESSES[to]];
    let esp = ["proto", "esp", "spi", spi, "reqid", "1", "mode", "tunnel", "replay-window", "32"];
    let algorithms: Vec<&str> = algorithms.iter().map(String::as_str).collect();
    end.ip(&[&state[..], &esp, &algorithms].concat())
}

/// The words that name them, with keys of their own.
fn algorithms(suite: &Suite) -> Result<Vec<String>, String> {
    let tag_bits = (8 * suite.icv_bytes).to_string();
    Ok(match Kernel::of(suite) {
        Kernel::Aead { name, key_bytes } => {
            vec!["aead".to_owned(), name.to_owned(), key(key_bytes)?, tag_bits]
        }
        Kernel::Pair { cipher, key_bytes, digest, digest_key_bytes } => {
            let encryption = ["enc".to_owned(), cipher.to_owned(), key(key_bytes)?];
            let tag = ["auth-trunc".to_owned(), digest.to_owned(), key(digest_key_bytes)?];
            [&encryption[..], &tag, &[tag_bits]].concat()
        }
    })
}

/// A key in hexadecimal.
fn key(bytes: usize) -> Result<String, String> {
    let mut key = vec![0; bytes];
    // Up to 256 bytes come at once.
    getrandom(&mut key, GetRandomFlags::empty()).map_err(|error| format!("a key: {error}"))?;
    Ok(key.iter().fold("0x".to_owned(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// What ip(8) passes on of the kernel's.
fn words(said: &str) -> &str {
    let said = said.strip_prefix("RTNETLINK answers: ").unwrap_or(said);
    said.strip_prefix("Error: ").unwrap_or(said).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tags_are_as_long_as_they_must_be() {
        let of =
            |keyword: &str| algorithms(&keyword.parse().expect("a suite")).expect("random bytes");
        let words = of("aes128gcm16");
        assert_eq!((&words[0][..], words[2].len(), &words[3][..]), ("aead", 2 + 2 * 20, "128"));
        let words = of("aes256-sha1");
        assert_eq!((words[2].len(), words[5].len(), &words[6][..]), (2 + 64, 2 + 40, "96"));
        assert_ne!(key(16), key(16));
    }

    #[test]
    fn the_kernels_words() {
        assert_eq!(words("RTNETLINK answers: Protocol not supported"), "Protocol not supported");
        assert_eq!(
            words("Error: Requested AEAD algorithm not found."),
            "Requested AEAD algorithm not found"
        );
    }
}
