//! Real programs from Debian, started with our module or without it, and watched.
//!
//! Nothing here touches the machine's own configuration: a program gets its configuration through
//! `OPENSSL_CONF`, its files in a [`Scratch`](scratch::Scratch), its daemons in namespaces that end
//! with the value that started them.

pub mod certificate;
pub mod client;
pub mod module;
pub mod network;
pub mod process;
pub mod running;
pub use wirespeed_conformance::scratch;
pub mod servers;
pub mod tap;
pub mod trixie;
