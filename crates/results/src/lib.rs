//! Files of results: read, put together by machine, and compared.
//!
//! A file is what `--json` wrote, or an article's figures in the same form. What it leaves out is not known; fields that
//! are new to this program are passed over.
#![forbid(unsafe_code)]

mod computer;
mod contents;
mod file;
mod merit;

pub mod compare;

pub use computer::{Computer, computers, letter};
pub use contents::{
    Bench, CoresNeeded, Cpu, Disk, Libcrypto, Link, Machine, Packets, Proof, Rate, RouteState,
    Sectors, Settings, Survey, Tunnel, Vpn,
};
pub use file::{Content, Results, Unreadable};
pub use merit::{Merit, Purpose};

#[cfg(test)]
mod tests;
