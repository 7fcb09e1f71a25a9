//! The lists of parameters that OpenSSL hands in.

use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::openssl::Param;

/// Parameters to take: a list that is only read.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    first: *const Param,
    list: PhantomData<&'a Param>,
}

impl<'a> Given<'a> {
    /// # Safety
    /// `first` must be null or the first of entries that end with a null key and last for `'a`. What an entry points to
    /// must be as its type and size say.
    pub(crate) const unsafe fn new(first: *const Param) -> Self {
        Self { first, list: PhantomData }
    }

    /// A list of our own, which ends with [`END`](super::END).
    pub(crate) const fn of<const N: usize>(list: &'a [Param; N]) -> Self {
        assert!(list[N - 1].is_end(), "a list without an end");
        Self { first: list.as_ptr(), list: PhantomData }
    }

    /// No parameters at all.
    pub(crate) const NONE: Self = Self { first: std::ptr::null(), list: PhantomData };

    /// The list as OpenSSL has it.
    pub(crate) const fn as_ptr(self) -> *const Param {
        self.first
    }

    /// Where the parameters are.
    pub(super) fn entries(self) -> impl Iterator<Item = NonNull<Param>> {
        // SAFETY: `new` was promised such a list.
        unsafe { entries(self.first) }
    }

    /// The parameters.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a Param> {
        // SAFETY: `new` was promised that the list lasts, and nobody writes to it.
        self.entries().map(|param| unsafe { param.as_ref() })
    }

    /// The first parameter that is called `name`, which ends with a NUL.
    pub(crate) fn find<const N: usize>(self, name: &[u8; N]) -> Option<&'a Param> {
        self.iter().find(|param| param.is_called(name))
    }

    /// The parameter that stands alone in its list.
    #[inline(always)]
    pub(crate) fn only(self) -> Option<&'a Param> {
        // SAFETY: `new` was promised entries up to and including a null key.
        unsafe { is_one(self.first).then(|| &*self.first) }
    }
}

/// Parameters to answer: a list that is written to, and nobody else's.
pub(crate) struct Asked<'a> {
    first: *mut Param,
    list: PhantomData<&'a mut Param>,
}

impl<'a> Asked<'a> {
    /// # Safety
    /// As for [`Given::new`]; the entries and what they point to must be writable, and nobody else's.
    pub(crate) const unsafe fn new(first: *mut Param) -> Self {
        Self { first, list: PhantomData }
    }

    /// A list of our own, which ends with [`END`](super::END).
    pub(crate) const fn of<const N: usize>(list: &'a mut [Param; N]) -> Self {
        assert!(list[N - 1].is_end(), "a list without an end");
        Self { first: list.as_mut_ptr(), list: PhantomData }
    }

    /// The same list, for somebody else meanwhile.
    #[expect(clippy::needless_pass_by_ref_mut, reason = "while it is lent out, it is not ours")]
    pub(crate) const fn reborrow(&mut self) -> Asked<'_> {
        Asked { first: self.first, list: PhantomData }
    }

    /// The list as OpenSSL has it.
    pub(crate) const fn into_ptr(self) -> *mut Param {
        self.first
    }

    /// Where the parameters are.
    pub(super) fn entries(self) -> impl Iterator<Item = NonNull<Param>> {
        // SAFETY: `new` was promised such a list.
        unsafe { entries(self.first) }
    }

    /// The parameters.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Param> {
        // SAFETY: `new` was promised that the list is all ours, and each entry comes once.
        self.reborrow().entries().map(|mut param| unsafe { param.as_mut() })
    }

    /// The first parameter that is called `name`, which ends with a NUL.
    pub(crate) fn find<const N: usize>(&mut self, name: &[u8; N]) -> Option<&mut Param> {
        self.iter_mut().find(|param| param.is_called(name))
    }

    /// The parameter that stands alone in its list.
    #[inline(always)]
    pub(crate) fn only(&mut self) -> Option<&mut Param> {
        // SAFETY: `new` was promised entries up to and including a null key, all ours.
        unsafe { is_one(self.first).then(|| &mut *self.first) }
    }
}

/// The entries of a list.
///
/// # Safety
/// `next` must be null or the first of entries that end with a null key and outlive the iterator.
unsafe fn entries(next: *const Param) -> impl Iterator<Item = NonNull<Param>> {
    let mut next = NonNull::new(next.cast_mut());
    std::iter::from_fn(move || {
        // SAFETY: the caller promises entries up to and including a null key.
        let param = next.filter(|param| unsafe { !param.as_ref().is_end() })?;
        // SAFETY: the end has not been seen, so there is a next entry.
        next = Some(unsafe { param.add(1) });
        Some(param)
    })
}

/// Whether there is one parameter in the list. EVP asks for lengths, sets the padding and moves tags
/// in lists of one, several times for every message, so those are kept out of the general way.
///
/// # Safety
/// `list` must be null or end with a null key.
#[inline(always)]
unsafe fn is_one(list: *const Param) -> bool {
    // SAFETY: the caller promises entries up to and including a null key.
    unsafe { !list.is_null() && !(*list).is_end() && (*list.add(1)).is_end() }
}
