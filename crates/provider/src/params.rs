//! Parameters: named values that OpenSSL asks for and sets.
//!
//! Numbers are converted between sizes and signs exactly as libcrypto's own `OSSL_PARAM_get_*` and
//! `OSSL_PARAM_set_*` do (crypto/params.c), which a module that does not link libcrypto cannot call.

pub(crate) mod declared;
pub(crate) mod list;
pub(crate) mod request;

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use crate::host::Version;
use crate::openssl::{Param, UNMODIFIED, data_type};

/// The end of a list.
pub(crate) const END: Param =
    Param { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };

/// One entry of a list.
pub(crate) const fn entry(key: &CStr, data_type: u32, data: *mut c_void, size: usize) -> Param {
    Param { key: key.as_ptr(), data_type, data, data_size: size, return_size: UNMODIFIED }
}

/// A constant list that tells which parameters there are.
#[derive(Clone, Copy)]
pub(crate) struct List<const N: usize>([Param; N]);

// SAFETY: a list is never written to, and its pointers are null or to constant strings.
unsafe impl<const N: usize> Sync for List<N> {}

impl<const N: usize> List<N> {
    pub(crate) const fn new(entries: [Param; N]) -> Self {
        Self(entries)
    }

    pub(crate) const fn as_ptr(&self) -> *const Param {
        self.0.as_ptr()
    }
}

/// `OSSL_PARAM_uint(key, NULL)`.
pub(crate) const fn uint(key: &CStr) -> Param {
    entry(key, data_type::UNSIGNED, null_mut(), 4)
}

/// `OSSL_PARAM_int(key, NULL)`.
pub(crate) const fn int(key: &CStr) -> Param {
    entry(key, data_type::INTEGER, null_mut(), 4)
}

/// `OSSL_PARAM_size_t(key, NULL)`.
pub(crate) const fn size(key: &CStr) -> Param {
    entry(key, data_type::UNSIGNED, null_mut(), size_of::<usize>())
}

/// A number of any size.
pub(crate) const fn number(key: &CStr) -> Param {
    entry(key, data_type::UNSIGNED, null_mut(), 0)
}

/// `OSSL_PARAM_DEFN(key, OSSL_PARAM_UTF8_PTR, NULL, 0)`.
pub(crate) const fn text(key: &CStr) -> Param {
    entry(key, data_type::UTF8_POINTER, null_mut(), 0)
}

/// `OSSL_PARAM_utf8_string(key, NULL, 0)`.
pub(crate) const fn given_text(key: &CStr) -> Param {
    entry(key, data_type::UTF8_STRING, null_mut(), 0)
}

/// `OSSL_PARAM_octet_ptr(key, NULL, 0)`.
pub(crate) const fn octet_pointer(key: &CStr) -> Param {
    entry(key, data_type::OCTET_POINTER, null_mut(), 0)
}

/// `OSSL_PARAM_octet_string(key, NULL, 0)`.
pub(crate) const fn octets(key: &CStr) -> Param {
    entry(key, data_type::OCTET_STRING, null_mut(), 0)
}

impl Param {
    /// Whether this is the end of a list.
    #[inline]
    pub(crate) const fn is_end(&self) -> bool {
        self.key.is_null()
    }

    /// Whether this parameter is called `name`, which ends with a NUL.
    ///
    /// Reads no further than the key's own NUL, so it is safe on every key.
    #[inline]
    pub(crate) fn is_called<const N: usize>(&self, name: &[u8; N]) -> bool {
        // SAFETY: a key is NUL-terminated, `name` has a NUL only at its end, and reading stops at
        // the first difference.
        (0..N).all(|i| unsafe { self.key.cast::<u8>().add(i).read() } == name[i])
    }

    /// The name.
    #[inline]
    pub(crate) fn name(&self) -> &[u8] {
        // SAFETY: a key that is not null is a NUL-terminated string.
        unsafe { CStr::from_ptr(self.key) }.to_bytes()
    }

