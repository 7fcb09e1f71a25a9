//! What is wrong with a plan, in one line.

use std::fmt;

/// Why a file is no plan: "line N: …", or why it could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl PlanError {
    pub(crate) fn at(line: usize, what: impl fmt::Display) -> Self {
        Self(format!("line {line}: {what}"))
    }

    pub(crate) fn file(what: impl fmt::Display) -> Self {
        Self(what.to_string())
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}
