//! The tables of algorithms that libcrypto is shown: what a routing can keep of an offer.

use std::ffi::CStr;
use std::ptr;

use wirespeed_cipher::{Algorithm, Delegated, Digest, HashKernels, Hasher, Subject};

use super::Offer;
use crate::boundary::host_library::Adopted;
use crate::boundary::mac::HMAC;
use crate::boundary::secret_key;
use crate::digest;
use crate::digest::counted::Counted;
use crate::digest::hashing::Hashing;
use crate::host::Version;
use crate::offer;
use crate::openssl::{AlgorithmEntry, Dispatch};
use crate::routing::Routing;

/// Of each hash function the kernels that it runs on, if it has some.
pub(super) type OfDigests = [Option<&'static HashKernels>; Digest::ALL.len()];

/// What the tables are made from.
pub(super) struct Entries<'a> {
    offer: Offer<'a>,
    routing: Option<&'a Routing>,
    version: Version,
    /// Those of our own; the others are the host's.
    pub(super) own_digests: OfDigests,
}

impl<'a> Entries<'a> {
    pub(super) fn new(offer: Offer<'a>, routing: Option<&'a Routing>, version: Version) -> Self {
        let own_digests = Digest::ALL.map(|digest| {
            let routing = routing.filter(|_| offer.own_digests.contains(&digest))?;
            routing.hash(digest.compression())
        });
        Self { offer, routing, version, own_digests }
    }

    /// The tables of the host's ciphers of which we have no kernels.
    pub(super) fn adopted(&self) -> Vec<Adopted> {
        let adopt = |delegated: Delegated| {
            let routing = self.routing.filter(|_| self.offer.delegated)?;
            routing.offloaded(Subject::from(delegated).index()).first()?;
            routing.host_library()?.adopt(delegated.name(), offer::delegated(delegated)?)
        };
        Delegated::all().filter_map(adopt).collect()
    }

    pub(super) fn ciphers(&self, adopted: &[Adopted]) -> Box<[AlgorithmEntry]> {
        let serves = |algorithm: &&Algorithm| {
            self.version.has(**algorithm) && self.routing.is_some_and(|it| it.serves(**algorithm))
        };
        let own = self.offer.ciphers.iter().filter(serves);
        let own = own.map(|it| entry(it.names(), offer::dispatch(*it, self.version)));
        let delegated = adopted
            .iter()
            .map(|it| AlgorithmEntry { names: it.names, ..entry(c"", it.functions.as_ptr()) });
        ended(own.chain(delegated))
    }

    pub(super) fn digests(&self) -> Box<[AlgorithmEntry]> {
        let hashes = |subject: &Subject| {
            // Of the others only what the host can begin and end.
            let offloads = |it: &Routing| it.offloads_hash(*subject);
            self.is_own(*subject)
                || (self.offer.may_offload)(*subject) && self.routing.is_some_and(offloads)
        };
        let counts = self.routing.is_some_and(|it| it.counters().is_some());
        let digests = Subject::all().filter(hashes).filter_map(|it| match self.is_plain(it) {
            true if counts => digest::offer::<Counted>(it, self.version),
            true => digest::offer::<Hasher>(it, self.version),
            false => digest::offer::<Hashing>(it, self.version),
        });
        ended(digests.map(|(facts, functions)| entry(facts.names, functions)))
    }

    /// Whether HMAC is on offer, if the host's can be had for what of it is not ours.
    pub(super) fn wants_macs(&self) -> bool {
        let plain = |it: &Digest| !it.is_extendable() && self.is_plain(Subject::Digest(*it));
        Digest::ALL.iter().any(plain)
    }

    /// The kernels of HMAC. On a CPU's own rounds it gains even where the hash function by itself is the host's.
    pub(super) fn mac_kernels(&self) -> OfDigests {
        Digest::ALL.map(|digest| {
            let routing = self.routing.filter(|_| self.is_alone(digest.into()))?;
            let rounds = || {
                let kernels =
                    routing.hash(digest.compression()).filter(|_| self.offer.any_digest)?;
                kernels.suits_every_call().then_some(kernels)
            };
            let kernels = self.own_digests[digest as usize].or_else(rounds);
            kernels.filter(|_| !digest.is_extendable())
        })
    }

    /// Whether a hash function is ours, and nobody else has a part in it.
    fn is_plain(&self, subject: Subject) -> bool {
        self.is_own(subject) && self.is_alone(subject)
    }

    /// Whether it is a hash function that runs on kernels of our own.
    fn is_own(&self, subject: Subject) -> bool {
        matches!(subject, Subject::Digest(it) if self.own_digests[it as usize].is_some())
    }

    /// Whether nothing is computed twice, and Linux has no part in it.
    fn is_alone(&self, subject: Subject) -> bool {
        let alone = |it: &Routing| !it.verifies() && it.offloaded(subject.index()).is_empty();
        self.routing.is_some_and(alone)
    }
}

pub(super) fn macs(has_macs: bool) -> Box<[AlgorithmEntry]> {
    ended(has_macs.then(|| entry(c"HMAC", HMAC.as_ptr())))
}

/// What keeps keys for ciphers. Where no cipher is ours, none wants a key of ours.
pub(super) fn secret_keys(has_ciphers: bool) -> Box<[AlgorithmEntry]> {
    let keys = has_ciphers.then(|| {
        let aes = entry(c"AES:2.16.840.1.101.3.4.1", secret_key::AES.as_ptr());
        [aes, entry(c"GENERIC-SECRET", secret_key::GENERIC.as_ptr())]
    });
    ended(keys.into_iter().flatten())
}

fn entry(names: &'static CStr, functions: *const Dispatch) -> AlgorithmEntry {
    AlgorithmEntry {
        names: names.as_ptr(),
        properties: offer::PROPERTIES.as_ptr(),
        functions,
        description: ptr::null(),
    }
}

/// A table with its end.
fn ended(entries: impl IntoIterator<Item = AlgorithmEntry>) -> Box<[AlgorithmEntry]> {
    entries.into_iter().chain([AlgorithmEntry::END]).collect()
}
