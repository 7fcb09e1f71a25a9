//! What `openssl speed` does with a cipher that makes a tag, which changed twice.

/// Since when every message has a new key, for each line of releases: openssl#25823, of November 2024.
const REKEYED: [[u16; 3]; 5] = [[3, 0, 16], [3, 1, 8], [3, 2, 4], [3, 3, 3], [3, 4, 1]];

/// The use that the figures of a version are of. Without a version it is the older one.
pub(super) fn usage(version: Option<&str>, is_aead_option: bool, is_ccm: bool) -> &'static str {
    let [major, minor, patch] = version.map_or([0; 3], numbers);
    let is_rekeyed = match REKEYED.iter().find(|since| since[..2] == [major, minor]) {
        Some(since) => patch >= since[2],
        None => [major, minor] > [3, 4],
    };
    // CCM takes its whole message in one call, and always had a new key for it (EVP_Update_loop_ccm).
    match (is_rekeyed || is_ccm, is_aead_option) {
        (true, _) => "rekey",
        (false, true) => "message",
        (false, false) => "stream",
    }
}

/// The numbers of "OpenSSL 3.0.16" and "OpenSSL 1.1.1w".
pub(super) fn numbers(version: &str) -> [u16; 3] {
    let text = version.strip_prefix("OpenSSL ").unwrap_or_default();
    let mut parts = text.split(['.', '-']).map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    });
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_follows_the_release() {
        for (version, expected) in [
            (None, "stream"),
            (Some("OpenSSL 1.0.2o-freebsd"), "stream"),
            (Some("OpenSSL 1.1.1w"), "stream"),
            (Some("OpenSSL 3.0.15"), "stream"),
            (Some("OpenSSL 3.0.16"), "rekey"),
            (Some("OpenSSL 3.3.2"), "stream"),
            (Some("OpenSSL 3.5.0-dev"), "rekey"),
            (Some("OpenSSL 4.0.3"), "rekey"),
            (Some("LibreSSL 3.9.0"), "stream"),
        ] {
            assert_eq!(usage(version, false, false), expected, "{version:?}");
        }
        assert_eq!(usage(Some("OpenSSL 1.1.1w"), true, false), "message");
        assert_eq!(usage(Some("OpenSSL 1.1.1w"), false, true), "rekey");
        assert_eq!(usage(Some("OpenSSL 3.5.7"), true, false), "rekey");
    }
}
