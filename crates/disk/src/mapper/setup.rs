//! A device to map on, mappings on it one after the other, and the end of all that.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

use super::backing::{self, Made, loop_file};
use super::driver::Users;
use super::integrity::{self, Cut, SUPERBLOCK};
use super::record::{self, Record};
use super::table;
use super::teardown::{Outcome, take_down};
use super::watcher::Watcher;
use super::{Backing, Choice, Trouble, Unmapped, Unproved, device, dmsetup, lacking, proof};
use crate::UNIT;
use crate::store::{Direct, Store};
use crate::{Candidate, Specification};

/// A disk that is smaller is not worth a test.
const LEAST: u64 = 1 << 20;

/// Sizes are whole sectors, of whichever size.
const BORDER: u64 = 4096;

/// A device to map on, and everything that was set up for it. Dropping it takes all down.
pub struct Setup {
    record: Record,
    // After the record, whose lock it may wait for.
    _watcher: Watcher,
    name: String,
    place: String,
    raw: PathBuf,
    bytes: u64,
    /// Bytes of the device below: `bytes`, and room for tags where there is any.
    room: u64,
    /// How many things of the record are the device below.
    ground: usize,
    remarks: Vec<String>,
    /// Targets of the device mapper's that are known to be there.
    targets: Vec<&'static str>,
    is_closed: bool,
}

/// A device that the kernel encrypts.
pub struct Mapping {
    /// The device's path.
    pub path: PathBuf,
    /// Bytes of it.
    pub bytes: u64,
    /// The kernel's driver that computes, as far as the kernel tells.
    pub driver: Option<String>,
    pub(super) sector_bytes: usize,
    /// How the device below is cut, and the bytes of a tag, if it has tags.
    pub(super) tags: Option<(Cut, usize)>,
    /// What writes tags, above the parts of the device below: names and tables, in the order of their making.
    layers: Vec<(String, String)>,
}

impl Setup {
    /// Takes hold of what the mapping shall lie on, `bytes` of it or, of memory, as many as there is room for.
    pub fn open(backing: &Backing, bytes: u64, mut watcher: Watcher) -> Result<Self, Trouble> {
        if bytes < LEAST {
            return Err(Trouble("a disk needs at least 1 MiB: give a larger --size".to_owned()));
        }
        if !rustix::process::geteuid().is_root() {
            return Err(Trouble("device mapper and disks are root's: run it with sudo".to_owned()));
        }
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wirespeed-{}-{count}", std::process::id());
        let directory = Path::new(record::DIRECTORY);
        // First, so that there is no moment in which a kill leaves a record that nobody watches over.
        watcher.watch(&directory.join(&name))?;
        let record = Record::create(directory, &name)
            .map_err(|error| Trouble(format!("{}: {error}", directory.display())))?;
        let mut setup = Self {
            record,
            _watcher: watcher,
            raw: dmsetup::path(&format!("{name}-raw")),
            name,
            place: backing.to_string(),
            bytes: 0,
            room: 0,
            ground: 0,
            remarks: Vec::new(),
            targets: Vec::new(),
            is_closed: false,
        };
        setup.lay(backing, bytes / BORDER * BORDER)?;
        Ok(setup)
    }

    /// Makes the device below: a part of what it lies on, which is the device mapper's alone from then on.
    fn lay(&mut self, backing: &Backing, bytes: u64) -> Result<(), Trouble> {
        dmsetup::load(&self.record)?;
        let name = format!("{}-raw", self.name);
        let (path, room) = match backing {
            Backing::Ram(which) => {
                let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
                self.bytes = crate::memory::share(bytes, &meminfo)?;
                if self.bytes < bytes {
                    self.remarks.push(format!(
                        "the disk has {} MiB, half of the memory that is available, and is used over and over",
                        self.bytes >> 20
                    ));
                }
                let room = integrity::with_tags(self.bytes);
                let made = backing::memory(&mut self.record, *which, &self.name, room)?;
                (self.made(made), room)
            }
            Backing::Loop(file) => {
                self.bytes = bytes;
                let room = integrity::with_tags(bytes);
                let made = loop_file::make(&mut self.record, file, &self.name, room)?;
                (self.made(made), room)
            }
            Backing::Device(path) => {
                let facts = &device::Machine;
                let (found, held) = device::examine(facts, path, bytes)?;
                self.bytes = bytes;
                let room = integrity::with_tags(bytes).min(found.bytes / BORDER * BORDER);
                // The device mapper takes a device for itself alone, and so cannot while this process has it so.
                drop(held);
                self.map_raw(&name, path, room)?;
                // Nobody else can take it now; somebody may have in the moment between.
                return device::nothing_known(facts, path);
            }
        };
        self.map_raw(&name, &path, room)
    }

