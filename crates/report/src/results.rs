//! A file of results: which kind it is, and what of it is drawn.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;
use wirespeed_disk::document::Row;

/// What one file holds.
#[derive(Clone, Debug)]
pub struct Results {
    disk: Disk,
}

/// The fields of `wirespeed.disk/1` that are drawn. What a file leaves out is not known.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Disk {
    /// What the results are called beside others.
    #[serde(skip)]
    pub(crate) label: String,
    /// Whose figures they are, if not measured by this program.
    pub(crate) source: Option<String>,
    pub(crate) machine: Option<Machine>,
    pub(crate) settings: Option<Settings>,
    #[serde(default)]
    pub(crate) interrupted: bool,
    pub(crate) rows: Vec<Row>,
    /// Rows of dm-crypt's options.
    #[serde(default)]
    pub(crate) options: Vec<Row>,
    #[serde(default)]
    pub(crate) advice: Vec<String>,
    #[serde(default)]
    pub(crate) cautions: Vec<String>,
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
}

/// The machine, as far as a line about it goes.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: Option<Cpu>,
    pub(crate) kernel: Option<String>,
    pub(crate) distribution: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Cpu {
    pub(crate) brand: Option<String>,
    pub(crate) cores: Option<usize>,
    pub(crate) hypervisor: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Settings {
    pub(crate) bytes: Option<u64>,
    pub(crate) threads: Option<usize>,
    pub(crate) sector_bytes: Option<usize>,
    pub(crate) directory: Option<String>,
    pub(crate) device: Option<String>,
}

/// Why a file is not drawn: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

/// The schema that is drawn so far.
const DISK: &str = "wirespeed.disk/1";

impl Results {
    /// Reads a file's text; `label` is its name on the page.
    ///
    /// # Errors
    /// If the text is no result that can be drawn.
    pub fn read(label: &str, text: &str) -> Result<Self, Unreadable> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| Unreadable(format!("no JSON: {error}")))?;
        match value.get("schema").and_then(Value::as_str) {
            Some(DISK) => {}
            Some(other) => {
                return Err(Unreadable(format!(
                    "its schema is {other}: so far {DISK} is drawn, which wirespeed disk --json FILE writes"
                )));
            }
            None => {
                return Err(Unreadable(format!(
                    "it names no schema: so far {DISK} is drawn, which wirespeed disk --json FILE writes"
                )));
            }
        }
        let disk: Disk = serde_json::from_value(value)
            .map_err(|error| Unreadable(format!("not as {DISK} should be: {error}")))?;
        Ok(Self { disk: Disk { label: label.to_owned(), ..disk } })
    }

    pub(crate) const fn disk(&self) -> &Disk {
        &self.disk
    }
}
