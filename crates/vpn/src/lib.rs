//! VPN gateways as a workload: how many packets of ESP or WireGuard a core seals and opens, by the host's
//! OpenSSL and by our own routes, and which links that fills.
//!
//! A [`Suite`] is a cipher and perhaps a MAC with everything that goes around a packet, a [`Packet`] one that
//! is really built, and an [`End`] one end of a tunnel, which keeps its keys and takes packets as a gateway
//! does: encrypt, then MAC; or verify, then decrypt. [`prove`] holds the ends of a suite against one another
//! before [`measure()`] times them in turns.
#![forbid(unsafe_code)]

mod candidate;
mod end;
mod evp;
pub mod links;
mod many;
mod measure;
mod packet;
mod proof;
mod sizes;
mod suite;
mod traffic;
pub mod verdict;

pub use candidate::{Candidate, Gateway};
pub use end::{End, Refused};
pub use measure::{Case, Measured, measure, ticks};
pub use packet::Packet;
pub use proof::{Wrong, prove};
pub use sizes::Sizes;
pub use suite::{Framing, Protection, Suite};

/// Packets that are in the multi-buffer kernels at once.
pub const IN_FLIGHT: usize = 32;
