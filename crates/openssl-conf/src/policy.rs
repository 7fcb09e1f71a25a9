//! What a configuration keeps from programs on purpose, and installing must not give them unasked.

use crate::installation::{Obstacle, WIRESPEED};
use crate::preference;
use crate::reading::Configuration;
use crate::setup::{Configured, PROVIDERS};

/// Whether installing leaves the policy of a configuration as it is.
pub(crate) fn check(
    configuration: &Configuration,
    activates_default: bool,
) -> Result<(), Obstacle> {
    let Some(list) = configuration.module(PROVIDERS) else { return properties(configuration) };
    let section = list.entry.value.clone();
    let providers = configuration.providers();
    if let Some(fips) = providers.iter().find(|one| one.name == *"fips" && one.is_activated()) {
        let what = format!("the provider fips, activated in [{section}],");
        return Err(Obstacle::Fips { what, place: fips.reference.entry.place.clone() });
    }
    properties(configuration)?;
    if let Some(stray) = providers.iter().find(|one| is_stray(one, &providers)) {
        let entry = stray.reference.entry.clone();
        let (name, value, place) = (entry.name, entry.value, entry.place);
        return Err(Obstacle::Stray { section, name, value, place });
    }
    let others = providers.iter().filter(|one| one.is_activated() && one.name != *WIRESPEED);
    let others: Vec<&Configured<'_>> = others.collect();
    if let Some(first) = others.first()
        && !activates_default
        && !configuration.has_default_provider()
    {
        let names: Vec<String> = others.iter().map(|one| one.name.to_string()).collect();
        let place = first.reference.entry.place.clone();
        return Err(Obstacle::DefaultOff { section, active: names.join(" and "), place });
    }
    Ok(())
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
