//! Where results go: a file, or standard output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::call;
use crate::fault::Fault;

/// That files can be written, before anything is measured for them; "-" always can.
pub(crate) fn check_writable<'t>(targets: impl IntoIterator<Item = &'t str>) -> Result<(), Fault> {
    targets.into_iter().filter(|target| *target != "-").try_for_each(try_to_write)
}

fn try_to_write(target: &str) -> Result<(), Fault> {
    let tried = match OpenOptions::new().write(true).create_new(true).open(target) {
        Ok(_) => fs::remove_file(target),
        // What is there stays as it is until there is something to write.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(target).map(|_| ())
        }
        Err(error) => Err(error),
    };
    tried.map_err(|error| cannot_write(target, &error))
}

fn cannot_write(target: &str, error: &io::Error) -> Fault {
    Fault::usage(format!("cannot write {target}: {error}"))
}

/// Writes pretty JSON to the file, or to standard output for "-".
pub(crate) fn write_json(target: &str, value: &impl Serialize) -> Result<(), Fault> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
    write_text(target, &format!("{text}\n"))
}

/// Says something to people on standard output, with commands as a shell here starts this program.
pub(crate) fn say(text: &str) -> Result<(), Fault> {
    write_text("-", &call::told(text))
}

/// Writes text to the file, or to standard output for "-".
pub(crate) fn write_text(target: &str, text: &str) -> Result<(), Fault> {
    if target == "-" {
        let mut output = io::stdout().lock();
        output.write_all(text.as_bytes())?;
        return Ok(output.flush()?);
    }
    let written = File::create(target).and_then(|file| {
        let mut file = BufWriter::new(file);
        file.write_all(text.as_bytes())?;
        file.flush()
    });
    written.map_err(|error| cannot_write(target, &error))
}
