//! The libcrypto that loaded us: its version, its configuration, its error queue.

use std::ffi::{CStr, CString, OsString, c_void};
use std::os::unix::ffi::OsStringExt;

use wirespeed_cipher::Algorithm;

use crate::error::{CallError, Reason};
use crate::openssl::{
    CORE_GET_LIBRARY_CONTEXT, CORE_GET_PARAMS, CORE_NEW_ERROR, CORE_SET_ERROR,
    CORE_SET_ERROR_DEBUG, CoreGetParams, CoreHandle, CoreLibraryContext, CoreNewError,
    CoreSetError, CoreSetErrorDebug, Dispatch, Param, data_type,
};
use crate::params;

/// The core's functions that we use.
///
/// They only touch the calling thread's error queue and the core's own record of this provider,
/// both of which outlive every context of ours, so any context may keep a copy.
#[derive(Clone, Copy)]
pub(crate) struct Core {
    handle: *const CoreHandle,
    read_params: Option<CoreGetParams>,
    library_context: Option<CoreLibraryContext>,
    new_error: Option<CoreNewError>,
    set_error_debug: Option<CoreSetErrorDebug>,
    set_error: Option<CoreSetError>,
}

impl Core {
    /// # Safety
    /// `handle` and `table` must be what the core passed to the provider's init function.
    pub(crate) unsafe fn new(handle: *const CoreHandle, table: *const Dispatch) -> Self {
        // SAFETY: the core's table ends with number 0 and keeps to core_dispatch.h.
        unsafe {
            Self {
                handle,
                read_params: CORE_GET_PARAMS.find(table),
                library_context: CORE_GET_LIBRARY_CONTEXT.find(table),
                new_error: CORE_NEW_ERROR.find(table),
                set_error_debug: CORE_SET_ERROR_DEBUG.find(table),
                set_error: CORE_SET_ERROR.find(table),
            }
        }
    }

    /// Puts each of the refusal's reasons into the error queue.
    #[cold]
    pub(crate) fn refuse(&self, error: CallError) {
        for reason in error.0 {
            self.raise(*reason, None);
        }
    }

    /// Puts one error into the queue, with a text to go with it.
    #[cold]
    pub(crate) fn raise(&self, reason: Reason, text: Option<&str>) {
        let (Some(new_error), Some(set_error)) = (self.new_error, self.set_error) else { return };
        // The text becomes a format without arguments. One that is too long would be lost as a whole.
        let text = text.map(|text| &text[..longest(text)]);
        let text = text.and_then(|text| CString::new(text.replace('%', "%%")).ok());
        let format = text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        let mut no_arguments = [0_u64; 4];
        // SAFETY: the functions are the core's own. The format reads no arguments, so all it needs
        // of a `va_list` is an address; no ABI's `va_list` is larger than 32 bytes.
        unsafe {
            new_error(self.handle);
            if let Some(set_error_debug) = self.set_error_debug {
                set_error_debug(self.handle, c"wirespeed".as_ptr(), 0, c"".as_ptr());
            }
            set_error(self.handle, reason as u32, format, (&raw mut no_arguments).cast::<c_void>());
        }
    }

    /// A value of ours in openssl.cnf, or one that the core itself offers.
    ///
    /// The core only answers for keys that it is asked for; a misspelt key cannot be seen from here. A path keeps its
    /// bytes, whatever they are.
    pub(crate) fn parameter(&self, key: &CStr) -> Option<OsString> {
        let mut value: *mut c_void = std::ptr::null_mut();
        let mut query =
            [params::entry(key, data_type::UTF8_POINTER, (&raw mut value).cast(), 0), params::END];
        // SAFETY: the function is the core's own, and the array ends with a null key.
        let answered = unsafe { self.read_params?(self.handle, (&raw mut query).cast::<Param>()) };
        if answered == 0 || value.is_null() {
            return None;
        }
        // SAFETY: a UTF8_PTR is answered with a NUL-terminated string that lives as long as the
        // core's record of this provider.
        let text = unsafe { CStr::from_ptr(value.cast()) };
        Some(OsString::from_vec(text.to_bytes().to_vec()))
    }

