//! Real tunnels: the kernel's ESP, OpenVPN, and strongSwan in user space, each between two network namespaces that are
//! joined by a cable, with iperf3's traffic through them.
//!
//! Everything is done by a process of its own ([`inside()`]), which is process 1 of a PID namespace and has its own
//! network and mounts. It lives as long as its standard input, which nobody but the program that started it
//! ([`Stage`]) holds: when that ends, however it ends, the kernel ends every process of the namespace and takes
//! away the networks, the mounts and the files on them. So there is nothing to clean up, and nothing that could be left.
#![forbid(unsafe_code)]

mod cable;
mod carrier;
mod contest;
mod inside;
mod program;
mod provided;
mod request;
mod spelling;
mod stage;
mod traffic;
mod tunnel;

pub use carrier::{Carrier, Provider};
pub use inside::inside;
pub use request::{Case, Event, Module, Request};
pub use stage::{Next, Stage, Trouble};
