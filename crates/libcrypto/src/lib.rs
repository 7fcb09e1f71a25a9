//! The host's own OpenSSL, opened at run time and never linked.
//!
//! [`Library`] is one libcrypto, 3.0 or later. Everything happens inside library contexts of our own
//! ([`Context`]): the process's default context is never used and `openssl.cnf` never read unless a
//! caller asks for it. From a context come ciphers ([`Cipher`]), and from a cipher the contexts that
//! work ([`CipherContext`]).
//!
//! ```
//! use wirespeed_libcrypto::{Context, Direction, Library};
//!
//! let context = Context::new(Library::host().expect("libcrypto"))?;
//! context.load("default")?;
//! let cipher = context.fetch("AES-128-CTR", None)?;
//! let mut work = cipher.context()?;
//! work.init(Direction::Encrypt, Some(&[1; 16]), Some(&[2; 16]), &[])?;
//! let mut output = [0; 5];
//! work.update(b"hello", &mut output)?;
//! # Ok::<(), wirespeed_libcrypto::Error>(())
//! ```

mod cipher;
mod cipher_context;
mod configuration;
mod context;
mod digest;
mod error;
mod ffi;
mod library;
mod mac;
mod nothing;
mod param;
mod pipeline;

pub use cipher::Cipher;
pub use cipher_context::{CipherContext, Direction};
pub use configuration::ConfigurationSection;
pub use context::{Context, ProviderInit};
pub use digest::{Digest, DigestContext};
pub use error::{Entry, Error};
pub use library::{Library, OpenError};
pub use mac::MacContext;
pub use nothing::{cipher_of_nothing, hash_of_nothing};
pub use param::{Descriptor, Kind, Param, Value};
pub use pipeline::Pipeline;
