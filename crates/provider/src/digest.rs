//! The hash functions on offer: names, constant properties, functions.

pub(crate) mod counted;
pub(crate) mod extendable;
pub(crate) mod hashing;
pub(crate) mod message;
pub(crate) mod serial;

use std::ffi::CStr;

use wirespeed_cipher::{Delegated, Digest, Subject};

use crate::boundary::digest::functions as plain;
use crate::boundary::extendable::functions as extendable;
use crate::digest::message::Message;
use crate::digest::serial::Form;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::{Dispatch, Param};
use crate::params::list::{Asked, Given};
use crate::params::{END, List, int, octets, size};

/// What OpenSSL wants to know of a hash function, as in the default provider.
pub(crate) struct Facts {
    pub(crate) subject: Subject,
    /// All names.
    pub(crate) names: &'static CStr,
    block_bytes: usize,
    /// None of an extendable function that has no length before it is told one.
    pub(crate) bytes: usize,
    /// Whether algorithm identifiers come without parameters (RFC 5754 §2, RFC 8702 §2); SM3's and
    /// MD5's say NULL.
    bare_identifier: bool,
}

/// A hash function of ours.
const fn ours(digest: Digest, bare_identifier: bool) -> Facts {
    Facts {
        subject: Subject::Digest(digest),
        names: digest.names(),
        block_bytes: digest.block_bytes(),
        bytes: digest.bytes(),
        bare_identifier,
    }
}

/// An extendable one that has no length of its own.
const fn open(digest: Digest, bare_identifier: bool) -> Facts {
    Facts { bytes: 0, ..ours(digest, bare_identifier) }
}

const MD4: Facts = Facts {
    subject: Subject::Delegated(Delegated::called("MD4")),
    names: c"MD4:1.2.840.113549.2.4",
    block_bytes: 64,
    bytes: 16,
    bare_identifier: false,
};

/// Defines the table, and functions for each row of it.
macro_rules! table {
    ($($functions:ident $place:ident: $facts:expr;)*) => {
        /// Where a row is, which functions without a context know a hash function by.
        #[derive(Clone, Copy)]
        enum Place {
            $($place),*
        }

        static TABLE: [Facts; [$(Place::$place),*].len()] = [$($facts),*];

        fn functions_at<M: Message>(place: usize) -> *const Dispatch {
            let all = [$($functions::<M, { Place::$place as usize }>),*];
            all[place]()
        }
    };
}

// Ours, then those of others that the kernel may have. Extendable functions are there once for each way in which
// versions of libcrypto see them: without parameters in their identifier, and without a length of their own.
table! {
    plain Sha1: ours(Digest::Sha1, true);
    plain Sha2_224: ours(Digest::Sha224, true);
    plain Sha2_256: ours(Digest::Sha256, true);
    plain Sha2_384: ours(Digest::Sha384, true);
    plain Sha2_512: ours(Digest::Sha512, true);
    plain Sm3: ours(Digest::Sm3, false);
    plain Md4: MD4;
    plain Md5: ours(Digest::Md5, false);
    plain Sha3_224: ours(Digest::Sha3_224, true);
    plain Sha3_256: ours(Digest::Sha3_256, true);
    plain Sha3_384: ours(Digest::Sha3_384, true);
    plain Sha3_512: ours(Digest::Sha3_512, true);
    extendable Shake128: ours(Digest::Shake128, false);
    extendable Shake128Bare: ours(Digest::Shake128, true);
    extendable Shake128Open: open(Digest::Shake128, false);
    extendable Shake128OpenBare: open(Digest::Shake128, true);
    extendable Shake256: ours(Digest::Shake256, false);
    extendable Shake256Bare: ours(Digest::Shake256, true);
    extendable Shake256Open: open(Digest::Shake256, false);
    extendable Shake256OpenBare: open(Digest::Shake256, true);
}

/// The facts at a place of the table, which functions without a context know a hash function by.
pub(crate) const fn at(place: usize) -> &'static Facts {
    &TABLE[place]
}

/// A hash function's facts and functions under a version of libcrypto, if it can be on offer.
pub(crate) fn offer<M: Message>(
    subject: Subject,
    version: Version,
) -> Option<(&'static Facts, *const Dispatch)> {
    let place = TABLE.iter().position(|facts| facts.subject == subject && facts.suits(version))?;
    Some((at(place), functions_at::<M>(place)))
}

