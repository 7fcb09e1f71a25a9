//! What a check finds: one entry for each, with its mend.

use wirespeed_results::schema::doctor::{self, State};

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    state: State,
    text: String,
    /// What to do: always where something is to be mended, and seldom else.
    mend: Option<String>,
}

impl Finding {
    /// All is well.
    pub(crate) fn fine(text: impl Into<String>) -> Self {
        Self { state: State::Fine, text: text.into(), mend: None }
    }

    /// No fault, yet the owner should know.
    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self { state: State::Note, text: text.into(), mend: None }
    }

    /// No fault, yet there is more to be had, and by this.
    pub(crate) fn offer(text: impl Into<String>, way: impl Into<String>) -> Self {
        Self { state: State::Note, text: text.into(), mend: Some(way.into()) }
    }

    /// A fault, and what to do about it.
    pub(crate) fn mend(fault: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { state: State::Mend, text: fault.into(), mend: Some(mend.into()) }
    }

    /// Whether something is to be mended.
    pub(crate) fn is_fault(&self) -> bool {
        self.state == State::Mend
    }

    /// As data.
    pub(crate) fn of_check(self, check: &str) -> doctor::Finding {
        let Self { state, text, mend } = self;
        doctor::Finding { check: check.to_owned(), state, text, mend }
    }
}

#[cfg(test)]
impl Finding {
    /// The text, and after an arrow the mend.
    pub(crate) fn words(&self) -> String {
        let mend = self.mend.as_ref().map(|mend| format!(" -> {mend}")).unwrap_or_default();
        format!("{}: {}{mend}", self.state.word(), self.text)
    }
}
