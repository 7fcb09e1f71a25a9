//! The API paths through which every vector and contract is run, and what they are run on.
//!
//! A [`ApiPath`](api_path::ApiPath) takes a message to a route: straight to the kernels, or through a libcrypto to
//! the provider, or to the default provider, which is the measure of all others.

pub mod api_path;
mod arch;
pub mod client;
mod counted;
pub mod data;
pub mod evp;
pub mod fork;
pub mod guarded;
pub mod hash_vectors;
pub mod here;
pub mod kernels;
pub mod plans;
pub mod scratch;
pub mod vectors;

pub use arch::vectors_in_use;
