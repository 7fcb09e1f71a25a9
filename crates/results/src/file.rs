//! A file of results: which kind it is, and what it holds.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::schema::bench::Bench;
use crate::schema::disk::Disk;
use crate::schema::survey::Survey;
use crate::schema::vpn::Vpn;
use crate::schema::{Document, Machine};

/// What one file holds.
#[derive(Clone, Debug)]
pub struct Results {
    /// What the results are called beside others.
    pub label: String,
    /// The version of the program that wrote it.
    pub version: Option<String>,
    /// Whose figures they are, if not measured by this program.
    pub source: Option<String>,
    /// The machine.
    pub machine: Option<Machine>,
    /// Whether the run was broken off.
    pub interrupted: bool,
    /// What disturbed the measurement.
    pub warnings: Vec<String>,
    /// The figures.
    pub content: Content,
}

/// The figures, by the command that wrote them.
#[derive(Clone, Debug)]
pub enum Content {
    /// `wirespeed bench`.
    Bench(Bench),
    /// `wirespeed disk`.
    Disk(Disk),
    /// `wirespeed` without a command.
    Survey(Survey),
    /// `wirespeed vpn`.
    Vpn(Vpn),
}

/// The fields that every kind has.
#[derive(Deserialize)]
struct About {
    version: Option<String>,
    source: Option<String>,
    machine: Option<Machine>,
    interrupted: Option<bool>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// Why a file is not read: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is a document of another kind, or says not which.
    Foreign(String),
    /// It is not what it says, or no JSON at all.
    Broken(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Foreign(why) | Self::Broken(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Unreadable {}

/// What is read, and who writes it.
const READ: &str = "what the survey, bench, disk and vpn write with --json FILE is read";

impl Results {
    /// Reads a file's text; `label` is its name beside others.
    ///
    /// # Errors
    /// If the text is no result that is known here.
    pub fn read(label: &str, text: &str) -> Result<Self, Unreadable> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Unreadable::Broken(format!("no JSON: {error}")))?;
        let schema = value.get("schema").and_then(Value::as_str).map(ToOwned::to_owned);
        let content = match schema.as_deref() {
            Some(Bench::SCHEMA) => Content::Bench(parse(Bench::SCHEMA, &value)?),
            Some(Disk::SCHEMA) => Content::Disk(parse(Disk::SCHEMA, &value)?),
            Some(Survey::SCHEMA) => Content::Survey(parse(Survey::SCHEMA, &value)?),
            Some(Vpn::SCHEMA) => Content::Vpn(parse(Vpn::SCHEMA, &value)?),
            Some(other) => {
                return Err(Unreadable::Foreign(format!("its schema is {other}: {READ}")));
            }
            None => return Err(Unreadable::Foreign(format!("it names no schema: {READ}"))),
        };
        let about: About = parse(schema.as_deref().unwrap_or_default(), &value)?;
        Ok(Self {
            label: label.to_owned(),
            version: about.version,
            source: about.source,
            machine: about.machine,
            interrupted: about.interrupted.unwrap_or(false),
            warnings: about.warnings,
            content,
        })
    }
}

fn parse<T: DeserializeOwned>(schema: &str, value: &Value) -> Result<T, Unreadable> {
    T::deserialize(value)
        .map_err(|error| Unreadable::Broken(format!("not as {schema} should be: {error}")))
}
