//! What a check finds, and how it is printed: one entry for each, with its mend.

use wirespeed_results::schema::doctor::{self, State};

use crate::output::WIDTH;
use crate::output::table::wrap;

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    state: State,
    text: String,
    /// What to do; only where something is to be mended.
    mend: Option<String>,
}

const fn word(state: State) -> &'static str {
    match state {
        State::Fine => "fine",
        State::Note => "note",
        State::Mend => "MEND",
    }
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

/// A finding below the name of its check, which may have been told.
pub(crate) fn print(found: &doctor::Finding, check: &str) -> String {
    const NAME: usize = 15;
    const INDENT: usize = NAME + 6;
    let mut text = format!("{check:<NAME$}{:<6}", word(found.state));
    text.push_str(&paragraph(&found.text, INDENT));
    if let Some(mend) = &found.mend {
        text.push_str(&format!("{:INDENT$}{}", "", paragraph(&format!("-> {mend}"), INDENT)));
    }
    text
}

/// Words that begin in column `indent` and go on there, up to the widest line.
fn paragraph(text: &str, indent: usize) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let lines = wrap(&words, " ", WIDTH - indent, 0);
    format!("{}\n", lines.replace('\n', &format!("\n{:indent$}", "")))
}

#[cfg(test)]
impl Finding {
    /// The text, and after an arrow the mend.
    pub(crate) fn words(&self) -> String {
        let mend = self.mend.as_ref().map(|mend| format!(" -> {mend}")).unwrap_or_default();
        format!("{}: {}{mend}", word(self.state), self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line_and_its_mend_another() {
        let fine = print(&Finding::fine("all is well").of_check("module"), "module");
        assert_eq!(fine, "module         fine  all is well\n");
        let text = print(&Finding::mend("x ".repeat(45), "do y").of_check("keys"), "keys");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("keys           MEND  x x"));
        assert!(lines[1].starts_with("                     x"));
        assert_eq!(lines[2], "                     -> do y");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }
}
