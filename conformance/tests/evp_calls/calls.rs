//! A sequence of calls as data: made from a seed, printed, and shortened by leaving calls out.

use std::ffi::CStr;
use std::fmt;

use wirespeed_conformance::data::painted;

/// Bytes that a seed gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) length: usize,
    pub(crate) seed: u64,
}

impl Bytes {
    pub(crate) fn paint(self) -> Vec<u8> {
        // Seed 0 is all ones: counters that overflow.
        if self.seed == 0 { vec![0xFF; self.length] } else { painted(self.seed, self.length) }
    }
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Int(i32),
    Uint(u32),
    Size(usize),
    Text(&'static CStr),
    Octets(Bytes),
    /// A length without bytes.
    NoOctets(usize),
}

/// A parameter to set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) key: &'static CStr,
    pub(crate) value: Value,
}

/// Where the data of a call lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The output is this many bytes behind an aligned address, the input elsewhere.
    Apart(usize),
    /// Both are the same.
    Same,
    /// No output, which means associated data or a length.
    NoOutput,
}

/// One call of the public interface, on both sides.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// Init: of a hash, `algorithm` alone counts; of a MAC, `key` and `settings`.
    Init {
        algorithm: bool,
        key: Option<Bytes>,
        iv: Option<Bytes>,
        direction: i32,
        settings: Vec<Setting>,
    },
    Update {
        data: Bytes,
        place: Place,
    },
    /// `EVP_CipherUpdate` without input and output: CCM's length of the message.
    Announce(usize),
    /// `EVP_Cipher`; `None` is a null input.
    OneShot {
        data: Option<Bytes>,
        place: Place,
    },
    Final,
    /// The final with a length of the caller's: `EVP_DigestFinalXOF`, `EVP_MAC_final`.
    FinalOf(usize),
    Squeeze(usize),
    Control {
        name: &'static str,
        number: i32,
        argument: i32,
        data: Option<Bytes>,
    },
    /// The tag that was read last, given to decryption.
    ReturnTag,
    Padding(i32),
    Num(i32),
    KeyLength(i32),
    Set(Setting),
    /// Keeps a copy of the context.
    Save,
    /// Goes on from the copy that was kept.
    Restore,
    /// Goes on in a copy.
    Replace,
    Reset,
}

impl Call {
    /// Its name in the table of known differences.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Init { .. } => "init".to_owned(),
            Self::Update { place: Place::NoOutput, .. } => "aad".to_owned(),
            Self::Update { .. } => "update".to_owned(),
            Self::Announce(_) => "announce".to_owned(),
            Self::OneShot { data: None, .. } => "one-shot end".to_owned(),
            Self::OneShot { data: Some(Bytes { length: 0, .. }), .. } => {
                "one-shot empty".to_owned()
            }
            Self::OneShot { place: Place::NoOutput, .. } => "one-shot aad".to_owned(),
            Self::OneShot { .. } => "one-shot".to_owned(),
            Self::Final => "final".to_owned(),
            Self::FinalOf(_) => "final of a length".to_owned(),
            Self::Squeeze(_) => "squeeze".to_owned(),
            Self::Control { name, .. } => format!("control {name}"),
            Self::ReturnTag => "return tag".to_owned(),
            Self::Padding(_) => "set_padding".to_owned(),
            Self::Num(_) => "set_num".to_owned(),
            Self::KeyLength(_) => "set_key_length".to_owned(),
            Self::Set(Setting { key, .. }) => format!("set {}", key.to_string_lossy()),
            Self::Save => "save".to_owned(),
            Self::Restore => "restore".to_owned(),
            Self::Replace => "replace".to_owned(),
            Self::Reset => "reset".to_owned(),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// What a sequence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Cipher,
    Digest,
    Mac,
}

/// A subject, and what is done with it.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) family: Family,
    pub(crate) algorithm: &'static str,
    pub(crate) calls: Vec<Call>,
}
