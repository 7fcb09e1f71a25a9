//! A list of parameters, sorted by meaning.
//!
//! OpenSSL's answers do not depend on the order in which parameters stand in a list: the default
//! provider looks each one up and acts in an order of its own. So a list is sorted first.

use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};

use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::Param;
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};

/// Where in a list the known parameters are, or null.
type Places = [*mut Param; Name::COUNT];

/// Sorts a list. Of a key given twice the first counts; a libcrypto with generated decoders
/// refuses that, and so do we under it.
fn sort(
    list: impl Iterator<Item = NonNull<Param>>,
    known: &Declared,
    version: Version,
) -> Result<Places, CallError> {
    let mut places: Places = [null_mut(); Name::COUNT];
    for param in list {
        // SAFETY: an entry of a list that lasts, and in nobody's hands now.
        let name = Name::of(unsafe { param.as_ref() }.name());
        let Some(name) = name.filter(|name| known.has(*name)) else { continue };
        let place = &mut places[name as usize];
        if place.is_null() {
            *place = param.as_ptr();
        } else if version.has_decoders() {
            return Err(CallError(&[Reason::RepeatedParameter]));
        }
    }
    Ok(places)
}

/// Known parameters to take.
pub(crate) struct Settings<'a>(Places, PhantomData<&'a Param>);

impl<'a> Settings<'a> {
    pub(crate) fn of(
        list: Given<'a>,
        known: &Declared,
        version: Version,
    ) -> Result<Self, CallError> {
        Ok(Self(sort(list.entries(), known, version)?, PhantomData))
    }

    /// The parameter of that name, if it is in the list.
    pub(crate) fn given(&self, name: Name) -> Option<&'a Param> {
        // SAFETY: null, or an entry of a list that lasts and is only read.
        unsafe { self.0[name as usize].as_ref() }
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

/// Known parameters to answer.
pub(crate) struct Questions<'a>(Places, PhantomData<&'a mut Param>);

impl<'a> Questions<'a> {
    pub(crate) fn of(
        list: Asked<'a>,
        known: &Declared,
        version: Version,
    ) -> Result<Self, CallError> {
        Ok(Self(sort(list.entries(), known, version)?, PhantomData))
    }

    /// The parameter of that name, if it is in the list.
    pub(crate) fn wanted(&mut self, name: Name) -> Option<&mut Param> {
        // SAFETY: null, or an entry of a list that is writable and only ours; one at a time.
        unsafe { self.0[name as usize].as_mut() }
    }

    /// Answers a parameter, if it is in the list, by `set`, which tells whether it could.
    pub(crate) fn answer(
        &mut self,
        name: Name,
        set: impl FnOnce(&mut Param) -> bool,
    ) -> Result<(), CallError> {
        if self.wanted(name).is_none_or(set) { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{END, size, uint};

    const KNOWN: Declared = Declared::of(&[Name::KeyLength, Name::Padding]);

    fn read<const N: usize>(
        list: &[Param; N],
        version: Version,
    ) -> Result<Settings<'_>, CallError> {
        Settings::of(Given::of(list), &KNOWN, version)
    }

    #[test]
    fn known_keys_are_found_in_any_order() {
        let list = [uint(c"padding"), uint(c"unknown"), uint(c"num"), size(c"keylen"), END];
        let settings = read(&list, Version::FIRST).unwrap();
        assert!(settings.given(Name::KeyLength).unwrap().is_called(b"keylen\0"));
        assert!(settings.given(Name::Padding).is_some());
        assert!(settings.given(Name::Num).is_none(), "not a key of this function");
        assert!(settings.given(Name::IvLength).is_none(), "not in the list");
    }

    #[test]
    fn a_key_given_twice_is_refused_only_by_a_libcrypto_that_does() {
        let list = [size(c"keylen"), uint(c"keylen"), END];
        let settings = read(&list, Version::FIRST).unwrap();
        assert_eq!(settings.given(Name::KeyLength).unwrap().data_size, size_of::<usize>());
        let error = read(&list, Version::parse("3.6.0")).err();
        assert_eq!(error, Some(CallError(&[Reason::RepeatedParameter])));
        let list = [uint(c"num"), uint(c"num"), END];
        assert!(read(&list, Version::parse("4.0.0")).is_ok(), "unknown here");
    }

    #[test]
    fn no_list_is_an_empty_list() {
        let settings = Settings::of(Given::NONE, &KNOWN, Version::FIRST);
        assert!(settings.unwrap().given(Name::Padding).is_none());
    }
}