/// The names of the hash functions that `serves` tells.
pub(crate) fn names(serves: impl Fn(Digest) -> bool) -> Box<[(&'static [u8], Digest)]> {
    let digests = TABLE.iter().filter_map(|facts| match facts.subject {
        Subject::Digest(digest) if serves(digest) => Some((facts, digest)),
        _ => None,
    });
    let names = digests.flat_map(|(facts, digest)| {
        facts.names.to_bytes().split(|byte| *byte == b':').map(move |name| (name, digest))
    });
    names.collect()
}

impl Facts {
    /// How contexts are written down, if they are.
    pub(crate) const fn form(&self) -> Option<Form> {
        match self.subject {
            Subject::Digest(digest) => Form::of(digest),
            _ => None,
        }
    }

    /// Whether the output may have any length.
    pub(crate) const fn is_extendable(&self) -> bool {
        self.subject.is_extendable()
    }

    /// Whether libcrypto of that version sees it like this.
    fn suits(&self, version: Version) -> bool {
        let has_length = self.bytes != 0;
        !self.is_extendable()
            || has_length != version.wants_output_length()
                && self.bare_identifier == version.knows_bare_extendables()
    }

    /// Whether a context takes SSL 3.0's master secret.
    pub(crate) const fn takes_master_secret(&self) -> bool {
        matches!(self.subject, Subject::Digest(Digest::Sha1))
    }
}

const MASTER_SECRET: &CStr = c"ssl3-ms";

static SETTABLE_LIST: List<2> = List::new([octets(MASTER_SECRET), END]);

/// Parameters of a context that takes SSL 3.0's master secret.
pub(crate) fn settable() -> *const Param {
    SETTABLE_LIST.as_ptr()
}

/// Takes the parameters of such a context.
pub(crate) fn set(
    message: &mut impl Message,
    version: Version,
    list: Given<'_>,
) -> Result<(), CallError> {
    let mut given = list.iter().filter(|param| param.name() == MASTER_SECRET.to_bytes());
    let first = given.next();
    if given.next().is_some() && version.has_decoders() {
        return Err(CallError(&[Reason::RepeatedParameter]));
    }
    match first.and_then(Param::as_octets) {
        Some(secret) => message.add_master_secret(secret),
        None => Ok(()),
    }
}

static GETTABLE_LIST: List<5> =
    List::new([size(c"blocksize"), size(c"size"), int(c"xof"), int(c"algid-absent"), END]);

/// Parameters of a hash function, as OpenSSL lists them.
pub(crate) fn gettable() -> *const Param {
    GETTABLE_LIST.as_ptr()
}

/// Answers the constant parameters of a hash function.
pub(crate) fn answer(facts: &Facts, mut list: Asked<'_>) -> Result<(), CallError> {
    for param in list.iter_mut() {
        let answered = match param.name() {
            b"blocksize" => param.set_usize(facts.block_bytes),
            b"size" => param.set_usize(facts.bytes),
            b"xof" => param.set_u32(facts.is_extendable().into()),
            b"algid-absent" => param.set_u32(facts.bare_identifier.into()),
            _ => true,
        };
        if !answered {
            return Err(CallError::CANNOT_SET);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{Hasher, Shape};

    use super::*;
    use crate::digest::hashing::Hashing;

    /// One of each kind that sees extendable functions in a way of its own.
    const VERSIONS: [&str; 4] = ["3.0.0", "3.0.22", "3.4.1", "4.0.3"];

    #[test]
    fn every_hash_function_is_there_with_its_sizes() {
        for version in VERSIONS.map(Version::parse) {
            for digest in Digest::ALL {
                let (facts, _) = offer::<Hasher>(digest.into(), version).expect("one of ours");
                let has_length = !digest.is_extendable() || !version.wants_output_length();
                assert_eq!(facts.bytes, if has_length { digest.bytes() } else { 0 });
                assert_eq!(facts.block_bytes, digest.block_bytes());
            }
        }
        for subject in Subject::all() {
            let Subject::Delegated(delegated) = subject else { continue };
            let Shape::Hash { bytes } = delegated.shape() else { continue };
            let found = offer::<Hashing>(subject, Version::FIRST);
            assert_eq!(found.map(|(facts, _)| facts.bytes), Some(bytes));
        }
    }

    #[test]
    fn every_hash_function_has_its_own_name_first() {
        for facts in &TABLE {
            let names = facts.names.to_str().unwrap();
            assert_eq!(names.split(':').next(), Some(facts.subject.name()));
        }
    }

    #[test]
    fn every_hash_function_has_its_own_functions() {
        let mut tables = Vec::new();
        for (subject, version) in Subject::all().flat_map(|it| VERSIONS.map(|v| (it, v))) {
            let version = Version::parse(version);
            let plain = offer::<Hasher>(subject, version).map(|(_, functions)| functions);
            let routed = offer::<Hashing>(subject, version).map(|(_, functions)| functions);
            tables.extend(plain.into_iter().chain(routed));
        }
        tables.sort();
        tables.dedup();
        assert_eq!(tables.len(), 2 * TABLE.len());
    }
}
