//! Names as people type them: OpenSSL's and its aliases, the kernel's, cryptsetup's, OpenSSH's, TLS's and strongSwan's.

use std::mem;

/// The one whose name is meant, if there is one.
///
/// A name without a key size means what its users' tool makes of it: OpenSSL has CBC where no mode is said, cryptsetup
/// 256 bits, and of the kernel's names the smallest key is taken.
pub(crate) fn meant<T: Copy>(
    given: &str,
    known: impl Iterator<Item = T> + Clone,
    name: fn(T) -> &'static str,
) -> Option<T> {
    if let Some(exact) = known.clone().find(|it| name(*it).eq_ignore_ascii_case(given)) {
        return Some(exact);
    }
    let text = given.to_ascii_lowercase();
    let text = text.strip_suffix("@openssh.com").unwrap_or(&text);
    let text = text.strip_suffix("-etm").unwrap_or(text);
    let text = text.strip_prefix("id-").unwrap_or(text);
    let spelled = of_tls(text)
        .or_else(|| of_the_kernel(text))
        .or_else(|| of_cryptsetup(text))
        .unwrap_or_else(|| text.to_owned());
    let spelled = with_openssls_words(&letters(&spelled));
    let is_named = |it: &T, wanted: &str| {
        let name = letters(name(*it));
        name == wanted || name.replacen("sha2", "sha", 1) == wanted
    };
    // CFB and OFB with segments of a whole block are what the names without a number mean.
    let spelled = match spelled.strip_suffix("128") {
        Some(mode) if mode.ends_with("cfb") || mode.ends_with("ofb") => mode.to_owned(),
        _ => spelled,
    };
    let find = |wanted: &str| known.clone().find(|it| is_named(it, wanted));
    find(&spelled).or_else(|| find(&format!("{spelled}cbc")))
}

/// Letters and digits, small.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
}

/// `TLS_AES_128_GCM_SHA256`, `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`, `ECDHE-RSA-AES128-GCM-SHA256`, `AES256-SHA`.
fn of_tls(text: &str) -> Option<String> {
    let text = text.replace('-', "_");
    // OpenSSL names no exchange of keys by RSA.
    let begins = ["tls_", "ecdhe_", "dhe_", "psk_", "rsa_psk_"];
    let ends = ["_sha", "_sha256", "_sha384", "_sm3"];
    let is_suite = begins.iter().any(|begin| text.starts_with(begin))
        || ends.iter().any(|end| text.ends_with(end));
    let ciphers = ["aes", "chacha20", "camellia", "aria", "sm4", "3des_ede", "des_cbc3"];
    let begin = ciphers.iter().filter_map(|cipher| text.find(cipher)).min().filter(|_| is_suite)?;
    // The hash behind it is that of the handshake, and of old suites that of the MAC.
    let (cipher, _) = text[begin..].rsplit_once("_s").unwrap_or((&text[begin..], ""));
    Some(cipher.strip_suffix("_8").unwrap_or(cipher).to_owned())
}

/// `xts(aes)`, `rfc4106(gcm(aes))`, `hmac(sha256)`, `rfc7539(chacha20,poly1305)`.
fn of_the_kernel(text: &str) -> Option<String> {
    let (mode, cipher) = text.strip_suffix(')')?.split_once('(')?;
    if mode.starts_with("rfc") {
        return Some(of_the_kernel(cipher).unwrap_or_else(|| cipher.to_owned()));
    }
    let (mode, cipher) = if mode == "cts" {
        ("cbc-cts", of_the_kernel(cipher)?.split('-').next()?.to_owned())
    } else {
        (mode, cipher.to_owned())
    };
    Some(match cipher.as_str() {
        "aes" | "camellia" | "aria" => format!("{cipher}-128-{mode}"),
        _ if mode == "hmac" => format!("hmac-{cipher}"),
        "des3_ede" => format!("des-ede3-{mode}"),
        _ => format!("{cipher}-{mode}"),
    })
}

/// `aes-xts-plain64`, `aes-cbc-essiv:sha256`.
fn of_cryptsetup(text: &str) -> Option<String> {
    let mut parts = text.split('-');
    let (cipher, mode, iv) = (parts.next()?, parts.next()?, parts.next()?);
    let is_iv = ["plain", "plain64", "null", "random"].contains(&iv) || iv.starts_with("essiv:");
    if !is_iv || parts.next().is_some() {
        return None;
    }
    match cipher {
        "aes" | "camellia" | "aria" => Some(format!("{cipher}-256-{mode}")),
        _ => Some(format!("{cipher}-{mode}")),
    }
}

