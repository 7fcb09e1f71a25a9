//! What encrypts in a process: the libraries that it maps, or what its program has inside.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use wirespeed_installation::openssl_folder;
use wirespeed_results::schema::services::{Crypto, Reach};

use super::inside::{self, Inside};
use super::libraries::LIBRARIES;
use crate::containers;
use crate::examined::{Examined, names_our_module};
use crate::services::mapped_files;

/// What is known of a process.
pub(super) struct Encrypting {
    pub(super) crypto: Vec<Crypto>,
    pub(super) reach: Reach,
    pub(super) lever: Option<String>,
}

/// What was read already, by device and number: many processes share a few files and roots.
#[derive(Default)]
pub(super) struct Read {
    files: HashMap<(u64, u64), Inside>,
    roots: HashMap<(u64, u64), Result<String, String>>,
}

impl Read {
    /// How the programs of this process's container get a module, or why not.
    fn way(&mut self, examined: &Examined<'_>, process: &Path) -> Result<String, String> {
        let way = || containers::way(examined, &process.join("root"));
        match examined.here.identity(&process.join("ns/mnt")) {
            Some(namespace) => self.roots.entry(namespace).or_insert_with(way).clone(),
            None => way(),
        }
    }

    fn of(&mut self, examined: &Examined<'_>, file: &Path) -> Inside {
        let Some(identity) = examined.here.identity(file) else { return Inside::default() };
        let read = || Inside::read(examined.here.open(file).ok()?).ok();
        self.files.entry(identity).or_insert_with(|| read().unwrap_or_default()).clone()
    }
}

/// What encrypts in a process; nothing if it cannot be looked into.
pub(super) fn of(
    examined: &Examined<'_>,
    process: &Path,
    in_container: bool,
    read: &mut Read,
) -> Option<Encrypting> {
    let maps = examined.here.text(process.join("maps")).filter(|maps| !maps.is_empty())?;
    let mut files: Vec<&str> = mapped_files(&maps).map(|(path, _)| path).collect();
    files.sort_unstable();
    files.dedup();
    let ours = files.iter().any(|file| names_our_module(file));
    let fips = files.iter().any(|file| file_name(file) == "fips.so");
    let seen = Seen { examined, process, in_container };
    let libcryptos: Vec<Libcrypto> =
        files.iter().filter_map(|file| seen.libcrypto(file, read)).collect();
    let mut crypto: Vec<Crypto> = libcryptos.iter().map(|it| it.crypto.clone()).collect();
    let mut lever = None;
    for library in LIBRARIES {
        let file = files.iter().find(|file| file_name(file).starts_with(library.file));
        if let Some(file) = file
            && crypto.iter().all(|known| known.name != library.name)
            && (!library.is_often_idle || seen.needs(library.file))
        {
            lever = lever.or(Some(library.lever));
            let file = Path::new("/").join(seen.in_its_root(file));
            crypto.push(named(library.name, None, Some(&file)));
        }
    }
    if fips {
        crypto.push(named("OpenSSL's FIPS provider", None, None));
    }
    let mut inside_way = None;
    if crypto.is_empty() {
        let inside = read.of(examined, &process.join("exe"));
        if let Some((name, version)) = inside.crypto() {
            lever = Some(inside::lever(name));
            crypto.push(named(name, version, None));
            let is_installed = examined.installed().is_some();
            inside_way = inside.way(&program(examined, process), is_installed);
        }
    }
    let (reach, lever) = match libcryptos.first() {
        // Also in a program that has an OpenSSL inside.
        _ if ours => (Reach::Serves, None),
        Some(_) if fips => (Reach::Never, Some(FIPS.to_owned())),
        Some(libcrypto) => seen.reach(libcrypto, read),
        None if inside_way.is_some() => (Reach::Possible, inside_way),
        None if crypto.is_empty() => (Reach::Nothing, None),
        None => (Reach::Never, lever.map(str::to_owned)),
    };
    Some(Encrypting { crypto, reach, lever })
}

const FIPS: &str = "the FIPS provider serves it; Wirespeed is not validated and stays out";

fn named(name: &str, version: Option<String>, file: Option<&Path>) -> Crypto {
    let file = file.map(|file| file.display().to_string());
    Crypto { name: name.to_owned(), version, file, is_hosts: false }
}