    /// The bytes of a number; none if there are none or far too many.
    fn number_bytes(&self) -> Option<&[u8]> {
        if self.data.is_null() || self.data_size > 64 {
            return None;
        }
        // SAFETY: the caller of the provider vouches for `data_size` bytes at `data`.
        Some(unsafe { std::slice::from_raw_parts(self.data.cast(), self.data_size) })
    }

    /// A number that is not negative, whatever its size.
    fn number(&self) -> Option<u64> {
        let bytes = self.number_bytes()?;
        match self.data_type {
            data_type::INTEGER if bytes.last().is_some_and(|top| top & 0x80 != 0) => None,
            data_type::INTEGER | data_type::UNSIGNED => {
                let (low, high) = bytes.split_at(bytes.len().min(8));
                let mut value = [0; 8];
                value[..low.len()].copy_from_slice(low);
                high.iter().all(|byte| *byte == 0).then_some(u64::from_ne_bytes(value))
            }
            data_type::REAL => {
                let value = f64::from_ne_bytes(bytes.try_into().ok()?);
                let whole = (0.0..18_446_744_073_709_551_616.0).contains(&value);
                (whole && value.fract() == 0.0).then_some(value as u64)
            }
            _ => None,
        }
    }

    /// `OSSL_PARAM_get_uint`.
    pub(crate) fn as_u32(&self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// `OSSL_PARAM_get_size_t`.
    pub(crate) fn as_usize(&self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    /// A number in the type and size in which one expects it.
    #[inline]
    pub(crate) fn usual_u32(&self) -> Option<u32> {
        let usual = self.data_type == data_type::UNSIGNED && self.data_size == 4;
        // SAFETY: the caller of the provider vouches for `data_size` bytes at `data`.
        (usual && !self.data.is_null()).then(|| unsafe { self.data.cast::<u32>().read_unaligned() })
    }

    /// Writes a number if type and size are those in which one expects it; tells whether.
    #[inline]
    #[must_use]
    pub(crate) fn set_usual_usize(&mut self, value: usize) -> bool {
        const SIZE: usize = size_of::<usize>();
        if self.data_type != data_type::UNSIGNED || self.data_size != SIZE || self.data.is_null() {
            return false;
        }
        self.return_size = SIZE;
        // SAFETY: there is room for `data_size` bytes at `data`.
        unsafe { self.data.cast::<usize>().write_unaligned(value) };
        true
    }

    /// `OSSL_PARAM_set_uint` and, for values that are not negative, `OSSL_PARAM_set_int`.
    #[must_use]
    pub(crate) fn set_u32(&mut self, value: u32) -> bool {
        self.set_number(u64::from(value), 4)
    }

    /// `OSSL_PARAM_set_size_t`.
    #[must_use]
    pub(crate) fn set_usize(&mut self, value: usize) -> bool {
        self.set_number(value as u64, size_of::<usize>())
    }

    /// Writes a number into a parameter of any size; `natural` is the size to tell who only asks.
    fn set_number(&mut self, value: u64, natural: usize) -> bool {
        self.return_size = match self.data_type {
            data_type::REAL => 8,
            data_type::INTEGER | data_type::UNSIGNED => natural,
            _ => 0,
        };
        if self.return_size == 0 || self.data.is_null() {
            return self.return_size != 0;
        }
        let mut bytes = [0; 64];
        let size = self.data_size;
        let fits = match self.data_type {
            data_type::REAL => {
                bytes[..8].copy_from_slice(&(value as f64).to_ne_bytes());
                size == 8 && value < 1 << 53
            }
            signed_or_not => {
                bytes[..8].copy_from_slice(&value.to_ne_bytes());
                let sign = usize::from(signed_or_not == data_type::INTEGER);
                let bits = (8 * size).saturating_sub(sign);
                (sign..=64).contains(&size) && value.checked_shr(bits as u32).unwrap_or(0) == 0
            }
        };
        if fits {
            self.return_size = size;
            // SAFETY: the caller of the provider vouches for `data_size` bytes at `data`, and
            // `bytes` has as many.
            unsafe { self.data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), size) };
        }
        fits
    }

