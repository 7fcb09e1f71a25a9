//! `wirespeed doctor --services`: who encrypts for each program that listens.

use serde::{Deserialize, Serialize};

use super::Document;

/// What `wirespeed doctor --services --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Services {
    /// `"wirespeed.services/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// Programs that listen, and known ones that encrypt without.
    pub services: Vec<Service>,
    /// What Linux encrypts itself.
    pub linux: Vec<InLinux>,
    /// Where something listens that could not be looked into.
    pub unseen: Vec<String>,
    /// Whether root would see more.
    pub only_own: bool,
}

impl Document for Services {
    const SCHEMA: &'static str = "wirespeed.services/1";
}

/// Processes of one program that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Service {
    /// The program, as the kernel names it.
    pub name: String,
    /// Its processes.
    pub processes: Vec<u32>,
    /// Where they listen, such as `"tcp 443"` or `"udp 127.0.0.1:53"`.
    pub listens: Vec<String>,
    /// Whether they have a root folder of their own.
    pub in_container: bool,
    /// What they have to encrypt with, the likeliest first.
    pub crypto: Vec<Crypto>,
    /// Whether Wirespeed serves them.
    pub wirespeed: Reach,
    /// What to do, and what else there is to know.
    pub levers: Vec<String>,
}

/// Something that encrypts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Crypto {
    /// What it is: `"OpenSSL"`, `"GnuTLS"`, `"Go"`.
    pub name: String,
    /// Its version, null where it is not told.
    pub version: Option<String>,
    /// The library, as its process names it; null for what is inside the program.
    pub file: Option<String>,
    /// Whether it is the machine's own libcrypto.
    pub is_hosts: bool,
}

/// Whether Wirespeed serves a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// It does.
    Serves,
    /// It is installed, and this process has not loaded it.
    Restart,
    /// A provider reaches it.
    Possible,
    /// No provider reaches it.
    Never,
    /// Nothing that encrypts was found in it.
    Nothing,
}

impl Reach {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Serves => "serves",
            Self::Restart => "after restart",
            Self::Possible => "possible",
            Self::Never => "never",
            Self::Nothing => "-",
        }
    }
}

/// Something that Linux encrypts itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InLinux {
    /// `"kTLS"`, `"OpenVPN DCO"`, `"WireGuard"`, `"ESP"`, `"dm-crypt"`, `"devices"`, `"QAT"`.
    pub name: String,
    /// Whether it is in use.
    pub state: Standing,
    /// What was seen, with its figure.
    pub text: String,
    /// What to do, null where there is nothing.
    pub lever: Option<String>,
}

/// Whether something of Linux's is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is.
    Used,
    /// It could be.
    Possible,
    /// This machine lacks it.
    Absent,
}

impl Standing {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Possible => "possible",
            Self::Absent => "absent",
        }
    }
}
