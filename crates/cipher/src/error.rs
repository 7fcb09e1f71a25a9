//! One error for every word that is not in the vocabulary.

use std::cmp::Reverse;
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
        let mut names = known.clone();
        let more = if names.len() > MOST_NAMES { " …" } else { "" };
        if !more.is_empty() {
            names.sort_by_key(|name| Reverse(alike(name, given)));
            names.truncate(MOST_NAMES);
        }
        write!(f, "unknown {kind} '{given}': choose from {}{more}", names.join(" "))
    }
}

/// More names than these would not be read: those that begin most like the given one come first.
const MOST_NAMES: usize = 24;

/// How many bytes both begin with, small or capital.
fn alike(name: &str, given: &str) -> usize {
    name.bytes().zip(given.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use crate::Algorithm;

    #[test]
    fn of_many_names_those_are_told_that_are_alike() {
        let said = |given: &str| given.parse::<Algorithm>().expect_err("no name").to_string();
        let camellia = said("camellia-123-cbc");
        let choice =
            "unknown algorithm 'camellia-123-cbc': choose from CAMELLIA-128-ECB CAMELLIA-1";
        assert!(camellia.starts_with(choice) && camellia.ends_with(" …"), "{camellia}");
        assert!(said("NOPE").contains("choose from AES-128-ECB "));
        assert!(said("NOPE").len() < 500, "an error of OpenSSL's has 1024 bytes or none");
    }
}
