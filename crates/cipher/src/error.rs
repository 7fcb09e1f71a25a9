//! One error for every word that is not in the vocabulary.

use std::fmt;

use crate::alike;

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
        if given.eq_ignore_ascii_case("wireguard") {
            return f.write_str("it is measured by wirespeed vpn --suites wireguard");
        }
        let alike: Vec<&str> = alike(given, known).into_iter().take(MOST_ALIKE).collect();
        match alike.is_empty() {
            true => f.write_str("choose one that wirespeed routes lists"),
            false => {
                write!(f, "choose {}, or another that wirespeed routes lists", alike.join(" "))
            }
        }
    }
}

/// More names than these would not be read.
const MOST_NAMES: usize = 24;
/// Of those that could be meant these are enough to see how they are built.
const MOST_ALIKE: usize = 6;

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use crate::{Algorithm, Subject};

    #[test]
    fn of_many_names_the_one_that_was_meant_is_told() {
        let said = |given: &str| given.parse::<Algorithm>().expect_err("no name").to_string();
        let camellia = "unknown algorithm 'camellia-123-cbc': choose CAMELLIA-128-CBC, \
                        or another that wirespeed routes lists";
        assert_eq!(said("camellia-123-cbc"), camellia);
        let modes = "unknown algorithm 'gcm-aes': choose AES-128-GCM AES-192-GCM AES-256-GCM \
                     AES-128-GCM-SIV AES-192-GCM-SIV AES-256-GCM-SIV, \
                     or another that wirespeed routes lists";
        assert_eq!(said("gcm-aes"), modes);
        let hashes = "sha-2".parse::<Subject>().expect_err("no name").to_string();
        assert!(hashes.contains("choose SHA2-224 SHA2-256 "), "{hashes}");
        assert!(
            said("WireGuard").ends_with(": it is measured by wirespeed vpn --suites wireguard")
        );
        let nope = "unknown algorithm 'NOPE': choose one that wirespeed routes lists";
        assert_eq!(said("NOPE"), nope);
    }
}
