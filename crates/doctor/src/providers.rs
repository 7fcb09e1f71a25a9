//! Whether the other providers still serve: the default provider active, the preference a soft one.

use crate::examined::{Examined, ours};
use crate::finding::Finding;

/// A provider that openssl.cnf activates switches off the default provider, unless that is activated
/// too (openssl #16249: locked out of ssh).
pub(crate) fn default(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(configuration) = examined.readable() else { return Vec::new() };
    if configuration.has_default_provider() {
        return vec![Finding::fine("the default provider is active")];
    }
    let activated = configuration
        .providers()
        .into_iter()
        .filter(wirespeed_openssl_conf::Configured::is_activated);
    let names: Vec<String> = activated.map(|provider| provider.name.to_string()).collect();
    let listed = configuration.provider("default");
    let section = listed.as_ref().and_then(|provider| provider.reference.section);
    vec![Finding::mend(
        format!(
            "{} is activated and default is not: nothing but that serves, and ssh may not start \
             (openssl #16249)",
            names.join(" ")
        ),
        match (section, listed) {
            (Some(section), _) => format!("write activate = 1 into [{}]", section.name),
            (None, Some(listed)) => {
                format!("add the lines [{}] and activate = 1", listed.reference.entry.value)
            }
            (None, None) => {
                "add default = default_section to the list of providers, and the lines \
                             [default_section] and activate = 1"
                    .to_owned()
            }
        },
    )]
}

/// `default_properties = ?provider=wirespeed`: without the question mark everything that is not ours
/// fails; without the line OpenSSL may take either.
pub(crate) fn preference(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(configuration) = examined.readable() else { return Vec::new() };
    let ours = ours(configuration).filter(wirespeed_openssl_conf::Configured::is_activated);
    let properties = configuration.default_properties();
    let Some(entry) = properties else {
        return match ours {
            None => Vec::new(),
            Some(provider) => vec![Finding::mend(
                "no default_properties: OpenSSL takes whichever provider it meets first",
                format!(
                    "write alg_section = algorithms beside providers, and the lines [algorithms] and \
                     default_properties = ?provider={}",
                    provider.name
                ),
            )],
        };
    };
    let value = entry.value.to_str();
    let demands =
        value.split(',').map(str::trim).find_map(|clause| clause.strip_prefix("provider="));
    let prefers =
        value.split(',').map(str::trim).find_map(|clause| clause.strip_prefix("?provider="));
    let name = ours.as_ref().map(|provider| provider.name.to_string());
    // Where a clause about `provider` only keeps another one out, the second of ours is enough.
    let is_enough = prefers.is_none()
        && value.split(',').any(|clause| clause.trim() == "?wirespeed.preferred=yes");
    let name = name.filter(|_| !is_enough);
    vec![match (demands, prefers, name) {
        (Some(demanded), ..) if demanded != "default" => Finding::mend(
            format!("{}: {} = {value} allows nothing but that provider", entry.place, entry.name),
            format!("write {} = ?provider={demanded}", entry.name),
        ),
        (_, preferred, Some(name)) if preferred != Some(name.as_str()) => Finding::mend(
            format!("{}: {} = {value} does not prefer {name}", entry.place, entry.name),
            format!("write {} = ?provider={name}", entry.name),
        ),
        _ => Finding::fine(format!("{} = {value}", entry.name)),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn text(default: &str, properties: &str) -> Fake {
        Fake::configured(&format!(
            "openssl_conf = init\n[init]\nproviders = list\n{}\n\
             [list]\nwirespeed = w\n{default}\n[w]\nactivate = 1\n[a]\n{properties}\n",
            if properties.is_empty() { "" } else { "alg_section = a" }
        ))
    }

    #[test]
    fn the_lock_out_is_found() {
        assert_eq!(Fake::installed("").says(default), "fine: the default provider is active");
        assert_eq!(Fake::configured("").says(default), "fine: the default provider is active");
        let said = text("", "").says(default);
        assert!(said.starts_with("MEND: wirespeed is activated and default is not"), "{said}");
        assert!(said.contains("add default = default_section to the list"), "{said}");
        assert!(text("default = d", "").says(default).contains("add the lines [d]"));
        let said = text("default = d\n[d]", "").says(default);
        assert!(said.ends_with("write activate = 1 into [d]"), "{said}");
    }

    #[test]
    fn a_hard_or_missing_preference_is_found() {
        let fine = "fine: default_properties = ?provider=wirespeed";
        assert_eq!(Fake::installed("").says(preference), fine);
        let said = text("", "default_properties = provider=wirespeed").says(preference);
        assert!(said.ends_with("-> write default_properties = ?provider=wirespeed"), "{said}");
        let said = text("", "default_properties = ?provider=other").says(preference);
        assert!(said.contains("does not prefer wirespeed"), "{said}");
        assert!(text("", "").says(preference).starts_with("MEND: no default_properties"));
        assert_eq!(Fake::configured("").says(preference), "");
    }

    #[test]
    fn a_provider_that_is_kept_out_leaves_the_second_preference() {
        let says = |properties: &str| {
            text("", &format!("default_properties = {properties}")).says(preference)
        };
        let kept_out = "provider!=fips,?wirespeed.preferred=yes";
        assert!(says(kept_out).starts_with("fine: "), "{}", says(kept_out));
        let told = says("provider!=fips");
        assert!(told.starts_with("MEND: ") && told.contains("does not prefer wirespeed"), "{told}");
    }
}
