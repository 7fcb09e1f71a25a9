//! Where results go: a file, or standard output.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::fault::Fault;

/// Writes pretty JSON to the file, or to standard output for "-".
pub(crate) fn write_json(target: &str, value: &impl Serialize) -> Result<(), Fault> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
    write_text(target, &format!("{text}\n"))
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
    written.map_err(|error| Fault::usage(format!("cannot write {target}: {error}")))
}
