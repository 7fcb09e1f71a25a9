//! The module put to work for every program, and taken back: proved before and after, or nothing is changed.
//!
//! [`Place`] finds what is concerned. A [`Trial`] runs this machine's programs with a configuration. A [`Change`] puts
//! openssl.cnf and the module in place, both or neither.
#![forbid(unsafe_code)]

mod alone;
mod binary;
mod change;
mod place;
mod plan;
mod program;
mod replace;
mod root;
pub mod shell;
mod trial;
mod upkeep;

pub use alone::Alone;
pub use binary::{Binary, openssl_folder, openssl_inside, this_machine};
pub use change::{Change, backup, obstacle, writable};
pub use place::{Place, own_module};
pub use plan::{Standing, standing};
pub use replace::{Original, Staged, advice, make_folders, remove};
pub use root::Root;
pub use trial::{Failure, Trial};
pub use upkeep::Upkeep;