    fn made(&mut self, made: Made) -> PathBuf {
        self.remarks.extend(made.remarks);
        made.path
    }

    fn map_raw(&mut self, name: &str, path: &Path, room: u64) -> Result<(), Trouble> {
        let table = table::linear(&dmsetup::number(path)?, 0, room / UNIT);
        dmsetup::create(&mut self.record, name, &table).map_err(|why| {
            Trouble(format!("the device mapper does not take {}: {why}", path.display()))
        })?;
        self.room = room;
        self.ground = self.record.things().len();
        Ok(())
    }

    /// What it all lies on, by the name that it was asked for by.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The device below.
    pub fn raw(&self) -> &Path {
        &self.raw
    }

    /// Bytes of it that are ours.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of it, with the room for tags.
    pub(super) const fn room(&self) -> u64 {
        self.room
    }

    /// What whoever reads the results should know about what was set up: which driver, and what is not as it was
    /// asked for.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Maps it with a cipher. What was mapped before goes away.
    pub fn map(
        &mut self,
        candidate: Candidate,
        key: &[u8],
        sector_bytes: usize,
        choices: &[Choice],
    ) -> Result<Mapping, Unmapped> {
        self.clear().map_err(Unmapped::Failed)?;
        let mapped = self.build(candidate, key, sector_bytes, choices);
        if mapped.is_err() {
            self.clear().map_err(Unmapped::Failed)?;
        }
        mapped
    }

    fn build(
        &mut self,
        candidate: Candidate,
        key: &[u8],
        sector_bytes: usize,
        choices: &[Choice],
    ) -> Result<Mapping, Unmapped> {
        let name = format!("{}-crypt", self.name);
        let mut mapping = Mapping {
            path: dmsetup::path(&name),
            bytes: self.bytes,
            driver: None,
            sector_bytes,
            tags: None,
            layers: Vec::new(),
        };
        if candidate.specification == Specification::Plain {
            let raw = dmsetup::number(&self.raw).map_err(Unmapped::Failed)?;
            let table = table::linear(&raw, 0, self.bytes / UNIT);
            return match dmsetup::create(&mut self.record, &name, &table) {
                Ok(()) => Ok(mapping),
                Err(why) => Err(Unmapped::Failed(Trouble(why))),
            };
        }
        self.needs("crypt")?;
        let below = match candidate.specification.tag_bytes() {
            0 => self.raw.clone(),
            tag_bytes => self.tagged(&mut mapping, tag_bytes)?,
        };
        let below = dmsetup::number(&below).map_err(Unmapped::Failed)?;
        let units = mapping.bytes / UNIT;
        let names = table::names(candidate);
        for algorithm in &names {
            let table =
                table::crypt(&below, units, candidate, algorithm, key, sector_bytes, choices);
            let before = Users::now();
            match dmsetup::create(&mut self.record, &name, &table) {
                Ok(()) => {
                    mapping.driver = before.mapped(algorithm);
                    if mapping.tags.is_some() {
                        mapping.layers.push((name, table));
                    }
                    return Ok(mapping);
                }
                // ENOENT: the crypto API has nothing of this name.
                Err(why) if why.contains("No such file or directory") => {}
                // ELIBBAD, of all things.
                Err(why) if why.contains("corrupted shared library") => {
                    let why = "the kernel's own test of it failed".to_owned();
                    return Err(Unmapped::Lacking(why));
                }
                Err(why) => {
                    let why = format!("dm-crypt does not take {candidate}: {why}");
                    return Err(Unmapped::Failed(Trouble(why)));
                }
            }
        }
        let configuration = lacking::configuration();
        Err(Unmapped::Lacking(lacking::reason(candidate, &names, configuration.as_deref())))
    }

