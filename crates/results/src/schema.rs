//! Every document that Wirespeed writes as JSON, field by field: its writers fill these types in, its readers get them
//! back, and docs/json.md is made of their comments.
//!
//! A field that an older file, or an article's figures, may lack is an `Option` or has a default.

pub mod bench;
pub mod bench_hosts;
pub mod compare;
pub mod disk;
pub mod doctor;
pub mod kernel;
pub mod padlock;
pub mod plan;
pub mod random;
pub mod services;
pub mod stats;
pub mod survey;
pub mod tunnel;
pub mod vpn;

#[cfg(feature = "schema")]
mod description;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wirespeed_cipher::Route;

#[cfg(feature = "schema")]
pub use description::{Description, Field, descriptions};
pub use wirespeed_machine::{Cpu, Libcrypto, Machine};

/// A document: what one command writes.
pub trait Document: Serialize + DeserializeOwned {
    /// Its name and version; the version changes when a field goes away or changes its meaning.
    const SCHEMA: &'static str;
}

/// The host's own OpenSSL among the routes of rows.
pub const HOST: &str = Route::Libcrypto.name();

/// The version of this program, which documents bear.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
