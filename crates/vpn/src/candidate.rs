//! Who seals and opens: the host's OpenSSL, ours through it, or our kernels for many packets at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wirespeed_bench::{Absent, Harness};
use wirespeed_cipher::{Direction, Route, Subject};
use wirespeed_libcrypto::Context;

use crate::end::{End, Keys};
use crate::evp::Evp;
use crate::many::Many;
use crate::suite::Suite;

/// One way to run a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// The host's own OpenSSL: what a VPN daemon runs on this machine as it is.
    Host,
    /// The same program with our module: its EVP, our routes.
    Ours,
    /// Our kernels without OpenSSL, [`crate::IN_FLIGHT`] packets at once.
    Many,
}

impl Candidate {
    /// Packets at once.
    pub const fn in_flight(self) -> usize {
        match self {
            Self::Host | Self::Ours => 1,
            Self::Many => crate::IN_FLIGHT,
        }
    }
}

/// This machine as a gateway: where the ends of tunnels come from.
pub struct Gateway<'a> {
    harness: &'a Harness,
    /// One for each set of routes, made when first asked for.
    contexts: Mutex<HashMap<Vec<Route>, Result<Context, Absent>>>,
}

impl<'a> Gateway<'a> {
    /// With the libcrypto and the features of a harness.
    pub fn new(harness: &'a Harness) -> Self {
        Self { harness, contexts: Mutex::new(HashMap::new()) }
    }

    /// One end of a suite's tunnel by a candidate.
    pub fn end(
        &self,
        candidate: Candidate,
        suite: Suite,
        direction: Direction,
    ) -> Result<Box<dyn End>, Absent> {
        if candidate == Candidate::Many {
            return Ok(Box::new(self.many(suite, direction)?));
        }
        let routes = self.routes(candidate, suite)?;
        let context = self.context(&routes)?;
        let told = |why: wirespeed_libcrypto::Error| Absent(why.to_string());
        let cipher = context.fetch(suite.cipher, None).map_err(told)?;
        served_by(routes.first(), cipher.provider())?;
        if let Some(digest) = suite.digest() {
            let hash = self.hash_route(suite).filter(|_| candidate == Candidate::Ours);
            let digest = context.digest(digest.name(), None).map_err(told)?;
            served_by(hash.as_ref(), &digest.provider())?;
        }
        Ok(Box::new(Evp::new(&context, suite, direction, &Keys::of(&suite)).map_err(told)?))
    }

    /// The routes at work, as tables have them: the cipher's, and where that is another the MAC's.
    pub fn route(&self, candidate: Candidate, suite: Suite) -> Result<String, Absent> {
        if candidate == Candidate::Many {
            return Ok(self.many(suite, Direction::Encrypt)?.route());
        }
        let routes = self.routes(candidate, suite)?;
        let mut names: Vec<&str> = routes.iter().map(|route| route.name()).collect();
        if names.is_empty() || (suite.digest().is_some() && self.hash_route(suite).is_none()) {
            names.push(Route::Libcrypto.name());
        }
        Ok(names.join("+"))
    }

    fn many(&self, suite: Suite, direction: Direction) -> Result<Many, Absent> {
        let none = || Absent("no kernels for many packets at once".to_owned());
        Many::new(suite, direction, self.harness.features()).ok_or_else(none)
    }

    /// Our routes that take part: the first of the default priority that has the cipher, and that has the hash
    /// function.
    fn routes(&self, candidate: Candidate, suite: Suite) -> Result<Vec<Route>, Absent> {
        if candidate == Candidate::Host {
            return Ok(Vec::new());
        }
        let features = self.harness.features();
        let Subject::Cipher(algorithm) = suite.subject() else {
            return Err(Absent(format!("we have no kernels for {}", suite.cipher)));
        };
        let has = |route: &Route| wirespeed_kernels::has(*route, algorithm, features).is_ok();
        let cipher = Route::PRIORITY.into_iter().find(has);
        let none = || Absent(format!("this CPU has no instructions for {}", suite.cipher));
        let mut routes = vec![cipher.ok_or_else(none)?];
        routes.extend(self.hash_route(suite).filter(|route| *route != routes[0]));
        Ok(routes)
    }

    fn hash_route(&self, suite: Suite) -> Option<Route> {
        let compression = suite.digest()?.compression();
        let has = |route: &Route| {
            wirespeed_kernels::hash(*route, compression, self.harness.features()).is_ok()
        };
        Route::PRIORITY.into_iter().find(has)
    }

    fn context(&self, routes: &[Route]) -> Result<Context, Absent> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.entry(routes.to_vec()).or_insert_with(|| self.harness.joint(routes)).clone()
    }
}

/// An absence unless an algorithm came from where it should: a route of ours, or the host.
fn served_by(route: Option<&Route>, provider: &str) -> Result<(), Absent> {
    let expected = route.map_or("default".to_owned(), |route| Harness::joint_provider(*route));
    if provider == expected { Ok(()) } else { Err(Absent(format!("{provider} serves it instead"))) }
}
