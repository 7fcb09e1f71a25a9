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
    let within = before.lines.iter().map(|line| Some(&line.section));
    Ok(without_own(bytes, within, &before))
}

/// Takes out what is Wirespeed's own and leaves the rest of our lines, where others hang on them. `within` is the section of
/// each line.
pub(crate) fn without_own<'a>(
    bytes: &[u8],
    within: impl IntoIterator<Item = Option<&'a Text>>,
    configuration: &Configuration,
) -> Removed {
    let all = lines::split(bytes, lines::lead(bytes));
    let ours: Vec<&Line> = all.iter().filter(|line| writing::is_ours(bytes, line)).collect();
    let depended_on = adopted(&all, &ours);
    let section = configuration.provider(WIRESPEED).map(|ours| &ours.reference.entry.value);
    let properties = configuration.module(ALG_SECTION).map(|it| &it.entry.value);
    let is_own = |line: &Line, within: Option<&Text>| match Statement::parse(&line.text, false) {
        Ok(Statement::Key { section: named, name, .. }) => {
            let named = named.map(Text::from);
            let within = named.as_ref().or(within);
            name == WIRESPEED.as_bytes()
                || (within == section && section.is_some())
                || (name == DEFAULT_PROPERTIES.as_bytes() && within == properties)
        }
        Ok(Statement::Header { name }) => {
            section.is_some_and(|it| it.as_bytes() == name) && !depended_on.contains(&line.number)
        }
        _ => false,
    };
    let within = within.into_iter().chain(std::iter::repeat(None));
    let marked = all.iter().zip(within).filter(|(line, _)| writing::is_ours(bytes, line));
    let (own, kept): (Vec<_>, Vec<_>) = marked.partition(|(line, within)| is_own(line, *within));
    let own: Vec<&Line> = own.into_iter().map(|(line, _)| line).collect();
    let text =
        |line: &Line| (line.number, String::from_utf8_lossy(&line.text).trim_end().to_owned());
    let kept = kept.iter().filter(|(line, _)| !line.text.starts_with(b"#"));
    let kept = kept.map(|(line, _)| text(line)).collect();
    Removed { bytes: writing::without(bytes, &own), kept }
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
