//! What the real configuration gives a user: a process of that user's reads it unchanged, as programs do, and tells.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use wirespeed_libcrypto::{Context, Library};
use wirespeed_stats::Snapshot;

use crate::trial::words;

/// The command that such a process is started with.
pub const READING: &str = "doctor-reading";

/// What such a process is asked.
pub struct Request {
    /// The configuration.
    pub file: PathBuf,
    /// Our provider's name in it.
    pub provider: String,
    /// Its module.
    pub module: PathBuf,
}

/// What is asked.
pub(crate) struct Asked<'a> {
    /// The configuration.
    pub(crate) file: &'a Path,
    /// Our provider's name in it.
    pub(crate) provider: &'a str,
    /// Its module.
    pub(crate) module: &'a Path,
    /// Where it counts.
    pub(crate) stats: Option<&'a Path>,
}

/// A user whom programs run as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) number: u32,
    pub(crate) group: u32,
    /// Groups that its services are in besides.
    pub(crate) others: Vec<u32>,
    /// Whether the process that asks is the user's already.
    pub(crate) is_this: bool,
}

/// What a user's programs get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reading {
    /// Why our provider does not serve; none if it does.
    pub(crate) left_out: Option<Obstacle>,
    /// The extras that cannot be had, and why (`wirespeed-missing`).
    pub(crate) missing: Option<String>,
}

/// What keeps our provider from a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Obstacle {
    /// A file cannot be read.
    Unreadable(PathBuf, String),
    /// OpenSSL's own words.
    Refused(String),
    /// It could be loaded, and the configuration does not have it loaded.
    Inactive,
}

/// Runs this program once more, as that user.
pub(crate) fn ask(asked: &Asked<'_>, user: &User) -> Result<Reading, String> {
    // By this name the user may start it wherever it lies.
    let mut command = Command::new("/proc/self/exe");
    command.arg(READING).args([asked.file, Path::new(asked.provider), asked.module]);
    command.current_dir("/").stdin(Stdio::null());
    if !user.is_this {
        // Where root does this, the standard library gives up root's other groups, too.
        command.uid(user.number).gid(user.group);
    }
    let before = asked.stats.map(files);
    let output = command.output().map_err(|error| error.to_string())?;
    if let (Some(place), Some(before)) = (asked.stats, before) {
        files(place).iter().filter(|file| !before.contains(file)).for_each(|file| forget(file));
    }
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("a process that read it ended with {}: {}", output.status, said.trim())
    })
}

/// The files of counters that are there.
fn files(place: &Path) -> Vec<PathBuf> {
    let Ok(inside) = std::fs::read_dir(place) else {
        return if place.exists() { vec![place.to_owned()] } else { Vec::new() };
    };
    inside.flatten().map(|entry| entry.path()).collect()
}

/// Takes away a file of counters that was made by asking: it would be of the wrong user.
fn forget(file: &Path) {
    if Snapshot::read(file).is_ok_and(|counted| counted.rows().next().is_none()) {
        // One that stays is of no harm but to its owner's rights.
        let _ = std::fs::remove_file(file);
    }
}

impl Request {
    /// The process of that user's: reads, and tells as text for the one that asks.
    ///
    /// # Errors
    /// If there is no OpenSSL to read with.
    pub fn answer(&self) -> Result<String, String> {
        serde_json::to_string(&self.reading()?).map_err(|error| error.to_string())
    }

    fn reading(&self) -> Result<Reading, String> {
        let library = Library::host().map_err(|why| why.to_string())?;
        let context = Context::new(library).map_err(words)?;
        let configured = context.configure(&self.file);
        if context.has(&self.provider) {
            context.load(&self.provider).map_err(words)?;
            let missing = context.provider_text(&self.provider, c"wirespeed-missing");
            let missing = missing.ok().flatten().filter(|text| !text.is_empty());
            return Ok(Reading { left_out: None, missing });
        }
        let left_out = Some(self.obstacle(&context, configured.err().map(words)));
        Ok(Reading { left_out, missing: None })
    }

    /// Why it is not there: nobody says so to a program.
    fn obstacle(&self, context: &Context, said: Option<String>) -> Obstacle {
        for file in [&self.file, &self.module] {
            if let Err(error) = File::open(file) {
                return Obstacle::Unreadable(file.clone(), error.to_string());
            }
        }
        match (context.load(&self.provider), said) {
            (Err(error), _) => Obstacle::Refused(words(error)),
            (Ok(()), Some(said)) => Obstacle::Refused(said),
            (Ok(()), None) => Obstacle::Inactive,
        }
    }
}
