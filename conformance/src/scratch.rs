//! A place for a test's own files.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory of its own that goes away with its value.
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty one.
    pub fn new() -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("wirespeed-conformance-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    /// Where a file in it lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<PathBuf, String> {
        let path = self.path(name);
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in the system's temporary directory does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
