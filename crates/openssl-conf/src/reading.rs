//! What a configuration means once sections are merged, variables resolved and includes followed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::Files;
use crate::text::Text;

/// The section of what stands before the first header.
pub const DEFAULT: &str = "default";

/// A file and a line in it.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    pub(crate) file: Arc<Path>,
    /// From 1.
    pub line: usize,
    /// Which line of the main file, where it is that file.
    pub(crate) main: Option<usize>,
}

impl Place {
    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A key that is in effect: of several with the same name in a section, the last one read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: Text,
    /// Its value: quotes, escapes and variables resolved.
    pub value: Text,
    /// Where it stands.
    pub place: Place,
}

/// A section, all its parts together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: Text,
    /// Its keys, in the order in which OpenSSL goes through them.
    pub entries: Vec<Entry>,
    /// Where its headers stand; none for a section that only `section::name = value` made.
    pub headers: Vec<Place>,
}

impl Section {
    /// The key of that name.
    pub fn entry(&self, name: impl AsRef<[u8]>) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name.as_bytes() == name.as_ref())
    }
}

/// Why OpenSSL cannot read a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistake {
    /// A header without its closing bracket.
    NoClosingBracket,
    /// A key without an equal sign.
    NoEqualSign,
    /// `${` without `}`.
    NoClosingBrace,
    /// A variable that nothing defines before the line.
    NoSuchVariable {
        /// The section that was searched, before the default section.
        section: Text,
        /// The variable.
        name: Text,
    },
    /// A value that variables make too long.
    TooLong,
    /// A `.pragma` that is none.
    Pragma,
    /// An `.include` of a relative path after `.pragma abspath:on`.
    RelativeInclude(PathBuf),
    /// Files that include one another without end.
    EndlessInclude,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoClosingBracket => f.write_str("the section's name lacks its closing ]"),
            Self::NoEqualSign => f.write_str("neither a section, nor a key with = and its value"),
            Self::NoClosingBrace => f.write_str("a variable lacks its closing } or )"),
            Self::NoSuchVariable { section, name } => {
                write!(f, "the variable {section}::{name} has no value before this line")
            }
            Self::TooLong => f.write_str("variables make the value longer than 64 KiB"),
            Self::Pragma => {
                f.write_str("not a pragma: dollarid:on or off, abspath:on or off, includedir:PATH")
            }
            Self::RelativeInclude(path) => {
                write!(f, ".include {} is relative, which .pragma abspath forbids", path.display())
            }
            Self::EndlessInclude => f.write_str("files include one another without end"),
        }
    }
}

/// Why a configuration could not be read: OpenSSL takes nothing of such a file.
#[derive(Debug)]
pub enum Fault {
    /// The main file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line is wrong.
    Wrong {
        /// The line.
        place: Place,
        /// What is wrong with it.
        mistake: Mistake,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Wrong { place, mistake } => write!(f, "{place}: {mistake}"),
        }
    }
}

impl std::error::Error for Fault {}

/// A configuration as OpenSSL understands it, each key with its place.
#[derive(Clone, Debug)]
pub struct Configuration {
    pub(crate) sections: Vec<Section>,
    pub(crate) by_name: HashMap<Text, usize>,
    /// The files that were read, the main file first.
    pub(crate) files: Vec<Arc<Path>>,
    /// Files that `.include` names and that are not there.
    pub(crate) missing: Vec<(PathBuf, Place)>,
    /// The folders that the main file includes, and in which line.
    pub(crate) folders: Vec<(PathBuf, usize)>,
    /// The lines of the main file.
    pub(crate) lines: Vec<MainLine>,
    /// The section that a key after the last line would go to.
    pub(crate) last_section: Text,
}

/// A line of the main file, and the section that it found itself in.
#[derive(Clone, Debug)]
pub(crate) struct MainLine {
    pub(crate) span: Range<usize>,
    /// The section before the line.
    pub(crate) section: Text,
    pub(crate) kind: LineKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    Blank,
    Header,
    /// A key or a pragma.
    Content,
    /// An include: what it brings may end in another section, today or when its file appears.
    Include,
}

impl Configuration {
    /// Reads a file and all that it includes.
    pub fn read(path: &Path, files: &dyn Files) -> Result<Self, Fault> {
        let bytes =
            files.read(path).map_err(|error| Fault::Unreadable { path: path.to_owned(), error })?;
        Self::of(&bytes, path, files)
    }

    /// Understands `bytes` as what `path` holds, or is to hold.
    pub fn of(bytes: &[u8], path: &Path, files: &dyn Files) -> Result<Self, Fault> {
        crate::reader::read(bytes, path, files)
    }

    /// Every section, in the order in which they first appear; the first is the default section.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The section of that name.
    pub fn section(&self, name: impl AsRef<[u8]>) -> Option<&Section> {
        self.by_name.get(name.as_ref()).map(|index| &self.sections[*index])
    }

    /// The key of a section, or of the default section if it has none: how OpenSSL looks values up.
    pub fn entry(&self, section: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Option<&Entry> {
        let name = name.as_ref();
        let own = self.section(section).and_then(|section| section.entry(name));
        own.or_else(|| self.sections[0].entry(name))
    }

    /// Every file that was read, the main file first.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(AsRef::as_ref)
    }

    /// Files that an `.include` names and that are not there; OpenSSL passes over them.
    pub fn missing_files(&self) -> &[(PathBuf, Place)] {
        &self.missing
    }

    /// The value of a variable.
    pub(crate) fn variable<'a>(
        &'a self,
        section: &[u8],
        name: &[u8],
        files: &dyn Files,
    ) -> Option<Cow<'a, [u8]>> {
        let value = |entry: &'a Entry| Cow::Borrowed(entry.value.as_bytes());
        if let Some(entry) = self.section(section).and_then(|section| section.entry(name)) {
            return Some(value(entry));
        }
        let environment = (section == b"ENV").then(|| files.variable(name)).flatten();
        environment.map(Cow::Owned).or_else(|| self.sections[0].entry(name).map(value))
    }
}
