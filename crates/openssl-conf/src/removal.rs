//! Taking Wirespeed out of a configuration that somebody has changed since.

use std::path::Path;

use crate::files::Files;
use crate::installation::WIRESPEED;
use crate::lines::{self, Line};
use crate::reading::{Configuration, Fault};
use crate::setup::{ALG_SECTION, DEFAULT_PROPERTIES};
use crate::statement::Statement;
use crate::text::Text;
use crate::writing;

/// A configuration without Wirespeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// What the file is to hold.
    pub bytes: Vec<u8>,
    /// Lines of ours that must stay, because others now depend on them, each with its number.
    pub kept: Vec<(usize, String)>,
}

/// Takes our lines away. Lines that others have come to depend on stay: the header above keys that
/// are not ours, and the default provider where it would otherwise be lost. But what gives back the
/// `original`, where that is known, needs no such care.
pub fn uninstall(
    bytes: &[u8],
    original: Option<&[u8]>,
    path: &Path,
    files: &dyn Files,
) -> Result<Removed, Fault> {
    let all = lines::split(bytes, lines::lead(bytes));
    let ours: Vec<&Line> = all.iter().filter(|line| writing::is_ours(bytes, line)).collect();
    let plain = writing::without(bytes, &ours);
    if original == Some(&plain) {
        return Ok(Removed { bytes: plain, kept: Vec::new() });
    }
    let before = Configuration::of(bytes, path, files)?;
    let depended_on = adopted(&all, &ours);
    if depended_on.is_empty()
        && let Ok(after) = Configuration::of(&plain, path, files)
        && (after.has_default_provider() || !before.has_default_provider())
    {
        return Ok(Removed { bytes: plain, kept: Vec::new() });
    }
    // Others hang on what we built: only what is Wirespeed's own goes.
    let section = before.provider(WIRESPEED).map(|ours| ours.reference.entry.value.clone());
    let properties = before.module(ALG_SECTION).map(|it| it.entry.value.clone());
    let is_own = |line: &&Line| {
        let index = all.iter().position(|one| one == *line);
        let within = index.and_then(|index| before.lines.get(index)).map(|line| &line.section);
        match Statement::parse(&line.text, false) {
            Ok(Statement::Key { section: named, name, .. }) => {
                let named = named.map(Text::from);
                let within = named.as_ref().or(within);
                name == WIRESPEED.as_bytes()
                    || (within == section.as_ref() && section.is_some())
                    || (name == DEFAULT_PROPERTIES.as_bytes() && within == properties.as_ref())
            }
            Ok(Statement::Header { name }) => {
                section.as_ref().is_some_and(|it| it.as_bytes() == name)
                    && !depended_on.contains(&line.number)
            }
            _ => false,
        }
    };
    let (own, kept): (Vec<&Line>, Vec<&Line>) = ours.iter().copied().partition(is_own);
    let text =
        |line: &&Line| (line.number, String::from_utf8_lossy(&line.text).trim_end().to_owned());
    let kept = kept.iter().filter(|line| !line.text.starts_with(b"#")).map(text).collect();
    Ok(Removed { bytes: writing::without(bytes, &own), kept })
}

/// The numbers of our headers below which others have written.
pub(crate) fn adopted(all: &[Line], ours: &[&Line]) -> Vec<usize> {
    let mut headers = Vec::new();
    let mut header = None;
    for line in all {
        let is_ours = ours.iter().any(|one| one.span == line.span);
        match Statement::parse(&line.text, false) {
            Ok(Statement::Header { .. }) => header = is_ours.then_some(line.number),
            Ok(Statement::Blank) => {}
            _ => headers.extend(header.filter(|_| !is_ours)),
        }
    }
    headers.dedup();
    headers
}
