//! One change of two files, openssl.cnf and the copy of the module: both or neither.
//!
//! The module is always there before openssl.cnf names it and stays until openssl.cnf does not, and
//! each is renamed into its place. So whatever ends this program, and wherever, programs that start
//! find the old state or the new one.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wirespeed_openssl_conf::uninstall;

use crate::alone::Alone;
use crate::place::Place;
use crate::replace::{BEGINNING, Original, advice, folder, remove, stage};

/// Where the openssl.cnf from before is kept.
pub fn backup(configuration: &Path) -> PathBuf {
    let mut name = configuration.file_name().unwrap_or_default().to_owned();
    name.push(".wirespeed-backup");
    configuration.with_file_name(name)
}

/// Checks that a file can be replaced; the fault is one line that says what to do.
pub fn writable(file: &Original, command: &str) -> Result<(), String> {
    file.is_replaceable().map_err(|error| obstacle(file.path(), &error, command))
}

/// What keeps a file from being written: mostly that somebody is not root.
pub fn obstacle(path: &Path, error: &io::Error, command: &str) -> String {
    let is_root = fs::metadata("/proc/self").is_ok_and(|this| this.uid() == 0);
    if error.kind() == io::ErrorKind::PermissionDenied && !is_root {
        return format!("{} takes root to change: sudo {command}", path.display());
    }
    advice(path, error)
}

/// The change under way.
pub struct Change<'a> {
    place: &'a Place,
    configuration: &'a Original,
    /// Where the module is copied to, if it is.
    module: Option<&'a Original>,
    staging: Option<TempDir>,
    alone: Option<Alone>,
    /// The backup, if it was made now.
    backup: Option<PathBuf>,
    is_open: bool,
}

impl<'a> Change<'a> {
    /// Nothing is changed yet.
    pub fn begin(
        place: &'a Place,
        configuration: &'a Original,
        module: Option<&'a Original>,
    ) -> Self {
        let (staging, alone, backup) = (None, None, None);
        Self { place, configuration, module, staging, alone, backup, is_open: false }
    }

    /// Writes the module beside its place, in a folder of its own where it has its right name; if it is copied.
    pub fn stage_module(&mut self, bytes: &[u8]) -> Result<Option<PathBuf>, String> {
        let files = [self.configuration].into_iter().chain(self.module);
        self.alone = Some(Alone::at(self.place, files)?);
        let Some(module) = self.module else { return Ok(None) };
        let place = module.path();
        let written = (|| {
            let staging = tempfile::Builder::new().prefix(BEGINNING).tempdir_in(folder(place))?;
            // Trial programs may run as other users.
            fs::set_permissions(staging.path(), Permissions::from_mode(0o755))?;
            let file = staging.path().join(place.file_name().unwrap_or_default());
            stage(bytes, &file, place)?.place()?;
            self.staging = Some(staging);
            Ok(Some(file))
        })();
        written.map_err(|error: io::Error| advice(place, &error))
    }

    /// Puts both files in place; what fails leaves neither.
    pub fn place(&mut self, text: &[u8]) -> Result<(), String> {
        self.is_open = true;
        let placed = self.place_both(text);
        placed.or_else(|(path, error)| {
            self.undo()?;
            Err(format!("{}; all is as before", advice(&path, &error)))
        })
    }

    fn place_both(&mut self, text: &[u8]) -> Result<(), (PathBuf, io::Error)> {
        let file = self.configuration.path();
        let staged = self.configuration.stage(text).map_err(|error| (file.to_owned(), error))?;
        self.keep_backup().map_err(|error| (backup(file), error))?;
        if let (Some(staging), Some(module)) = (&self.staging, self.module) {
            let place = module.path();
            let lies = staging.path().join(place.file_name().unwrap_or_default());
            fs::rename(lies, place).map_err(|error| (place.to_owned(), error))?;
        }
        staged.place().map_err(|error| (file.to_owned(), error))
    }

    /// Keeps the file from before, unless it has our lines already: then there is an older backup.
    fn keep_backup(&mut self) -> io::Result<()> {
        let Some(bytes) = self.configuration.bytes() else { return Ok(()) };
        let path = self.configuration.path();
        let known = &self.place.configuration;
        let stripped = uninstall(bytes, None, known, self.place.files());
        if stripped.is_ok_and(|removed| removed.bytes == bytes) {
            let place = backup(path);
            stage(bytes, &place, path)?.place()?;
            self.backup = Some(place);
        }
        Ok(())
    }

    /// It is good: it stays.
    pub fn keep(mut self) {
        self.is_open = false;
    }

    /// Everything as it was: openssl.cnf first, so that it never names a module that is gone.
    pub fn undo(&mut self) -> Result<(), String> {
        self.is_open = false;
        for file in [self.configuration].into_iter().chain(self.module) {
            // What was never put in its place would only fail to be put there once more.
            if Original::read(file.path()).is_ok_and(|now| now.bytes() == file.bytes()) {
                continue;
            }
            let path = file.path().display();
            let kept = backup(file.path());
            file.restore().map_err(|error| match kept.exists() {
                true => {
                    format!("{path} could not be restored: {error}: copy {} there", kept.display())
                }
                false => format!("{path} could not be restored: {error}: run wirespeed uninstall"),
            })?;
        }
        let backup = self.backup.take();
        backup.map_or(Ok(()), |backup| {
            remove(&backup).map_err(|error| format!("remove {}: {error}", backup.display()))
        })
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // A panic or an error on the way: nobody is left to tell.
            let _ = self.undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_placed_is_not_restored() {
        let folder = tempfile::tempdir().unwrap();
        // With the backup's ending it is longer than a file's name may be.
        let path = folder.path().join("n".repeat(250));
        fs::write(&path, "key = before\n").unwrap();
        let file = || fs::metadata(&path).map(|it| it.ino()).unwrap();
        let before = file();
        let place = Place::find(Some(path.clone()), Some(folder.path().to_owned())).unwrap();
        let configuration = Original::read(&path).unwrap();
        let mut change = Change::begin(&place, &configuration, None);
        let said = change.place(b"after").unwrap_err();
        assert!(said.ends_with("; all is as before"), "{said}");
        assert_eq!(file(), before, "nobody wrote it");
    }
}
