//! Putting Wirespeed into a configuration: the fewest lines that do it, wherever they belong.
//!
//! Lines are only added, each marked as ours; a key that must change is said again behind the line
//! that said it, since the last one counts. So taking our lines away gives back the file as it was.
//!
//! An `.include` may end in another section, and OpenSSL then stays there (crypto/conf/conf_def.c).
//! Its file may also appear later. So our lines stand in front of the first one of their section;
//! where they cannot, they name their section themselves.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::apart::{self, Sections};
use crate::displaced;
use crate::files::Files;
use crate::lines::{self, Line};
use crate::policy;
use crate::preference;
use crate::reading::{Configuration, DEFAULT, Entry, Fault, LineKind, Place, Section};
use crate::setup::{
    ALG_SECTION, Configured, DEFAULT_PROPERTIES, OPENSSL_CONF, PROVIDERS, Reference,
};
use crate::statement::is_name;
use crate::text::Text;
use crate::writing::{self, Sheet};

/// The provider's name, in every configuration.
pub const WIRESPEED: &str = "wirespeed";

/// What our section is to say.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The module.
    pub module: &'a Path,
    /// Other keys that name files, such as `plan`; those that are not given stay as they are.
    pub files: &'a [(&'a str, &'a Path)],
    /// Whether the default provider may be turned on where other providers keep it off.
    pub activates_default: bool,
}

/// Why a configuration is not changed.
#[derive(Debug)]
pub enum Obstacle {
    /// OpenSSL cannot read it either.
    Broken(Fault),
    /// A NUL byte hides what would be added at its end.
    Hidden,
    /// The default properties choose another provider already, or exclude Wirespeed.
    Chosen {
        /// The properties.
        properties: Text,
        /// The part of them that does.
        clause: String,
        /// What it does.
        effect: &'static str,
        /// Where.
        place: Place,
    },
    /// A FIPS configuration, which Wirespeed would weaken.
    Fips {
        /// What makes it one.
        what: String,
        /// Where.
        place: Place,
    },
    /// Linux is in FIPS mode, and so is every OpenSSL of a distribution that knows it.
    FipsMachine,
    /// Other providers are activated, and so the default provider is off.
    DefaultOff {
        /// The section of the providers.
        section: Text,
        /// Those that are activated.
        active: String,
        /// Where the first of them is listed.
        place: Place,
    },
    /// A key among the providers that names no section: OpenSSL goes no further there.
    Stray {
        /// The section of the providers.
        section: Text,
        /// The key.
        name: Text,
        /// Its value.
        value: Text,
        /// Where.
        place: Place,
    },
    /// The default properties demand what Wirespeed is not, such as `fips=yes`.
    Demanded {
        /// What is demanded.
        property: String,
        /// Where.
        place: Place,
    },
    /// The change would have changed something else: this file is too unusual.
    Entangled {
        /// What would have changed.
        what: String,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(fault) => write!(f, "OpenSSL cannot read it: {fault}"),
            Self::Hidden => {
                f.write_str("a line begins with a NUL byte, where OpenSSL stops reading")
            }
            Self::Chosen { properties, clause, effect, place } => write!(
                f,
                "{place}: {clause} in default_properties = {properties} {effect}, and OpenSSL takes \
                 one such choice: remove it first"
            ),
            Self::Fips { what, place } => write!(
                f,
                "{place}: {what} makes this a FIPS configuration, and Wirespeed is not validated: \
                 programs would get its ciphers where they now get validated ones"
            ),
            Self::FipsMachine => f.write_str(
                "this machine is in FIPS mode (/proc/sys/crypto/fips_enabled = 1), and Wirespeed is not \
                 validated: programs would get its ciphers where they now get validated ones",
            ),
            Self::DefaultOff { section, active, place } => write!(
                f,
                "{place}: [{section}] activates {active} and not the default provider: programs \
                 would get default and wirespeed besides, and with them every algorithm that is \
                 off now; if that is wanted, say --activate-default"
            ),
            Self::Stray { section, name, value, place } => write!(
                f,
                "{place}: {name} = {value} stands among the providers of [{section}], and there \
                 is no section [{value}]: OpenSSL loads no provider from there on; take that line out, \
                 or move it above the first section"
            ),
            Self::Demanded { property, place } => write!(
                f,
                "{place}: every program here demands {property}, which Wirespeed does not have: \
                 it would never be used"
            ),
            Self::Entangled { what } => {
                write!(f, "it is too unusual to be changed safely: {what}")
            }
        }
    }
}

