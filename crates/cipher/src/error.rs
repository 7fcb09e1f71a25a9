//! One error for every word that is not in the vocabulary.

use std::fmt;

/// A name that means nothing here, with the names that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was being named: "algorithm", "route", "use".
    pub kind: &'static str,
    /// The name as it was given.
    pub given: String,
    /// The names that exist.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, given, known } = self;
        write!(f, "unknown {kind} '{given}': choose from {}", known.join(" "))
    }
}

impl std::error::Error for UnknownName {}
