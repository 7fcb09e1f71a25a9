//! openssl.cnf as text that can be understood and changed without losing a byte of the rest.
//!
//! [`Configuration`] is what OpenSSL makes of a file and all that it includes: sections merged,
//! variables resolved, each key with the place it came from. It reads any bytes; the oracle of its
//! tests is libcrypto itself. On it stand the questions that people have: which providers are
//! configured ([`Configuration::providers`]), is `default` among them, which keys stand where they
//! mean nothing ([`Configuration::misplaced`]).
//!
//! ```
//! use std::path::Path;
//! use wirespeed_openssl_conf::{Configuration, ThisMachine};
//!
//! let text = b"openssl_conf = init\n[init]\nproviders = list\n[list]\nlegacy = l\n[l]\nactivate = 1\n";
//! let configuration = Configuration::of(text, Path::new("openssl.cnf"), &ThisMachine)?;
//! let legacy = configuration.provider("legacy").expect("it is listed");
//! assert_eq!(legacy.reference.entry.place.to_string(), "openssl.cnf:5");
//! assert!(legacy.is_activated() && !configuration.has_default_provider());
//! # Ok::<(), wirespeed_openssl_conf::Fault>(())
//! ```
#![forbid(unsafe_code)]

mod apart;
mod displaced;
mod drop_in;
mod expand;
mod files;
mod installation;
mod lines;
mod policy;
mod preference;
mod reader;
mod reading;
mod removal;
mod setup;
mod statement;
mod text;
mod writing;

pub use drop_in::{DropIn, drop_in, drop_ins, uninstall_apart};
pub use files::{Files, ThisMachine};
pub use installation::{Obstacle, WIRESPEED, Wanted, install};
pub use reading::{Configuration, DEFAULT, Entry, Fault, Mistake, Place, Section};
pub use removal::{Removed, uninstall};
pub use setup::{
    ALG_SECTION, Configured, DEFAULT_PROPERTIES, ENGINES, Misplaced, OPENSSL_CONF, PROVIDERS,
    Reference,
};
pub use text::Text;
