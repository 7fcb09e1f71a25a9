//! The hash functions on offer: names, constant properties, functions.

use std::ffi::CStr;

use wirespeed_cipher::Digest;

use crate::boundary::digest::functions;
use crate::openssl::{Dispatch, Param};
use crate::params::{END, List, int, size};
use crate::refusal::Refusal;

/// All names of a hash function, as in the default provider's table
/// (providers/implementations/include/prov/names.h).
pub(crate) fn names(digest: Digest) -> &'static CStr {
    match digest {
        Digest::Sha1 => c"SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26",
        Digest::Sha224 => c"SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4",
        Digest::Sha256 => c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1",
        Digest::Sha384 => c"SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2",
        Digest::Sha512 => c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3",
        Digest::Sm3 => c"SM3:1.2.156.10197.1.401",
    }
}

/// The functions of a hash function.
pub(crate) fn dispatch(digest: Digest) -> *const Dispatch {
    match digest {
        Digest::Sha1 => functions::<{ Digest::Sha1 as usize }>(),
        Digest::Sha224 => functions::<{ Digest::Sha224 as usize }>(),
        Digest::Sha256 => functions::<{ Digest::Sha256 as usize }>(),
        Digest::Sha384 => functions::<{ Digest::Sha384 as usize }>(),
        Digest::Sha512 => functions::<{ Digest::Sha512 as usize }>(),
        Digest::Sm3 => functions::<{ Digest::Sm3 as usize }>(),
    }
}

static GETTABLE_LIST: List<5> =
    List::new([size(c"blocksize"), size(c"size"), int(c"xof"), int(c"algid-absent"), END]);

/// Parameters of a hash function, as OpenSSL lists them.
pub(crate) fn gettable() -> *const Param {
    GETTABLE_LIST.as_ptr()
}

/// Answers the constant parameters of a hash function.
///
/// # Safety
/// `list` must be null or end with a null key, be writable, and be nobody else's.
pub(crate) unsafe fn answer(digest: Digest, mut list: *mut Param) -> Result<(), Refusal> {
    while !list.is_null() {
        // SAFETY: the caller promises entries up to and including a null key.
        let param = unsafe { &mut *list };
        if param.is_end() {
            break;
        }
        let answered = match param.name() {
            b"blocksize" => param.set_usize(digest.compression().block_bytes()),
            b"size" => param.set_usize(digest.bytes()),
            b"xof" => param.set_u32(0),
            // SHA's algorithm identifiers come without parameters (RFC 5754 §2); SM3's say NULL.
            b"algid-absent" => param.set_u32((digest != Digest::Sm3).into()),
            _ => true,
        };
        if !answered {
            return Err(Refusal::CANNOT_SET);
        }
        // SAFETY: the end has not been seen, so there is a next entry.
        list = unsafe { list.add(1) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_function_has_its_own_name_first() {
        for digest in Digest::ALL {
            let names = names(digest).to_str().unwrap();
            assert_eq!(names.split(':').next(), Some(digest.name()));
        }
    }
}
