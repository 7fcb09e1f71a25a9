//! Units that compute wrongly, for tests of those who must notice.

/// A unit that gives wrong results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `Flaw::ALL`")]
pub enum Flaw {
    Xcrypt128,
    Xcrypt192,
    Xcrypt256,
    Xsha1,
    Xsha256,
    Xsha384,
    Xsha512,
    Montmul,
    Sm3,
    Sm4,
    /// All bytes are the same.
    Xstore,
}

impl Flaw {
    /// Every flaw by the name that users give it.
    pub const ALL: [(&'static str, Self); 11] = [
        ("xcrypt-128", Self::Xcrypt128),
        ("xcrypt-192", Self::Xcrypt192),
        ("xcrypt-256", Self::Xcrypt256),
        ("xsha1", Self::Xsha1),
        ("xsha256", Self::Xsha256),
        ("xsha384", Self::Xsha384),
        ("xsha512", Self::Xsha512),
        ("montmul", Self::Montmul),
        ("sm3", Self::Sm3),
        ("sm4", Self::Sm4),
        ("xstore", Self::Xstore),
    ];

    /// The flaw of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, flaw)| flaw)
    }

    /// The mask that goes into one byte of what `self` computes: nothing unless `configured` is `self`,
    /// and nothing in release builds.
    pub(crate) fn mask(self, configured: Option<Self>) -> u8 {
        u8::from(cfg!(debug_assertions) && configured == Some(self))
    }
}
