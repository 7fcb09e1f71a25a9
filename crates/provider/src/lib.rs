//! The OpenSSL provider: Wirespeed's AES for programs that have never heard of it.
//!
//! libcrypto (3.0 to 4.x) loads the module, calls [`init`], and asks for algorithms. We answer as its
//! default provider would: the same names, parameters, bytes and errors, from the fastest route of
//! this machine. Nothing here links libcrypto; all that is needed of it comes through the table of
//! functions that it hands to [`init`].
//!
//! From the C edge inwards: [`boundary`] holds every function that C calls, [`cipher`] the contexts,
//! mode by mode, and `wirespeed-cipher` and `wirespeed-kernels` the bytes. [`openssl`] is the
//! interface as types.
//!
//! We are a guest in another's process: no threads, no logging, no files kept open, no allocation
//! between a context's making and its end, no locks. So libcrypto's own random generators may run on
//! our ciphers, as those of 3.0 to 3.4 do when a program prefers us. The one exception is what is off
//! until asked for: a context whose calls go to Linux's crypto has a socket and memory for it ([`far`]).

mod boundary;
mod call;
mod choice;
mod cipher;
mod config;
mod digest;
mod extendable;
mod far;
mod hashing;
mod hmac;
mod host;
mod lanes;
mod mac;
mod offer;
mod offload;
pub mod openssl;
mod params;
mod priority;
mod provider;
mod random;
mod refusal;
mod request;
mod routing;
mod rows;
mod serial;
mod stand;
#[cfg(feature = "trace")]
pub mod trace;
mod watcher;

pub use boundary::provider::{builtin, init};
pub use openssl::InitFunction;
