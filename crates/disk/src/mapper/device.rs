//! Whether a block device may be overwritten: only one that nobody uses and that holds nothing known.
//!
//! Every refusal is one line that says what is the matter, and what to do instead. In doubt a device is refused.

mod facts;

use std::fs::File;
use std::path::Path;

pub(super) use facts::{Facts, Kind, Machine};

use super::Trouble;
use crate::UNIT;

/// A device that would be overwritten, for the question whether it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Bytes that it has.
    pub bytes: u64,
    /// Its maker's name for it, if it has one.
    pub model: Option<String>,
}

/// Looks at a device; gives it opened, so that nobody else takes it while the file is open.
pub(super) fn examine(
    facts: &dyn Facts,
    path: &Path,
    bytes: u64,
) -> Result<(Description, Option<File>), Trouble> {
    let refused = |why: String| Trouble(format!("{} {why}", path.display()));
    let number = whole_path(facts, path).map_err(refused)?;
    let own = Place { facts, directory: format!("/sys/dev/block/{number}") };
    let has = own.read("size").and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * UNIT;
    own.unused(&number, path).map_err(refused)?;
    neighbours(&own).map_err(refused)?;
    if own.read("ro").as_deref() != Some("0") {
        return Err(refused("is read-only: name another device".to_owned()));
    }
    if has < bytes {
        let (has, bytes) = (has >> 10, bytes >> 10);
        return Err(refused(format!(
            "is too small, {has} KiB where {bytes} KiB are wanted: give a smaller --size or name another device"
        )));
    }
    let held = facts.claim(path).map_err(|error| match error.raw_os_error() {
        Some(number) if number == rustix::io::Errno::BUSY.raw_os_error() => {
            refused("is in use: end what uses it, or name another device".to_owned())
        }
        _ => refused(format!("cannot be opened: {error}")),
    })?;
    nothing_known(facts, path)?;
    let model = own.read("device/model").filter(|model| !model.is_empty());
    Ok((Description { bytes: has, model }, held))
}

/// Refuses a device with content that a program knows.
pub(super) fn nothing_known(facts: &dyn Facts, path: &Path) -> Result<(), Trouble> {
    let found = facts.signatures(path)?;
    if found.is_empty() {
        return Ok(());
    }
    Err(Trouble(format!(
        "{path} holds {what}: name another device, or if nobody wants that any more: wipefs --all {path}",
        path = path.display(),
        what = found.join(", ")
    )))
}

/// The numbers of the block device whose own path this is.
fn whole_path(facts: &dyn Facts, path: &Path) -> Result<String, String> {
    let number = match facts.kind(path).map_err(|error| format!("cannot be looked at: {error}"))? {
        Kind::Link => {
            let target = facts.canonical(path).map_err(|error| error.to_string())?;
            let target = target.display();
            return Err(format!("is a symbolic link: name the device itself, now {target}"));
        }
        Kind::Other => {
            return Err("is not a block device: name one, or a new file with --loop".to_owned());
        }
        Kind::Block(number) => number,
    };
    let canonical = facts.canonical(path).map_err(|error| error.to_string())?;
    match canonical.as_os_str() == path.as_os_str() {
        true => Ok(number),
        false => Err(format!("is not the device's own path: name {}", canonical.display())),
    }
}

/// A device's directory in sysfs.
struct Place<'a> {
    facts: &'a dyn Facts,
    directory: String,
}

