//! Who does it: the host's OpenSSL, our provider inside it, or the kernels alone.

use std::fmt;

use wirespeed_cipher::Route;

/// Through which door a caller comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Door {
    /// OpenSSL's EVP interface, as programs use it.
    Evp,
    /// The kernels themselves.
    Direct,
}

impl Door {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evp => "evp",
            Self::Direct => "direct",
        }
    }
}

/// One way to get the work done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contender {
    /// The host's own OpenSSL: its default provider.
    Host,
    /// Our provider in the host's OpenSSL, forced to one route; on `libcrypto` it hands every call back
    /// to the host's default provider.
    Provider(Route),
    /// Our provider as programs get it, choosing its route itself.
    Ladder,
    /// The kernels of a route, without OpenSSL.
    Kernels(Route),
}

impl Contender {
    /// The contender for a route: through EVP, or directly.
    pub const fn for_route(route: Route, door: Door) -> Self {
        match (route, door) {
            (Route::Libcrypto, _) => Self::Host,
            (_, Door::Evp) => Self::Provider(route),
            (_, Door::Direct) => Self::Kernels(route),
        }
    }

    /// The route, where it is known beforehand.
    pub const fn route(self) -> Option<Route> {
        match self {
            Self::Host => Some(Route::Libcrypto),
            Self::Provider(route) | Self::Kernels(route) => Some(route),
            Self::Ladder => None,
        }
    }

    /// The door.
    pub const fn door(self) -> Door {
        match self {
            Self::Kernels(_) => Door::Direct,
            _ => Door::Evp,
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("this OpenSSL"),
            Self::Ladder => f.write_str("the provider"),
            Self::Provider(route) => write!(f, "{route} through EVP"),
            Self::Kernels(route) => write!(f, "{route} directly"),
        }
    }
}

/// Why a contender is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent(pub String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Absent {}
