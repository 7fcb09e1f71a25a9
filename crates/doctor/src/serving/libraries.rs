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
}

const ANOTHER_BUILD: &str = "a build for OpenSSL, or a setting that chooses it; or TLS by nginx, haproxy or stunnel in front";

/// All that are known: what speaks TLS stands before what only encrypts.
pub(crate) const LIBRARIES: &[Library] = &[
    Library {
        file: "libjvm.so",
        name: "Java",
        lever: "HotSpot has code of its own for AES: java -XX:+PrintFlagsFinal -version | grep UseAES shows \
                whether it is used; or TLS by nginx, haproxy or stunnel in front",
    },
    Library { file: "libnetty_tcnative", name: "netty-tcnative", lever: ANOTHER_BUILD },
    Library { file: "libconscrypt", name: "Conscrypt (BoringSSL)", lever: ANOTHER_BUILD },
    Library {
        file: "libamazonCorrettoCryptoProvider",
        name: "AWS-LC",
        lever: "AWS-LC has code of its own for AES and takes no providers",
    },
    Library { file: "libgnutls.so", name: "GnuTLS", lever: ANOTHER_BUILD },
    Library { file: "libnss3.so", name: "NSS", lever: ANOTHER_BUILD },
    Library { file: "libsoftokn3.so", name: "NSS", lever: ANOTHER_BUILD },
    Library { file: "libmbedcrypto.so", name: "Mbed TLS", lever: ANOTHER_BUILD },
    Library { file: "libwolfssl.so", name: "wolfSSL", lever: ANOTHER_BUILD },
    Library { file: "libbotan", name: "Botan", lever: ANOTHER_BUILD },
    Library { file: "libsodium.so", name: "libsodium", lever: ANOTHER_BUILD },
    Library { file: "libgcrypt.so", name: "libgcrypt", lever: ANOTHER_BUILD },
];
