//! Reading: line after line, file inside file, as crypto/conf/conf_def.c goes through them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec::IntoIter;

use crate::expand::expand;
use crate::files::Files;
use crate::lines::{self, Line};
use crate::reading::{
    Configuration, DEFAULT, Entry, Fault, LineKind, MainLine, Mistake, Place, Section,
};
use crate::statement::Statement;
use crate::text::Text;

/// Files in all, the same one counted each time. OpenSSL has no limit but the descriptors that a
/// process may open.
const MOST_FILES: usize = 1000;

/// Reads `bytes` as the content of `path`.
pub(crate) fn read(bytes: &[u8], path: &Path, files: &dyn Files) -> Result<Configuration, Fault> {
    let name: Arc<Path> = path.into();
    let mut reader = Reader {
        files,
        configuration: Configuration {
            sections: Vec::new(),
            by_name: HashMap::new(),
            files: Vec::new(),
            missing: Vec::new(),
            folders: Vec::new(),
            lines: Vec::new(),
            last_section: DEFAULT.into(),
        },
        current: 0,
        dollar: false,
        absolute: false,
        include_directory: None,
        parents: Vec::new(),
        directory: None,
    };
    reader.enter_section(DEFAULT.into());
    let lines = lines::split(bytes, lines::lead(bytes)).into_iter();
    let mut open = Some(reader.open(name, lines, true));
    while let Some(mut file) = open.take() {
        open = match file.lines.next() {
            Some(line) => reader.line(file, &line)?,
            None => reader.next_in_directory().or_else(|| reader.parents.pop()),
        };
    }
    let last_section = reader.configuration.sections[reader.current].name.clone();
    Ok(Configuration { last_section, ..reader.configuration })
}

/// A file being read.
struct Open {
    path: Arc<Path>,
    lines: IntoIter<Line>,
    main: bool,
}

struct Reader<'f> {
    files: &'f dyn Files,
    configuration: Configuration,
    /// The section that keys go to.
    current: usize,
    dollar: bool,
    absolute: bool,
    include_directory: Option<Vec<u8>>,
    /// The files that include the one being read, the innermost last.
    parents: Vec<Open>,
    /// The folder being included: the rest of it. There is one at most, and a file that one of its
    /// files includes is followed by the folder's next file, not by the rest of its parent.
    directory: Option<(PathBuf, IntoIter<OsString>)>,
}

