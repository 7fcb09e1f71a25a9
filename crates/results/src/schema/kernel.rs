//! `wirespeed kernel`: the drivers of Linux's crypto.

use serde::{Deserialize, Serialize};

use super::Document;

/// What `wirespeed kernel --json` prints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kernel {
    /// `"wirespeed.kernel/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// Why there are no drivers to show, else null.
    pub reason: Option<String>,
    /// Why nothing was measured, else null.
    pub unmeasured: Option<String>,
    /// What `wirespeed kernel --prefer` has modprobe load: `"padlock"` or a module, else null.
    pub preferred: Option<String>,
    /// Drivers whose priority it raised.
    pub raised: Vec<Raised>,
    /// The algorithms that were measured.
    pub measured: Vec<Measured>,
    /// What is at /dev/crypto, null where that is not.
    #[serde(default)]
    pub devcrypto: Option<DevCrypto>,
    /// What /proc/crypto lists, in its order.
    pub drivers: Vec<Listed>,
}

impl Document for Kernel {
    const SCHEMA: &'static str = "wirespeed.kernel/1";
}

/// The device /dev/crypto of cryptodev-linux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DevCrypto {
    /// Why it cannot be had, else null.
    pub reason: Option<String>,
    /// Who serves there, of the algorithms that were measured; none with `--list`, which opens nothing.
    pub sessions: Vec<Session>,
}

/// Who serves an algorithm at /dev/crypto.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// OpenSSL's name.
    pub algorithm: String,
    /// The kernel's driver.
    pub driver: String,
    /// Whether it is that of a device beside the CPU; false for software, for which /dev/crypto is no gain.
    pub device: bool,
}

/// A driver whose priority was raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Raised {
    /// What the driver can do, in the kernel's words.
    pub algorithm: String,
    /// The driver.
    pub driver: String,
    /// Its priority before.
    pub former: i32,
    /// What it was given.
    pub now: i32,
}

/// One algorithm, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    /// OpenSSL's name.
    pub algorithm: String,
    /// The kernel's.
    pub kernel: String,
    /// Why the kernel does not have it, else null.
    pub absent: Option<String>,
    /// Each driver at each work; one row alone for a driver that could not be measured.
    pub rows: Vec<Row>,
    /// A driver that is faster than the one that serves, else null.
    pub faster: Option<Faster>,
}

/// One driver at one kind of work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// The driver.
    pub driver: String,
    /// `"enc"` or `"dec"`, null without a measurement.
    pub direction: Option<String>,
    /// Bytes in a call, null without a measurement.
    pub size: Option<usize>,
    /// The median through an AF_ALG socket, null without a measurement.
    pub bytes_per_second: Option<f64>,
    /// Why it was not measured, else null.
    pub reason: Option<String>,
}

/// A driver that ought to serve where another does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Faster {
    /// It.
    pub driver: String,
    /// The one that serves.
    pub serves: String,
    /// How many times as fast: at least, where it is ahead everywhere, else at most.
    pub ratio: f64,
    /// Whether it is clearly ahead at every size and in both directions.
    pub everywhere: bool,
    /// What makes it serve, null if it is not ahead everywhere.
    pub command: Option<String>,
}

/// A driver as /proc/crypto lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Listed {
    /// What it can do, in the kernel's words.
    pub algorithm: String,
    /// Its own name.
    pub driver: String,
    /// The module that it came in, null if it is built in.
    pub module: Option<String>,
    /// The highest serves, among equals the first.
    pub priority: i32,
    /// Whether it may be used.
    pub self_test_passed: bool,
    /// Whether only other drivers may use it.
    pub internal: bool,
    /// The kernel's word for the kind of algorithm.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it may answer later than it was asked, as devices do.
    pub asynchronous: bool,
    /// Whether it gets what asks for the algorithm by its name.
    pub serves: bool,
    /// The hardware behind it where its name leaves no doubt, else null.
    pub hardware: Option<String>,
}
