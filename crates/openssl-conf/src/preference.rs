//! The default properties, with ours added to those that are there.

use crate::installation::{Obstacle, WIRESPEED};
use crate::reading::Configuration;
use crate::setup::ALG_SECTION;

/// The default properties that prefer Wirespeed where it has an algorithm: name and value. The second
/// one stays when a program asks about `provider` itself, as stunnel does.
const PREFERENCE: [(&str, &str); 2] = [("provider", WIRESPEED), ("wirespeed.preferred", "yes")];

/// The default properties that a configuration should have, unless it has them.
pub(crate) fn wanted(configuration: &Configuration) -> Result<Option<String>, Obstacle> {
    let algorithms = configuration.module(ALG_SECTION).and_then(|it| it.section);
    if let Some(mode) = algorithms.and_then(|section| section.entry("fips_mode"))
        && !is_no(&mode.value.to_str())
    {
        let property = "fips=yes".to_owned();
        return Err(Obstacle::Demanded { property, place: mode.place.clone() });
    }
    let entry = configuration.default_properties();
    let existing = entry.map(|entry| entry.value.to_str()).unwrap_or_default();
    let clauses: Vec<Clause<'_>> = existing.split(',').filter_map(Clause::parse).collect();
    if let Some(entry) = entry {
        for clause in &clauses {
            let is_ours = PREFERENCE.contains(&(clause.name.as_str(), clause.value));
            // OpenSSL takes one clause of a name. One that only keeps another provider out may stay:
            // the second of ours is enough then.
            let keeps_us = match clause.is_equal {
                true => is_ours,
                false => clause.is_unequal && !clause.value.eq_ignore_ascii_case(WIRESPEED),
            };
            if clause.name == "provider" && !keeps_us {
                let properties = entry.value.clone();
                let effect = match (clause.is_equal, clause.is_soft) {
                    (true, true) => "prefers another provider",
                    (true, false) => "demands another provider",
                    (false, _) => "keeps Wirespeed out",
                };
                let (clause, place) = (clause.text.to_owned(), entry.place.clone());
                return Err(Obstacle::Chosen { properties, clause, effect, place });
            }
            if clause.is_demand() && !is_ours && clause.name != "provider" {
                let property = clause.text.to_owned();
                return Err(Obstacle::Demanded { property, place: entry.place.clone() });
            }
        }
    }
    let is_missing = |(name, _): &&(&str, &str)| clauses.iter().all(|clause| clause.name != *name);
    let missing: Vec<String> = PREFERENCE
        .iter()
        .filter(is_missing)
        .map(|(name, value)| format!("?{name}={value}"))
        .collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let existing = Some(existing.trim().to_owned()).filter(|existing| !existing.is_empty());
    Ok(Some(existing.into_iter().chain(missing).collect::<Vec<_>>().join(",")))
}

/// One condition of a property query (property(7)).
struct Clause<'a> {
    text: &'a str,
    name: String,
    value: &'a str,
    /// Preferred, not demanded.
    is_soft: bool,
    /// `name=value`, not `name!=value` or `-name`.
    is_equal: bool,
    /// `name!=value`.
    is_unequal: bool,
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let soft = text.strip_prefix('?');
        let rest = soft.unwrap_or(text);
        let (name, value) = rest.split_once('=').unwrap_or((rest, "yes"));
        let bare = name.trim().trim_start_matches('-').trim_end_matches('!').trim();
        (!text.is_empty()).then(|| Self {
            text,
            name: bare.to_ascii_lowercase(),
            value: value.trim().trim_matches(['"', '\'']),
            is_soft: soft.is_some(),
            is_equal: bare == name.trim(),
            is_unequal: name.trim_end().ends_with('!'),
        })
    }

    /// Whether an algorithm without the property is never taken.
    fn is_demand(&self) -> bool {
        !self.is_soft && self.wants_it()
    }

    /// Whether an algorithm with the property is wanted. One without it counts as no (ossl_property_match_count), so
    /// `!=no` wants it, too.
    fn wants_it(&self) -> bool {
        let is_no = self.value.eq_ignore_ascii_case("no");
        (self.is_equal && !is_no) || (self.is_unequal && is_no)
    }
}

/// The part of some properties that prefers FIPS; what demands it is refused as any demand.
pub(crate) fn fips_preferred(properties: &str) -> Option<&str> {
    let clauses = properties.split(',').filter_map(Clause::parse);
    let mut wanted =
        clauses.filter(|clause| clause.is_soft && clause.name == "fips" && clause.wants_it());
    wanted.next().map(|clause| clause.text)
}

/// What OpenSSL takes for no (crypto/x509/v3_utl.c, `X509V3_get_value_bool`).
fn is_no(value: &str) -> bool {
    ["no", "n", "false"].iter().any(|no| value.eq_ignore_ascii_case(no))
}
