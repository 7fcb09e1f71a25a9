//! The host's OpenSSL: known security faults in what programs use, found by asking it where that can be done.

use wirespeed_advisories::{FAULTS, Fault, Probe, Verdict, Version, version_of};

use crate::examined::Examined;
use crate::finding::Finding;

/// Each fault that this OpenSSL has.
pub(crate) fn faults(examined: &Examined<'_>) -> Vec<Finding> {
    let Ok(openssl) = &examined.openssl else { return Vec::new() };
    let Some(version) = version_of(&openssl.version) else { return Vec::new() };
    let asked = |fault: &'static Fault| verdict(fault, version, |it| examined.here.has_fault(it));
    let has = FAULTS.iter().map(|fault| (fault, asked(fault))).filter(|(_, asked)| asked.faulty);
    let findings: Vec<_> = has.map(|(fault, asked)| warning(fault, version, asked)).collect();
    if !findings.is_empty() {
        return findings;
    }
    let (major, minor, patch) = version;
    vec![Finding::fine(format!(
        "OpenSSL {major}.{minor}.{patch} has none of the {} known faults in what Wirespeed serves \
         (docs/security.md)",
        FAULTS.len()
    ))]
}

/// An answer, and where it comes from.
struct Asked {
    faulty: bool,
    by_probe: bool,
}

/// A probe decides where there is one that can be carried out, the number otherwise.
fn verdict(fault: &Fault, version: Version, probe: impl Fn(Probe) -> Option<bool>) -> Asked {
    match fault.probe.and_then(probe) {
        Some(faulty) => Asked { faulty, by_probe: true },
        None => Asked { faulty: fault.by_number(version) == Verdict::Faulty, by_probe: false },
    }
}

fn warning(fault: &Fault, version: Version, asked: Asked) -> Finding {
    let (major, minor, patch) = version;
    let how = match asked.by_probe {
        true => "as a probe shows",
        false => "by its version number; a distribution may have back-ported the fix",
    };
    let fixed = match fault.fixed_in(version) {
        Some((major, minor, patch)) if version < (major, minor, patch) => {
            format!("fixed in {major}.{minor}.{patch}")
        }
        // A number that has the fix, and a probe that finds the fault: a build of its own.
        Some((major, minor, patch)) => format!("OpenSSL's own {major}.{minor}.{patch} is fixed"),
        None => format!("no fixed {major}.{minor} is known"),
    };
    Finding::note(format!(
        "warning: OpenSSL {major}.{minor}.{patch} has {}: {} ({}); {fixed}; {how}. Wirespeed's own: {}",
        fault.id,
        fault.title.replace('`', ""),
        fault.touches.replace('`', ""),
        fault.ours
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn fake(version: &str, answers: &[(Probe, bool)]) -> Fake {
        let mut fake = Fake::bare();
        fake.openssl.as_mut().expect("an OpenSSL").version = version.to_owned();
        fake.faults = answers.iter().copied().collect();
        fake
    }

    #[test]
    fn an_old_openssl_is_warned_of_by_name_and_fixed_version() {
        let said = fake("OpenSSL 3.0.19 27 Jan 2026", &[(Probe::OcbIv, true)]).says(faults);
        let about = said.lines().find(|line| line.contains("CVE-2026-45445")).expect("a warning");
        assert!(about.starts_with("note: warning: OpenSSL 3.0.19 has CVE-2026-45445: "), "{about}");
        assert!(about.contains("fixed in 3.0.21; as a probe shows."), "{about}");
        assert!(about.contains("uses the IV; without one the call fails"), "{about}");
    }

    #[test]
    fn a_back_ported_fix_is_recognised_by_asking() {
        let every = FAULTS.iter().filter_map(|fault| Some((fault.probe?, false)));
        let answers: Vec<_> = every.collect();
        let said = fake("OpenSSL 3.0.13 30 Jan 2024", &answers).says(faults);
        assert_eq!(
            said,
            format!(
                "fine: OpenSSL 3.0.13 has none of the {} known faults in what Wirespeed serves \
                 (docs/security.md)",
                FAULTS.len()
            )
        );
        // The other way round: a number that promises the fix, and a library that lacks it.
        let said = fake("OpenSSL 3.0.22 25 Aug 2026", &[(Probe::OcbIv, true)]).says(faults);
        assert!(
            said.contains("CVE-2026-45445") && said.contains("OpenSSL's own 3.0.21 is fixed"),
            "{said}"
        );
    }

    #[test]
    fn without_a_probe_the_number_decides_and_says_so() {
        let every = FAULTS.iter().filter_map(|fault| Some((fault.probe?, false)));
        let answers: Vec<_> = every.collect();
        let said = fake("OpenSSL 3.6.1 27 Jan 2026", &answers).says(faults);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("OpenSSL 3.6.1 has CVE-2026-28386"), "{said}");
        assert!(
            said.contains(
                "fixed in 3.6.2; by its version number; a distribution may have back-ported the fix."
            ),
            "{said}"
        );
        assert!(fake("OpenSSL 3.6.2 7 Apr 2026", &answers).says(faults).starts_with("fine: "));
    }

    #[test]
    fn nothing_is_said_of_what_is_no_openssl() {
        assert_eq!(fake("BoringSSL", &[]).says(faults), "");
    }
}
