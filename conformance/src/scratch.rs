//! A directory for one test, which goes away with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory of its own that goes away with its value.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new one, which every user may enter: daemons give up their rights.
    pub fn new() -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wirespeed-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let failed = |error| format!("{}: {error}", path.display());
        fs::create_dir(&path).map_err(failed)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed)?;
        Ok(Self(path))
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// A name in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<PathBuf, String> {
        let path = self.path(name);
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Makes a directory in it that every user may write to.
    pub fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.path(name);
        let failed = |error| format!("{}: {error}", path.display());
        fs::create_dir(&path).map_err(failed)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).map_err(failed)?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in the system's temporary directory does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
