//! What OpenSSL itself makes of PadLock: its engine, as long as there were engines.

use serde::Serialize;
use wirespeed_libcrypto::Library;

use super::units::Units;

/// OpenSSL's own engine on this CPU.
#[derive(Serialize)]
pub(super) struct Engine {
    /// The host's OpenSSL, null without one.
    version: Option<String>,
    /// What `openssl engine padlock` prints, null where there are no engines.
    engine: Option<String>,
    #[serde(skip)]
    ace: bool,
}

impl Engine {
    pub(super) fn of(library: Option<&Library>, units: &Units) -> Self {
        let version = library.map(|library| library.version().to_owned());
        let major = library.map_or(0, |library| library.version_numbers().0);
        Self::from_version(version, major, units.has("ace"))
    }

    /// The words of `padlock_bind_helper` in engines/e_padlock.c, which sets `padlock_use_rng = 0`
    /// whatever the CPU has; OpenSSL 4.0 has no engines.
    fn from_version(version: Option<String>, major: u32, ace: bool) -> Self {
        let word = if ace { "ACE" } else { "no-ACE" };
        let engine = (major == 3).then(|| format!("(padlock) VIA PadLock (no-RNG, {word})"));
        Self { version, engine, ace }
    }

    pub(super) fn words(&self) -> String {
        match (&self.version, &self.engine) {
            (None, _) => "no OpenSSL 3 or 4 on this machine".to_owned(),
            (Some(version), None) => {
                format!("{version} has no engines any more, and nothing of its own for PadLock")
            }
            (Some(version), Some(engine)) => {
                let mut text = format!("{version}, `openssl engine padlock`: {engine}");
                if self.ace {
                    text.push_str(
                        "; never its random numbers, which that engine leaves out on purpose, and only \
                         for programs that ask for it; on Zhaoxin CPUs its AES-256 is wrong (openssl \
                         #31246)",
                    );
                }
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_ended_with_openssl_3() {
        let version = |text: &str| Some(text.to_owned());
        let said = |text, major, ace| Engine::from_version(version(text), major, ace).words();
        let three = said("OpenSSL 3.0.19", 3, true);
        assert!(three.starts_with(
            "OpenSSL 3.0.19, `openssl engine padlock`: (padlock) VIA PadLock (no-RNG, ACE); never"
        ));
        assert_eq!(
            said("OpenSSL 3.6.2", 3, false),
            "OpenSSL 3.6.2, `openssl engine padlock`: (padlock) VIA PadLock (no-RNG, no-ACE)"
        );
        assert!(said("OpenSSL 4.0.3", 4, true).starts_with("OpenSSL 4.0.3 has no engines"));
        assert_eq!(
            Engine::from_version(None, 0, true).words(),
            "no OpenSSL 3 or 4 on this machine"
        );
    }
}
