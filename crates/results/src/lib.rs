//! Results: the fields of all that is written, and what is read back, put together by machine and compared.
//!
//! A file is what `--json` wrote, or an article's figures in the same form. What it leaves out is not known; fields that
//! are new to this program are passed over. It may also be the text of `openssl speed` and the like.
#![forbid(unsafe_code)]

mod computer;
mod file;
mod merit;
mod pasted;

pub mod compare;
pub mod csv;
pub mod exposition;
pub mod figures;
pub mod fleet;
pub mod schema;

pub use computer::{Computer, computers, letter};
pub use file::{Content, Results, Text, Unreadable};
pub use merit::{LINKS, Merit, Purpose};

#[cfg(test)]
mod tests;
