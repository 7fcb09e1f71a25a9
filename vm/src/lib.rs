//! A stock Debian kernel in QEMU, with this machine's files, for one command.
#![forbid(unsafe_code)]
