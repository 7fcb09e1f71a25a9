//! What only one architecture's /proc/cpuinfo tells.

pub(crate) mod arm;
