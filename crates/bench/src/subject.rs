//! What is measured: a cipher or a hash function.

use std::fmt;
use std::str::FromStr;

use wirespeed_cipher::{Algorithm, Digest, Direction, UnknownName};

/// A cipher or a hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A block cipher in one mode.
    Cipher(Algorithm),
    /// A hash function.
    Digest(Digest),
}

impl Subject {
    /// Every cipher, then every hash function.
    pub fn all() -> impl Iterator<Item = Self> {
        let ciphers = Algorithm::ALL.iter().map(|algorithm| Self::Cipher(*algorithm));
        ciphers.chain(Digest::ALL.map(Self::Digest))
    }

    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cipher(algorithm) => algorithm.name(),
            Self::Digest(digest) => digest.name(),
        }
    }

    /// The cipher, if it is one.
    pub const fn cipher(self) -> Option<Algorithm> {
        match self {
            Self::Cipher(algorithm) => Some(algorithm),
            Self::Digest(_) => None,
        }
    }

    /// Whether there is but one direction.
    pub fn is_symmetric(self) -> bool {
        self.cipher().is_none_or(|algorithm| algorithm.mode().is_symmetric())
    }

    /// The word for a direction in tables and documents: a hash goes one way.
    pub const fn direction(self, direction: Direction) -> &'static str {
        match self {
            Self::Cipher(_) => direction.name(),
            Self::Digest(_) => "hash",
        }
    }
}

impl From<Algorithm> for Subject {
    fn from(algorithm: Algorithm) -> Self {
        Self::Cipher(algorithm)
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
        let mut all = Self::all();
        all.find(|it| it.name().eq_ignore_ascii_case(given)).ok_or_else(|| UnknownName {
            kind: "algorithm",
            given: given.to_owned(),
            known: Self::all().map(Self::name).collect(),
        })
    }
}
