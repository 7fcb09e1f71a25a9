//! The OpenSSL provider: Wirespeed's algorithms for programs that have never heard of it.
//!
//! libcrypto (3.0 to 4.x) loads the module, calls [`init`], and asks for algorithms. We answer as its
//! default provider would: the same names, parameters, bytes and errors, from the fastest route of
//! this machine. Nothing here links libcrypto; all that is needed of it comes through the table of
//! functions that it hands to [`init`].
//!
//! | room | what is in it |
//! |---|---|
//! | [`boundary`] | every function that C calls; the host's own default provider |
//! | [`provider`], [`config`] | the provider as a whole, and its section of openssl.cnf |
//! | [`offer`] | the table of algorithms |
//! | [`cipher`], [`digest`], [`mac`] | the contexts |
//! | [`routing`] | which route serves which call |
//! | [`offload`] | calls that go to Linux or to the host |
//! | [`params`], [`error`] | what OpenSSL's parameters and reason codes are to us |
//! | [`host`] | the habits of each OpenSSL |
//! | [`openssl`] | the interface as types |
//!
//! The bytes are made by `wirespeed-cipher` and `wirespeed-kernels`.
//!
//! We are a guest in another's process: no threads, no logging, no files kept open, no lock that is
//! waited for, no allocation between a context's making and its end. So libcrypto's own random generators
//! may run on our ciphers, as those of 3.0 to 3.4 do when a program prefers us. Memory is taken for what a
//! message leaves to be kept ([`kept`]), and for what is off until asked for: a call that is computed
//! twice, and a context whose calls go to Linux's crypto, which has a socket, too ([`offload`]).

mod boundary;
mod call;
mod cipher;
mod config;
mod digest;
mod error;
mod host;
mod kept;
mod mac;
mod offer;
mod offload;
pub mod openssl;
mod params;
mod provider;
mod random;
mod routing;
#[cfg(feature = "trace")]
pub mod trace;

pub use boundary::provider::{builtin, init};
pub use openssl::InitFunction;
