//! borg, which encrypts what it keeps.

use std::fs;
use std::process::{Command, Stdio};

use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use super::{MIB, Meter, Provided, Ready, alone};

/// A folder with a repository, what borg remembers of it, and files to keep.
struct Store {
    scratch: Scratch,
}

impl Store {
    /// An empty repository, and files that no chunk is twice in.
    fn new(mebibytes: usize) -> Result<Self, String> {
        let store = Self { scratch: Scratch::new()? };
        store.scratch.folder("store")?;
        let files = store.scratch.folder("files")?;
        fs::write(files.join("file"), noise(mebibytes * MIB)).map_err(|error| error.to_string())?;
        output(store.borg(Provided::Stock).args([
            "init",
            "--encryption",
            "repokey",
            "store/repo",
        ]))?;
        Ok(store)
    }

    fn borg(&self, provided: Provided<'_>) -> Command {
        let mut borg = command("/usr/bin/borg");
        borg.current_dir(self.scratch.root()).env("BORG_PASSPHRASE", "secret");
        borg.env("BORG_BASE_DIR", self.scratch.path("store/base"));
        provided.to(&mut borg);
        borg
    }

    /// Copies a folder within its own.
    fn copy(&self, from: &str, to: &str) -> Result<(), String> {
        let mut copy = command("cp");
        output(copy.args(["-a", from, to]).current_dir(self.scratch.root())).map(drop)
    }

    fn create(&self, provided: Provided<'_>) -> Command {
        let mut create = self.borg(provided);
        create.args(["create", "--compression", "none", "store/repo::archive", "files"]);
        create
    }
}

/// Bytes that a chunk of is never seen twice: Marsaglia's xorshift.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    std::iter::repeat_with(next).take(bytes / 8).flat_map(u64::to_ne_bytes).collect()
}

/// A first backup, without compression.
pub(crate) fn borg_create(provided: Provided<'_>, mebibytes: usize) -> Ready {
    let store = Store::new(mebibytes)?;
    store.copy("store", "empty")?;
    let mut create = store.create(provided);
    Ok(Box::new(move |meter: &Meter| {
        fs::remove_dir_all(store.scratch.path("store")).map_err(|error| error.to_string())?;
        store.copy("empty", "store")?;
        meter.of(&mut create)
    }))
}

/// The files of a backup, written to nowhere.
pub(crate) fn borg_extract(provided: Provided<'_>, mebibytes: usize) -> Ready {
    let store = Store::new(mebibytes)?;
    output(&mut store.create(Provided::Stock))?;
    let mut extract = store.borg(provided);
    extract.args(["extract", "--stdout", "store/repo::archive"]);
    extract.stdout(Stdio::null());
    alone(extract, store)
}
