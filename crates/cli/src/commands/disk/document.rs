//! The result as data: `wirespeed.disk/1`.

use wirespeed_machine::Machine;
use wirespeed_results::schema::disk::{Disk, Settings};
use wirespeed_results::schema::{Document, VERSION};

use super::advice::advice;
use super::cautions::cautions;
use super::kernel::ground;
use super::request::{Place, Request};
use super::warnings;
use crate::fault::Fault;
use crate::output::table::paragraph;

/// Nothing measured yet.
pub(super) fn begin(request: &Request, machine: Machine) -> Disk {
    let settings = &request.settings;
    let (directory, device) = match &request.place {
        Place::Process { directory, .. } => (Some(directory.display().to_string()), None),
        Place::Kernel { backing, .. } => (None, Some(ground(backing))),
    };
    Disk {
        schema: Disk::SCHEMA.to_owned(),
        version: Some(VERSION.to_owned()),
        source: None,
        machine: Some(machine),
        settings: Some(Settings {
            bytes: Some(settings.bytes),
            threads: Some(settings.threads),
            sector_bytes: Some(settings.sector_bytes),
            directory,
            device,
        }),
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
pub(super) fn conclude(disk: &mut Disk) {
    disk.advice = advice(&disk.rows, disk.machine.as_ref().map_or(1, Machine::cores));
    disk.cautions = cautions(&disk.rows);
}

/// Whatever read other bytes than were written.
pub(super) fn verdict(disk: &Disk) -> Result<(), Fault> {
    let rows = disk.rows.iter().chain(&disk.options);
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
pub(super) fn closing(disk: &Disk) -> String {
    let paragraph = |text: &String| paragraph(text, 0, 2);
    let section = |title: &str, texts: &[String]| match texts {
        [] => String::new(),
        texts => format!("\n{title}\n{}", texts.iter().map(paragraph).collect::<String>()),
    };
    section("What this says", &disk.advice) + &section("Cautions", &disk.cautions)
}
