//! The differences that are meant to be, each with its reason.

use crate::compare::Difference;

/// A version of OpenSSL.
pub(crate) type Version = (u32, u32, u32);

/// On which libcrypto an entry holds.
#[derive(Clone, Copy)]
pub(crate) enum Where {
    Everywhere,
    /// Where the fault is that these versions, each of its own line, mended.
    Unfixed(&'static [Version]),
}

impl Where {
    fn holds(self, version: Version) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Unfixed(fixed) => {
                let line = fixed.iter().find(|it| (it.0, it.1) == (version.0, version.1));
                let newest = fixed.iter().max();
                match (line, newest) {
                    (Some(fixed), _) => version < *fixed,
                    // A line that ended without the mend, or one that began with it.
                    (None, Some(newest)) => version < *newest,
                    (None, None) => false,
                }
            }
        }
    }
}

/// A difference that is meant to be. In the patterns, `*` stands for anything.
pub(crate) struct Known {
    algorithm: &'static str,
    call: &'static str,
    kind: &'static str,
    holds: Where,
    pub(crate) reason: &'static str,
}

const fn known(
    algorithm: &'static str,
    call: &'static str,
    kind: &'static str,
    holds: Where,
    reason: &'static str,
) -> Known {
    Known { algorithm, call, kind, holds, reason }
}

const EVERYWHERE: Where = Where::Everywhere;

/// Every one, the more special before the more general.
const KNOWN: &[Known] = &[];

/// The entry that this difference is, by its place in the table.
pub(crate) fn entry(algorithm: &str, difference: &Difference, version: Version) -> Option<usize> {
    KNOWN.iter().position(|known| {
        known.holds.holds(version)
            && matches(known.algorithm, algorithm)
            && matches(known.call, &difference.call)
            && matches(known.kind, &difference.kind)
    })
}

/// The entries that this version could meet.
pub(crate) fn entries(version: Version) -> impl Iterator<Item = (usize, &'static Known)> {
    KNOWN.iter().enumerate().filter(move |(_, known)| known.holds.holds(version))
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {} ({})", self.algorithm, self.call, self.kind, self.reason)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(after, &rest[at..]))
}