impl std::error::Error for Obstacle {}

/// The bytes of a configuration that loads Wirespeed and the default provider and prefers the
/// former; the same bytes if it does already.
pub fn install(
    bytes: &[u8],
    path: &Path,
    files: &dyn Files,
    wanted: &Wanted<'_>,
) -> Result<Vec<u8>, Obstacle> {
    let read = |bytes: &[u8]| Configuration::of(bytes, path, files).map_err(Obstacle::Broken);
    let configuration = read(bytes)?;
    // Older versions wrote behind includes: those lines are written anew, in front.
    let rest = displaced::without(bytes, &configuration);
    // Where they were, the default provider was to be on, whatever an include has made of it.
    policy::check(&configuration, files, wanted.activates_default || rest.is_some())?;
    let (bytes, configuration) = match rest {
        Some(rest) => {
            let configuration = read(&rest)?;
            (Cow::Owned(rest), configuration)
        }
        None => (Cow::Borrowed(bytes), configuration),
    };
    let mut editor = Editor::new(&bytes, &configuration);
    editor.install(wanted)?;
    let (changed, result) = editor.finish();
    let now = Configuration::of(&result, path, files).map_err(Obstacle::Broken)?;
    prove(&configuration, &now, &changed, wanted)?;
    // A section that is its own provider's list, for example, would hold keys that are no providers.
    policy::check(&now, files, true)
        .map_err(|why| Obstacle::Entangled { what: why.to_string() })?;
    Ok(result)
}

/// A key in a section.
type Key = (Text, Text);
/// Keys with another value.
pub(crate) type Changed = BTreeMap<Key, Vec<u8>>;

pub(crate) struct Editor<'a> {
    bytes: &'a [u8],
    configuration: &'a Configuration,
    lines: Vec<Line>,
    sheet: Sheet<'a>,
    /// The keys that get another value, and which.
    changed: Changed,
    /// Sections for the end of the file, with their lines.
    appended: Sections,
    /// Every key that is set, by its section.
    set: Sections,
}

impl<'a> Editor<'a> {
    pub(crate) fn new(bytes: &'a [u8], configuration: &'a Configuration) -> Self {
        Self {
            bytes,
            configuration,
            lines: lines::split(bytes, lines::lead(bytes)),
            sheet: Sheet::new(bytes),
            changed: Changed::new(),
            appended: Vec::new(),
            set: Vec::new(),
        }
    }

    /// The keys that were given another value, and the file in which they have it.
    fn finish(mut self) -> (Changed, Vec<u8>) {
        for (section, lines) in &self.appended {
            self.sheet.append(&writing::header(section.as_bytes()));
            for line in lines {
                self.sheet.append(line);
            }
        }
        (self.changed, self.sheet.finish())
    }

    /// The keys that were given another value, and a file of our own that gives them, and goes back to a section.
    /// `before` is what that file holds.
    pub(crate) fn apart(self, before: &[u8], back: &Text) -> (Changed, Vec<u8>) {
        let own = self.changed.keys().find(|(_, name)| *name == *"module").map(|(own, _)| own);
        let text = apart::merged(before, &self.set, own, back);
        (self.changed, text)
    }

