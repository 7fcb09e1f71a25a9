//! Words as a shell takes them, for commands that people copy.

use std::borrow::Cow;
use std::path::Path;

/// A path as one word.
pub fn path(path: &Path) -> String {
    word(&path.to_string_lossy())
}

/// A text as one word.
pub fn word(text: &str) -> String {
    // No shell takes a zero byte, and no name has one.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}
