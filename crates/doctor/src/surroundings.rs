//! What the doctor looks at: files, variables, the machine's OpenSSL; in tests, made up.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use wirespeed_advisories::Probe;
use wirespeed_bench::{Found, Host};
use wirespeed_cipher::Route;
use wirespeed_cpu::Features;
use wirespeed_installation::{Binary, Place, own_module};
use wirespeed_machine::{Folder, Source};
use wirespeed_openssl_conf::{Configuration, Files};
use wirespeed_plan::Plan;
use wirespeed_stats::Snapshot;

use crate::examined::ours;
use crate::machine::Costs;
use crate::probes;
use crate::reading::{self, Asked, Reading, User};
use crate::trial::{self, Loaded};

/// A machine to examine: its files and variables, and more.
pub(crate) trait Surroundings: Files {
    /// What lies at a path, symbolic links followed.
    fn entry(&self, path: &Path) -> io::Result<Entry>;
    /// The user who asks.
    fn user(&self) -> u32;
    /// What an executable or a library says about itself.
    fn binary(&self, path: &Path) -> Result<Binary, String>;
    /// Device and number of what the kernel finds at a path: /proc has links that lead elsewhere than they say.
    fn identity(&self, path: &Path) -> Option<(u64, u64)>;
    /// What a symbolic link says, also one of /proc that leads to no file.
    fn link(&self, path: &Path) -> Option<PathBuf>;
    /// A file to be read piece by piece.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>>;
    /// What a program of the system's prints, if it is there and succeeds.
    fn printed(&self, program: &str, arguments: &[&str]) -> Option<String>;
    /// What is known of a process's root as of an unpacked system.
    fn unpacked(&self, root: &Path) -> Result<Unpacked, String>;
    /// A plan, or why it cannot be read.
    fn plan(&self, path: &Path) -> Result<Plan, String>;
    /// What was counted in a file, or in a user's file of this name in a folder.
    fn counted(&self, place: &Path, name: Option<&OsStr>) -> io::Result<Snapshot>;
    /// What its CPU has.
    fn features(&self) -> Features;
    /// Whether it lacks what is not among these.
    fn tells_features(&self) -> bool;
    /// The architecture that this program is for, by Rust's name.
    fn architecture(&self) -> &str;
    /// Lets time go by.
    fn wait(&self, time: Duration);
    /// What calls and memory cost, measured in a few milliseconds.
    fn costs(&self) -> Costs;
    /// The machine's own OpenSSL.
    fn openssl(&self) -> Result<Openssl, String>;
    /// Loads a provider module by name, with these keys and values, into a context of its own.
    fn load(&self, module: &Path, settings: &[(String, String)]) -> Result<Loaded, String>;
    /// What the real configuration gives a user, found out by a process of that user's.
    fn reading(&self, asked: &Asked<'_>, user: &User) -> Result<Reading, String>;
    /// The routes of this machine that fail their proof, with the reason.
    fn failed_proofs(&self) -> Vec<(Route, String)>;
    /// Whether the machine's own OpenSSL has a fault; none where it cannot be asked.
    fn has_fault(&self, probe: Probe) -> Option<bool>;
}

impl dyn Surroundings + '_ {
    /// An environment variable that is set, if only to nothing.
    pub(crate) fn text_variable(&self, name: &str) -> Option<String> {
        let value = self.variable(name.as_bytes())?;
        Some(String::from_utf8_lossy(&value).into_owned())
    }

    /// A file's text.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = self.read(path.as_ref()).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What lies in a folder, in order; nothing if it cannot be looked into.
    pub(crate) fn inside(&self, folder: impl AsRef<Path>) -> Vec<PathBuf> {
        let folder = folder.as_ref();
        let names = self.list(folder).unwrap_or_default();
        let mut paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        paths.sort();
        paths
    }

    /// Whether something is there.
    pub(crate) fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.entry(path.as_ref()).is_ok()
    }
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Where it really lies.
    pub(crate) place: PathBuf,
    pub(crate) folder: bool,
    /// Permission bits.
    pub(crate) mode: u32,
    pub(crate) owner: u32,
    pub(crate) group: u32,
    /// Seconds since 1970 of the last change.
    pub(crate) changed: i64,
}

/// A libcrypto, as far as the doctor needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Openssl {
    pub(crate) path: PathBuf,
    /// "OpenSSL 3.0.19 27 Jan 2026".
    pub(crate) version: String,
    /// 3 or 4.
    pub(crate) major: u32,
    /// Where it looks for openssl.cnf.
    pub(crate) configuration_folder: PathBuf,
    /// Where it looks for modules.
    pub(crate) modules_folder: PathBuf,
}

