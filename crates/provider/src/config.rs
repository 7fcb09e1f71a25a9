//! Our section of openssl.cnf.
//!
//! OpenSSL shows a provider only the keys that it asks for by name, so most misspelt keys go unseen
//! here (`wirespeed doctor` reads the file); the usual ones are asked for, to be refused.

use std::ffi::{CStr, CString, OsString};
use std::num::NonZeroU32;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use wirespeed_af_alg::Interface;
use wirespeed_cipher::{Algorithm, Digest, Route};

use crate::offload::Offload;

/// Which routes may serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Routes {
    /// The plan decides, or the default priority.
    Auto,
    /// Each of these must be there; the first serves.
    Listed(Vec<Route>),
}

/// Which digests to offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Digests {
    /// Those for which a route is likely to be the best.
    All,
    /// These.
    Listed(Vec<Digest>),
}

/// What was configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// The file with the measured table.
    pub(crate) plan: Option<PathBuf>,
    pub(crate) routes: Routes,
    /// The algorithms to offer.
    pub(crate) ciphers: Vec<Algorithm>,
    pub(crate) digests: Digests,
    /// What may go to Linux's crypto API, by each way.
    pub(crate) offloads: [Offload; Interface::ALL.len()],
    /// Every how many calls one is computed twice.
    pub(crate) verify: Option<NonZeroU32>,
    /// The file to count in.
    pub(crate) stats: Option<PathBuf>,
}

/// The keys, as they are to be written.
const KEYS: [&str; 8] =
    ["plan", "routes", "ciphers", "digests", "kernel", "devcrypto", "verify", "stats"];

impl Config {
    /// Without a configuration.
    pub(crate) fn standard() -> Self {
        Self {
            plan: None,
            routes: Routes::Auto,
            ciphers: Algorithm::ALL.to_vec(),
            digests: Digests::All,
            offloads: Interface::ALL.map(Offload::off),
            verify: None,
            stats: None,
        }
    }

    /// Reads the values that `look_up` finds; the error names the key, its value, and what it may be.
    pub(crate) fn read(look_up: impl Fn(&CStr) -> Option<OsString>) -> Result<Self, String> {
        for key in KEYS {
            refuse_misspelt(key, &look_up)?;
        }
        let value = |key: &str| {
            let key = CString::new(key).expect("a key has no NUL");
            look_up(&key).map(|value| value.as_bytes().trim_ascii().to_owned())
        };
        let mut config = Self::standard();
        config.plan = value("plan").map(|value| file("plan", value)).transpose()?;
        config.stats = value("stats").map(|value| file("stats", value)).transpose()?;
        // All else are words of ours, and what is none is refused.
        let value = |key: &str| value(key).map(|it| String::from_utf8_lossy(&it).into_owned());
        if let Some(value) = value("routes").filter(|value| value != "auto") {
            config.routes = Routes::Listed(list("routes", "auto", &value)?);
        }
        if let Some(value) = value("ciphers").filter(|value| value != "ALL") {
            config.ciphers = list("ciphers", "ALL", &value)?;
        }
        config.digests = match value("digests").as_deref() {
            None | Some("ALL") => Digests::All,
            Some("NONE") => Digests::Listed(Vec::new()),
            Some(value) => Digests::Listed(list("digests", "ALL or NONE", value)?),
        };
        for offload in &mut config.offloads {
            let key = offload.interface.route().name();
            if let Some(value) = value(key) {
                *offload = Offload::read(offload.interface, &words(key, &value, "on, or off")?)
                    .map_err(|why| format!("{key} = {value}: {why}"))?;
            }
        }
        if let Some(value) = value("verify").filter(|value| value != "off") {
            let number = value.parse().map_err(|_| {
                format!(
                    "verify = {value}: choose off, or N from 1 to {}, to check every Nth call",
                    u32::MAX
                )
            })?;
            config.verify = Some(number);
        }
        Ok(config)
    }
}

/// Looks for `KEY`, `Key`, and a plural or singular that is none.
fn refuse_misspelt(key: &str, look_up: impl Fn(&CStr) -> Option<OsString>) -> Result<(), String> {
    let other = key.strip_suffix('s').map_or_else(|| format!("{key}s"), str::to_owned);
    for name in [key, &other] {
        let (first, rest) = name.split_at(1);
        let capital = first.to_uppercase() + rest;
        for spelling in [name.to_owned(), name.to_uppercase(), capital] {
            let asked = CString::new(spelling.as_str()).expect("a key has no NUL");
            if spelling != key
                && let Some(value) = look_up(&asked)
            {
                let value = value.display();
                return Err(format!("{spelling} = {value}: no such key; it is spelt {key}"));
            }
        }
    }
    Ok(())
}

/// A path, which must be absolute: programs run in all kinds of directories.
fn file(key: &str, value: Vec<u8>) -> Result<PathBuf, String> {
    let path = PathBuf::from(OsString::from_vec(value));
    if path.is_absolute() {
        return Ok(path);
    }
    Err(format!("{key} = {}: give the absolute path of a file", path.display()))
}

