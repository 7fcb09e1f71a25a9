//! The counters that a loaded module keeps when it is told `stats = FILE`.
#![forbid(unsafe_code)]
