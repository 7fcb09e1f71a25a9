//! A file of our own in a folder that the configuration includes: then the main file stays as it is.
//!
//! Fedora, RHEL and OpenWrt have such a folder for providers (openssl.d, modules.cnf.d).

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::apart;
use crate::files::Files;
use crate::installation::{Editor, Obstacle, Wanted, prove};
use crate::policy;
use crate::reading::Configuration;
use crate::removal::{Removed, without_own};
use crate::setup::{ALG_SECTION, PROVIDERS};
use crate::text::Text;
use crate::writing;

/// The name of our file.
const NAME: &str = "wirespeed.cnf";

/// A file that says what [`install`](crate::install) would write into the main file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropIn {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// A machine with our file, or without.
struct With<'a> {
    files: &'a dyn Files,
    path: &'a Path,
    bytes: Option<&'a [u8]>,
}

impl Files for With<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match (path == self.path, self.bytes) {
            (true, Some(bytes)) => Ok(bytes.to_owned()),
            (true, None) => Err(io::ErrorKind::NotFound.into()),
            (false, _) => self.files.read(path),
        }
    }

    fn list(&self, path: &Path) -> Option<Vec<OsString>> {
        let mut names = self.files.list(path)?;
        if self.path.parent() == Some(path) {
            names.retain(|name| name != NAME);
            names.extend(self.bytes.map(|_| OsString::from(NAME)));
        }
        Some(names)
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.files.variable(name)
    }
}

/// Our file for this configuration, where it includes a folder from which all of it can be said, and the main file has no
/// lines of ours.
pub fn drop_in(
    bytes: &[u8],
    path: &Path,
    files: &dyn Files,
    wanted: &Wanted<'_>,
) -> Result<Option<DropIn>, Obstacle> {
    let read = |files: &dyn Files| Configuration::of(bytes, path, files).map_err(Obstacle::Broken);
    let Some((folder, line)) = read(files)?.folders.last().cloned() else { return Ok(None) };
    let file = folder.join(NAME);
    let configuration = read(&With { files, path: &file, bytes: None })?;
    // OpenSSL stops at a module that fails, as `engines` may: so ours come first, which only the main file can say.
    let is_named = |key| configuration.module(key).is_some();
    if writing::has_ours(bytes) || !is_named(PROVIDERS) || !is_named(ALG_SECTION) {
        return Ok(None);
    }
    policy::check(&configuration, files, wanted.activates_default)?;
    let mut editor = Editor::new(bytes, &configuration);
    editor.install(wanted)?;
    let back = &configuration.lines[line].section;
    let before = files.read(&file).unwrap_or_default();
    let (changed, text) = editor.apart(&before, back);
    let Ok(now) = read(&With { files, path: &file, bytes: Some(&text) }) else { return Ok(None) };
    // What stands behind the include may have another word.
    let is_said = |((section, name), value): (&(Text, Text), &Vec<u8>)| {
        let entry = now.section(section).and_then(|section| section.entry(name));
        entry.is_some_and(|entry| entry.value.as_bytes() == value)
    };
    let holds = changed.iter().all(is_said)
        && prove(&configuration, &now, &changed, wanted).is_ok()
        && policy::check(&now, files, true).is_ok();
    Ok(holds.then_some(DropIn { path: file, bytes: text }))
}

/// Our files in the folders that a configuration includes, which go with Wirespeed.
pub fn drop_ins(bytes: &[u8], path: &Path, files: &dyn Files) -> Vec<PathBuf> {
    let Ok(configuration) = Configuration::of(bytes, path, files) else { return Vec::new() };
    let ours = configuration.folders.iter().map(|(folder, _)| folder.join(NAME));
    ours.filter(|file| files.read(file).is_ok_and(|bytes| writing::has_ours(&bytes))).collect()
}

/// Our file as it is, without our lines; empty if nobody else's are left. `main` is what the main file is to hold. Where
/// programs would be left without the default provider, the lines that activate it stay.
pub fn uninstall_apart(
    own: &DropIn,
    original: Option<&[u8]>,
    main: &[u8],
    path: &Path,
    files: &dyn Files,
) -> Removed {
    let read = |bytes: &[u8]| {
        let bytes = (!bytes.is_empty()).then_some(bytes);
        Configuration::of(main, path, &With { files, path: &own.path, bytes })
    };
    let removed = apart::without_ours(&own.bytes, original);
    let has_default = |it: &Configuration| it.has_default_provider();
    match read(&own.bytes) {
        Ok(before)
            if has_default(&before) && !read(&removed.bytes).as_ref().is_ok_and(has_default) =>
        {
            let sections = apart::sections(&own.bytes);
            without_own(&own.bytes, sections.iter().map(Option::as_ref), &before)
        }
        _ => removed,
    }
}
