//! One change of two files, openssl.cnf and the copy of the module: both or neither.
//!
//! The module is always there before openssl.cnf names it and stays until openssl.cnf does not, and
//! each is renamed into its place. So whatever ends this program, and wherever, programs that start
//! find the old state or the new one.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wirespeed_openssl_conf::uninstall;

use crate::alone::Alone;
use crate::place::Place;
use crate::replace::{BEGINNING, Original, advice, folder, permit, settle, stage};

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
    /// What was where the backup is, if one was made now.
    backup: Option<Original>,
    /// What was put in the place of the configuration and of the module.
    text: Option<Vec<u8>>,
    module_bytes: Vec<u8>,
    is_open: bool,
}

impl<'a> Change<'a> {
    /// Nothing is changed yet.
    pub fn begin(
        place: &'a Place,
        configuration: &'a Original,
        module: Option<&'a Original>,
    ) -> Self {
        let (staging, alone, backup, text) = (None, None, None, None);
        let (module_bytes, is_open) = (Vec::new(), false);
        Self { place, configuration, module, staging, alone, backup, text, module_bytes, is_open }
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
            permit(staging.path(), 0o755)?;
            let file = staging.path().join(place.file_name().unwrap_or_default());
            stage(bytes, &file, place)?.place()?;
            self.staging = Some(staging);
            self.module_bytes = bytes.to_owned();
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
            let unable = |error| (place.to_owned(), error);
            fs::rename(lies, place).map_err(unable)?;
            // After a loss of power openssl.cnf must not name a module that is not there.
            settle(folder(place)).map_err(unable)?;
        }
        // While programs were tried, an editor or a package may have written it.
        if holds(self.configuration).as_deref() != self.configuration.bytes() {
            let why = "it was changed meanwhile: start again";
            return Err((file.to_owned(), io::Error::other(why)));
        }
        self.text = Some(text.to_owned());
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
            let staged = stage(bytes, &place, path)?;
            self.backup = Some(Original::read_itself(&place)?);
            staged.place()?;
        }
        Ok(())
    }

    /// It is good: it stays.
    pub fn keep(mut self) {
        self.is_open = false;
    }

    /// Everything as it was: openssl.cnf first, so that it never names a module that is gone. What somebody has edited since
    /// stays.
    ///
    /// # Errors
    /// What could not be restored, or was edited.
    pub fn undo(&mut self) -> Result<(), String> {
        self.is_open = false;
        if let Some(text) = self.text.take() {
            let file = self.configuration;
            let now = holds(file);
            if now.as_deref() != file.bytes() {
                if now.as_ref() != Some(&text) {
                    return Err(format!(
                        "{} was edited meanwhile and stays so, with the module: {} undoes it",
                        file.path().display(),
                        self.place.command("uninstall")
                    ));
                }
                restore(file)?;
            }
        }
        if let Some(module) = self.module {
            let now = holds(module);
            // What was never put in its place would only fail to be put there once more.
            if now.as_deref() != module.bytes() && now.as_ref() == Some(&self.module_bytes) {
                restore(module)?;
            }
        }
        let is_new = |it: &Original| holds(it).as_deref() != it.bytes();
        let backup = self.backup.take().filter(is_new);
        backup.map_or(Ok(()), |backup| {
            let unable = |error| format!("{}: {error}", backup.path().display());
            backup.restore().map_err(unable)
        })
    }
}

/// What a file holds now; nothing where there is none.
fn holds(file: &Original) -> Option<Vec<u8>> {
    fs::read(file.path()).ok()
}

fn restore(file: &Original) -> Result<(), String> {
    let path = file.path().display();
    let kept = backup(file.path());
    file.restore().map_err(|error| match kept.exists() {
        true => format!("{path} could not be restored: {error}: copy {} there", kept.display()),
        false => format!("{path} could not be restored: {error}: run wirespeed uninstall"),
    })
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

    /// A folder with openssl.cnf in it, and its place.
    fn scene() -> (TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openssl.cnf");
        fs::write(&path, "key = before\n").unwrap();
        let place = Place::find(Some(path), Some(folder.path().to_owned())).unwrap();
        (folder, place)
    }

    fn names(folder: &TempDir) -> Vec<String> {
        let names = fs::read_dir(folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn what_others_write_while_programs_are_tried_is_not_overwritten() {
        let (folder, place) = scene();
        let configuration = Original::read(&place.configuration).unwrap();
        let module = Original::read(&place.copy()).unwrap();
        let mut change = Change::begin(&place, &configuration, Some(&module));
        change.stage_module(b"module").unwrap();
        fs::write(&place.configuration, "key = theirs\n").unwrap();
        let said = change.place(b"key = ours\n").unwrap_err();
        assert!(said.contains("openssl.cnf: it was changed meanwhile: start again"), "{said}");
        assert_eq!(fs::read(&place.configuration).unwrap(), b"key = theirs\n");
        drop(change);
        assert_eq!(names(&folder), ["openssl.cnf"]);
    }

    #[test]
    fn what_others_write_into_the_new_file_stays_with_the_module() {
        let (folder, place) = scene();
        let configuration = Original::read(&place.configuration).unwrap();
        let module = Original::read(&place.copy()).unwrap();
        let mut change = Change::begin(&place, &configuration, Some(&module));
        change.stage_module(b"module").unwrap();
        change.place(b"key = ours\n").unwrap();
        fs::write(&place.configuration, "key = ours\nmore = theirs\n").unwrap();
        let said = change.undo().unwrap_err();
        assert!(said.contains("openssl.cnf was edited meanwhile and stays so"), "{said}");
        drop(change);
        let kept = ["openssl.cnf", "openssl.cnf.wirespeed-backup", "wirespeed.so"];
        assert_eq!(names(&folder), kept);
        assert_eq!(fs::read(&place.configuration).unwrap(), b"key = ours\nmore = theirs\n");
    }

    #[test]
    fn a_backup_from_before_comes_back() {
        let (folder, place) = scene();
        let older = backup(&place.configuration);
        fs::write(&older, "older\n").unwrap();
        let configuration = Original::read(&place.configuration).unwrap();
        let mut change = Change::begin(&place, &configuration, None);
        change.place(b"key = ours\n").unwrap();
        assert_eq!(fs::read(&older).unwrap(), b"key = before\n");
        change.undo().unwrap();
        assert_eq!(fs::read(&older).unwrap(), b"older\n");
        assert_eq!(fs::read(&place.configuration).unwrap(), b"key = before\n");
        assert_eq!(names(&folder).len(), 2);
    }
}
