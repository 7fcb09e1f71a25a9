//! What OpenSSL itself makes of PadLock: its engine, as long as there were engines.

use wirespeed_libcrypto::Library;
use wirespeed_results::schema::padlock::Engine;

pub(super) fn engine(library: Option<&Library>, ace: bool, zhaoxin: bool) -> Engine {
    let version = library.map(|library| library.version().to_owned());
    let major = library.map_or(0, |library| library.version_numbers().0);
    of_version(version, major, ace, zhaoxin)
}

/// The words of `padlock_bind_helper` in engines/e_padlock.c, which sets `padlock_use_rng = 0`
/// whatever the CPU has; OpenSSL 4.0 has no engines.
fn of_version(version: Option<String>, major: u32, ace: bool, zhaoxin: bool) -> Engine {
    let word = if ace { "ACE" } else { "no-ACE" };
    let engine = (major == 3).then(|| format!("(padlock) VIA PadLock (no-RNG, {word})"));
    let wrong = engine.is_some() && ace && zhaoxin;
    let warning = wrong.then(|| "its AES-256 is wrong on Zhaoxin CPUs (openssl #31246)".to_owned());
    Engine { version, engine, warning }
}

pub(super) fn words(found: &Engine) -> String {
    match (&found.version, &found.engine) {
        (None, _) => "no OpenSSL 3 or 4 on this machine".to_owned(),
        (Some(version), None) => {
            format!("{version} has no engines, and nothing of its own for PadLock")
        }
        (Some(version), Some(engine)) => {
            let warning =
                found.warning.as_ref().map(|words| format!("; {words}")).unwrap_or_default();
            format!(
                "{version}, its engine: {engine}; it leaves out random numbers on purpose, and serves \
                 only programs that ask for it{warning}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_ended_with_openssl_3() {
        let version = |text: &str| Some(text.to_owned());
        let said =
            |text, major, ace, zhaoxin| words(&of_version(version(text), major, ace, zhaoxin));
        let three = said("OpenSSL 3.0.19", 3, true, false);
        let engine =
            "OpenSSL 3.0.19, its engine: (padlock) VIA PadLock (no-RNG, ACE); it leaves out";
        assert!(three.starts_with(engine) && !three.contains("wrong"), "{three}");
        assert!(
            said("", 3, true, true)
                .ends_with("its AES-256 is wrong on Zhaoxin CPUs (openssl #31246)")
        );
        assert!(said("", 3, false, false).contains("(padlock) VIA PadLock (no-RNG, no-ACE)"));
        let four = said("OpenSSL 4.0.3", 4, true, true);
        assert_eq!(four, "OpenSSL 4.0.3 has no engines, and nothing of its own for PadLock");
        let none = words(&of_version(None, 0, true, false));
        assert_eq!(none, "no OpenSSL 3 or 4 on this machine");
    }
}
