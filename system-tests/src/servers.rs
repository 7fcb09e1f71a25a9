//! Servers as Debian ships them, each with the least configuration that makes it serve.

pub mod nginx;
pub mod openssl;
pub mod openvpn;
pub mod sshd;
pub mod terminator;
