//! How the preload library hands on a program that it cannot enter.

use core::ffi::CStr;

/// `padlock-run --handed-over FILE ARGV0 ARGV1…` executes FILE with these arguments in the traced way.
///
/// It takes its settings from the environment ([`Settings::VARIABLE`](crate::Settings::VARIABLE)), which it
/// then takes away, together with the preload library: what is traced needs neither.
pub const HANDED_OVER: &CStr = c"--handed-over";