/// The name of a process's program file: a process may call itself otherwise.
fn program(examined: &Examined<'_>, process: &Path) -> String {
    let file = examined.here.link(&process.join("exe")).unwrap_or_default();
    file_name(&file.to_string_lossy()).to_owned()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A process that is looked into.
struct Seen<'a> {
    examined: &'a Examined<'a>,
    process: &'a Path,
    in_container: bool,
}

/// A libcrypto that it maps.
struct Libcrypto {
    crypto: Crypto,
    /// Where this process's file can be read from here.
    place: PathBuf,
    /// Whether it has engines, and no providers.
    is_old: bool,
}

impl Seen<'_> {
    /// A file that is a libcrypto: also one that was renamed to be shipped with a program (libcrypto-3a1f.so.3).
    fn libcrypto(&self, file: &str, read: &mut Read) -> Option<Libcrypto> {
        let name = file_name(file);
        let rest = name.strip_prefix("libcrypto")?;
        let release = rest.starts_with(['.', '-']).then_some(rest)?.split_once(".so.")?.1;
        let inside = self.in_its_root(file);
        let place = match self.in_container {
            true => self.process.join("root").join(inside),
            false => PathBuf::from(file),
        };
        let is_hosts = !self.in_container && self.is_hosts(&place);
        let version = read.of(self.examined, &place).openssl;
        let file = Path::new("/").join(inside);
        let crypto = Crypto { is_hosts, ..named("OpenSSL", version, Some(&file)) };
        Some(Libcrypto { crypto, place, is_old: release.starts_with('1') })
    }

    /// A file below the process's root. Where only its root was changed, and not its mounts, Linux shows the whole path.
    fn in_its_root<'f>(&self, file: &'f str) -> &'f Path {
        let root = self.examined.here.link(&self.process.join("root")).unwrap_or_default();
        let file = Path::new(file);
        let inside = file.strip_prefix(root).unwrap_or(file);
        inside.strip_prefix("/").unwrap_or(inside)
    }

    /// Whether the program itself asks for a library.
    fn needs(&self, beginning: &str) -> bool {
        let program = self.examined.here.binary(&self.process.join("exe"));
        program.is_ok_and(|program| program.needs(beginning).is_some())
    }

    fn is_hosts(&self, file: &Path) -> bool {
        let place = |file: &Path| self.examined.here.entry(file).ok().map(|entry| entry.place);
        let hosts = self.examined.openssl.as_ref().ok().and_then(|it| place(&it.path));
        hosts.is_some() && hosts == place(file)
    }

    /// Whether a provider reaches it, and how.
    fn reach(&self, libcrypto: &Libcrypto, read: &mut Read) -> (Reach, Option<String>) {
        if libcrypto.is_old {
            let lever = "OpenSSL 1 knows no providers: a build of it for OpenSSL 3 or later";
            return (Reach::Never, Some(lever.to_owned()));
        }
        if self.in_container {
            return match read.way(self.examined, self.process) {
                Ok(way) => (Reach::Possible, Some(way)),
                Err(why) => (Reach::Never, Some(why)),
            };
        }
        if !libcrypto.crypto.is_hosts {
            return (Reach::Possible, Some(self.other_configuration(libcrypto)));
        }
        let (reach, lever) = match self.examined.installed() {
            Some(_) => (
                Reach::Restart,
                "restart it; if that does not help: wirespeed doctor -- CMD tells why",
            ),
            None => (Reach::Possible, "sudo wirespeed install, then restart it"),
        };
        (reach, Some(lever.to_owned()))
    }

    /// How a libcrypto that is not the machine's gets the machine's configuration.
    fn other_configuration(&self, libcrypto: &Libcrypto) -> String {
        let folder =
            self.examined.here.read(&libcrypto.place).ok().and_then(|it| openssl_folder(&it));
        let reads = folder.map(|it| format!("it reads {it}/openssl.cnf; ")).unwrap_or_default();
        let hosts =
            self.examined.openssl.as_ref().map(crate::surroundings::Openssl::configuration_file);
        let hosts = hosts.unwrap_or_else(|_| "/etc/ssl/openssl.cnf".into());
        format!("{reads}set OPENSSL_CONF={} for it after sudo wirespeed install", hosts.display())
    }
}
