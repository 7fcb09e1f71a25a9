//! Modules of the kernel's that were not loaded before, and shall not be afterwards.

use std::path::Path;

use super::super::Trouble;
use super::super::record::{Record, Thing};

/// Whether a module is loaded, or built in.
pub(super) fn is_loaded(name: &str) -> bool {
    Path::new("/sys/module").join(name).exists()
}

/// Loads a module with these settings, unless it is loaded.
pub(super) fn load(record: &mut Record, name: &str, settings: &[&str]) -> Result<(), Trouble> {
    if is_loaded(name) {
        return Ok(());
    }
    record.add(Thing::Module(name.to_owned()))?;
    let arguments: Vec<&str> = [name].into_iter().chain(settings.iter().copied()).collect();
    let loaded = record.run("modprobe", &arguments, "");
    loaded.map_err(|why| Trouble(format!("this kernel has no {name}: {why}")))?;
    Ok(())
}

/// Unloads it, unless somebody has found a use for it meanwhile; whether it was loaded.
pub(in super::super) fn unload(record: &Record, name: &str) -> Result<bool, String> {
    if !is_loaded(name) {
        return Ok(false);
    }
    // These would give up what is in their devices, used or not.
    let devices = match name {
        "zram" => "zram",
        "null_blk" => "nullb",
        _ => "",
    };
    let listed = std::fs::read_dir("/sys/block").map_err(|error| error.to_string())?;
    let named = |entry: std::fs::DirEntry| {
        !devices.is_empty() && entry.file_name().to_string_lossy().starts_with(devices)
    };
    if listed.flatten().any(named) {
        return Ok(false);
    }
    match record.run("modprobe", &["--remove", name], "") {
        Ok(_) => Ok(true),
        // Loaded by us, used by others now: theirs.
        Err(why) if why.contains("in use") => Ok(false),
        Err(why) => Err(why),
    }
}
