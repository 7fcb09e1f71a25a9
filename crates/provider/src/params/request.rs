//! A list of parameters, sorted by meaning.
//!
//! OpenSSL's answers do not depend on the order in which parameters stand in a list: the default
//! provider looks each one up and acts in an order of its own. So a list is sorted into a
//! [`Request`] first.

use std::marker::PhantomData;
use std::ptr::null_mut;

use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::Param;

macro_rules! names {
    ($($variant:ident $name:literal,)*) => {
        /// The parameters that a cipher knows, or an extendable hash function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Name { $($variant,)* }

        impl Name {
            const COUNT: usize = [$(Self::$variant,)*].len();

            fn of(name: &[u8]) -> Option<Self> {
                $(if name == $name { return Some(Self::$variant); })*
                None
            }
        }
    };
}

names! {
    IvLength b"ivlen", KeyLength b"keylen", Tag b"tag", Padding b"padding", Num b"num", Iv b"iv",
    UpdatedIv b"updated-iv", TlsMac b"tls-mac", UseBits b"use-bits", TlsVersion b"tls-version",
    TlsMacSize b"tls-mac-size", TagLength b"taglen", TlsAad b"tlsaad", TlsAadPad b"tlsaadpad",
    TlsIvFixed b"tlsivfixed", TlsIvGenerate b"tlsivgen", TlsIvInvocation b"tlsivinv",
    IvGenerated b"iv-generated", Mode b"mode", BlockSize b"blocksize", Aead b"aead",
    CustomIv b"custom-iv", Stealing b"cts", MultiBlock b"tls-multi", Random b"has-randkey",
    EncryptThenMac b"encrypt-then-mac", OutputLength b"xoflen", Size b"size",
    Speed b"speed", Order b"cts_mode", Standard b"xts_standard",
}

/// A set of names: those that one function knows.
#[derive(Clone, Copy)]
pub(crate) struct Names(u32);

impl Names {
    pub(crate) const fn of(names: &[Name]) -> Self {
        let mut set = 0;
        let mut i = 0;
        while i < names.len() {
            set |= 1 << names[i] as u8;
            i += 1;
        }
        Self(set)
    }

    const fn has(self, name: Name) -> bool {
        self.0 & 1 << name as u8 != 0
    }
}

/// The known parameters of one list.
pub(crate) struct Request<'a> {
    slots: [*mut Param; Name::COUNT],
    list: PhantomData<&'a Param>,
}

impl<'a> Request<'a> {
    /// Sorts a list. Of a key given twice the first counts; a libcrypto with generated decoders
    /// refuses that, and so do we under it.
    ///
    /// # Safety
    /// `list` must be null or an array that ends with a null key and lasts for `'a`. If
    /// [`Self::answer`] or [`Self::wanted`] is called, it must be writable, and nobody else's.
    pub(crate) unsafe fn read(
        mut list: *mut Param,
        known: Names,
        version: Version,
    ) -> Result<Self, CallError> {
        let mut slots = [null_mut::<Param>(); Name::COUNT];
        while !list.is_null() {
            // SAFETY: the caller promises entries up to and including a null key.
            let param = unsafe { &*list };
            if param.is_end() {
                break;
            }
            if let Some(name) = Name::of(param.name()).filter(|name| known.has(*name)) {
                let slot = &mut slots[name as usize];
                if slot.is_null() {
                    *slot = list;
                } else if version.has_decoders() {
                    return Err(CallError(&[Reason::RepeatedParameter]));
                }
            }
            // SAFETY: the end has not been seen, so there is a next entry.
            list = unsafe { list.add(1) };
        }
        Ok(Self { slots, list: PhantomData })
    }

    /// The parameter to set that is in the list under `name`.
    pub(crate) fn given(&self, name: Name) -> Option<&'a Param> {
        // SAFETY: null, or an entry of a list that lasts.
        unsafe { self.slots[name as usize].as_ref() }
    }

    /// The parameter to answer that is in the list under `name`.
    pub(crate) fn wanted(&mut self, name: Name) -> Option<&mut Param> {
        // SAFETY: null, or an entry of a list that is writable and only ours; one at a time.
        unsafe { self.slots[name as usize].as_mut() }
    }

    /// Answers a parameter, if it is in the list, by `set`, which tells whether it could.
    pub(crate) fn answer(
        &mut self,
        name: Name,
        set: impl FnOnce(&mut Param) -> bool,
    ) -> Result<(), CallError> {
        if self.wanted(name).is_none_or(set) { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

    /// The value of a parameter, if it is in the list, by `get`.
    pub(crate) fn value<T>(
        &self,
        name: Name,
        get: impl FnOnce(&Param) -> Option<T>,
    ) -> Result<Option<T>, CallError> {
        self.given(name).map(|param| get(param).ok_or(CallError::CANNOT_GET)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{END, size, uint};

    const KNOWN: Names = Names::of(&[Name::KeyLength, Name::Padding]);

    fn read(list: &mut [Param], version: Version) -> Result<Request<'_>, CallError> {
        // SAFETY: every list below ends with END and is borrowed mutably.
        unsafe { Request::read(list.as_mut_ptr(), KNOWN, version) }
    }

    #[test]
    fn known_keys_are_found_in_any_order() {
        let mut list = [uint(c"padding"), uint(c"unknown"), uint(c"num"), size(c"keylen"), END];
        let request = read(&mut list, Version::FIRST).unwrap();
        assert!(request.given(Name::KeyLength).unwrap().is_called(b"keylen\0"));
        assert!(request.given(Name::Padding).is_some());
        assert!(request.given(Name::Num).is_none(), "not a key of this function");
        assert!(request.given(Name::IvLength).is_none(), "not in the list");
    }

    #[test]
    fn a_key_given_twice_is_refused_only_by_a_libcrypto_that_does() {
        let mut list = [size(c"keylen"), uint(c"keylen"), END];
        let request = read(&mut list, Version::FIRST).unwrap();
        assert_eq!(request.given(Name::KeyLength).unwrap().data_size, 8);
        let error = read(&mut list, Version::parse("3.6.0")).err();
        assert_eq!(error, Some(CallError(&[Reason::RepeatedParameter])));
        let mut list = [uint(c"num"), uint(c"num"), END];
        assert!(read(&mut list, Version::parse("4.0.0")).is_ok(), "unknown here");
    }

    #[test]
    fn no_list_is_an_empty_list() {
        // SAFETY: null is allowed.
        let request = unsafe { Request::read(null_mut(), KNOWN, Version::FIRST) };
        assert!(request.unwrap().given(Name::Padding).is_none());
    }
}