/// An unpacked system whose OpenSSL loads modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unpacked {
    /// Whether its configuration has Wirespeed.
    pub(crate) is_installed: bool,
    /// Why our module does not run there.
    pub(crate) obstacle: Option<String>,
}

/// The machine that runs this program, or another by its files.
pub struct ThisMachine {
    host: Host,
    source: Box<dyn Source>,
}

impl ThisMachine {
    /// Looks at it.
    pub fn discover() -> Self {
        Self { host: Host::discover(), source: Box::new(wirespeed_machine::ThisMachine) }
    }

    /// Looks at another by its files.
    pub fn of_files(folder: Folder) -> Self {
        Self { host: Host::of_files(&folder), source: Box::new(folder) }
    }

    /// Whether it runs this program.
    pub(crate) fn is_here(&self) -> bool {
        self.source.root() == Path::new("/")
    }

    /// Where one of its files lies.
    fn place(&self, path: &Path) -> PathBuf {
        let below = path.strip_prefix("/");
        below.map_or_else(|_| path.to_owned(), |below| self.source.root().join(below))
    }

    /// What the harness knows of it.
    pub const fn host(&self) -> &Host {
        &self.host
    }
}

impl Files for ThisMachine {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        wirespeed_openssl_conf::ThisMachine.read(&self.place(path))
    }

    fn list(&self, path: &Path) -> Option<Vec<OsString>> {
        wirespeed_openssl_conf::ThisMachine.list(&self.place(path))
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        wirespeed_openssl_conf::ThisMachine.variable(name)
    }
}

impl Surroundings for ThisMachine {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        let place = fs::canonicalize(self.place(path))?;
        let about = fs::metadata(&place)?;
        Ok(Entry {
            folder: about.is_dir(),
            mode: about.mode() & 0o7777,
            owner: about.uid(),
            group: about.gid(),
            changed: about.mtime(),
            place,
        })
    }

    fn user(&self) -> u32 {
        fs::metadata("/proc/self").map_or(0, |about| about.uid())
    }

    fn binary(&self, path: &Path) -> Result<Binary, String> {
        Binary::read(&fs::read(path).map_err(|error| error.to_string())?)
    }

    fn identity(&self, path: &Path) -> Option<(u64, u64)> {
        fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(fs::File::open(path)?))
    }

    fn printed(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn unpacked(&self, root: &Path) -> Result<Unpacked, String> {
        let place = Place::in_root(root)?;
        let read = Configuration::read(&place.configuration, place.files());
        let module = fs::read(own_module()?).map_err(|error| error.to_string())?;
        Ok(Unpacked {
            is_installed: read.is_ok_and(|read| ours(&read).is_some()),
            obstacle: place.suits(&module).err(),
        })
    }

    fn plan(&self, path: &Path) -> Result<Plan, String> {
        Plan::read(path).map_err(|error| error.to_string())
    }

    fn counted(&self, place: &Path, name: Option<&OsStr>) -> io::Result<Snapshot> {
        let place = self.place(place);
        name.map_or_else(|| Snapshot::read(&place), |name| Snapshot::read_users(&place.join(name)))
    }

    fn features(&self) -> Features {
        self.source.features()
    }

    /// Files name a CPU's features.
    fn tells_features(&self) -> bool {
        !self.is_here() || self.source.tells_features()
    }

    fn architecture(&self) -> &str {
        self.source.architecture()
    }

    fn wait(&self, time: Duration) {
        thread::sleep(time);
    }

    fn costs(&self) -> Costs {
        Costs::measure(self.host.harness.library().ok().copied())
    }

    fn openssl(&self) -> Result<Openssl, String> {
        let library = self.host.harness.library().map_err(ToString::to_string)?;
        let folder = |known: Option<&Path>| known.unwrap_or(Path::new("/")).to_owned();
        Ok(Openssl {
            path: library.path().to_owned(),
            version: library.version().to_owned(),
            major: library.version_numbers().0,
            configuration_folder: folder(library.configuration_folder()),
            modules_folder: folder(library.modules_folder()),
        })
    }

    fn load(&self, module: &Path, settings: &[(String, String)]) -> Result<Loaded, String> {
        let library = self.host.harness.library().map_err(ToString::to_string)?;
        trial::load(library, module, settings)
    }

    fn reading(&self, asked: &Asked<'_>, user: &User) -> Result<Reading, String> {
        reading::ask(asked, user)
    }

    fn failed_proofs(&self) -> Vec<(Route, String)> {
        let present = self.host.routes().into_iter().filter(|found| found.presence.is_ok());
        let failure = |found: Found| Some((found.route, self.host.prove(&found).err()?));
        present.filter_map(failure).collect()
    }

    fn has_fault(&self, probe: Probe) -> Option<bool> {
        probes::has_fault(*self.host.harness.library().ok()?, probe)
    }
}
