//! Our section of openssl.cnf.
//!
//! OpenSSL shows a provider only the keys that it asks for by name, so a misspelt key goes unseen
//! here; a wrong value does not.

use wirespeed_cipher::{Algorithm, Route};

/// Which routes may serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Routes {
    /// The ladder decides.
    Auto,
    /// Each of these must be there; the first serves.
    Listed(Vec<Route>),
}

/// What was configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) routes: Routes,
    /// The algorithms to offer.
    pub(crate) ciphers: Vec<Algorithm>,
}

impl Config {
    /// Without a configuration.
    pub(crate) fn standard() -> Self {
        Self { routes: Routes::Auto, ciphers: Algorithm::ALL.to_vec() }
    }

    /// Reads the values that `look_up` finds; the error names the key, its value, and what it may be.
    pub(crate) fn read(
        look_up: impl Fn(&std::ffi::CStr) -> Option<String>,
    ) -> Result<Self, String> {
        let mut config = Self::standard();
        if let Some(value) = look_up(c"routes")
            && value.trim() != "auto"
        {
            config.routes = Routes::Listed(list("routes", "auto", &value)?);
        }
        if let Some(value) = look_up(c"ciphers")
            && value.trim() != "ALL"
        {
            config.ciphers = list("ciphers", "ALL", &value)?;
        }
        Ok(config)
    }
}

/// Names separated by commas or blanks; `everything` is the word that stands alone.
fn list<T>(key: &str, everything: &str, value: &str) -> Result<Vec<T>, String>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let refuse = |why: &dyn std::fmt::Display| format!("{key} = {value}: {why}, or {everything}");
    let words = value.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    let names = words.map(str::parse).collect::<Result<Vec<T>, _>>().map_err(|e| refuse(&e))?;
    if names.is_empty() {
        return Err(refuse(&"give at least one name"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(routes: Option<&str>, ciphers: Option<&str>) -> Result<Config, String> {
        Config::read(|key| match key.to_bytes() {
            b"routes" => routes.map(str::to_owned),
            b"ciphers" => ciphers.map(str::to_owned),
            _ => None,
        })
    }

    #[test]
    fn nothing_configured_is_everything() {
        assert_eq!(read(None, None), Ok(Config::standard()));
        assert_eq!(read(Some("auto"), Some(" ALL ")), Ok(Config::standard()));
    }

    #[test]
    fn lists_take_commas_and_blanks() {
        let config = read(Some("vaes256, portable"), Some("AES-128-GCM aes-256-xts,")).unwrap();
        assert_eq!(config.routes, Routes::Listed(vec![Route::Vaes256, Route::Portable]));
        let names: Vec<_> = config.ciphers.iter().map(|algorithm| algorithm.name()).collect();
        assert_eq!(names, ["AES-128-GCM", "AES-256-XTS"]);
    }

    #[test]
    fn a_wrong_value_is_named_with_its_key_and_the_right_ones() {
        let error = read(Some("vaes512 warp"), None).unwrap_err();
        assert!(error.starts_with("routes = vaes512 warp: "), "{error}");
        assert!(error.contains("'warp'") && error.contains("aesni") && error.contains("auto"));
        let error = read(None, Some("AES-128-CCM")).unwrap_err();
        assert!(error.starts_with("ciphers = AES-128-CCM: ") && error.contains("AES-128-GCM"));
        assert!(error.ends_with("or ALL"));
        assert!(read(Some(" , "), None).unwrap_err().contains("at least one"));
        assert!(read(Some("auto vaes512"), None).is_err(), "auto stands alone");
    }
}
