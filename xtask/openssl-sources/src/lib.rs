//! Empty: only the dependencies matter.
#![forbid(unsafe_code)]