/// Names separated by commas or blanks; `alone` is what may be said instead.
fn words<'a>(key: &str, value: &'a str, alone: &str) -> Result<Vec<&'a str>, String> {
    let refuse = |why| Err(format!("{key} = {value}: {why}, or {alone}"));
    if value.contains([';', ':']) {
        return refuse("separate names by commas or blanks");
    }
    let words = value.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    let words: Vec<_> = words.collect();
    if words.is_empty() { refuse("give at least one name") } else { Ok(words) }
}

/// Names of one kind.
fn list<T>(key: &str, alone: &str, value: &str) -> Result<Vec<T>, String>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let names = words(key, value, alone)?.into_iter().map(str::parse);
    let names = names.collect::<Result<_, T::Err>>();
    names.map_err(|why| format!("{key} = {value}: {why}, or {alone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: &[(&str, &str)]) -> Result<Config, String> {
        Config::read(|key| {
            let found = settings.iter().find(|(name, _)| name.as_bytes() == key.to_bytes());
            found.map(|(_, value)| OsString::from(*value))
        })
    }

    #[test]
    fn nothing_configured_is_everything() {
        assert_eq!(read(&[]), Ok(Config::standard()));
        let usual = [
            ("routes", "auto"),
            ("ciphers", " ALL "),
            ("digests", "ALL"),
            ("kernel", "off"),
            ("devcrypto", "off"),
            ("verify", "off"),
        ];
        assert_eq!(read(&usual), Ok(Config::standard()));
    }

    #[test]
    fn lists_take_commas_and_blanks() {
        let lists = [("routes", "vaes256, portable"), ("ciphers", "AES-128-GCM aes-256-xts,")];
        let config = read(&lists).unwrap();
        assert_eq!(config.routes, Routes::Listed(vec![Route::Vaes256, Route::Portable]));
        let names: Vec<_> = config.ciphers.iter().map(|algorithm| algorithm.name()).collect();
        assert_eq!(names, ["AES-128-GCM", "AES-256-XTS"]);
        let digests = read(&[("digests", "sha2-256, SM3")]).unwrap().digests;
        assert_eq!(digests, Digests::Listed(vec![Digest::Sha256, Digest::Sm3]));
    }

    #[test]
    fn files_and_numbers() {
        let given = [("plan", "/etc/wirespeed/plan"), ("stats", "/run/stats"), ("verify", "1000")];
        let config = read(&given).unwrap();
        assert_eq!(config.plan, Some(PathBuf::from("/etc/wirespeed/plan")));
        assert_eq!(config.stats, Some(PathBuf::from("/run/stats")));
        assert_eq!(config.verify, NonZeroU32::new(1000));
    }

    #[test]
    fn a_path_keeps_its_bytes() {
        let bytes = OsString::from_vec(b"/tmp/st\xe4ts".to_vec());
        for key in ["plan", "stats"] {
            let config =
                Config::read(|it| (it.to_bytes() == key.as_bytes()).then(|| bytes.clone()));
            let config = config.unwrap();
            assert_eq!(config.plan.or(config.stats), Some(PathBuf::from(&bytes)));
        }
        let refused = Config::read(|it| (it == c"routes").then(|| bytes.clone())).unwrap_err();
        assert!(refused.starts_with("routes = /tmp/st"), "{refused}");
    }

    /// Key, value, and what the error must say besides them.
    const WRONG: [(&str, &str, &str); 30] = [
        ("routes", "vaes512 warp", "aesni"),
        ("routes", "auto vaes512", "or auto"),
        ("routes", "", "at least one"),
        ("routes", "vaes512;aesni", "commas or blanks"),
        ("ciphers", "AES-128-CCM", "AES-128-GCM"),
        ("ciphers", "AES-128-GCM:AES-256-GCM", "commas or blanks"),
        ("ciphers", " , ", "or ALL"),
        ("digests", "SHA2-256 MD4", "ALL or NONE"),
        ("kernel", "yes", "AES-128-CBC"),
        ("kernel", "", "or off"),
        ("kernel", "on off", "alone"),
        ("kernel", "seccomp", "on"),
        ("kernel", "on AES-128-CBC", "either"),
        ("kernel", "AES-128-CBC;SHA1", "commas or blanks"),
        ("kernel", "AES-128-CBC@", "driver"),
        ("kernel", "AES-128-CBC SHA1 aes-128-cbc", "twice"),
        ("kernel", "AES-128-GCM", "whole message"),
        ("devcrypto", "yes", "AES-128-CBC"),
        ("devcrypto", "on off", "alone"),
        ("devcrypto", "AES-128-XTS", "has no AES-128-XTS"),
        ("Devcrypto", "on", "devcrypto"),
        ("verify", "0", "off"),
        ("verify", "-1", "from 1"),
        ("verify", "often", "from 1"),
        ("plan", "plan.txt", "absolute"),
        ("stats", "", "absolute"),
        ("CIPHERS", "ALL", "ciphers"),
        ("CIPHER", "ALL", "ciphers"),
        ("cipher", "AES-128-GCM", "ciphers"),
        ("Plan", "/x", "plan"),
    ];

    #[test]
    fn a_wrong_key_or_value_is_named_with_the_right_ones() {
        for (key, value, hint) in WRONG {
            let error = read(&[(key, value)]).unwrap_err();
            assert!(error.starts_with(&format!("{key} = {}", value.trim())), "{error}");
            assert!(error.contains(hint), "{error}");
            assert_eq!(error.lines().count(), 1);
        }
    }
}