    pub(crate) fn install(&mut self, wanted: &Wanted<'_>) -> Result<(), Obstacle> {
        if !self.sheet.is_open() {
            return Err(Obstacle::Hidden);
        }
        let configuration = self.configuration;
        let properties = preference::wanted(configuration)?;
        let default = configuration.provider("default");
        let ours = configuration.provider(WIRESPEED).filter(|ours| !self.is_shared(ours));

        let main =
            self.section_of(&DEFAULT.into(), OPENSSL_CONF, configuration.modules(), "openssl_init");
        let list =
            self.section_of(&main, PROVIDERS, configuration.module(PROVIDERS), "provider_sect");
        let default_section = self.section_of(
            &list,
            "default",
            default.as_ref().map(|one| one.reference),
            "default_sect",
        );
        let our_section = self.section_of(
            &list,
            WIRESPEED,
            ours.as_ref().map(|one| one.reference),
            "wirespeed_sect",
        );
        // Were these lost to an include and ours not, programs would have Wirespeed and nothing else.
        self.say_in_front(&list, "default");
        match default.is_some_and(|default| default.is_activated()) {
            true => self.say_in_front(&default_section, "activate"),
            false => self.set(&default_section, "activate", b"1"),
        }
        self.set(&our_section, "module", wanted.module.as_os_str().as_bytes());
        for (key, file) in wanted.files {
            self.set(&our_section, key, file.as_os_str().as_bytes());
        }
        if !ours.is_some_and(|ours| ours.is_activated()) {
            self.set(&our_section, "activate", b"1");
        }
        if let Some(properties) = properties {
            let algorithms = configuration.module(ALG_SECTION);
            let section = self.section_of(&main, ALG_SECTION, algorithms, "evp_properties");
            self.set(&section, DEFAULT_PROPERTIES, properties.as_bytes());
        }
        Ok(())
    }

    /// The section that a key names; if there is no such key, it is added and names a new section.
    fn section_of(
        &mut self,
        section: &Text,
        key: &str,
        reference: Option<Reference<'_>>,
        name: &str,
    ) -> Text {
        if let Some(reference) = reference {
            return reference.entry.value.clone();
        }
        let numbered = (2..).map(|number| format!("wirespeed_{name}_{number}"));
        let mut names = [name.to_owned(), format!("wirespeed_{name}")].into_iter().chain(numbered);
        // A section of that name that nothing refers to sleeps for a reason, and one that is missing is some other key's.
        let free = |name: &String| {
            let entries = self.configuration.sections().iter().flat_map(|it| &it.entries);
            self.configuration.section(name).is_none_or(|section| self.is_made_by_us(section))
                && !entries.into_iter().any(|entry| entry.value == **name)
                && !self.appended.iter().any(|(taken, _)| *taken == **name)
        };
        let name = names.find(free).expect("there are names without end");
        self.set(section, key, name.as_bytes());
        Text::from(name.as_str())
    }

    /// Whether all headers of a section are ours: the key that named it was lost.
    fn is_made_by_us(&self, section: &Section) -> bool {
        let is_ours = |line: usize| writing::is_ours(self.bytes, &self.lines[line]);
        !section.headers.is_empty() && section.headers.iter().all(|it| it.main.is_some_and(is_ours))
    }

    /// Whether another provider has the same section as ours.
    fn is_shared(&self, ours: &Configured<'_>) -> bool {
        let entry = ours.reference.entry;
        let others = self.configuration.providers();
        others.iter().any(|one| {
            one.reference.entry.name != entry.name && one.reference.entry.value == entry.value
        })
    }

    /// Lets a key have this value.
    fn set(&mut self, section: &Text, key: &str, value: &[u8]) {
        let configuration = self.configuration;
        let existing = self.existing(section, key);
        if existing.is_some_and(|entry| entry.value.as_bytes() == value) {
            return;
        }
        // The name as it is spelt there: it may have a prefix.
        let name = existing.map_or_else(|| key.into(), |entry| entry.name.clone());
        add_to(&mut self.set, section, writing::key(name.as_bytes(), value));
        let main = existing.and_then(|entry| entry.place.main);
        let is_behind = main.is_some_and(|main| displaced::is_behind_include(configuration, main));
        // Where a section's name could not stand in front of a key, the key goes without.
        let prefix = match is_behind && section.as_bytes().iter().all(|it| is_name(*it, false)) {
            true => [section.as_bytes(), b"::"].concat(),
            false => Vec::new(),
        };
        let line = writing::key(&[&prefix, name.as_bytes()].concat(), value);
        match main {
            Some(main) if writing::is_ours(self.bytes, &self.lines[main]) => {
                self.sheet.replace(self.lines[main].span.clone(), &line);
            }
            Some(main) if !prefix.is_empty() || self.section_at(main) == section => {
                self.sheet.insert(self.lines[main].span.end, &line);
            }
            _ => match existing.is_none().then(|| self.room(section, key)).flatten() {
                Some(at) => self.sheet.insert(at, &line),
                None => add_to(&mut self.appended, section, line),
            },
        }
        self.changed.insert((section.clone(), name), value.to_owned());
    }

