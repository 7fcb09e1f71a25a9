//! Files of results, and folders of them, from the command line.

use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_results::{Results, Unreadable};

use crate::fault::Fault;

/// All of them, folders in the order of their names; and what was passed over in folders, because it is of another kind.
pub(crate) fn read(paths: &[PathBuf]) -> Result<(Vec<Results>, Vec<String>), Fault> {
    let (mut found, mut passed_over) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            found.push(file(path)?.map_err(|why| told(path, &why))?);
            continue;
        }
        for path in inside(path)? {
            match file(&path)? {
                Ok(results) => found.push(results),
                Err(why @ Unreadable::Foreign(_)) => {
                    passed_over.push(format!("{} was passed over: {why}", path.display()));
                }
                Err(why) => return Err(told(&path, &why)),
            }
        }
    }
    Ok((found, passed_over))
}

fn told(path: &Path, why: &Unreadable) -> Fault {
    Fault::usage(format!("{}: {why}", path.display()))
}

fn file(path: &Path) -> Result<Result<Results, Unreadable>, Fault> {
    let text = fs::read_to_string(path)
        .map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
    let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Results::read(&label, &text))
}

/// The JSON files in a folder.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed =
        |error| Fault::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|it| it == "json") && path.is_file());
    paths.sort();
    Ok(paths)
}
