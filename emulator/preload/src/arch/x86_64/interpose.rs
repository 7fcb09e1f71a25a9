//! Functions of libc that the program must not get as they are: programs call ours instead, because
//! this library is first in line.

mod child;
pub(crate) mod environment;
mod exec;
mod exit;
mod masks;
mod next;
mod sigaction;
mod spawn;

pub(crate) use next::next;
