//! Lines of ours that an `.include` in front of them can take into another section.

use crate::lines::{self, Line};
use crate::reading::{Configuration, LineKind};
use crate::statement::Statement;
use crate::writing;

/// Whether a line of the main file stands behind an include of the same part of a section.
pub(crate) fn is_behind_include(configuration: &Configuration, main: usize) -> bool {
    let above = configuration.lines[..main].iter().rev();
    let part = above.map(|line| line.kind).take_while(|kind| *kind != LineKind::Header);
    part.into_iter().any(|kind| kind == LineKind::Include)
}

/// The file without those of our lines, if it has any.
pub(crate) fn without(bytes: &[u8], configuration: &Configuration) -> Option<Vec<u8>> {
    let all = lines::split(bytes, lines::lead(bytes));
    let is_displaced = |(index, line): &(usize, &Line)| {
        let statement = Statement::parse(&line.text, false);
        matches!(statement, Ok(Statement::Key { section: None, .. }))
            && writing::is_ours(bytes, line)
            && is_behind_include(configuration, *index)
    };
    let displaced = all.iter().enumerate().filter(is_displaced).map(|(_, line)| line);
    let displaced: Vec<&Line> = displaced.collect();
    (!displaced.is_empty()).then(|| writing::without(bytes, &displaced))
}