impl Reader<'_> {
    /// Takes one line; gives the file to go on with.
    fn line(&mut self, file: Open, line: &Line) -> Result<Option<Open>, Fault> {
        let main = file.main.then_some(self.configuration.lines.len());
        let place = Place { file: file.path.clone(), line: line.number, main };
        if file.main {
            let section = self.configuration.sections[self.current].name.clone();
            let kind = LineKind::Blank;
            self.configuration.lines.push(MainLine { span: line.span.clone(), section, kind });
        }
        let wrong = |mistake| Fault::Wrong { place: place.clone(), mistake };
        let statement = Statement::parse(&line.text, self.dollar).map_err(wrong)?;
        let kind = match statement {
            Statement::Blank => LineKind::Blank,
            Statement::Header { .. } => LineKind::Header,
            Statement::Include { .. } => LineKind::Include,
            _ => LineKind::Content,
        };
        if let Some(main) = main {
            self.configuration.lines[main].kind = kind;
        }
        match statement {
            Statement::Blank => {}
            Statement::Header { name } => {
                // Only escapes can be in it: a name holds neither quotes nor braces.
                let name = expand(name, b"", true, |_, _| None).map_err(wrong)?;
                self.current = self.enter_section(name.into());
                self.configuration.sections[self.current].headers.push(place);
            }
            Statement::Key { section, name, value } => {
                let value = self.expand(value, section).map_err(wrong)?.into();
                let section = match section {
                    Some(name) => self.enter_section(name.into()),
                    None => self.current,
                };
                let entries = &mut self.configuration.sections[section].entries;
                entries.retain(|entry| entry.name.as_bytes() != name);
                entries.push(Entry { name: name.into(), value, place });
            }
            Statement::Pragma { keyword, value } => self.pragma(keyword, value).map_err(wrong)?,
            Statement::Include { section, path } => {
                let path = self.expand(path, section).and_then(|path| self.resolve(path));
                if let Some(included) = self.include(&path.map_err(wrong)?, &place) {
                    if self.configuration.files.len() > MOST_FILES {
                        return Err(wrong(Mistake::EndlessInclude));
                    }
                    self.parents.push(file);
                    return Ok(Some(included));
                }
            }
        }
        Ok(Some(file))
    }

    fn expand(&self, written: &[u8], section: Option<&[u8]>) -> Result<Vec<u8>, Mistake> {
        let current = self.configuration.sections[self.current].name.as_bytes();
        expand(written, section.unwrap_or(current), self.dollar, |section, name| {
            self.configuration.variable(section, name, self.files)
        })
    }

    fn enter_section(&mut self, name: Text) -> usize {
        let configuration = &mut self.configuration;
        if let Some(index) = configuration.by_name.get(&name) {
            return *index;
        }
        let index = configuration.sections.len();
        configuration.by_name.insert(name.clone(), index);
        configuration.sections.push(Section { name, entries: Vec::new(), headers: Vec::new() });
        index
    }

    fn pragma(&mut self, keyword: &[u8], value: &[u8]) -> Result<(), Mistake> {
        let switch = || match value.to_ascii_lowercase().as_slice() {
            b"on" | b"true" => Ok(true),
            b"off" | b"false" => Ok(false),
            _ => Err(Mistake::Pragma),
        };
        match keyword {
            b"dollarid" => self.dollar = switch()?,
            b"abspath" => self.absolute = switch()?,
            b"includedir" => self.include_directory = Some(value.to_owned()),
            // OpenSSL ignores those that it does not know.
            _ => {}
        }
        Ok(())
    }

    /// The path that an `.include` means.
    fn resolve(&self, path: Vec<u8>) -> Result<PathBuf, Mistake> {
        let from_environment = self.files.variable(b"OPENSSL_CONF_INCLUDE");
        let folder = from_environment.as_ref().or(self.include_directory.as_ref());
        let path = match folder {
            Some(folder) if !path.starts_with(b"/") => {
                let slash: &[u8] = if folder.ends_with(b"/") { b"" } else { b"/" };
                [folder, slash, &path].concat()
            }
            _ => path,
        };
        let path = PathBuf::from(OsString::from_vec(path));
        if self.absolute && !path.has_root() {
            return Err(Mistake::RelativeInclude(path));
        }
        Ok(path)
    }

    /// Opens what is included; nothing where it cannot be read, which is no mistake.
    fn include(&mut self, path: &Path, place: &Place) -> Option<Open> {
        if let Some(names) = self.files.list(path) {
            // A folder inside a folder is refused.
            if self.directory.is_none() {
                if let Some(main) = place.main {
                    self.configuration.folders.push((path.to_owned(), main));
                }
                self.directory = Some((path.to_owned(), names.into_iter()));
                return self.next_in_directory();
            }
            return None;
        }
        let opened = self.open_file(path);
        if opened.is_none() {
            self.configuration.missing.push((path.to_owned(), place.clone()));
        }
        opened
    }

    /// The next file of the folder being included; its end is forgotten.
    fn next_in_directory(&mut self) -> Option<Open> {
        let (folder, mut names) = self.directory.take()?;
        while let Some(name) = names.next() {
            if is_configuration(&name)
                && self.configuration.files.len() <= MOST_FILES
                && let Some(open) = self.open_file(&joined(&folder, &name))
            {
                self.directory = Some((folder, names));
                return Some(open);
            }
        }
        None
    }

    fn open_file(&mut self, path: &Path) -> Option<Open> {
        let bytes = self.files.read(path).ok()?;
        let lines = lines::split(&bytes, 0).into_iter();
        Some(self.open(path.into(), lines, false))
    }

    fn open(&mut self, path: Arc<Path>, lines: IntoIter<Line>, main: bool) -> Open {
        self.configuration.files.push(path.clone());
        Open { path, lines, main }
    }
}

/// Whether OpenSSL reads a file of that name in a folder that is included.
fn is_configuration(name: &OsStr) -> bool {
    let name = name.as_bytes().to_ascii_lowercase();
    [&b".conf"[..], b".cnf"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

/// A folder and a name, joined as OpenSSL does: a doubled slash shows in its messages and here.
fn joined(folder: &Path, name: &OsStr) -> PathBuf {
    let bytes = [folder.as_os_str().as_bytes(), b"/", name.as_bytes()].concat();
    PathBuf::from(OsString::from_vec(bytes))
}
