//! Who does it: the host's OpenSSL, our provider inside it, or the kernels alone.

use std::fmt;

pub use wirespeed_af_alg::Absent;
use wirespeed_af_alg::Interface;
use wirespeed_cipher::Route;

use crate::offload::Socket;

/// Through which API path a caller comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiPath {
    /// OpenSSL's EVP interface, as programs use it.
    Evp,
    /// The kernels themselves.
    Direct,
}

impl ApiPath {
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
pub enum Candidate {
    /// The host's own OpenSSL: its default provider.
    Host,
    /// Our provider in the host's OpenSSL, forced to one route; on `libcrypto` it hands every call back
    /// to the host's default provider.
    Provider(Route),
    /// Our provider as programs get it without a plan, choosing its route itself.
    Priority,
    /// Our provider as the harness's openssl.cnf sets it up, with a plan for instance.
    Configured,
    /// The kernels of a route, without OpenSSL; for `kernel` a socket of Linux's, for `devcrypto` a session.
    Kernels(Route),
    /// A driver of Linux's by its own name, without OpenSSL.
    Driver(&'static str),
    /// A socket of Linux's with so many requests in flight, without OpenSSL.
    Lanes(usize),
}

impl Candidate {
    /// The candidate for a route: through EVP, or directly.
    pub const fn for_route(route: Route, api_path: ApiPath) -> Self {
        match (route, api_path) {
            (Route::Libcrypto, _) => Self::Host,
            (_, ApiPath::Evp) => Self::Provider(route),
            (_, ApiPath::Direct) => Self::Kernels(route),
        }
    }

    /// The route, where it is known beforehand.
    pub const fn route(self) -> Option<Route> {
        match self {
            Self::Host => Some(Route::Libcrypto),
            Self::Provider(route) | Self::Kernels(route) => Some(route),
            Self::Driver(_) | Self::Lanes(_) => Some(Route::Kernel),
            Self::Priority | Self::Configured => None,
        }
    }

    /// The socket at work, where one is driven without OpenSSL.
    pub(crate) fn socket(self) -> Option<Socket> {
        match self {
            Self::Kernels(route) => Interface::of(route).map(Socket::of),
            Self::Driver(driver) => {
                Some(Socket { driver: Some(driver), ..Socket::of(Interface::AfAlg) })
            }
            Self::Lanes(lanes) => Some(Socket { lanes, ..Socket::of(Interface::AfAlg) }),
            _ => None,
        }
    }

    /// Its socket, also where our provider drives it within OpenSSL.
    pub(crate) fn reaches(self) -> Option<Socket> {
        match self {
            Self::Provider(route) => Self::Kernels(route).socket(),
            other => other.socket(),
        }
    }

    /// Whether it may sleep while others do its work, so that its CPU time says little about its speed.
    pub fn may_sleep(self) -> bool {
        self.route().is_some_and(Route::is_offload)
    }

    /// The word above its column: the route, the driver, or the route and the requests in flight.
    pub fn title(self) -> String {
        match self {
            Self::Driver(driver) => driver.to_owned(),
            Self::Lanes(lanes) => format!("{} x{lanes}", Route::Kernel),
            _ => self.route().map_or("", Route::name).to_owned(),
        }
    }

    /// The API path.
    pub const fn api_path(self) -> ApiPath {
        match self {
            Self::Kernels(_) | Self::Driver(_) | Self::Lanes(_) => ApiPath::Direct,
            Self::Host | Self::Priority | Self::Configured | Self::Provider(_) => ApiPath::Evp,
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("this OpenSSL"),
            Self::Priority => f.write_str("the provider"),
            Self::Configured => f.write_str("the provider as configured"),
            Self::Provider(route) => write!(f, "{route} through EVP"),
            Self::Kernels(route) => write!(f, "{route} directly"),
            Self::Driver(_) | Self::Lanes(_) => write!(f, "{} directly", self.title()),
        }
    }
}