    /// Cuts the device below in two, and lets dm-integrity keep tags on the second part; its device.
    fn tagged(&mut self, mapping: &mut Mapping, tag_bytes: usize) -> Result<PathBuf, Unmapped> {
        self.needs("integrity")?;
        let sector_bytes = mapping.sector_bytes;
        let cut = integrity::cut(self.room, self.bytes, tag_bytes, sector_bytes);
        let cut = cut.ok_or_else(|| {
            Unmapped::Lacking("the disk is too small for sectors and their tags".to_owned())
        })?;
        let failed = |why| Unmapped::Failed(Trouble(why));
        let raw = dmsetup::number(&self.raw).map_err(Unmapped::Failed)?;
        let mut part = |word: &str, first: u64, bytes: u64| {
            let name = format!("{}-{word}", self.name);
            let table = table::linear(&raw, first / UNIT, bytes / UNIT);
            dmsetup::create(&mut self.record, &name, &table).map_err(failed)?;
            Ok::<_, Unmapped>(dmsetup::path(&name))
        };
        let data = part("data", 0, cut.data)?;
        let tags = part("tags", cut.data, cut.tags)?;
        blank(&tags, cut.tags).map_err(|error| failed(format!("{}: {error}", tags.display())))?;
        let (data, tags) = (dmsetup::number(&data), dmsetup::number(&tags));
        let (data, tags) = (data.map_err(Unmapped::Failed)?, tags.map_err(Unmapped::Failed)?);
        let table = table::integrity(&data, &tags, cut.data / UNIT, tag_bytes, sector_bytes);
        let name = format!("{}-integrity", self.name);
        dmsetup::create(&mut self.record, &name, &table)
            .map_err(|why| failed(format!("dm-integrity does not take its devices: {why}")))?;
        mapping.bytes = cut.data;
        mapping.tags = Some((cut, tag_bytes));
        let path = dmsetup::path(&name);
        mapping.layers.push((name, table));
        Ok(path)
    }

    fn needs(&mut self, target: &'static str) -> Result<(), Unmapped> {
        if self.targets.contains(&target) {
            return Ok(());
        }
        if !dmsetup::knows(&self.record, target).map_err(Unmapped::Failed)? {
            return Err(Unmapped::Lacking(format!("this kernel has no dm-{target}")));
        }
        self.targets.push(target);
        Ok(())
    }

    /// Proves that the mapping's bytes on the device are those that `sectors` computes, both ways: what was
    /// written through the mapping is decrypted by ours, and what ours wrote is read through the mapping.
    /// Gives the bytes compared.
    pub fn prove(
        &mut self,
        mapping: &Mapping,
        candidate: Candidate,
        key: &[u8],
    ) -> Result<u64, Unproved> {
        proof::prove(self, mapping, candidate, key)
    }

    /// Takes away what keeps tags in memory, so that those on the device below are all there is.
    pub(super) fn lift(&mut self, mapping: &Mapping) -> Result<(), Trouble> {
        let kept = self.record.things().len() - mapping.layers.len();
        take_down(&mut self.record, kept).trouble()
    }

    /// Makes it again.
    pub(super) fn lower(&mut self, mapping: &Mapping) -> Result<(), Trouble> {
        for (name, table) in &mapping.layers {
            dmsetup::create(&mut self.record, name, table).map_err(Trouble)?;
        }
        Ok(())
    }

    /// Takes the mapping away.
    pub fn unmap(&mut self, mapping: Mapping) -> Result<(), Trouble> {
        drop(mapping);
        self.clear()
    }

    /// Leaves the device below.
    fn clear(&mut self) -> Result<(), Trouble> {
        take_down(&mut self.record, self.ground).trouble()
    }

    /// Takes everything down, and says what could not be.
    pub fn close(mut self) -> Result<(), Trouble> {
        self.end().trouble()
    }

    fn end(&mut self) -> Outcome {
        self.is_closed = true;
        take_down(&mut self.record, 0)
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        if !self.is_closed {
            // What is left is on record, and a later run says so.
            self.end();
        }
    }
}

/// Zeroes the place of dm-integrity's superblock, so that it makes a new one.
fn blank(path: &Path, bytes: u64) -> io::Result<()> {
    let mut lane = Direct::device(path, bytes)?.lane(0, bytes)?;
    lane.write(0, SUPERBLOCK, &mut |buffer| buffer.fill(0))?;
    lane.finish()
}
