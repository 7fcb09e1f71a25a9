//! Commands of the program as people type them, each in a module of its own. One program: each would be linked by itself.

#![forbid(unsafe_code)]

mod compare;
mod disk;
mod doctor;
mod doctor_command;
mod fleet;
mod kernel;
mod machines;
mod metrics;
mod openssl;
mod plan;
mod program;
mod provider_keys;
mod stats;
mod sum;
#[path = "../support/mod.rs"]
mod support;
mod vpn;
mod why_slow;
