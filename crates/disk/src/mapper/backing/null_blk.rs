//! null_blk with memory behind it: a driver made for measurements, whose devices are directories of configfs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use super::super::Trouble;
use super::super::record::{Record, Thing};
use super::module;

const CONFIGFS: &str = "/sys/kernel/config";
const DEVICES: &str = "/sys/kernel/config/nullb";

/// Makes a device of this name.
pub(super) fn make(record: &mut Record, name: &str, bytes: u64) -> Result<PathBuf, Trouble> {
    module::load(record, "null_blk", &["nr_devices=0"])?;
    if !Path::new(DEVICES).exists() {
        record.add(Thing::Mount(CONFIGFS.into()))?;
        mount("configfs", CONFIGFS, "configfs", MountFlags::empty(), None)
            .map_err(|error| Trouble(format!("cannot mount configfs at {CONFIGFS}: {error}")))?;
    }
    if !Path::new(DEVICES).exists() {
        return Err(Trouble("this kernel's null_blk has no configfs: use --ram zram".to_owned()));
    }
    record.add(Thing::NullBlk(name.to_owned()))?;
    let directory = format!("{DEVICES}/{name}");
    let failed = |error: io::Error| Trouble(format!("cannot make {directory}: {error}"));
    fs::create_dir(&directory).map_err(failed)?;
    let mebibytes = bytes.div_ceil(1 << 20).to_string();
    for (setting, value) in
        [("memory_backed", "1"), ("size", &mebibytes), ("blocksize", "4096"), ("power", "1")]
    {
        super::set(&format!("{directory}/{setting}"), value)?;
    }
    // Before Linux 5.19 a device was called by its number, not by its directory.
    let number = fs::read_to_string(format!("{directory}/index")).map_err(failed)?;
    let paths = [format!("/dev/{name}"), format!("/dev/nullb{}", number.trim())];
    let path = paths.into_iter().map(PathBuf::from).find(|path| path.exists());
    path.ok_or_else(|| Trouble(format!("null_blk made no device for {directory}")))
}

/// Takes the device away; whether it was there.
pub(in super::super) fn remove(name: &str) -> Result<bool, String> {
    // A directory of configfs goes with all that it holds, and with the memory of the device.
    match fs::remove_dir(format!("{DEVICES}/{name}")) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(format!("{DEVICES}/{name}: {error}")),
    }
}

/// Unmounts configfs, unless somebody has found a use for it meanwhile; whether it was mounted.
pub(in super::super) fn dismount(path: &Path) -> Result<bool, String> {
    match unmount(path, UnmountFlags::empty()) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::BUSY) => Ok(false),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
