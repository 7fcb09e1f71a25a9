//! The kernel's two interfaces to its crypto: AF_ALG, and /dev/crypto where somebody has built its module.

use std::fmt;

use wirespeed_cipher::Route;

use crate::devcrypto::{self, Session};
use crate::held::Purpose;
use crate::permission::permitted;
use crate::reach::{Messages, Requests};
use crate::socket::{CipherSocket, Socket};
use crate::transform::Kind;
use crate::{Absent, Error, Permission, Transform, presence};

/// By which way a driver is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
    /// Sockets of the family AF_ALG, a part of Linux.
    AfAlg,
    /// The device /dev/crypto of cryptodev-linux.
    DevCrypto,
}

impl Interface {
    /// Both.
    pub const ALL: [Self; 2] = [Self::AfAlg, Self::DevCrypto];

    /// The route of whoever takes this way.
    pub const fn route(self) -> Route {
        match self {
            Self::AfAlg => Route::Kernel,
            Self::DevCrypto => Route::DevCrypto,
        }
    }

    /// The way that a route takes, if it goes to Linux's crypto.
    pub fn of(route: Route) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.route() == route)
    }

    /// Whether programs could have it, told without opening anything: that loads modules, and the guards of some
    /// machines report it.
    pub fn sighted(self) -> Result<(), Absent> {
        match self {
            Self::AfAlg => presence::sighted(),
            Self::DevCrypto => devcrypto::sighted(),
        }
    }

    /// Whether this process can have it: it is opened and closed again, unless the process is confined.
    pub fn presence(self, permission: Permission) -> Result<(), Absent> {
        permitted(permission)?;
        match self {
            Self::AfAlg => presence::socket(),
            Self::DevCrypto => devcrypto::presence(),
        }
    }

    /// Whether it has an algorithm, by its generic name or by that of a driver.
    pub fn presence_of(
        self,
        transform: &'static Transform,
        driver: Option<&str>,
        permission: Permission,
    ) -> Result<(), Absent> {
        permitted(permission)?;
        match self {
            Self::AfAlg => presence::bound(transform, driver),
            Self::DevCrypto => devcrypto::presence_of(transform, driver),
        }
    }

    /// Whether it may have the algorithm at all, on any machine.
    pub fn knows(self, transform: &Transform) -> bool {
        self == Self::AfAlg || devcrypto::knows(transform)
    }

    pub(crate) fn cipher(
        self,
        purpose: Purpose,
        iv_bytes: usize,
    ) -> Result<Box<dyn Requests>, Error> {
        Ok(match self {
            Self::AfAlg => Box::new(CipherSocket::new(purpose, iv_bytes)?),
            Self::DevCrypto => Box::new(Session::opened(purpose)?),
        })
    }

    pub(crate) fn hash(self, purpose: Purpose) -> Result<Box<dyn Messages>, Error> {
        debug_assert!(matches!(purpose.transform.kind, Kind::Hash { .. }));
        Ok(match self {
            Self::AfAlg => Box::new(Socket::new(purpose, 0)?),
            Self::DevCrypto => Box::new(Session::opened(purpose)?),
        })
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AfAlg => "AF_ALG",
            Self::DevCrypto => devcrypto::PATH,
        })
    }
}
