//! `wirespeed padlock`: the PadLock units of a CPU.

use serde::{Deserialize, Serialize};

use super::survey::RouteState;
use super::{Document, Machine};

/// What `wirespeed padlock --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Padlock {
    /// `"wirespeed.padlock/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The CPU.
    pub cpu: Cpu,
    /// Every unit of PadLock.
    pub units: Vec<Unit>,
    /// `"RNG, ACE"` to `"no-RNG, no-ACE"`.
    pub summary: String,
    /// What OpenSSL makes of it by itself.
    pub openssl: Engine,
    /// Wirespeed's route, as in `routes[]` of `wirespeed.survey/1`.
    pub route: RouteState,
    /// What it can serve.
    pub algorithms: Vec<String>,
}

impl Document for Padlock {
    const SCHEMA: &'static str = "wirespeed.padlock/1";
}

/// The CPU as CPUID names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cpu {
    /// `"CentaurHauls"`, `"  Shanghai  "`, or whoever made it.
    pub vendor: Option<String>,
    /// Its marketing name.
    pub brand: Option<String>,
    /// What people call it; null unless VIA or Zhaoxin made it, like the next.
    pub name: Option<String>,
    /// Family, model and stepping.
    pub signature: Option<[u32; 3]>,
}

/// A unit of PadLock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unit {
    /// Its name in /proc/cpuinfo: `rng` `rng2` `ace` `ace2` `phe` `phe2` `pmm` `ccs`.
    pub unit: String,
    /// `"enabled"`; `"present"`, but not enabled; `"absent"`.
    pub state: State,
}

/// What CPUID says about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is not there.
    Absent,
    /// It is there, but the firmware or the system left it off.
    Present,
    /// It can be used.
    Enabled,
}

/// OpenSSL's own engine on a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Engine {
    /// The host's OpenSSL, null without one.
    pub version: Option<String>,
    /// What `openssl engine padlock` prints, null where OpenSSL has no engines.
    pub engine: Option<String>,
    /// Why not to use that engine, else null.
    pub warning: Option<String>,
}

/// The end of the file that `wirespeed padlock --confirm FILE` writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PadlockReport {
    /// `"wirespeed.padlock-report/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The machine, whose CPU is as the kernel names it.
    pub machine: Machine,
    /// The CPU, as CPUID names it.
    pub cpu: Cpu,
    /// Every unit of PadLock.
    pub units: Vec<Unit>,
    /// Whether `padlock-run` or our kernel module answers, not a CPU.
    pub emulated: bool,
    /// The points that docs/padlock.md lists as unconfirmed.
    pub points: Vec<Point>,
}

impl Document for PadlockReport {
    const SCHEMA: &'static str = "wirespeed.padlock-report/1";
}

/// A point of docs/padlock.md that is marked unconfirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Point {
    /// The name there.
    pub id: String,
    /// What is in question.
    pub subject: String,
    /// `"as assumed"`; `"otherwise"`; `"noted"`, where nothing is assumed; or the unit that is absent.
    pub answer: String,
    /// What was seen, line by line.
    pub seen: Vec<String>,
}
