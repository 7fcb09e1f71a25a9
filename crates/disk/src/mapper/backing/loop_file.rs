//! A new file as a block device, by a loop device that goes past the page cache where the file system can.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FallocateFlags, RenameFlags, fallocate, renameat_with, statvfs};

use super::super::record::{Record, Thing};
use super::super::{Trouble, device};
use super::Made;

/// Makes the file and its device.
pub(in super::super) fn make(
    record: &mut Record,
    path: &Path,
    name: &str,
    bytes: u64,
) -> Result<Made, Trouble> {
    let path = place(path)?;
    create(record, &path, name, bytes)?;
    record.add(Thing::Loop(path.clone()))?;
    let text = path.to_string_lossy();
    if !Path::new("/dev/loop-control").exists() {
        let loaded = record.run("modprobe", &["loop"], "");
        loaded.map_err(|why| Trouble(format!("this kernel has no loop devices: {why}")))?;
    }
    // Sectors of 4096 bytes: with those of 512 the loop driver goes past the cache of few file systems.
    let common = ["--find", "--show", "--sector-size", "4096"];
    let attach = |direct: &str| {
        let arguments: Vec<&str> = common.into_iter().chain([direct, &*text]).collect();
        record.run("losetup", &arguments, "")
    };
    let device = attach("--direct-io=on").or_else(|_| attach("--direct-io=off"));
    let device = device.map_err(|why| Trouble(format!("losetup: {why}")))?;
    let device = PathBuf::from(device.trim());
    let mut remarks = Vec::new();
    let number = device.file_name().unwrap_or_default().to_string_lossy();
    let direct = fs::read_to_string(format!("/sys/block/{number}/loop/dio"));
    if !direct.is_ok_and(|text| text.trim() == "1") {
        remarks.push(format!(
            "the file system of {} has no way past the page cache: memory is a part of what was measured",
            path.display()
        ));
    }
    Ok(Made { path: device, remarks })
}

/// The whole path of a file that is not there yet.
fn place(path: &Path) -> Result<PathBuf, Trouble> {
    let shown = path.display();
    let exists = || Trouble(format!("{shown} exists already: --loop wants the name of a new file"));
    if path.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let name = path.file_name().ok_or_else(exists)?;
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let directory = parent.canonicalize();
    let directory = directory.map_err(|error| Trouble(format!("{}: {error}", parent.display())))?;
    let whole = directory.join(name);
    // The kernel and the record tell of it in lines of text.
    match whole.to_str().is_some_and(|text| !text.chars().any(char::is_control)) {
        true => Ok(whole),
        false => Err(Trouble(format!("{shown}: --loop wants a name without control characters"))),
    }
}

/// Makes the file with all its room. It gets its name last and at once, so that a file of that name that somebody
/// else has made is never taken for ours.
fn create(record: &mut Record, path: &Path, name: &str, bytes: u64) -> Result<(), Trouble> {
    let failed = |error: io::Error| Trouble(format!("{}: {error}", path.display()));
    let directory = path.parent().unwrap_or(Path::new("/"));
    let room = statvfs(directory).map_err(|error| failed(error.into()))?;
    if room.f_bavail.saturating_mul(room.f_frsize) < bytes {
        let mebibytes = bytes >> 20;
        return Err(Trouble(format!(
            "{} has no room for {mebibytes} MiB: name a file elsewhere or a smaller --size",
            directory.display()
        )));
    }
    let mut aside = OsString::from(path.as_os_str());
    aside.push(format!(".{name}"));
    let aside = PathBuf::from(aside);
    let unnamed = Thing::Aside(aside.clone());
    record.add(unnamed.clone())?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside);
    let file = file.map_err(failed)?;
    fallocate(&file, FallocateFlags::empty(), 0, bytes).map_err(|error| failed(error.into()))?;
    let metadata = file.metadata().map_err(failed)?;
    let (device, inode) = (metadata.dev(), metadata.ino());
    record.add(Thing::File { path: path.to_owned(), device, inode })?;
    renameat_with(CWD, &aside, CWD, path, RenameFlags::NOREPLACE).map_err(|error| match error {
        rustix::io::Errno::INVAL => Trouble(format!(
            "the file system of {} cannot rename without replacing: name a file elsewhere",
            path.display()
        )),
        error => failed(error.into()),
    })?;
    record.forget(&unnamed);
    Ok(())
}

/// Detaches every loop device of our file; whether there was one.
pub(in super::super) fn detach(record: &Record, path: &Path) -> Result<bool, String> {
    let devices = attached(path);
    for device in &devices {
        record.run("losetup", &["--detach", device], "")?;
    }
    // losetup promises to detach a device that is in use, later.
    match attached(path).first() {
        Some(device) => Err(format!("{device} is in use")),
        None => Ok(!devices.is_empty()),
    }
}

fn attached(path: &Path) -> Vec<String> {
    let names = device::loops_over(&device::Machine, path);
    names.into_iter().map(|name| format!("/dev/{name}")).collect()
}

/// Removes our file, if its name still stands for it; whether it was there.
pub(in super::super) fn remove(path: &Path, device: u64, inode: u64) -> Result<bool, String> {
    match path.symlink_metadata() {
        Ok(metadata) if (metadata.dev(), metadata.ino()) == (device, inode) => discard(path),
        _ => Ok(false),
    }
}

/// Removes a file whose name is ours alone.
pub(in super::super) fn discard(path: &Path) -> Result<bool, String> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests;
