//! What is measured, routed and shown: a cipher, a hash function, or an algorithm of others.

use std::fmt;
use std::str::FromStr;

use crate::{Algorithm, Delegated, Digest, Direction, Mode, Shape, UnknownName, spelling};

/// A cipher, a hash function, or an algorithm of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A block cipher in one mode, or ChaCha20.
    Cipher(Algorithm),
    /// A hash function.
    Digest(Digest),
    /// An algorithm without kernels of our own.
    Delegated(Delegated),
}

impl Subject {
    /// Every cipher and every hash function of which we have kernels.
    pub fn ours() -> impl Iterator<Item = Self> {
        let ciphers = Algorithm::ALL.iter().map(|algorithm| Self::Cipher(*algorithm));
        ciphers.chain(Digest::ALL.map(Self::Digest))
    }

    /// Those, and the algorithms of others.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ours().chain(Delegated::all().map(Self::Delegated))
    }

    /// How many there are.
    pub const COUNT: usize = Algorithm::ALL.len() + Digest::ALL.len() + Delegated::COUNT;

    /// The place in [`Self::all`].
    pub fn index(self) -> usize {
        match self {
            Self::Cipher(algorithm) => algorithm.index(),
            Self::Digest(digest) => Algorithm::ALL.len() + digest as usize,
            Self::Delegated(delegated) => {
                Algorithm::ALL.len() + Digest::ALL.len() + delegated.index()
            }
        }
    }

    /// The one at a place of [`Self::all`].
    pub const fn at(place: usize) -> Option<Self> {
        const DIGESTS: usize = Algorithm::ALL.len();
        const DELEGATED: usize = DIGESTS + Digest::ALL.len();
        match place {
            0..DIGESTS => Some(Self::Cipher(Algorithm::ALL[place])),
            DIGESTS..DELEGATED => Some(Self::Digest(Digest::ALL[place - DIGESTS])),
            _ => match Delegated::at(place - DELEGATED) {
                Some(delegated) => Some(Self::Delegated(delegated)),
                None => None,
            },
        }
    }

    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cipher(algorithm) => algorithm.name(),
            Self::Digest(digest) => digest.name(),
            Self::Delegated(delegated) => delegated.name(),
        }
    }

    /// The cipher with kernels of ours, if it is one.
    pub const fn cipher(self) -> Option<Algorithm> {
        match self {
            Self::Cipher(algorithm) => Some(algorithm),
            Self::Digest(_) | Self::Delegated(_) => None,
        }
    }

    /// Whether it is a hash function whose output may have any length.
    pub const fn is_extendable(self) -> bool {
        matches!(self, Self::Digest(digest) if digest.is_extendable())
    }

    /// Whether it is a hash function, with a key or without.
    pub const fn is_hash(self) -> bool {
        match self {
            Self::Cipher(_) => false,
            Self::Digest(_) => true,
            Self::Delegated(delegated) => {
                matches!(delegated.shape(), Shape::Hash { .. } | Shape::Mac { .. })
            }
        }
    }

    /// Whether there is but one direction.
    pub const fn is_symmetric(self) -> bool {
        match self {
            Self::Cipher(algorithm) => algorithm.mode().is_symmetric(),
            Self::Digest(_) => true,
            Self::Delegated(delegated) => match delegated.shape() {
                Shape::Cipher { mode, .. } => matches!(mode, Mode::Ctr),
                Shape::Aead { .. } => false,
                Shape::Hash { .. } | Shape::Mac { .. } => true,
            },
        }
    }

    /// The directions that differ.
    pub const fn directions(self) -> &'static [Direction] {
        if self.is_symmetric() { &[Direction::Encrypt] } else { &Direction::BOTH }
    }

    /// The word for a direction in tables and documents: a hash goes one way.
    pub const fn direction(self, direction: Direction) -> &'static str {
        if self.is_hash() { "hash" } else { direction.name() }
    }
}

impl From<Algorithm> for Subject {
    fn from(algorithm: Algorithm) -> Self {
        Self::Cipher(algorithm)
    }
}

impl From<Delegated> for Subject {
    fn from(delegated: Delegated) -> Self {
        Self::Delegated(delegated)
    }
}

impl From<Digest> for Subject {
    fn from(digest: Digest) -> Self {
        Self::Digest(digest)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Subject {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let all: Vec<_> = Self::all().collect();
        spelling::meant(given, all.iter().copied(), Self::name)
            .ok_or_else(|| UnknownName::algorithm(given, Self::all().map(Self::name).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_its_place() {
        assert!(Subject::all().enumerate().all(|(place, subject)| subject.index() == place));
        assert_eq!(Subject::all().count(), Subject::COUNT);
        let found: Vec<_> = (0..=Subject::COUNT).map_while(Subject::at).collect();
        assert!(Subject::all().eq(found), "and nothing else");
    }
}
