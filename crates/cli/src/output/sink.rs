//! Where results go: a file, or standard output.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

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

/// The same on standard error, where nobody hears if it fails.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().write_all(call::told(text).as_bytes());
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

/// Writes metrics so that the collector, which may read at any moment, sees the old file or the whole new one.
pub(crate) fn write_metrics(target: &str, text: &str) -> Result<(), Fault> {
    if target == "-" {
        return write_text(target, text);
    }
    let path = Path::new(target);
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let replace = || -> io::Result<()> {
        // The collector takes names that end in .prom: not this one.
        let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        // node_exporter is another user.
        fs::set_permissions(file.path(), Permissions::from_mode(0o644))?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    replace().map_err(|error| cannot_write(target, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_replaced_as_a_whole_and_nothing_is_left_beside_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("wirespeed.prom");
        fs::write(&path, "old").expect("written");
        // Whoever has the old file open goes on reading it.
        let old = File::open(&path).expect("there");
        let target = path.display().to_string();
        write_metrics(&target, "new\n").unwrap_or_else(|_| panic!("written"));
        assert_eq!(io::read_to_string(old).expect("read"), "old");
        assert_eq!(fs::read_to_string(&path).expect("read"), "new\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        assert!(write_metrics("/no/such/folder/x.prom", "").is_err());
    }
}
