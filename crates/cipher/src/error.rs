//! One error for every word that is not in the vocabulary.

use std::fmt;

use crate::nearest;

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

impl UnknownName {
    pub(crate) fn algorithm(given: &str, known: Vec<&'static str>) -> Self {
        Self { kind: "algorithm", given: given.to_owned(), known }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, given, known } = self;
        write!(f, "unknown {kind} '{given}': ")?;
        if known.len() <= MOST_NAMES {
            return write!(f, "choose from {}", known.join(" "));
        }
        match nearest(given, known.iter().copied()) {
            Some(name) => write!(f, "choose {name}, or another that wirespeed routes lists"),
            None => f.write_str("choose one that wirespeed routes lists"),
        }
    }
}

/// More names than these would not be read.
const MOST_NAMES: usize = 24;

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use crate::Algorithm;

    #[test]
    fn of_many_names_the_one_that_was_meant_is_told() {
        let said = |given: &str| given.parse::<Algorithm>().expect_err("no name").to_string();
        let camellia = "unknown algorithm 'camellia-123-cbc': choose CAMELLIA-128-CBC, \
                        or another that wirespeed routes lists";
        assert_eq!(said("camellia-123-cbc"), camellia);
        let nope = "unknown algorithm 'NOPE': choose one that wirespeed routes lists";
        assert_eq!(said("NOPE"), nope);
    }
}
