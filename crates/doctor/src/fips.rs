//! FIPS mode: what serves then, and that our module stays out.

use crate::examined::Examined;
use crate::finding::Finding;

const KERNEL: &str = "/proc/sys/crypto/fips_enabled";

/// What makes this a FIPS machine, if something does.
pub(crate) fn fips(examined: &Examined<'_>) -> Vec<Finding> {
    let reasons: Vec<String> =
        kernel(examined).into_iter().chain(configuration(examined)).collect();
    if reasons.is_empty() {
        return Vec::new();
    }
    let why = reasons.join(", ");
    vec![match examined.installed() {
        Some(_) => Finding::mend(
            format!(
                "FIPS mode ({why}), and Wirespeed, which is not validated, is configured beside it"
            ),
            "sudo wirespeed uninstall",
        ),
        None => Finding::note(format!(
            "FIPS mode ({why}): OpenSSL's FIPS provider serves, Linux takes tested drivers alone, and \
             wirespeed install changes nothing: Wirespeed is not validated"
        )),
    }]
}

fn kernel(examined: &Examined<'_>) -> Option<String> {
    let on = examined.here.text(KERNEL)?.trim() == "1";
    on.then(|| "fips_enabled = 1".to_owned())
}

/// As config(5) and fips_module(7) have it.
fn configuration(examined: &Examined<'_>) -> Option<String> {
    let read = examined.readable()?;
    let providers = read.providers();
    let provider = providers.iter().find(|it| it.name == *"fips" && it.entry("activate").is_some());
    if let Some(provider) = provider {
        return Some(format!("{}: the provider fips", provider.reference.entry.place));
    }
    let entry = read.default_properties()?;
    let text = entry.value.to_str();
    let wants =
        text.split(',').any(|clause| matches!(clause.trim(), "fips=yes" | "fips" | "?fips=yes"));
    wants.then(|| format!("{}: default_properties = {text}", entry.place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    const ACTIVE: &str = "openssl_conf = i\n[i]\nproviders = p\n[p]\nfips = f\nbase = b\n[f]\nactivate = 1\n\
                          [b]\nactivate = 1\n";

    #[test]
    fn fips_mode_is_told_with_what_serves() {
        assert_eq!(Fake::bare().says(fips), "");
        assert_eq!(Fake::configured("").file(KERNEL, "0\n").says(fips), "");
        let said = Fake::configured("").file(KERNEL, "1\n").says(fips);
        assert!(
            said.starts_with("note: FIPS mode (fips_enabled = 1): OpenSSL's FIPS provider serves"),
            "{said}"
        );
        let said = Fake::configured(ACTIVE).says(fips);
        assert!(
            said.starts_with("note: FIPS mode (/etc/ssl/openssl.cnf:5: the provider fips)"),
            "{said}"
        );
        let properties =
            "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n";
        assert!(Fake::configured(properties).says(fips).contains("default_properties = fips=yes"));
    }

    #[test]
    fn our_module_beside_it_is_a_fault() {
        let said = Fake::installed("").file(KERNEL, "1\n").says(fips);
        assert!(
            said.starts_with("MEND: FIPS mode") && said.ends_with("-> sudo wirespeed uninstall"),
            "{said}"
        );
    }
}
