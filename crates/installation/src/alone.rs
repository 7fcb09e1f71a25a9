//! One change of an installation at a time.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::place::Place;
use crate::replace::{Original, advice, folder, sweep};

/// Nobody else changes these files until this is dropped.
pub struct Alone {
    /// Their folders, locked; none on a file system without locks.
    _locks: Vec<File>,
}

impl Alone {
    /// Keeps others out, and clears away what somebody left who was killed. The folder of the configuration is always
    /// locked, so `install` and `uninstall` meet there.
    ///
    /// # Errors
    /// If somebody else is at work, or was since the files were read.
    pub fn at<'a>(
        place: &Place,
        files: impl IntoIterator<Item = &'a Original>,
    ) -> Result<Self, String> {
        let main = place.outside(&place.configuration).and_then(|file| Original::read(&file));
        let main = main.map_err(|error| advice(&place.configuration, &error))?;
        let files: Vec<&Original> = files.into_iter().collect();
        let mut folders = vec![folder(main.path())];
        folders.extend(files.iter().map(|file| folder(file.path())));
        folders.sort_unstable();
        folders.dedup();
        let locks = folders.into_iter().filter_map(|it| lock(it).transpose());
        let locks = locks.collect::<Result<_, _>>()?;
        for file in files {
            let path = file.path();
            let now = Original::read(path).map_err(|error| advice(path, &error))?;
            if now.bytes() != file.bytes() {
                return Err(format!("{} has just been changed: start again", path.display()));
            }
        }
        Ok(Self { _locks: locks })
    }

    /// The same for what is written into one folder.
    ///
    /// # Errors
    /// If somebody else is at work there.
    pub fn in_folder(folder: &Path) -> Result<Self, String> {
        Ok(Self { _locks: lock(folder)?.into_iter().collect() })
    }
}

/// Locks a folder and clears it; nothing on a file system without locks.
fn lock(folder: &Path) -> Result<Option<File>, String> {
    let unable = |error| advice(folder, &error);
    let lock = File::open(folder).map_err(unable)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(format!(
                "another wirespeed is at work in {}: start again when it has ended",
                folder.display()
            ));
        }
        Err(TryLockError::Error(_)) => return Ok(None),
    }
    sweep(folder).map_err(unable)?;
    Ok(Some(lock))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_at_a_time_and_only_with_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openssl.cnf");
        fs::write(&path, "before").unwrap();
        fs::write(folder.path().join(".wirespeed-Left01"), "").unwrap();
        let place = Place::find(Some(path.clone()), Some(folder.path().to_owned())).unwrap();
        let configuration = Original::read(&path).unwrap();
        let alone = Alone::at(&place, [&configuration]).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "what was left is gone");
        let second = Alone::at(&place, [&configuration]).err().unwrap();
        assert!(second.starts_with("another wirespeed is at work in "), "{second}");
        drop(alone);
        fs::write(&path, "after").unwrap();
        let late = Alone::at(&place, [&configuration]).err().unwrap();
        assert!(late.ends_with("has just been changed: start again"), "{late}");
    }

    /// A file beside openssl.cnf may be all that changes, or not.
    #[test]
    fn whatever_changes_the_folder_of_the_configuration_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let [main, apart] = ["main", "apart"].map(|name| folder.path().join(name));
        for (folder, name) in [(&main, "openssl.cnf"), (&apart, "wirespeed.cnf")] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(name), "").unwrap();
        }
        let place = Place::find(Some(main.join("openssl.cnf")), Some(apart.clone())).unwrap();
        let own = Original::read(&apart.join("wirespeed.cnf")).unwrap();
        let installing = Alone::at(&place, [&own]).unwrap();
        // What another is about to put in its place.
        fs::write(apart.join(".wirespeed-New001"), "").unwrap();
        for file in [main.join("openssl.cnf"), apart.join("wirespeed.cnf")] {
            let other = Original::read(&file).unwrap();
            assert!(Alone::at(&place, [&other]).is_err(), "{}", file.display());
        }
        assert!(Alone::in_folder(&apart).is_err() && apart.join(".wirespeed-New001").exists());
        drop(installing);
        assert!(Alone::in_folder(&apart).is_ok() && !apart.join(".wirespeed-New001").exists());
    }
}
