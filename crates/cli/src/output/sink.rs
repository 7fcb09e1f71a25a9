//! Where results go: a file, or standard output.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use serde::Serialize;
use tempfile::{Builder, NamedTempFile};
use wirespeed_installation::Staged;

use super::call;
use crate::fault::Fault;

/// That files can be written, before anything is measured for them; "-" always can.
pub(crate) fn check_writable<'t>(targets: impl IntoIterator<Item = &'t str>) -> Result<(), Fault> {
    targets.into_iter().filter(|target| *target != "-").try_for_each(try_to_write)
}

fn try_to_write(target: &str) -> Result<(), Fault> {
    // The reader of a pipe would take an open and a close for all that comes.
    if fs::metadata(target).is_ok_and(|about| about.file_type().is_fifo()) {
        return Ok(());
    }
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

/// Writes pretty JSON to the file, or to standard output for "-", if there is a target.
pub(crate) fn write_json<'t>(
    target: impl Into<Option<&'t str>>,
    value: &impl Serialize,
) -> Result<(), Fault> {
    let Some(target) = target.into() else { return Ok(()) };
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

/// Writes text to the file, or to standard output for "-". What the file held stays until all is written.
pub(crate) fn write_text(target: &str, text: &str) -> Result<(), Fault> {
    if target == "-" {
        let mut output = io::stdout().lock();
        output.write_all(text.as_bytes())?;
        return Ok(output.flush()?);
    }
    write_file(target, text, None)
}

/// The file, with these permissions or its own.
fn write_file(target: &str, text: &str, permissions: Option<Permissions>) -> Result<(), Fault> {
    // A link stays a link.
    let path = fs::canonicalize(target).or_else(|_| std::path::absolute(target));
    let written = path.and_then(|path| match fs::metadata(&path) {
        Ok(old) => match substitute(&path, &old) {
            Some(new) => replace(new, &path, text, permissions.or(Some(old.permissions()))),
            None => fs::write(&path, text),
        },
        Err(_) => replace(beside(&path)?, &path, text, permissions),
    });
    written.map_err(|error| cannot_write(target, &error))
}

/// Writes metrics so that the collector, which may read at any moment, sees the old file or the whole new one.
pub(crate) fn write_metrics(target: &str, text: &str) -> Result<(), Fault> {
    if target == "-" {
        return write_text(target, text);
    }
    // node_exporter is another user.
    write_file(target, text, Some(Permissions::from_mode(0o644)))
}

/// A new file that can stand for this one: not for a device, nor for a file of another user or of several names.
fn substitute(path: &Path, old: &Metadata) -> Option<NamedTempFile> {
    if !old.is_file() || old.nlink() != 1 {
        return None;
    }
    let new = beside(path).ok()?;
    let owner = new.as_file().metadata().ok()?.uid();
    (owner == old.uid()).then_some(new)
}

fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().ok_or(io::ErrorKind::IsADirectory)?;
    // A collector takes names that end in .prom: not this one.
    Builder::new().make_in(folder, |path| File::create_new(path))
}

/// Puts a new file in a place at once, with these permissions or those of any new file.
fn replace(
    mut new: NamedTempFile,
    place: &Path,
    text: &str,
    permissions: Option<Permissions>,
) -> io::Result<()> {
    new.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        new.as_file().set_permissions(permissions)?;
    }
    Staged::new(new, place)?.place()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;

    #[test]
    fn results_are_replaced_as_a_whole_where_that_can_be() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("a.json"), folder.path().join("link"));
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("its own");
        symlink("a.json", &link).expect("a link");
        let old = File::open(&path).expect("there");
        let write = |target: &Path| {
            let target = target.display().to_string();
            write_text(&target, "new\n").unwrap_or_else(|_| panic!("written"));
        };
        write(&link);
        assert_eq!(io::read_to_string(old).expect("read"), "old");
        assert_eq!(fs::read_to_string(&path).expect("read"), "new\n");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
        // Of two names both show the new text.
        let other = folder.path().join("b.json");
        fs::hard_link(&path, &other).expect("a second name");
        fs::write(&path, "old").expect("written");
        write(&path);
        assert_eq!(fs::read_to_string(&other).expect("read"), "new\n");
        write(Path::new("/dev/null"));
        write_metrics("/dev/null", "new").unwrap_or_else(|_| panic!("written"));
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);
        assert!(write_text("/dev/full", "new").is_err());
    }

    #[test]
    fn the_reader_of_a_pipe_gets_what_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe").display().to_string();
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).expect("a pipe");
        let (read, written) = (pipe.clone(), pipe.clone());
        let reader = thread::spawn(move || fs::read_to_string(read).expect("read"));
        check_writable([&*pipe]).unwrap_or_else(|_| panic!("writable"));
        // Nobody waits for it: without a reader it would never end.
        thread::spawn(move || write_text(&written, "new\n").is_ok());
        assert_eq!(reader.join().expect("no panic"), "new\n");
    }

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
