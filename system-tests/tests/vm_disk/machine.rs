//! What the machine has: its devices, what is mapped, what the program leaves behind; compared before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_system_tests::process::{command, name, output, tree};

use crate::program::NAME;

/// Where the program keeps account of what it sets up.
pub(crate) const RECORDS: &str = "/run/wirespeed/disks";

/// Everything that a run may make, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Devices of the device mapper, with their tables.
    pub(crate) mappings: BTreeMap<String, String>,
    /// Loop devices in use, with their files.
    pub(crate) loops: BTreeMap<String, String>,
    /// Every other block device.
    pub(crate) disks: BTreeSet<String>,
    /// What null_blk was told to make.
    pub(crate) configured: BTreeSet<String>,
    /// Drivers of devices in memory that are loaded.
    pub(crate) drivers: BTreeSet<String>,
    /// Files of the program's own account.
    pub(crate) records: BTreeSet<PathBuf>,
    /// Processes of the program's.
    pub(crate) processes: BTreeSet<u32>,
    /// Nodes that the device mapper made.
    pub(crate) nodes: BTreeSet<String>,
}

impl Machine {
    /// As it is now.
    pub(crate) fn now() -> Result<Self, String> {
        let blocks = entries("/sys/block");
        let modules = entries("/sys/module");
        let drivers = ["brd", "zram", "null_blk"].map(str::to_owned);
        Ok(Self {
            mappings: mappings()?,
            loops: loops(),
            // Loop devices come into being with their driver and stay.
            disks: blocks.into_iter().filter(|block| !block.starts_with("loop")).collect(),
            configured: entries("/sys/kernel/config/nullb"),
            drivers: drivers.into_iter().filter(|driver| modules.contains(driver)).collect(),
            records: files(Path::new(RECORDS)),
            processes: processes(),
            // But for the one that comes with its driver.
            nodes: entries("/dev/mapper").into_iter().filter(|node| node != "control").collect(),
        })
    }

    /// Fails with what is another now.
    pub(crate) fn is_unchanged(&self) -> Result<(), String> {
        let now = Self::now()?;
        if *self == now { Ok(()) } else { Err(format!("it was {self:?}, and is {now:?}")) }
    }
}

/// Names in a directory, none if there is no such directory.
fn entries(folder: &str) -> BTreeSet<String> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    listed.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        all.extend(if path.is_dir() { files(&path) } else { [path].into() });
    }
    all
}

fn loops() -> BTreeMap<String, String> {
    let backed = |block: String| {
        let file = format!("/sys/block/{block}/loop/backing_file");
        let file = fs::read_to_string(file).ok()?.trim().to_owned();
        Some((block, file))
    };
    entries("/sys/block").into_iter().filter_map(backed).collect()
}

/// Tables of the device mapper's devices.
fn mappings() -> Result<BTreeMap<String, String>, String> {
    if !entries("/sys/block").iter().any(|block| block.starts_with("dm-")) {
        return Ok(BTreeMap::new());
    }
    let said = output(command("dmsetup").arg("table"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    Ok(said
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, table)| (name.to_owned(), table.to_owned()))
        .collect())
}

/// How far a run has come, as sysfs shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The account is begun.
    Recorded,
    /// A device is there.
    Device,
    /// Something is encrypted.
    Mapped,
    /// It is being written.
    Written,
    /// That is gone again.
    Unmapped,
}

impl Stage {
    pub(crate) const ALL: [Self; 5] =
        [Self::Recorded, Self::Device, Self::Mapped, Self::Written, Self::Unmapped];

    /// Whether a run has come so far on a machine that was `before`; `seen` is whether it has encrypted anything.
    ///
    /// No program is started for it: what it looks for may last a moment only.
    pub(crate) fn is_reached(self, before: &Machine, seen: &mut bool) -> bool {
        let blocks = entries("/sys/block");
        let new: Vec<_> = blocks.difference(&before.disks).collect();
        let name = |block: &String| {
            fs::read_to_string(format!("/sys/block/{block}/dm/name")).unwrap_or_default()
        };
        let encrypted = new.iter().find(|block| name(block).trim().ends_with("-crypt"));
        *seen |= encrypted.is_some();
        match self {
            Self::Recorded => files(Path::new(RECORDS)) != before.records,
            Self::Device => {
                new.iter().any(|block| !block.starts_with("loop")) || loops() != before.loops
            }
            Self::Mapped => encrypted.is_some(),
            Self::Written => encrypted.is_some_and(|block| sectors_written(block) > 2048),
            Self::Unmapped => *seen && encrypted.is_none(),
        }
    }
}

/// Sectors that were written to a block device (the kernel's Documentation/block/stat.rst).
fn sectors_written(block: &str) -> u64 {
    let stat = fs::read_to_string(format!("/sys/block/{block}/stat")).unwrap_or_default();
    stat.split_whitespace().nth(6).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Whether nobody holds an account any more.
pub(crate) fn is_abandoned() -> bool {
    let is_free = |path: &PathBuf| fs::File::open(path).is_ok_and(|file| file.try_lock().is_ok());
    files(Path::new(RECORDS)).iter().all(is_free)
}

/// The program's processes, those that left our session included. A process that has ended and is not waited
/// for is none any more.
fn processes() -> BTreeSet<u32> {
    let ours = |process: &u32| {
        let named = name(*process).is_some_and(|name| name == NAME);
        named && fs::read_link(format!("/proc/{process}/exe")).is_ok()
    };
    tree(1).into_iter().filter(ours).collect()
}

/// Those of the program's processes that were not started by a test, as `wirespeed disk`.
pub(crate) fn watchers() -> BTreeSet<u32> {
    let watches = |process: &u32| {
        let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).nth(1).is_some_and(|word| word != b"disk")
    };
    processes().into_iter().filter(watches).collect()
}