    /// The library context that we were loaded into; null is the program's first.
    pub(crate) fn library_context(&self) -> Option<*mut c_void> {
        // SAFETY: the function is the core's own.
        self.library_context.map(|ask| unsafe { ask(self.handle) })
    }

    /// An address within the libcrypto that loaded us.
    pub(crate) fn address(&self) -> Option<*const c_void> {
        self.read_params.map(|function| function as *const c_void)
    }

    /// The version of the libcrypto that loaded us.
    pub(crate) fn version(&self) -> Version {
        Version::parse(&self.version_text())
    }

    /// The same as text.
    pub(crate) fn version_text(&self) -> String {
        let text = self.parameter(c"openssl-version").and_then(|it| it.into_string().ok());
        text.unwrap_or_else(|| "3.0.0".to_owned())
    }
}

/// How much of a text fits into an error: `ERR_MAX_DATA_SIZE` of openssl/err.h is 1024, in whole characters.
fn longest(text: &str) -> usize {
    (0..=text.len().min(1000)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0)
}

/// A libcrypto's version; its default provider's habits go with it.
///
/// Each method names one habit; providers/implementations/ciphers of 3.0.22, 3.6.3 and 4.0.3 are
/// the sources. What is safe is none of them: a distribution mends a fault and leaves the number as it was, so ours
/// is the safe answer on every host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u16, u16, u16);

impl Version {
    /// The first with providers.
    pub(crate) const FIRST: Self = Self(3, 0, 0);
    /// The first with generated decoders.
    pub(crate) const DECODERS: Self = Self(3, 6, 0);

