//! What a tunnel is made of.

mod libipsec;
mod openvpn;
mod xfrm;

use std::path::Path;

use serde::{Deserialize, Serialize};
use wirespeed_vpn::{Protection, Suite};

use crate::provided::Provided;
use crate::spelling::is_esp;
use crate::tunnel::Tunnel;

/// The addresses within tunnels that make interfaces of their own.
const INNER: [&str; 2] = ["10.8.0.1", "10.8.0.2"];

/// What a tunnel is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Carrier {
    /// The kernel's own ESP.
    Xfrm,
    /// OpenVPN, over UDP.
    OpenVpn,
    /// strongSwan, with ESP in user space by its libipsec.
    Libipsec,
}

/// Whose ciphers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// OpenSSL's own, whatever this machine is configured for.
    Default,
    /// Ours beside it.
    Wirespeed,
    /// Linux's.
    Kernel,
}

impl Provider {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Wirespeed => "wirespeed",
            Self::Kernel => "kernel",
        }
    }
}

impl Carrier {
    /// All, in the order in which they are measured.
    pub const ALL: [Self; 3] = [Self::Xfrm, Self::OpenVpn, Self::Libipsec];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xfrm => "xfrm",
            Self::OpenVpn => "openvpn",
            Self::Libipsec => "libipsec",
        }
    }

    /// Whose ciphers it runs with.
    pub const fn providers(self) -> &'static [Provider] {
        match self {
            Self::Xfrm => &[Provider::Kernel],
            Self::OpenVpn | Self::Libipsec => &[Provider::Default, Provider::Wirespeed],
        }
    }

    /// The suites that it is measured with unless others are asked for, by their keywords.
    pub(crate) const fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Xfrm => &[
                "aes128gcm16",
                "aes256gcm16",
                "chacha20poly1305",
                "aes128ccm16",
                "aes128-sha1",
                "aes128-sha256",
                "aes256-sha1",
                "aes256-sha256",
                "camellia128-sha1",
                "camellia256-sha256",
                "3des-sha1",
            ],
            Self::OpenVpn => {
                &["aes128gcm16", "aes256gcm16", "chacha20poly1305", "aes256-sha1", "aes256-sha256"]
            }
            Self::Libipsec => &["aes128gcm16", "chacha20poly1305", "aes256-sha256"],
        }
    }

    /// Whether it knows how to speak such a suite.
    pub(crate) fn can_have(self, suite: &Suite) -> bool {
        let is_ccm = matches!(suite.protection, Protection::Ccm { .. });
        is_esp(suite) && !(self == Self::OpenVpn && is_ccm)
    }

    /// Why there is none here, in the words of what to install.
    pub(crate) fn obstacle(self) -> Option<String> {
        match self {
            Self::Xfrm => None,
            Self::OpenVpn => openvpn::obstacle().or_else(no_tun),
            Self::Libipsec => libipsec::obstacle().or_else(no_tun),
        }
    }

    /// Sets a tunnel up, with names and files called `name`.
    pub(crate) fn open(
        self,
        name: &str,
        suite: &Suite,
        provided: Provided,
    ) -> Result<Tunnel, String> {
        match self {
            Self::Xfrm => xfrm::open(name, suite),
            Self::OpenVpn => openvpn::open(name, suite, provided),
            Self::Libipsec => libipsec::open(name, suite, provided),
        }
    }
}

fn no_tun() -> Option<String> {
    let is_there = Path::new("/dev/net/tun").exists();
    (!is_there).then(|| "no /dev/net/tun: this kernel has no TUN (modprobe tun)".to_owned())
}