    /// A string of bytes that was given.
    pub(crate) fn as_octets(&self) -> Option<&[u8]> {
        // libcrypto hands on what a program gives as a length, -1, too.
        let fits = self.data_size <= isize::MAX as usize;
        if self.data_type != data_type::OCTET_STRING || self.data.is_null() || !fits {
            return None;
        }
        // SAFETY: the caller of the provider vouches for `data_size` bytes at `data`.
        Some(unsafe { std::slice::from_raw_parts(self.data.cast(), self.data_size) })
    }

    /// A text that was given. It ends at its NUL, whatever size was told: so the default provider reads it.
    pub(crate) fn as_text(&self) -> Option<&CStr> {
        if self.data_type != data_type::UTF8_STRING || self.data.is_null() {
            return None;
        }
        // SAFETY: the caller of the provider vouches for a NUL-terminated text at `data`.
        Some(unsafe { CStr::from_ptr(self.data.cast()) })
    }

    /// `OSSL_PARAM_set_octet_string`: copies.
    #[must_use]
    pub(crate) fn set_octets(&mut self, value: &[u8]) -> bool {
        self.return_size = value.len();
        if self.data.is_null() {
            return true;
        }
        if self.data_type != data_type::OCTET_STRING || self.data_size < value.len() {
            return false;
        }
        // SAFETY: there is room for `data_size` bytes at `data`; a caller's buffer and a context
        // do not overlap. Tags and IVs are mostly blocks, which need no call to copy.
        unsafe {
            match <&[u8; 16]>::try_from(value) {
                Ok(block) => self.data.cast::<[u8; 16]>().write_unaligned(*block),
                Err(_) => self.data.cast::<u8>().copy_from(value.as_ptr(), value.len()),
            }
        }
        true
    }

    /// `OSSL_PARAM_set_utf8_string`: copies, and ends with a NUL where there is room for one.
    #[must_use]
    pub(crate) fn set_text_copy(&mut self, value: &CStr, version: Version) -> bool {
        if version.checks_types_of_sizes() && self.data_type != data_type::UTF8_STRING {
            return false;
        }
        let with_end = value.to_bytes_with_nul();
        self.return_size = with_end.len() - 1;
        if self.data.is_null() {
            return true;
        }
        if self.data_type != data_type::UTF8_STRING || self.data_size < self.return_size {
            return false;
        }
        let count = with_end.len().min(self.data_size);
        // SAFETY: there is room for `data_size` bytes at `data`; a caller's buffer and a constant do not overlap.
        unsafe { self.data.cast::<u8>().copy_from(with_end.as_ptr(), count) };
        true
    }

    /// `OSSL_PARAM_set_octet_ptr`: points to where the bytes are.
    #[must_use]
    pub(crate) fn set_octet_pointer(&mut self, value: *const u8, length: usize) -> bool {
        self.set_pointer(data_type::OCTET_POINTER, value, length)
    }

    /// `OSSL_PARAM_set_utf8_ptr`.
    #[must_use]
    pub(crate) fn set_text(&mut self, value: &CStr) -> bool {
        self.set_pointer(data_type::UTF8_POINTER, value.as_ptr().cast(), value.count_bytes())
    }

    fn set_pointer(&mut self, data_type: u32, value: *const u8, length: usize) -> bool {
        self.return_size = length;
        if self.data_type != data_type {
            return false;
        }
        if !self.data.is_null() {
            // SAFETY: a pointer parameter's `data` is the address of a pointer.
            unsafe { self.data.cast::<*const u8>().write(value) };
        }
        true
    }