/// The word that OpenSSL has for it.
fn with_openssls_words(letters: &str) -> String {
    // strongSwan says how long the tag is, in bytes or bits.
    for mode in ["gcm", "ccm"] {
        if let Some((before, bytes)) = letters.rsplit_once(mode)
            && ["8", "12", "16", "64", "96", "128"].contains(&bytes)
        {
            return format!("{before}{mode}");
        }
    }
    for triple in ["3desede", "des3ede", "3des", "des3", "tripledes"] {
        match letters.strip_prefix(triple) {
            Some("" | "cbc") => return "desede3cbc".to_owned(),
            Some("ecb") => return "desede3ecb".to_owned(),
            _ => {}
        }
    }
    match letters {
        "descbc3" => return "desede3cbc".to_owned(),
        "desede3" => return "desede3ecb".to_owned(),
        "cast" | "castcbc" => return "cast5cbc".to_owned(),
        _ => {}
    }
    let letters = letters.replacen("blowfish", "bf", 1).replacen("cfb128", "cfb", 1);
    match letters.strip_suffix("cts") {
        Some(cipher) if !cipher.ends_with("cbc") => format!("{cipher}cbccts"),
        _ => letters,
    }
}

/// Known names that hold every part of the one given, in whatever order and case, or that nearest to it.
pub fn alike<'a>(given: &str, known: &[&'a str]) -> Vec<&'a str> {
    let lower = given.to_ascii_lowercase();
    let parts = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let holds = |name: &&&str| {
        let name = name.to_ascii_lowercase();
        parts.iter().all(|part| name.contains(part))
    };
    let alike: Vec<&str> = known.iter().filter(holds).copied().collect();
    match alike.is_empty() || parts.is_empty() {
        true => nearest(given, known.iter().copied()).into_iter().collect(),
        false => alike,
    }
}

/// The known word that was most likely meant: the same but for case, the first that begins so, or at most two slips away.
/// Two letters exchanged are one slip.
pub fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// What begins with fewer letters is anything.
    const BEGINNING: usize = 4;
    let given = given.to_ascii_lowercase();
    let distance = |word: &str| match word.to_ascii_lowercase() {
        word if word == given => 0,
        word if given.len() >= BEGINNING && word.starts_with(&given) => 1,
        word => 2 * distance(&given, &word),
    };
    let near = known.map(|word| (distance(word), word));
    let (distance, word) = near.min_by_key(|(distance, _)| *distance)?;
    let distance = distance / 2;
    (distance <= 2 && distance * 2 < word.len()).then_some(word)
}

