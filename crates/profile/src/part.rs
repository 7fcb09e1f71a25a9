//! What a sample hit.

use std::path::Path;

/// A part of the time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// What kind of work it is.
    pub kind: Kind,
    /// Its name for people.
    pub name: String,
}

/// Kinds of work, in the order of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Ciphers, hashes and MACs of OpenSSL.
    Bulk,
    /// Public keys: what a handshake costs.
    Handshake,
    /// Wirespeed's module.
    Module,
    /// OpenSSL looking for algorithms.
    Fetch,
    /// The rest of OpenSSL: EVP, records, certificates.
    OpenSsl,
    /// Another library of ciphers.
    OtherLibrary,
    /// Ciphers of Linux.
    LinuxCrypto,
    /// The copying of data, by the C library or by Linux.
    Copying,
    /// The rest of Linux: system calls, network, files.
    Linux,
    /// The rest of the C library: above all memory.
    CLibrary,
    /// The program itself.
    Program,
    /// All else.
    Other,
}

/// Libraries of ciphers that no provider reaches, by how their files' names begin.
const OTHER_LIBRARIES: [(&str, &str); 9] = [
    ("libgnutls", "GnuTLS"),
    ("libnettle", "GnuTLS (Nettle)"),
    ("libhogweed", "GnuTLS (Nettle)"),
    ("libgcrypt", "libgcrypt"),
    ("libfreebl", "NSS"),
    ("libsoftokn", "NSS"),
    ("libnss3", "NSS"),
    ("libmbedcrypto", "Mbed TLS"),
    ("libsodium", "libsodium"),
];

/// Words in the names of Linux's functions that are ciphers or hashes.
const LINUX_CRYPTO: [&str; 9] =
    ["aes", "gcm", "ghash", "chacha", "poly1305", "sha1", "sha2", "sha512", "crypto_"];

/// Words in the names of OpenSSL's functions that find an algorithm (crypto/evp/evp_fetch.c, crypto/core_fetch.c,
/// crypto/core_namemap.c, crypto/property).
const FETCHING: [&str; 4] = ["_fetch", "ossl_method_", "ossl_namemap_", "ossl_property_"];

/// Words in the names of Linux's functions that copy data (lib/iov_iter.c, lib/usercopy.c, arch/*/lib).
const LINUX_COPYING: [&str; 8] = [
    "copy_to_",
    "copy_from_",
    "copy_page_to_",
    "copy_page_from_",
    "copy_user_",
    "rep_movs_",
    "memcpy",
    "memmove",
];

impl Part {
    pub(crate) fn new(kind: Kind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }

    /// Of a function in a file; `program` is the file that was started.
    pub(crate) fn of_file(file: &Path, is_program: bool, function: Option<&str>) -> Self {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        let begins = |beginning: &str| name.starts_with(beginning);
        // Go's names of its own library.
        if function.is_some_and(|it| it.starts_with("crypto/") || it.contains("/x/crypto/")) {
            return Self::new(Kind::OtherLibrary, "Go's own crypto");
        }
        if is_program {
            return Self::new(Kind::Program, format!("{name} itself"));
        }
        if let Some((_, library)) = OTHER_LIBRARIES.iter().find(|(it, _)| begins(it)) {
            return Self::new(Kind::OtherLibrary, *library);
        }
        match &*name {
            _ if begins("libwirespeed") || begins("wirespeed.so") => Self::module(),
            _ if begins("libcrypto.so") || begins("libssl.so") => match function {
                Some(name) if FETCHING.iter().any(|word| name.contains(word)) => Self::fetch(),
                _ => Self::openssl(),
            },
            _ if begins("libc.so") || begins("libc-") || begins("ld-musl") => match function {
                Some(name) if name.contains("memcpy") || name.contains("memmove") => {
                    Self::copying()
                }
                _ => Self::new(Kind::CLibrary, "the C library: memory, calls of Linux"),
            },
            _ => Self::new(Kind::Other, "other libraries"),
        }
    }

    /// Of a function of Linux's; its name is known only to root.
    pub(crate) fn of_linux(function: Option<&str>) -> Self {
        let has = |words: &[&str], name: &str| words.iter().any(|word| name.contains(word));
        match function {
            Some(name) if has(&LINUX_CRYPTO, name) => {
                Self::new(Kind::LinuxCrypto, "Linux's own ciphers")
            }
            Some(name) if has(&LINUX_COPYING, name) => {
                Self::new(Kind::Copying, "Linux: from and to programs")
            }
            _ => Self::new(Kind::Linux, "Linux: system calls, network, files"),
        }
    }

    /// Our module.
    pub(crate) fn module() -> Self {
        Self::new(Kind::Module, "Wirespeed's module")
    }

    /// Finding an algorithm.
    pub(crate) fn fetch() -> Self {
        Self::new(Kind::Fetch, "OpenSSL: finding algorithms")
    }

    /// The C library's memcpy and memmove.
    pub(crate) fn copying() -> Self {
        Self::new(Kind::Copying, "the C library: memcpy, memmove")
    }

    /// What is neither a cipher nor a handshake.
    pub(crate) fn openssl() -> Self {
        Self::new(Kind::OpenSsl, "the rest of OpenSSL")
    }

    /// What belongs to no file.
    pub(crate) fn unknown() -> Self {
        Self::new(Kind::Other, "made at run time, or ended too soon")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(file: &str, program: bool, function: Option<&str>) -> Kind {
        Part::of_file(Path::new(file), program, function).kind
    }

    #[test]
    fn files_have_their_kinds() {
        assert_eq!(kind("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", false, None), Kind::OpenSsl);
        assert_eq!(kind("/usr/lib/ossl-modules/libwirespeed.so", false, None), Kind::Module);
        assert_eq!(kind("/usr/sbin/nginx", true, Some("main")), Kind::Program);
        assert_eq!(kind("/usr/lib/libgnutls.so.30.34.3", false, None), Kind::OtherLibrary);
        let libc = "/lib/x86_64-linux-gnu/libc.so.6";
        assert_eq!(kind(libc, false, Some("malloc")), Kind::CLibrary);
        assert_eq!(kind(libc, false, Some("__memmove_avx512_unaligned_erms")), Kind::Copying);
        let libcrypto = "/usr/lib/libcrypto.so.4";
        assert_eq!(kind(libcrypto, false, Some("EVP_CIPHER_fetch")), Kind::Fetch);
        assert_eq!(kind(libcrypto, false, Some("ossl_namemap_name2num")), Kind::Fetch);
        assert_eq!(kind(libcrypto, false, Some("EVP_EncryptUpdate")), Kind::OpenSsl);
        assert_eq!(kind("/usr/lib/libz.so.1", false, None), Kind::Other);
    }

    #[test]
    fn go_and_linux_tell_by_their_functions() {
        let go = Some("crypto/internal/fips140/aes/gcm.gcmAesEnc");
        assert_eq!(kind("/usr/bin/caddy", true, go), Kind::OtherLibrary);
        assert_eq!(Part::of_linux(Some("aes_gcm_enc_update_vaes_avx2")).kind, Kind::LinuxCrypto);
        assert_eq!(Part::of_linux(Some("tcp_sendmsg_locked")).kind, Kind::Linux);
        assert_eq!(Part::of_linux(Some("_copy_to_iter")).kind, Kind::Copying);
        assert_eq!(Part::of_linux(Some("copy_process")).kind, Kind::Linux);
        assert_eq!(Part::of_linux(None).kind, Kind::Linux);
    }
}
