//! The result as data: `wirespeed.disk/1`, described in docs/json.md.

use serde::Serialize;
use wirespeed_disk::document::Row;
use wirespeed_machine::Machine;

use super::advice::advice;
use super::cautions::cautions;
use super::cryptsetup::Compared;
use super::kernel::ground;
use super::request::{Place, Request};
use super::warnings;
use crate::fault::Fault;
use crate::output::WIDTH;
use crate::output::table::wrap;

/// Everything that `wirespeed disk` found.
#[derive(Serialize)]
pub(super) struct Document {
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    /// Whose figures these are, null for our own.
    source: Option<String>,
    pub(super) machine: Machine,
    settings: Setting,
    /// Whether the run was broken off.
    pub(super) interrupted: bool,
    pub(super) rows: Vec<Row>,
    /// The rows of the table of dm-crypt's options.
    pub(super) options: Vec<Row>,
    /// What cryptsetup says.
    pub(super) cryptsetup: Vec<Compared>,
    advice: Vec<String>,
    cautions: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// What was asked for.
#[derive(Serialize)]
struct Setting {
    bytes: u64,
    threads: usize,
    sector_bytes: usize,
    /// Where the file was; null with dm-crypt.
    directory: Option<String>,
    /// What dm-crypt lay on; null without.
    device: Option<String>,
}

impl Document {
    /// Nothing measured yet.
    pub(super) fn begin(request: &Request, machine: Machine) -> Self {
        let settings = &request.settings;
        let (directory, device) = match &request.place {
            Place::Process { directory, .. } => (Some(directory.display().to_string()), None),
            Place::Kernel { backing, .. } => (None, Some(ground(backing))),
        };
        Self {
            schema: "wirespeed.disk/1",
            version: env!("CARGO_PKG_VERSION"),
            source: None,
            machine,
            settings: Setting {
                bytes: settings.bytes,
                threads: settings.threads,
                sector_bytes: settings.sector_bytes,
                directory,
                device,
            },
            interrupted: false,
            rows: Vec::new(),
            options: Vec::new(),
            cryptsetup: Vec::new(),
            advice: Vec::new(),
            cautions: Vec::new(),
            warnings: warnings::at_start(settings),
        }
    }

    /// Draws the conclusions from what was measured.
    pub(super) fn conclude(&mut self) {
        self.advice = advice(&self.rows, self.machine.cpu.cores);
        self.cautions = cautions(&self.rows);
    }

    /// Whatever read other bytes than were written.
    pub(super) fn verdict(&self) -> Result<(), Fault> {
        let rows = self.rows.iter().chain(&self.options);
        let wrong: Vec<String> = rows
            .filter(|row| row.wrong.is_some())
            .map(|row| format!("{} ({})", row.cipher, row.store))
            .collect();
        match wrong.as_slice() {
            [] => Ok(()),
            wrong => Err(Fault::NotSo(format!(
                "what was read is not what was written, or not as it must be: {}",
                wrong.join(", ")
            ))),
        }
    }

    /// The conclusions as paragraphs.
    pub(super) fn closing(&self) -> String {
        let paragraph = |text: &String| {
            let words: Vec<&str> = text.split(' ').collect();
            format!("{}\n", wrap(&words, " ", WIDTH, 2))
        };
        let section = |title: &str, texts: &[String]| match texts {
            [] => String::new(),
            texts => format!("\n{title}\n{}", texts.iter().map(paragraph).collect::<String>()),
        };
        section("What this says", &self.advice) + &section("Cautions", &self.cautions)
    }
}