    /// Bytes by pointer or by copy, as the parameter's type asks. Of a wrong type, old versions
    /// still tell the length.
    #[must_use]
    pub(crate) fn set_octets_or_pointer(&mut self, value: &[u8], version: Version) -> bool {
        match self.data_type {
            data_type::OCTET_POINTER => self.set_octet_pointer(value.as_ptr(), value.len()),
            data_type::OCTET_STRING => self.set_octets(value),
            _ => !version.checks_types_of_sizes() && self.set_octets(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(data_type: u32, bytes: &mut [u8]) -> Param {
        entry(c"n", data_type, bytes.as_mut_ptr().cast(), bytes.len())
    }

    #[test]
    fn numbers_are_read_at_every_size() {
        for size in [1, 2, 3, 4, 5, 8, 9, 16] {
            let mut bytes = vec![0; size];
            bytes[0] = 200;
            assert_eq!(number(data_type::UNSIGNED, &mut bytes).as_u32(), Some(200), "{size}");
            let signed = number(data_type::INTEGER, &mut bytes).as_u32();
            assert_eq!(signed, (size > 1).then_some(200), "{size}: one signed byte is negative");
        }
        let mut big = (1_u64 << 32).to_ne_bytes();
        assert_eq!(number(data_type::UNSIGNED, &mut big).as_u32(), None);
        assert_eq!(number(data_type::UNSIGNED, &mut big).as_usize(), Some(1 << 32));
        assert_eq!(number(data_type::INTEGER, &mut [0xff; 8]).as_usize(), None);
        assert_eq!(number(data_type::OCTET_STRING, &mut [1; 4]).as_u32(), None);
    }

    #[test]
    fn reals_must_be_whole() {
        let mut value = 12.0_f64.to_ne_bytes();
        assert_eq!(number(data_type::REAL, &mut value).as_u32(), Some(12));
        value = 12.5_f64.to_ne_bytes();
        assert_eq!(number(data_type::REAL, &mut value).as_u32(), None);
        value = (-1.0_f64).to_ne_bytes();
        assert_eq!(number(data_type::REAL, &mut value).as_u32(), None);
    }

    #[test]
    fn numbers_are_written_at_every_size_or_not_at_all() {
        for size in [1, 2, 4, 7, 8, 9, 16] {
            let mut bytes = vec![0xaa; size];
            let mut param = number(data_type::UNSIGNED, &mut bytes);
            assert!(param.set_usize(200) && param.return_size == size, "{size}");
            assert_eq!(bytes[0], 200);
            assert!(bytes[1..].iter().all(|byte| *byte == 0));
        }
        let mut byte = [0];
        let mut param = number(data_type::INTEGER, &mut byte);
        assert!(!param.set_u32(128) && param.return_size == 4);
        assert!(param.set_u32(127));
        let mut four = [0; 4];
        assert!(!number(data_type::UNSIGNED, &mut four).set_usize(1 << 32));
    }

    #[test]
    fn a_null_pointer_asks_for_the_size() {
        let mut param = entry(c"n", data_type::UNSIGNED, null_mut(), 0);
        assert!(param.set_usize(5) && param.return_size == 8);
        assert!(param.set_u32(5) && param.return_size == 4);
        let mut param = entry(c"n", data_type::OCTET_STRING, null_mut(), 0);
        assert!(param.set_octets(&[1, 2, 3]) && param.return_size == 3);
    }

    #[test]
    fn octets_go_by_copy_or_by_pointer() {
        let value = [1, 2, 3];
        let mut room = [0_u8; 4];
        let mut param = entry(c"o", data_type::OCTET_STRING, room.as_mut_ptr().cast(), 4);
        assert!(param.set_octets_or_pointer(&value, Version::FIRST) && param.return_size == 3);
        assert_eq!(room, [1, 2, 3, 0]);
        let mut param = entry(c"o", data_type::OCTET_STRING, room.as_mut_ptr().cast(), 2);
        assert!(!param.set_octets(&value));
        let mut pointer: *const u8 = null();
        let mut param = entry(c"o", data_type::OCTET_POINTER, (&raw mut pointer).cast(), 0);
        assert!(param.set_octets_or_pointer(&value, Version::FIRST) && pointer == value.as_ptr());
        let mut param = size(c"o");
        assert!(!param.set_octets_or_pointer(&value, Version::DECODERS));
        assert_eq!(param.return_size, UNMODIFIED);
    }

    #[test]
    fn names_are_compared_whole() {
        let param = size(c"ivlen");
        assert!(param.is_called(b"ivlen\0"));
        assert!(!param.is_called(b"iv\0") && !param.is_called(b"ivlength\0"));
        assert_eq!(param.name(), b"ivlen");
    }
}
