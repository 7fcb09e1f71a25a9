//! A file of results: which kind it is, and what it holds.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::pasted;
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

/// A file before it is read.
#[derive(Clone, Debug)]
pub enum Text {
    /// JSON, as this program writes it.
    Json(String),
    /// What another program printed.
    Printed(String),
}

impl Text {
    /// Tells which of them a file is. Old forums have letters of every kind, and some shells write UTF-16.
    pub fn of(bytes: &[u8]) -> Self {
        let wide = |pairs: &[u8], join: fn([u8; 2]) -> u16| {
            let units = pairs.chunks_exact(2).map(|pair| join([pair[0], pair[1]]));
            let letters = char::decode_utf16(units);
            letters.map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        };
        let text = match bytes {
            [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
            [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
            bytes => String::from_utf8_lossy(bytes).into_owned(),
        };
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let begin = text.trim_start();
        // A prompt may have brackets as well.
        let is_list = || begin.starts_with('[') && serde_json::from_str::<Value>(&text).is_ok();
        match begin.starts_with('{') || is_list() {
            true => Self::Json(text),
            false => Self::Printed(text),
        }
    }

    /// Reads it; `label` is its name beside others. What was printed may hold several results: of two OpenSSLs, of
    /// algorithms and of disks.
    ///
    /// # Errors
    /// If nothing in it is known here.
    pub fn read(&self, label: &str) -> Result<Vec<Results>, Unreadable> {
        match self {
            Self::Json(text) => Results::read(label, text).map(|results| vec![results]),
            Self::Printed(text) => pasted::read(label, text).map_err(Unreadable::Foreign),
        }
    }
}

impl Results {
    /// Reads a file's text; `label` is its name beside others.
    ///
    /// # Errors
    /// If the text is no result that is known here.
    pub fn read(label: &str, text: &str) -> Result<Self, Unreadable> {
        let schema = schema(text)?;
        let content = match schema.as_deref() {
            Some(Bench::SCHEMA) => Content::Bench(parse(Bench::SCHEMA, text)?),
            Some(Disk::SCHEMA) => Content::Disk(parse(Disk::SCHEMA, text)?),
            Some(Survey::SCHEMA) => Content::Survey(parse(Survey::SCHEMA, text)?),
            Some(Vpn::SCHEMA) => Content::Vpn(parse(Vpn::SCHEMA, text)?),
            Some(other) => {
                return Err(Unreadable::Foreign(format!("its schema is {other}: {READ}")));
            }
            None => return Err(Unreadable::Foreign(format!("it names no schema: {READ}"))),
        };
        let about: About = parse(schema.as_deref().unwrap_or_default(), text)?;
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

/// What a document says that it is; the rest of it is looked at, and not kept.
fn schema(text: &str) -> Result<Option<String>, Unreadable> {
    #[derive(Deserialize)]
    struct Named {
        schema: Option<Value>,
    }
    match serde_json::from_str::<Named>(text) {
        Ok(Named { schema: Some(Value::String(schema)) }) => Ok(Some(schema)),
        Ok(_) => Ok(None),
        Err(error) if error.is_data() => Ok(None),
        Err(error) => Err(Unreadable::Broken(format!("no JSON: {error}"))),
    }
}

fn parse<T: DeserializeOwned>(schema: &str, text: &str) -> Result<T, Unreadable> {
    serde_json::from_str(text)
        .map_err(|error| Unreadable::Broken(format!("not as {schema} should be: {error}")))
}
