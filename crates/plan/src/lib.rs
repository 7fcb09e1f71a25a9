//! The plan: which route serves which call, as it was measured on this machine.
#![forbid(unsafe_code)]
