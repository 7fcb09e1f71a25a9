//! Servers as Debian ships them, each with the least configuration that makes it serve.

pub mod apache;
pub mod dovecot;
pub mod mariadb;
pub mod nginx;
pub mod openssl;
pub mod openvpn;
mod plain;
pub mod postfix;
pub mod postgres;
pub mod redis;
pub mod service;
pub mod sshd;
pub mod terminator;
pub mod tor;
