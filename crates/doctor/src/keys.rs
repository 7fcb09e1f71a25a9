//! The keys of our section: spelt as the module knows them, lists separated as it understands them.

use wirespeed_openssl_conf::Entry;

use crate::examined::{Examined, Installed};
use crate::finding::Finding;
use wirespeed_cipher::nearest;

/// Keys that OpenSSL itself reads in a provider's section (crypto/provider_conf.c).
const OPENSSL: [&str; 4] = ["module", "activate", "identity", "soft_load"];

/// Our own keys, and what they may be.
pub(crate) const OURS: [(&str, &str); 8] = [
    ("plan", "the path of a plan"),
    ("routes", "auto, or names of routes"),
    ("ciphers", "ALL, or names of algorithms"),
    ("digests", "ALL, NONE, or names of digests"),
    ("kernel", "off, on, or names of algorithms"),
    ("devcrypto", "off, on, or names of algorithms"),
    ("verify", "off, or a number"),
    ("stats", "the path of a file"),
];

/// Keys that hold lists.
const LISTS: [&str; 5] = ["routes", "ciphers", "digests", "kernel", "devcrypto"];

/// Keys of engines, which have no meaning in a provider's section: OpenSSL's own (crypto/engine/eng_cnf.c)
/// and one of the afalg engine of OpenWrt.
const ENGINES: [&str; 6] =
    ["default_algorithms", "engine_id", "dynamic_path", "SO_PATH", "init", "USE_SOFTDRIVERS"];

/// What the af_alg engine was told to give to the kernel, in its words.
const OFFLOADED: [&str; 4] = ["CIPHER", "CIPHERS", "DIGEST", "DIGESTS"];

/// Misspelt keys and lists separated wrongly: OpenSSL hands a module only the keys that it asks for, so
/// a misspelt one goes unseen by it.
pub(crate) fn keys(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(installed) = examined.installed() else { return Vec::new() };
    let findings: Vec<Finding> = installed
        .section
        .entries
        .iter()
        .filter_map(|entry| misspelt(entry).or_else(|| separated(entry)))
        .collect();
    if findings.is_empty() {
        return vec![Finding::fine(understood(&installed))];
    }
    findings
}

fn understood(installed: &Installed<'_>) -> String {
    let settings: Vec<String> =
        settings(installed).into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    match settings.is_empty() {
        true => "nothing is configured: the standard serves".to_owned(),
        false => settings.join(", "),
    }
}

/// Our keys and their values, as OpenSSL hands them to the module.
pub(crate) fn settings(installed: &Installed<'_>) -> Vec<(String, String)> {
    let value = |key: &str| {
        let entry = installed.section.entry(key)?;
        Some((key.to_owned(), entry.value.to_str().into_owned()))
    };
    OURS.iter().filter_map(|(key, _)| value(key)).collect()
}

fn misspelt(entry: &Entry) -> Option<Finding> {
    let name = entry.name.to_str();
    let known = || OPENSSL.into_iter().chain(OURS.map(|(key, _)| key));
    if known().any(|key| key == name) {
        return None;
    }
    let mend = match nearest(&name, known()) {
        Some(key) if OFFLOADED.contains(&&*name) => {
            let offloaded = entry.value.to_str();
            let offloaded = if offloaded == "ALL" { "on" } else { &*offloaded };
            format!(
                "write {key} = {}; for what the af_alg engine did, write kernel = {offloaded} \
                 (docs/kernel.md)",
                entry.value
            )
        }
        Some(key) => format!("write {key} = {}", entry.value),
        None if ENGINES.contains(&&*name) => {
            let keys = OURS.map(|(key, _)| key).join(" ");
            format!("take it away, it is a key of engines; the keys are {keys}")
        }
        None => format!("take it away; the keys are {}", OURS.map(|(key, _)| key).join(" ")),
    };
    Some(Finding::mend(
        format!(
            "{}: {name} is no key of Wirespeed's: the module ignores {name} = {}, or refuses to load",
            entry.place, entry.value
        ),
        mend,
    ))
}

fn separated(entry: &Entry) -> Option<Finding> {
    let (name, value) = (entry.name.to_str(), entry.value.to_str());
    let wrong = value.find([';', ':', '|', '+', '/'])?;
    LISTS.contains(&name.as_ref()).then(|| {
        let right: Vec<&str> = value
            .split([';', ':', '|', '+', '/', ',', ' '])
            .filter(|word| !word.is_empty())
            .collect();
        Finding::mend(
            format!(
                "{}: {name} = {value}: names are separated by blanks or commas, not by {}",
                entry.place,
                &value[wrong..=wrong]
            ),
            format!("write {name} = {}", right.join(" ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn says(line: &str) -> String {
        Fake::installed(line).says(keys)
    }

    /// The seeds: "you name the key CIPHER where CIPHERS would have been appropriate".
    #[test]
    fn misspelt_keys_are_named_with_the_right_ones() {
        for (line, right) in [
            ("CIPHER = AES-128-CBC", "write ciphers = AES-128-CBC"),
            ("CIPHERS = ALL", "write ciphers = ALL"),
            ("cipher = ALL", "write ciphers = ALL"),
            ("route = vaes512", "write routes = vaes512"),
            ("DIGESTS = ALL", "write digests = ALL"),
            ("Activate = 1", "write activate = 1"),
            ("verfiy = 100", "write verify = 100"),
        ] {
            let said = says(line);
            let key = line.split(' ').next().expect("a key");
            assert!(said.starts_with("MEND: /etc/ssl/openssl.cnf:13: "), "{said}");
            assert!(
                said.contains(&format!("{key} is no key of"))
                    && said.contains(&format!("-> {right}")),
                "{said}"
            );
        }
        let said = says("CIPHERS = ALL");
        assert!(said.ends_with("af_alg engine did, write kernel = on (docs/kernel.md)"), "{said}");
        let said = says("default_algorithms = ALL");
        assert!(
            said.ends_with(
                "the keys are plan routes ciphers digests kernel devcrypto verify stats"
            )
        );
    }

    /// The seeds: "how to specify multiple ciphers in openssl.cnf? I've tried various ways".
    #[test]
    fn several_ciphers_separated_wrongly_are_put_right() {
        for wrong in
            ["AES-128-CBC;AES-256-CBC", "AES-128-CBC:AES-256-CBC", "AES-128-CBC, ; AES-256-CBC"]
        {
            let said = says(&format!("ciphers = {wrong}"));
            assert!(said.contains("separated by blanks or commas"), "{said}");
            assert!(said.ends_with("-> write ciphers = AES-128-CBC AES-256-CBC"), "{said}");
        }
        assert_eq!(
            says("ciphers = AES-128-CBC AES-256-CBC\nstats = /run/a;b"),
            "fine: ciphers = AES-128-CBC AES-256-CBC, stats = /run/a;b"
        );
        assert_eq!(says(""), "fine: nothing is configured: the standard serves");
    }
}
