//! What libcrypto's error queue said when a call failed.

use std::ffi::{CStr, c_char, c_ulong};
use std::fmt;
use std::ptr;

use crate::ffi::{ERROR_DATA_IS_TEXT, Functions, wide};

/// A call that failed, with this thread's error queue, the oldest entry first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The call, as libcrypto names it.
    pub call: &'static str,
    /// The queue; empty where libcrypto failed without a word.
    pub queue: Vec<Entry>,
}

/// One entry of the error queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Library and reason, packed as in openssl/err.h.
    pub code: c_ulong,
    /// `error:XXXXXXXX:library:function:reason`.
    pub text: String,
    /// What the code that raised it added, often a name.
    pub data: String,
}

impl Entry {
    /// The reason alone: comparable between two providers.
    pub const fn reason(&self) -> u64 {
        wide(self.code) & 0x7f_ffff
    }
}

impl Error {
    /// A failure of our own making: libcrypto was not asked.
    pub(crate) const fn refused(call: &'static str) -> Self {
        Self { call, queue: Vec::new() }
    }

    /// Takes and empties this thread's queue.
    #[cold]
    #[inline(never)]
    pub(crate) fn take(functions: &Functions, call: &'static str) -> Self {
        let mut queue = Vec::new();
        loop {
            let (mut data, mut flags) = (ptr::null(), 0);
            let (file, line, function) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
            // SAFETY: null asks for less; the other two are ours to write.
            let code =
                unsafe { (functions.error_next)(file, line, function, &mut data, &mut flags) };
            if code == 0 {
                return Self { call, queue };
            }
            let mut text: [c_char; 256] = [0; 256];
            // SAFETY: the text is NUL-terminated within the length given.
            let text = unsafe {
                (functions.error_text)(code, text.as_mut_ptr(), text.len());
                CStr::from_ptr(text.as_ptr())
            };
            let data = if data.is_null() || flags & ERROR_DATA_IS_TEXT == 0 {
                String::new()
            } else {
                // SAFETY: the flag says text; it stays until the next entry is raised.
                unsafe { CStr::from_ptr(data) }.to_string_lossy().into_owned()
            };
            queue.push(Entry { code, text: text.to_string_lossy().into_owned(), data });
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed", self.call)?;
        for Entry { text, data, .. } in &self.queue {
            write!(f, "; {text}")?;
            if !data.is_empty() {
                write!(f, ":{data}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