    /// Says a key that stands behind an include once more in front of it. The one behind it counts for as long as it is
    /// there.
    fn say_in_front(&mut self, section: &Text, key: &str) {
        let configuration = self.configuration;
        let Some(entry) = self.existing(section, key) else { return };
        if !entry.place.main.is_some_and(|main| displaced::is_behind_include(configuration, main)) {
            return;
        }
        let line = writing::key(entry.name.as_bytes(), entry.value.as_bytes());
        let said = (0..self.lines.len()).find(|index| {
            writing::is_ours(self.bytes, &self.lines[*index])
                && configuration.lines[*index].section == *section
                && !displaced::is_behind_include(configuration, *index)
                && self.lines[*index].text.starts_with(&[entry.name.as_bytes(), b" = "].concat())
        });
        match said {
            Some(index) if self.lines[index].text.starts_with(&[&line[..], b" #"].concat()) => {}
            Some(index) => self.sheet.replace(self.lines[index].span.clone(), &line),
            None => {
                if let Some(at) = self.room(section, key) {
                    self.sheet.insert(at, &line);
                }
            }
        }
    }

    fn existing(&self, section: &Text, key: &str) -> Option<&'a Entry> {
        let configuration = self.configuration;
        let section = configuration.section(section)?;
        let prefixed = |entry: &&Entry| {
            entry.name.as_bytes().splitn(2, |byte| *byte == b'.').nth(1) == Some(key.as_bytes())
        };
        section.entry(key).or_else(|| section.entries.iter().rev().find(prefixed))
    }

    /// Where a key of a section can be added, below the first of its headers that is in this file:
    /// behind its last key in front of an include. But modules come first, because OpenSSL stops at one that
    /// fails, as `engines` does from OpenSSL 4.0 on.
    fn room(&self, section: &Text, key: &str) -> Option<usize> {
        let lines = &self.configuration.lines;
        let header = self.configuration.section(section)?.headers.iter().find_map(|it| it.main);
        let (first, start) = match header {
            Some(header) => (header + 1, lines[header].span.end),
            None if *section == *DEFAULT => {
                (0, lines.first().map_or(self.bytes.len(), |line| line.span.start))
            }
            None => return None,
        };
        if matches!(key, PROVIDERS | ALG_SECTION) {
            return Some(start);
        }
        let part = (first..lines.len()).take_while(|index| {
            lines[*index].section == *section
                && !matches!(lines[*index].kind, LineKind::Header | LineKind::Include)
        });
        let content = part.filter(|index| {
            lines[*index].kind == LineKind::Content && self.section_at(index + 1) == section
        });
        Some(content.last().map_or(start, |index| lines[index].span.end))
    }

    /// The section that a key before this line would go to.
    fn section_at(&self, index: usize) -> &Text {
        let configuration = self.configuration;
        configuration.lines.get(index).map_or(&configuration.last_section, |line| &line.section)
    }
}

fn add_to(sections: &mut Sections, section: &Text, line: Vec<u8>) {
    match sections.iter_mut().find(|(name, _)| name == section) {
        Some((_, lines)) => lines.push(line),
        None => sections.push((section.clone(), vec![line])),
    }
}

/// Shows that the new configuration does what is wanted, and what else it did before.
pub(crate) fn prove(
    before: &Configuration,
    now: &Configuration,
    changed: &Changed,
    wanted: &Wanted<'_>,
) -> Result<(), Obstacle> {
    let entangled = |what: String| Err(Obstacle::Entangled { what });
    for section in before.sections() {
        for entry in &section.entries {
            let value = now.section(&section.name).and_then(|section| section.entry(&entry.name));
            let is_same = value.is_some_and(|now| now.value == entry.value);
            if !is_same && !changed.contains_key(&(section.name.clone(), entry.name.clone())) {
                return entangled(format!("{} in [{}] would change", entry.name, section.name));
            }
        }
    }
    let ours = now.provider(WIRESPEED).filter(Configured::is_activated);
    let module = ours.as_ref().and_then(|ours| ours.entry("module"));
    if module.is_none_or(|entry| entry.value.as_bytes() != wanted.module.as_os_str().as_bytes()) {
        return entangled("it would not load the module".to_owned());
    }
    if !now.provider("default").is_some_and(|default| default.is_activated()) {
        return entangled("the default provider would not be active".to_owned());
    }
    Ok(())
}
