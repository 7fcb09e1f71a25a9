//! libcrypto's own reading of a configuration file (`NCONF`): the oracle for ours.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::error::Error;
use crate::ffi::{Conf, Functions, Stack};
use crate::library::Library;

/// `CONF_VALUE` of openssl/conf.h.
#[repr(C)]
struct RawValue {
    section: *const c_char,
    name: *const c_char,
    value: *const c_char,
}

/// A section's name, and its keys with their values in libcrypto's order.
pub type ConfigurationSection = (Vec<u8>, Vec<(Vec<u8>, Vec<u8>)>);

impl Library {
    /// Reads a file and all that it includes as libcrypto does, without acting on it.
    pub fn read_configuration(&self, path: &Path) -> Result<Vec<ConfigurationSection>, Error> {
        const CALL: &str = "NCONF_load";
        let functions = self.functions;
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::refused(CALL))?;
        // SAFETY: null asks for the default syntax.
        let conf = unsafe { (functions.conf_new)(ptr::null()) };
        if conf.is_null() {
            return Err(Error::take(functions, "NCONF_new"));
        }
        // SAFETY: made just now; a NUL-terminated path; null asks for no line number.
        let loaded = unsafe { (functions.conf_load)(conf, path.as_ptr(), ptr::null_mut()) };
        // Files that are not there leave errors even where reading succeeds.
        let error = Error::take(functions, CALL);
        let result = match loaded {
            // SAFETY: loaded, and its texts are copied before it is freed.
            1 => Ok(unsafe { sections(functions, conf) }),
            _ => Err(error),
        };
        // SAFETY: nothing of it is left.
        unsafe { (functions.conf_free)(conf) };
        result
    }
}

/// # Safety
/// `conf` must be loaded.
unsafe fn sections(functions: &Functions, conf: *mut Conf) -> Vec<ConfigurationSection> {
    // SAFETY: loaded, as the caller vouches. The stack is ours, the names are the configuration's.
    let names = unsafe { (functions.conf_section_names)(conf) };
    let section = |name: *const c_void| {
        let name = name.cast::<c_char>();
        // SAFETY: a live configuration and its own text. The stack stays the configuration's.
        let values = unsafe { (functions.conf_section)(conf, name) };
        let pair = |value: *const c_void| {
            // SAFETY: stacks of a configuration's values hold `CONF_VALUE`s with all texts set.
            unsafe {
                let value = &*value.cast::<RawValue>();
                (copied(value.name), copied(value.value))
            }
        };
        // SAFETY: a live stack; a live text.
        unsafe { (copied(name), items(functions, values).into_iter().map(pair).collect()) }
    };
    // SAFETY: a live stack, freed once, after its last use.
    unsafe {
        let found = items(functions, names).into_iter().map(section).collect();
        (functions.stack_free)(names);
        found
    }
}

/// # Safety
/// `stack` must be null or live.
unsafe fn items(functions: &Functions, stack: *const Stack) -> Vec<*const c_void> {
    // SAFETY: null counts -1; an index below the count is in the stack.
    unsafe {
        let count: c_int = (functions.stack_count)(stack);
        (0..count).map(|index| (functions.stack_item)(stack, index)).collect()
    }
}

/// # Safety
/// `text` must be NUL-terminated.
unsafe fn copied(text: *const c_char) -> Vec<u8> {
    // SAFETY: the caller vouches.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_a_missing_one_is_an_error() {
        let library = Library::host().expect("these tests need libcrypto");
        let path = std::env::temp_dir().join(format!("wirespeed-{}.cnf", std::process::id()));
        std::fs::write(&path, "a = 1\n[s]\nb = ${a}2\n").unwrap();
        let mut read = library.read_configuration(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        read.sort();
        let pair = |name: &str, value: &str| vec![(name.into(), value.into())];
        assert_eq!(read, [("default".into(), pair("a", "1")), ("s".into(), pair("b", "12"))]);
        let error = library.read_configuration(&path).unwrap_err();
        assert!(error.to_string().contains("no such file"), "{error}");
    }
}
