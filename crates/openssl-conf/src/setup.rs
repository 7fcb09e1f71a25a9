//! What a configuration sets up for every program: providers, engines, the default properties.
//!
//! libcrypto begins at `openssl_conf` in the default section, which names a section of *modules*:
//! `providers`, `engines`, `alg_section` and others, each of which names a section again
//! (crypto/conf/conf_mod.c, crypto/provider_conf.c, crypto/evp/evp_cnf.c). What does not hang on this
//! chain is never looked at.

use crate::reading::{Configuration, DEFAULT, Entry, Section};
use crate::text::Text;

/// The key that everything begins with.
pub const OPENSSL_CONF: &str = "openssl_conf";
/// The module that lists providers.
pub const PROVIDERS: &str = "providers";
/// The module that sets default properties.
pub const ALG_SECTION: &str = "alg_section";
/// The module that lists engines.
pub const ENGINES: &str = "engines";
/// The key of [`ALG_SECTION`]'s section.
pub const DEFAULT_PROPERTIES: &str = "default_properties";

/// A key whose value names a section.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// The key.
    pub entry: &'a Entry,
    /// The section, if there is one of that name; OpenSSL fails without.
    pub section: Option<&'a Section>,
}

/// A provider or an engine that is configured.
#[derive(Clone, Debug)]
pub struct Configured<'a> {
    /// Its name: what stands left of the equal sign, or what its section says.
    pub name: Text,
    /// The key that lists it, and its section.
    pub reference: Reference<'a>,
}

impl<'a> Configured<'a> {
    /// A key of its section. OpenSSL drops what stands before the first dot of a key.
    pub fn entry(&self, name: &str) -> Option<&'a Entry> {
        let entries = &self.reference.section?.entries;
        entries.iter().rev().find(|entry| without_prefix(&entry.name) == name.as_bytes())
    }

    /// Whether it is a provider that is loaded when a program starts. To OpenSSL 3.0 any value of
    /// `activate` says so, even 0; later versions want one of these words and fail on others.
    pub fn is_activated(&self) -> bool {
        const YES: [&str; 7] = ["1", "yes", "YES", "true", "TRUE", "on", "ON"];
        self.entry("activate").is_some_and(|entry| YES.iter().any(|yes| entry.value == *yes))
    }
}

/// A key that would mean something in another section.
#[derive(Clone, Copy, Debug)]
pub struct Misplaced<'a> {
    /// The key.
    pub entry: &'a Entry,
    /// The section that it stands in.
    pub section: &'a Section,
    /// The section that it was meant for.
    pub meant_for: &'a Text,
}

impl Configuration {
    /// `openssl_conf`, and the section of modules that it names.
    pub fn modules(&self) -> Option<Reference<'_>> {
        let entry = self.entry(DEFAULT, OPENSSL_CONF)?;
        Some(self.reference(entry))
    }

    /// A module that is in effect, such as [`PROVIDERS`], and the section that it names. OpenSSL drops
    /// what stands behind the last dot of its name.
    pub fn module(&self, name: &str) -> Option<Reference<'_>> {
        let modules = self.modules()?.section?;
        // Each would be run; the last one counts.
        let entry = modules.entries.iter().rev();
        let entry = entry.clone().find(|entry| without_suffix(&entry.name) == name.as_bytes())?;
        Some(self.reference(entry))
    }

    /// The providers that are configured, activated or not.
    pub fn providers(&self) -> Vec<Configured<'_>> {
        self.configured(PROVIDERS, "identity")
    }

    /// The provider of that name.
    pub fn provider(&self, name: &str) -> Option<Configured<'_>> {
        self.providers().into_iter().find(|provider| provider.name == *name)
    }

    /// The engines that are configured. OpenSSL 4.0 fails on them, and on what stands after them.
    pub fn engines(&self) -> Vec<Configured<'_>> {
        self.configured(ENGINES, "engine_id")
    }

    /// Whether the default provider is there when a program starts: activated, or because no provider
    /// is. Without it next to nothing works.
    pub fn has_default_provider(&self) -> bool {
        let activated: Vec<_> =
            self.providers().into_iter().filter(Configured::is_activated).collect();
        activated.is_empty() || activated.iter().any(|provider| provider.name == *"default")
    }

    /// The properties that every program's fetches prefer or demand.
    pub fn default_properties(&self) -> Option<&Entry> {
        self.module(ALG_SECTION)?.section?.entry(DEFAULT_PROPERTIES)
    }

    /// Keys that have no effect because of the section that they stand in: lines appended at the end
    /// of a file belong to the last section of it.
    pub fn misplaced(&self) -> Vec<Misplaced<'_>> {
        let default = &self.sections()[0].name;
        let modules = self.modules().and_then(|reference| reference.section);
        let mut found = Vec::new();
        for section in &self.sections()[1..] {
            let is_modules = modules.is_some_and(|modules| modules.name == section.name);
            for entry in &section.entries {
                let meant_for = if entry.name == *OPENSSL_CONF {
                    Some(default)
                } else if !is_modules && self.looks_like_a_module(entry) {
                    modules.map(|modules| &modules.name)
                } else {
                    None
                };
                found.extend(meant_for.map(|meant_for| Misplaced { entry, section, meant_for }));
            }
        }
        // In the default section modules mean nothing either.
        if let Some(modules) = modules
            && modules.name != *default
        {
            let section = &self.sections()[0];
            let lost = section.entries.iter().filter(|entry| self.looks_like_a_module(entry));
            let meant_for = &modules.name;
            found.extend(lost.map(|entry| Misplaced { entry, section, meant_for }));
        }
        found
    }

    fn looks_like_a_module(&self, entry: &Entry) -> bool {
        let known = [PROVIDERS, ALG_SECTION, ENGINES].iter().any(|name| entry.name == **name);
        known && self.section(&entry.value).is_some()
    }

    fn configured<'a>(&'a self, module: &str, name_key: &str) -> Vec<Configured<'a>> {
        let Some(list) = self.module(module).and_then(|reference| reference.section) else {
            return Vec::new();
        };
        let configured = |entry: &'a Entry| {
            let name = without_prefix(&entry.name).into();
            let mut configured = Configured { name, reference: self.reference(entry) };
            if let Some(name) = configured.entry(name_key) {
                configured.name = name.value.clone();
            }
            configured
        };
        list.entries.iter().map(configured).collect()
    }

    fn reference<'a>(&'a self, entry: &'a Entry) -> Reference<'a> {
        Reference { entry, section: self.section(&entry.value) }
    }
}

/// `1.default` is `default`: keys of one section must differ.
fn without_prefix(name: &Text) -> &[u8] {
    let name = name.as_bytes();
    name.iter().position(|byte| *byte == b'.').map_or(name, |dot| &name[dot + 1..])
}

/// `providers.1` is `providers`.
fn without_suffix(name: &Text) -> &[u8] {
    let name = name.as_bytes();
    name.iter().rposition(|byte| *byte == b'.').map_or(name, |dot| &name[..dot])
}
