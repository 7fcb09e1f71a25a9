//! `wirespeed random`: a source of randomness, and its tests.

use serde::{Deserialize, Serialize};

use super::Document;

/// What `wirespeed random --json FILE` writes: what the tests counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Random {
    /// `"wirespeed.random/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// `"padlock"`.
    pub source: String,
    /// Bytes written.
    pub bytes: u64,
    /// Bytes of the source that were tested.
    pub samples: u64,
    /// Of these, the samples of the start-up test, which nothing else is made of.
    pub start_up: u64,
    /// What is claimed of a sample, in bits.
    pub min_entropy: f64,
    /// n: a source as good as claimed fails a test with a probability of 2^-n.
    pub false_alarm_exponent: i32,
    /// This many equal samples in a row fail.
    pub repetition_cutoff: u32,
    /// The most that came.
    pub longest_run: u32,
    /// Samples that the adaptive proportion test looks at together.
    pub window: u32,
    /// This many equal samples in a window fail.
    pub proportion_cutoff: u32,
    /// The most that came.
    pub highest_count: u32,
    /// What failed, else null.
    pub failure: Option<String>,
}

impl Document for Random {
    const SCHEMA: &'static str = "wirespeed.random/1";
}
