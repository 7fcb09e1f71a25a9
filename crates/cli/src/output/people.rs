//! Who reads standard output.

use super::{notes, say};
use crate::fault::Fault;

/// The people at standard output. Where data goes there, they are nobody.
#[derive(Clone, Copy)]
pub(crate) struct People {
    are_there: bool,
}

impl People {
    /// Nobody reads what is shown.
    pub(crate) const NOBODY: Self = Self { are_there: false };

    /// Those beside the data that goes to these targets.
    pub(crate) fn beside<'t>(targets: impl IntoIterator<Item = &'t str>) -> Self {
        Self { are_there: targets.into_iter().all(|target| target != "-") }
    }

    /// Says it to them.
    pub(crate) fn show(self, text: &str) -> Result<(), Fault> {
        if self.are_there { say(text) } else { Ok(()) }
    }

    /// Shows the last words of a run that ended so. Its document was kept before, for perhaps nobody listens any more.
    pub(crate) fn finish(
        self,
        ended: Result<(), Fault>,
        kept: Result<(), Fault>,
        closing: &str,
        warnings: &[String],
    ) -> Result<(), Fault> {
        self.show(closing)?;
        self.show(&notes(warnings))?;
        ended.and(kept)
    }
}