impl Place<'_> {
    fn read(&self, name: &str) -> Option<String> {
        let text = self.facts.read(&format!("{}/{name}", self.directory))?;
        Some(text.trim().to_owned())
    }

    fn list(&self, name: &str) -> Vec<String> {
        self.facts.list(&format!("{}/{name}", self.directory))
    }

    /// A directory beside or below this one.
    fn at(&self, name: &str) -> Self {
        Place { facts: self.facts, directory: format!("{}/{name}", self.directory) }
    }

    /// Its partitions' names: a partition's directory lies in its disk's.
    fn partitions(&self) -> Vec<String> {
        let is_partition = |name: &String| self.at(name).read("partition").is_some();
        self.list("").into_iter().filter(is_partition).collect()
    }

    /// Fails if the kernel uses the device: a file system, swap, the device mapper, RAID.
    fn unused(&self, number: &str, path: &Path) -> Result<(), String> {
        let facts = self.facts;
        let mounts = facts.read("/proc/self/mountinfo").ok_or("may be mounted: no /proc")?;
        if let Some(place) = mounted(&mounts, number, path) {
            return Err(format!("is mounted at {place}: unmount it, or name another device"));
        }
        let swaps = facts.read("/proc/swaps").unwrap_or_default();
        let mut spaces = swaps.lines().skip(1).filter_map(|line| line.split(' ').next());
        if spaces.any(|space| unescaped(space) == path.to_string_lossy()) {
            return Err("is used for swap: swapoff, or name another device".to_owned());
        }
        if let Some(holder) = self.list("holders").first() {
            let name = facts.read(&format!("/sys/block/{holder}/dm/name"));
            let name = name.map_or_else(|| holder.clone(), |name| name.trim().to_owned());
            return Err(format!(
                "is in use by {name}, as the device mapper, LVM and RAID do: name another device"
            ));
        }
        if let Some(part) = self.list("slaves").first() {
            return Err(format!(
                "is made of {part} by the device mapper, LVM or RAID: name a plain disk or a partition"
            ));
        }
        // What the kernel does not count as use: a loop device's file, and whatever a program does with an open device.
        if let Some(name) = loops_over(facts, path).first() {
            return Err(format!("is in use by {name}: losetup --detach, or name another device"));
        }
        if let Some(program) = facts.openers(path).first() {
            return Err(format!(
                "is in use: {program} has it open: end that, or name another device"
            ));
        }
        Ok(())
    }
}

/// The loop devices of a file or a device, by the kernel's names.
pub(super) fn loops_over(facts: &dyn Facts, path: &Path) -> Vec<String> {
    let is_over = |name: &String| {
        let file = facts.read(&format!("/sys/block/{name}/loop/backing_file"));
        file.is_some_and(|text| Path::new(text.strip_suffix('\n').unwrap_or(&text)) == path)
    };
    facts.list("/sys/block").into_iter().filter(is_over).collect()
}

/// Fails for a disk with partitions, and for a partition whose disk somebody uses.
fn neighbours(own: &Place<'_>) -> Result<(), String> {
    if let Some(name) = own.partitions().first() {
        return Err(format!("has a partition, {name}: name a partition, or a disk without any"));
    }
    if own.read("partition").is_none() {
        return Ok(());
    }
    let disk = own.at("..");
    let number = disk.read("dev").unwrap_or_default();
    let path = |name: &str| Path::new("/dev").join(name);
    disk.unused(&number, &path(&disk.name()))
        .map_err(|why| format!("is a partition of a disk that {why}"))?;
    for name in disk.partitions() {
        let other = disk.at(&name);
        let number = other.read("dev").unwrap_or_default();
        other
            .unused(&number, &path(&name))
            .map_err(|why| format!("is a partition beside {name}, which {why}"))?;
    }
    Ok(())
}

impl Place<'_> {
    /// The kernel's name for it.
    fn name(&self) -> String {
        let text = self.read("uevent").unwrap_or_default();
        let name = text.lines().find_map(|line| line.strip_prefix("DEVNAME="));
        name.unwrap_or_default().to_owned()
    }
}

/// Where a device is mounted: proc_pid_mountinfo(5), by its numbers or, where a file system has numbers of its own,
/// by its path.
fn mounted(mounts: &str, number: &str, path: &Path) -> Option<String> {
    mounts.lines().find_map(|line| {
        let (place, source) = line.split_once(" - ")?;
        let mut words = place.split(' ').skip(2);
        let (own, place) = (words.next()?, words.nth(1)?);
        let source = unescaped(source.split(' ').nth(1)?);
        (own == number || source == path.to_string_lossy()).then(|| unescaped(place))
    })
}

/// The kernel writes what would break a line as three octal digits.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

#[cfg(test)]
mod tests;
