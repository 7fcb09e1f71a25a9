//! The parameters by which a module of ours is told to go wrong, and what it counts.

use std::fs;

/// What a module does as long as this lives.
pub(crate) struct Fault {
    folder: &'static str,
    names: Vec<&'static str>,
}

impl Fault {
    /// Sets parameters in the module's folder.
    pub(crate) fn set(
        folder: &'static str,
        values: &[(&'static str, i32)],
    ) -> Result<Self, String> {
        let fault = Self { folder, names: values.iter().map(|(name, _)| *name).collect() };
        for (name, value) in values {
            let file = format!("{folder}/{name}");
            fs::write(&file, value.to_string()).map_err(|error| format!("{file}: {error}"))?;
        }
        Ok(fault)
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        for name in &self.names {
            // The next test would see it.
            let _ = fs::write(format!("{}/{name}", self.folder), "0");
        }
    }
}

/// What the module has counted.
pub(crate) fn counted(folder: &str, name: &str) -> Result<u64, String> {
    let file = format!("{folder}/{name}");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    text.trim().parse().map_err(|error| format!("{file}: {error}"))
}
