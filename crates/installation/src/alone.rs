//! One change of an installation at a time.

use std::fs::{File, TryLockError};

use crate::replace::{Original, advice, folder, sweep};

/// Nobody else changes this configuration until this is dropped.
pub struct Alone {
    /// The folder of the configuration, locked; nothing on a file system without locks.
    _lock: Option<File>,
}

impl Alone {
    /// Keeps others out, and clears away what somebody left who was killed.
    ///
    /// # Errors
    /// If somebody else is at work, or was since the configuration was read.
    pub fn at<'a>(
        configuration: &'a Original,
        others: impl IntoIterator<Item = &'a Original>,
    ) -> Result<Self, String> {
        let path = configuration.path();
        let place = folder(path);
        let lock = File::open(place).map_err(|error| advice(place, &error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("another wirespeed is at work in {}", place.display()));
            }
            Err(TryLockError::Error(_)) => return Ok(Self { _lock: None }),
        }
        let now = Original::read(path).map_err(|error| advice(path, &error))?;
        if now.bytes() != configuration.bytes() {
            return Err(format!("{} has just been changed: start again", path.display()));
        }
        for folder in [place].into_iter().chain(others.into_iter().map(|it| folder(it.path()))) {
            sweep(folder).map_err(|error| advice(folder, &error))?;
        }
        Ok(Self { _lock: Some(lock) })
    }
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
        fs::write(folder.path().join(".wirespeed-left"), "").unwrap();
        let configuration = Original::read(&path).unwrap();
        let alone = Alone::at(&configuration, []).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "what was left is gone");
        let second = Alone::at(&configuration, []).err().unwrap();
        assert!(second.starts_with("another wirespeed is at work in "), "{second}");
        drop(alone);
        fs::write(&path, "after").unwrap();
        let late = Alone::at(&configuration, []).err().unwrap();
        assert!(late.ends_with("has just been changed: start again"), "{late}");
    }
}