/// Letters to insert, take away or replace, and neighbours to exchange (optimal string alignment).
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut before = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for i in 0..one.len() {
        let mut next = vec![i + 1; other.len() + 1];
        for j in 0..other.len() {
            let replaced = row[j] + usize::from(one[i] != other[j]);
            next[j + 1] = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && one[i - 1..=i] == [other[j], other[j - 1]] {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = mem::replace(&mut row, next);
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;

    #[test]
    fn names_mean_what_their_users_mean() {
        let names = [
            ("sha256", "SHA2-256"),
            ("sha-256", "SHA2-256"),
            ("SHA512", "SHA2-512"),
            ("sha1", "SHA1"),
            ("sha3-256", "SHA3-256"),
            ("shake128", "SHAKE-128"),
            ("aes256", "AES-256-CBC"),
            ("aes-256-gcm", "AES-256-GCM"),
            ("AES256-GCM", "AES-256-GCM"),
            ("id-aes256-GCM", "AES-256-GCM"),
            ("chacha20poly1305", "ChaCha20-Poly1305"),
            ("chacha20-poly1305@openssh.com", "ChaCha20-Poly1305"),
            ("rfc7539(chacha20,poly1305)", "ChaCha20-Poly1305"),
            ("camellia256", "CAMELLIA-256-CBC"),
            ("camellia-128-cfb128", "CAMELLIA-128-CFB"),
            ("hmac-sha256", "HMAC-SHA2-256"),
            ("hmac-sha2-256-etm@openssh.com", "HMAC-SHA2-256"),
            ("hmac(sha512)", "HMAC-SHA2-512"),
            ("aes-xts-plain64", "AES-256-XTS"),
            ("aes-cbc-essiv:sha256", "AES-256-CBC"),
            ("xts(aes)", "AES-128-XTS"),
            ("rfc4106(gcm(aes))", "AES-128-GCM"),
            ("cts(cbc(aes))", "AES-128-CBC-CTS"),
            ("cbc(des3_ede)", "DES-EDE3-CBC"),
            ("aes128-gcm@openssh.com", "AES-128-GCM"),
            ("aes256-ctr", "AES-256-CTR"),
            ("TLS_AES_128_GCM_SHA256", "AES-128-GCM"),
            ("TLS_CHACHA20_POLY1305_SHA256", "ChaCha20-Poly1305"),
            ("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "AES-256-CBC"),
            ("ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM"),
            ("TLS_AES_128_CCM_8_SHA256", "AES-128-CCM"),
            ("TLS_SM4_GCM_SM3", "SM4-GCM"),
            ("aes128gcm16", "AES-128-GCM"),
            ("aes256ccm128", "AES-256-CCM"),
            ("sm4", "SM4-CBC"),
            ("3des", "DES-EDE3-CBC"),
            ("3des-cbc", "DES-EDE3-CBC"),
            ("3des-ecb", "DES-EDE3-ECB"),
            ("des3", "DES-EDE3-CBC"),
            ("des3_ede-cbc-plain", "DES-EDE3-CBC"),
            ("AES128-GCM-SHA256", "AES-128-GCM"),
            ("AES256-SHA", "AES-256-CBC"),
            ("AES128-SHA256", "AES-128-CBC"),
            ("CAMELLIA128-SHA", "CAMELLIA-128-CBC"),
            ("AES256-CCM8", "AES-256-CCM"),
            ("PSK-AES128-GCM-SHA256", "AES-128-GCM"),
            ("PSK-AES128-CCM8", "AES-128-CCM"),
            ("RSA-PSK-CHACHA20-POLY1305", "ChaCha20-Poly1305"),
            ("DES-CBC3-SHA", "DES-EDE3-CBC"),
            ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-EDE3-CBC"),
            ("blowfish", "BF-CBC"),
        ];
        for (given, meant) in names {
            assert_eq!(given.parse().map(Subject::name), Ok(meant), "{given}");
        }
    }

    #[test]
    fn no_two_names_are_spelled_alike() {
        for subject in Subject::all() {
            let spellings = [subject.name().to_lowercase(), letters(subject.name())];
            for given in spellings {
                assert_eq!(given.parse(), Ok(subject), "{given}");
            }
        }
        for nothing in [
            "",
            "aes",
            "gcm",
            "aes-512-gcm",
            "aes128gcm17",
            "xts()",
            "plain64",
            "tls_",
            "3des-gcm",
            "-sha",
        ] {
            assert!(nothing.parse::<Subject>().is_err(), "{nothing}");
        }
    }

    #[test]
    fn names_with_the_same_parts_are_alike() {
        let known = ["cbc-aes-padlock", "ecb-aes-padlock", "virtio_crypto_aes_cbc"];
        assert_eq!(alike("padlock-CBC-aes", &known), ["cbc-aes-padlock"]);
        assert_eq!(alike("padlock", &known), ["cbc-aes-padlock", "ecb-aes-padlock"]);
        assert_eq!(alike("virtio_crypto_aes_cbd", &known), ["virtio_crypto_aes_cbc"]);
        assert_eq!(alike("qat_aes_cbc", &known), [""; 0]);
        assert_eq!(alike("-", &known), [""; 0]);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("cipher", "ciphers"), 1);
        assert_eq!(distance("", "plan"), 4);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("gmc", "gcm"), 1);
        let modes = ["AES-128-CBC", "AES-128-GCM"];
        assert_eq!(nearest("threads", ["routes", "plan"].into_iter()), None);
        assert_eq!(nearest("AES-128-CBD", modes.into_iter()), Some("AES-128-CBC"));
        assert_eq!(nearest("aes-128-gmc", modes.into_iter()), Some("AES-128-GCM"));
        assert_eq!(nearest("sha3", ["SHA1", "SHA3-224"].into_iter()), Some("SHA3-224"));
    }
}
