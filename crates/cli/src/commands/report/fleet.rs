//! `wirespeed report --fleet`: the results of a whole fleet, read one by one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use wirespeed_results::Text;
use wirespeed_results::fleet::Fleet;

use crate::fault::Fault;
use crate::results;

/// Reads every .json file in a folder and below it; a file is called as its host is.
pub(super) fn read(folder: &Path) -> Result<Fleet, Fault> {
    let failed =
        |error| Fault::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let (mut files, mut fleet) = (Vec::new(), Fleet::default());
    collect(folder, &mut files, &mut fleet.damaged).map_err(failed)?;
    files.sort();
    for file in files {
        let host = host(file.strip_prefix(folder).unwrap_or(&file));
        match File::open(&file).and_then(results::read) {
            Ok(bytes) => match Text::of(&bytes) {
                Text::Json(text) => fleet.add(&host, &text),
                Text::Printed(_) => fleet.damaged.push(format!("{host}: no JSON")),
            },
            Err(why) => fleet.damaged.push(format!("{host}: {why}")),
        }
    }
    Ok(fleet)
}

/// The files, and the folders below this one that cannot be read.
fn collect(folder: &Path, files: &mut Vec<PathBuf>, damaged: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links are not followed: they may lead in a circle.
        if entry.file_type()?.is_dir() {
            if let Err(why) = collect(&path, files, damaged) {
                damaged.push(format!("{}: {why}", path.display()));
            }
        } else if path.extension().is_some_and(|it| it == "json") {
            files.push(path);
        }
    }
    Ok(())
}

/// "host.stats.json" holds what programs of a host did, "host.json" its figures. Those of folders below are others.
fn host(file: &Path) -> String {
    let name = file.with_extension("");
    let name = name.to_string_lossy();
    name.strip_suffix(".stats").unwrap_or(&name).to_owned()
}