    /// Reads "3.0.19" or "4.1.0-dev"; what is missing counts as 0.
    pub(crate) fn parse(text: &str) -> Self {
        let mut numbers = text.split('.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse().unwrap_or(0)
        });
        let mut next = || numbers.next().unwrap_or(0);
        Self(next(), next(), next())
    }

    /// Its default provider has the algorithm. Where it has not there is nobody to hand a message to.
    pub(crate) fn has(self, algorithm: Algorithm) -> bool {
        (self.0, self.1) >= algorithm.since()
    }

    /// Generated decoders: a key given twice is an error, lists name "encrypt-then-mac", `tls-mac`
    /// is listed as an octet string, and a size may be asked for with a null pointer.
    #[inline]
    pub(crate) fn has_decoders(self) -> bool {
        self >= Self::DECODERS
    }

    /// The version for [`Self::has_decoders`] of OCB and GCM-SIV: they got them in 4.0.
    pub(crate) fn of_late_decoders(self) -> Self {
        if self.0 >= 4 { self } else { Self::FIRST }
    }

    /// Who asks for the size of bytes or of a text must do so by its type (`set_string_internal` of crypto/params.c).
    #[inline]
    pub(crate) fn checks_types_of_sizes(self) -> bool {
        self >= Self(3, 5, 0)
    }

    /// SHAKE has no length of its own: it must be told one, and may be asked for it.
    #[inline]
    pub(crate) fn wants_output_length(self) -> bool {
        self >= Self(3, 4, 0)
    }

    /// Algorithm identifiers of SHAKE come without parameters (RFC 8702 §2). Corrected in the maintenance
    /// releases of July 2025.
    pub(crate) fn knows_bare_extendables(self) -> bool {
        match (self.0, self.1) {
            (3, 0) => self.2 >= 17,
            (3, 2) => self.2 >= 5,
            (3, 3) => self.2 >= 4,
            (3, 4) => self.2 >= 2,
            _ => self >= Self(3, 5, 0),
        }
    }

    /// A message of SHAKE of which output was squeezed is over before one looks at the length.
    #[inline]
    pub(crate) fn looks_at_stage_first(self) -> bool {
        self.0 >= 4
    }

    /// GCM tells whether it made the IV itself. The list is CCM's, too, until there are decoders.
    #[inline]
    pub(crate) fn tells_generated_iv(self) -> bool {
        self >= Self(3, 4, 0)
    }

    /// GCM makes its random IV when asked for the IV before the first update, answers a query for
    /// the tag's size with the tag's own size, and says when a tag is missing.
    #[inline]
    pub(crate) fn generates_iv_when_asked(self) -> bool {
        self.0 >= 4
    }

    /// ChaCha20 counts a block when it begins, not when it ends: a new key in mid-block goes on with the next.
    #[inline]
    pub(crate) fn counts_blocks_begun(self) -> bool {
        self.has_decoders()
    }

    /// A message of GCM-SIV that has had no update is one of no bytes, and one update too many spoils its end.
    #[inline]
    pub(crate) fn ends_synthetic_messages(self) -> bool {
        self.is_of_august_2026()
    }

    /// `EVP_Cipher` of CCM with neither input nor output ends a message, and tells no length. An end is verified either
    /// way.
    #[inline]
    pub(crate) fn ends_counted_messages(self) -> bool {
        self.is_of_august_2026()
    }

    /// The maintenance releases of August 2026, which mended CVE-2026-75803, and what came after.
    #[inline]
    fn is_of_august_2026(self) -> bool {
        match (self.0, self.1) {
            (3, 0) => self.2 >= 22,
            (3, 4) => self.2 >= 7,
            (3, 5) => self.2 >= 8,
            (3, 6) => self.2 >= 4,
            _ => self.0 >= 4,
        }
    }

    /// CCM names a missing tag.
    #[inline]
    pub(crate) fn names_missing_tags(self) -> bool {
        self.0 >= 4
    }

    /// ChaCha20-Poly1305 wants no associated data behind data, and a new IV for each message. It stays with the version:
    /// programs for 3.x may start again with their nonce, for example to decrypt a message twice.
    #[inline]
    pub(crate) fn forbids_reuse(self) -> bool {
        self.0 >= 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_with_and_without_suffix() {
        assert_eq!(Version::parse("3.0.19"), Version(3, 0, 19));
        assert_eq!(Version::parse("4.1.0-dev"), Version(4, 1, 0));
        assert_eq!(Version::parse("3.5"), Version(3, 5, 0));
        assert_eq!(Version::parse("nonsense"), Version(0, 0, 0));
    }

    #[test]
    fn habits_follow_the_version() {
        let has = |version: Version| Algorithm::ALL.iter().filter(|it| version.has(**it)).count();
        assert_eq!(has(Version(3, 0, 22)) + 6, Algorithm::ALL.len());
        assert_eq!(has(Version(3, 1, 0)) + 4, Algorithm::ALL.len());
        assert_eq!(has(Version(3, 5, 0)), Algorithm::ALL.len());
        assert!(!Version(3, 5, 9).has_decoders() && Version(3, 6, 0).has_decoders());
        assert!(
            !Version(3, 4, 6).checks_types_of_sizes() && Version(3, 5, 0).checks_types_of_sizes()
        );
        assert!(Version(4, 0, 0).generates_iv_when_asked());
        let counted = [(3, 0, 21), (3, 0, 22), (3, 5, 7), (3, 5, 8), (3, 6, 3), (4, 0, 3)]
            .map(|(a, b, c)| Version(a, b, c).is_of_august_2026());
        assert_eq!(counted, [false, true, false, true, false, true]);
        let bare = [(3, 0, 16), (3, 0, 17), (3, 1, 8), (3, 3, 3), (3, 4, 2), (3, 6, 0)]
            .map(|(a, b, c)| Version(a, b, c).knows_bare_extendables());
        assert_eq!(bare, [false, true, false, false, true, true]);
    }
}
