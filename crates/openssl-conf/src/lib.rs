//! openssl.cnf as text that can be understood and changed without losing a byte of the rest.
#![forbid(unsafe_code)]
