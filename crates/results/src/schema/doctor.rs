//! `wirespeed doctor`: every known way to get this wrong, checked.

use serde::{Deserialize, Serialize};

use super::{Document, stats};

/// What `wirespeed doctor --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Doctor {
    /// `"wirespeed.doctor/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// How many findings are to be mended; the exit status is 1 unless it is 0.
    pub faults: usize,
    /// What the checks found, in their order.
    pub findings: Vec<Finding>,
    /// What a program did that was run (`wirespeed doctor -- CMD`), else null.
    pub command: Option<Watched>,
    /// Where a program's processor time went (`wirespeed doctor --why-slow`), else null.
    #[serde(default)]
    pub time: Option<Time>,
}

impl Document for Doctor {
    const SCHEMA: &'static str = "wirespeed.doctor/1";
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The check; `"program"` for all that is about a command that was run.
    pub check: String,
    /// `"fine"`; `"note"`: worth knowing, no fault; `"mend"`.
    pub state: State,
    /// What was found, a sentence.
    pub text: String,
    /// What to do; always there if the state is `"mend"`, else mostly null.
    pub mend: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// All is well.
    Fine,
    /// Worth knowing, no fault.
    Note,
    /// A fault.
    Mend,
}

impl State {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Note => "note",
            Self::Mend => "MEND",
        }
    }
}

/// What a program did while it was watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Watched {
    /// The command line.
    pub words: Vec<String>,
    /// Its exit status, null if a signal ended it.
    pub status: Option<i32>,
    /// Processor time of it and its children.
    pub cpu_seconds: f64,
    /// Processes that loaded Wirespeed's module.
    pub loads: u64,
    /// What they did through it.
    pub rows: Vec<stats::Counted>,
    /// What the program gained, null if it ran for less than 0.2 s of processor time.
    pub estimate: Option<Estimate>,
}

/// Where the processor time of a program went while it was watched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Time {
    /// The program's name.
    pub program: String,
    /// How long it was watched.
    pub seconds: f64,
    /// Processor time of it and its children meanwhile.
    pub cpu_seconds: f64,
    /// The share of that time in which its busiest thread ran, 0 to 1.
    pub busiest_thread: f64,
    /// How often it was looked where it was.
    pub samples: u64,
    /// What was found there, the largest part first.
    pub parts: Vec<PartOfTime>,
    /// How many times less processor time it would need with Wirespeed; null if OpenSSL's ciphers were not seen.
    pub gain: Option<f64>,
    /// The same if ciphers and hashes of OpenSSL cost nothing.
    pub gain_at_most: f64,
}

/// A part of a program's processor time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartOfTime {
    /// `"cipher"` and `"handshake"` of OpenSSL; `"fetch"`: it looks for algorithms; `"openssl"`: the rest of it;
    /// `"wirespeed"`: our module; `"other library"` of ciphers; `"linux cipher"`; `"copying"` by the C library and by Linux;
    /// `"linux"`; `"c library"`; `"program"`; `"other"`.
    pub kind: String,
    /// The operation, the library or the program.
    pub name: String,
    /// Of all the time, 0 to 1.
    pub share: f64,
}

/// Processor time with and without Wirespeed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The same calls measured again: their processor time by our routes.
    pub cipher_seconds: f64,
    /// And by the host's OpenSSL.
    pub openssl_cipher_seconds: f64,
    /// How many times as long the whole program would take with OpenSSL alone.
    pub gain: f64,
}
