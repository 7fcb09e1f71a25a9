//! Functions of libc that the program must not get as they are: programs call ours instead, because this library is first in line.

pub(crate) mod environment;
mod exit;
mod masks;
mod next;
mod sigaction;

pub(crate) use next::next;
