//! What a configuration keeps from programs on purpose, and installing must not give them unasked.

use std::path::Path;

use crate::files::Files;
use crate::installation::{Obstacle, WIRESPEED};
use crate::preference;
use crate::reading::Configuration;
use crate::setup::{Configured, PROVIDERS};

/// Whether Linux is in FIPS mode.
const FIPS_ENABLED: &str = "/proc/sys/crypto/fips_enabled";

/// Whether installing leaves the policy of a configuration as it is.
pub(crate) fn check(
    configuration: &Configuration,
    files: &dyn Files,
    activates_default: bool,
) -> Result<(), Obstacle> {
    // Distributions' OpenSSL activates the FIPS provider then, whatever its configuration says.
    if files.read(Path::new(FIPS_ENABLED)).is_ok_and(|text| text.trim_ascii() == b"1") {
        return Err(Obstacle::FipsMachine);
    }
    let Some(list) = configuration.module(PROVIDERS) else { return properties(configuration) };
    let section = list.entry.value.clone();
    let providers = configuration.providers();
    if let Some(fips) = providers.iter().find(|one| one.name == *"fips" && may_be_active(one)) {
        let what = format!("the provider fips, activated in [{section}],");
        return Err(Obstacle::Fips { what, place: fips.reference.entry.place.clone() });
    }
    properties(configuration)?;
    if let Some(stray) = providers.iter().find(|one| is_stray(one, &providers)) {
        let entry = stray.reference.entry.clone();
        let (name, value, place) = (entry.name, entry.value, entry.place);
        return Err(Obstacle::Stray { section, name, value, place });
    }
    let is_other = |one: &&Configured<'_>| one.name != *WIRESPEED && one.name != *"default";
    let others = providers.iter().filter(is_other).filter(|one| may_be_active(one));
    let others: Vec<&Configured<'_>> = others.collect();
    if let Some(first) = others.first()
        && !activates_default
        && !providers.iter().any(|one| one.name == *"default" && one.is_activated())
    {
        let names: Vec<String> = others.iter().map(|one| named(one)).collect();
        let place = first.reference.entry.place.clone();
        return Err(Obstacle::DefaultOff { section, active: names.join(" and "), place });
    }
    Ok(())
}

/// Whether any version of OpenSSL activates it.
fn may_be_active(one: &Configured<'_>) -> bool {
    one.entry("activate").is_some()
}

/// Its name, and what is to be known where versions differ.
fn named(one: &Configured<'_>) -> String {
    match one.entry("activate").filter(|_| !one.is_activated()) {
        Some(entry) => {
            format!("{} (activate = {}, which OpenSSL 3.0 takes for yes)", one.name, entry.value)
        }
        None => one.name.to_string(),
    }
}

/// Behind our preference, one for FIPS would count for less.
fn properties(configuration: &Configuration) -> Result<(), Obstacle> {
    let Some(entry) = configuration.default_properties() else { return Ok(()) };
    let written = entry.value.to_str();
    preference::fips_preferred(&written).map_or(Ok(()), |clause| {
        let what = format!("{clause} in default_properties");
        Err(Obstacle::Fips { what, place: entry.place.clone() })
    })
}

/// Whether a key names no section, and none that installing makes (crypto/provider_conf.c,
/// `provider_conf_load`).
fn is_stray(one: &Configured<'_>, providers: &[Configured<'_>]) -> bool {
    let is_made = |one: &Configured<'_>| one.name == *"default" || one.name == *WIRESPEED;
    let value = &one.reference.entry.value;
    one.reference.section.is_none()
        && !providers.iter().any(|other| is_made(other) && other.reference.entry.value == *value)
}
