//! Libraries that encrypt and are not OpenSSL's, and what there is instead of a provider.

/// A library that no provider reaches.
#[derive(Debug)]
pub(crate) struct Library {
    /// How its file's name begins.
    pub(crate) file: &'static str,
    /// What it is called.
    pub(crate) name: &'static str,
    /// What else there is to do.
    pub(crate) lever: &'static str,
    /// Whether programs often have it by way of others and never use it, as libgcrypt by libsystemd.
    pub(crate) is_often_idle: bool,
}

const fn library(file: &'static str, name: &'static str, lever: &'static str) -> Library {
    Library { file, name, lever, is_often_idle: false }
}

const ANOTHER_BUILD: &str = "a build for OpenSSL, or a setting that chooses it; or TLS by nginx, haproxy or stunnel in front";

const HOTSPOT: &str = "HotSpot has code of its own for AES: java -XX:+PrintFlagsFinal -version | grep UseAES shows \
                       whether it is used; or TLS by nginx, haproxy or stunnel in front";

const OWN_CODE: &str = "AWS-LC has code of its own for AES and takes no providers";

/// All that are known: what speaks TLS stands before what only encrypts.
pub(crate) const LIBRARIES: &[Library] = &[
    library("libjvm.so", "Java", HOTSPOT),
    library("libnetty_tcnative", "netty-tcnative", ANOTHER_BUILD),
    library("libconscrypt", "Conscrypt (BoringSSL)", ANOTHER_BUILD),
    library("libamazonCorrettoCryptoProvider", "AWS-LC", OWN_CODE),
    library("libgnutls.so", "GnuTLS", ANOTHER_BUILD),
    library("libnss3.so", "NSS", ANOTHER_BUILD),
    library("libsoftokn3.so", "NSS", ANOTHER_BUILD),
    library("libmbedcrypto.so", "Mbed TLS", ANOTHER_BUILD),
    library("libwolfssl.so", "wolfSSL", ANOTHER_BUILD),
    library("libbotan", "Botan", ANOTHER_BUILD),
    library("libsodium.so", "libsodium", ANOTHER_BUILD),
    Library { is_often_idle: true, ..library("libgcrypt.so", "libgcrypt", ANOTHER_BUILD) },
];
