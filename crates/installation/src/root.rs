//! An unpacked system in a folder: a container's layer, the root of a machine to be. Nothing of it is run.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use wirespeed_openssl_conf::{Files, ThisMachine};

use crate::binary::{Binary, text_between};
use crate::replace::real;

/// How many links a path may lead through, as for Linux (path_resolution(7)).
const LINKS: usize = 40;
/// Where libraries lie.
const FOLDERS: [&str; 5] = ["/usr/lib64", "/usr/lib", "/lib64", "/lib", "/usr/local/lib"];
/// The libraries of OpenSSL that load providers.
const LIBCRYPTO: [&str; 2] = ["libcrypto.so.3", "libcrypto.so.4"];

/// The folder of such a system.
#[derive(Debug)]
pub struct Root {
    folder: PathBuf,
}

/// What a system's OpenSSL says of itself.
pub(crate) struct Libcrypto {
    binary: Binary,
    pub(crate) configuration: PathBuf,
    pub(crate) modules: PathBuf,
}

impl Root {
    /// The system in a folder.
    ///
    /// # Errors
    /// If it is no folder.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let name = folder.display();
        let folder = real(folder).map_err(|error| format!("{name}: {error}"))?;
        if !folder.is_dir() {
            return Err(format!("{name} is no folder"));
        }
        Ok(Self { folder })
    }

    /// Where a path inside really lies. Links are followed as they are inside; the last name may not be there.
    pub(crate) fn outside(&self, inside: &Path) -> io::Result<PathBuf> {
        let names = |path: &Path| -> Vec<OsString> {
            let named = path.components().filter(|it| !matches!(it, Component::RootDir));
            named.map(|it| it.as_os_str().to_owned()).collect()
        };
        let mut rest: VecDeque<OsString> = names(inside).into();
        let (mut there, mut links) = (self.folder.clone(), 0);
        while let Some(name) = rest.pop_front() {
            if name == ".." {
                if there != self.folder {
                    there.pop();
                }
                continue;
            }
            let next = there.join(&name);
            let Ok(target) = fs::read_link(&next) else {
                there = next;
                continue;
            };
            links += 1;
            if links > LINKS {
                return Err(io::Error::new(ErrorKind::InvalidInput, "too many links"));
            }
            if target.is_absolute() {
                there.clone_from(&self.folder);
            }
            names(&target).into_iter().rev().for_each(|name| rest.push_front(name));
        }
        Ok(there)
    }

    /// How programs inside know a file; nothing if it is outside.
    pub(crate) fn inside(&self, outside: &Path) -> Option<PathBuf> {
        Some(Path::new("/").join(outside.strip_prefix(&self.folder).ok()?))
    }

    /// Its OpenSSL.
    pub(crate) fn libcrypto(&self) -> Result<Libcrypto, String> {
        let name = self.folder.display();
        for file in self.libraries() {
            let Ok(bytes) = self.read(&file) else { continue };
            let said = |mark: &str| text_between(&bytes, mark.as_bytes()).map(PathBuf::from);
            let (folder, modules) = (said("OPENSSLDIR: \""), said("MODULESDIR: \""));
            if let (Some(folder), Some(modules)) = (folder, modules) {
                let binary = Binary::read(&bytes)
                    .map_err(|why| format!("{name}{}: {why}", file.display()))?;
                let configuration = folder.join("openssl.cnf");
                return Ok(Libcrypto { binary, configuration, modules });
            }
        }
        Err(format!("no OpenSSL 3 or 4 below {name}: install it there first"))
    }

    /// Where a libcrypto may be, in folders and in those for one architecture.
    fn libraries(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in FOLDERS.map(PathBuf::from) {
            let mut inside = self.list(&folder).unwrap_or_default();
            inside.sort();
            let triplets = inside.iter().filter(|name| name.to_string_lossy().contains("-linux-"));
            let folders = triplets.map(|name| folder.join(name)).chain([folder.clone()]);
            found.extend(folders.flat_map(|folder| LIBCRYPTO.map(|name| folder.join(name))));
        }
        found
    }

    /// Whether a module runs there: the same machine, the same C library, and none older than it needs.
    pub(crate) fn suits(&self, module: &[u8], libcrypto: &Libcrypto) -> Result<(), String> {
        let (name, theirs) = (self.folder.display(), &libcrypto.binary);
        let ours = Binary::read(module)?;
        if ours.machine != theirs.machine {
            let [ours, theirs] = [&ours, theirs].map(Binary::machine_name);
            return Err(format!("{name} is for {theirs}, and this module for {ours}"));
        }
        let has_glibc = |binary: &Binary| binary.needs("libc.so.6").is_some();
        match (has_glibc(&ours), has_glibc(theirs)) {
            (true, false) => {
                Err(format!("{name} has musl: take the tarball for musl (docs/packages.md)"))
            }
            (false, true) => Err(format!("{name} has glibc, and this module is for musl")),
            (false, false) => Ok(()),
            (true, true) => self.suits_glibc(module).and_then(|()| self.has_unwinder(&ours)),
        }
    }

    /// GCC's library, which a module in Rust takes to end itself in good order; images with glibc alone have none.
    fn has_unwinder(&self, module: &Binary) -> Result<(), String> {
        let folders: Vec<_> =
            self.libraries().iter().filter_map(|file| Some(file.parent()?.to_owned())).collect();
        let is_there =
            |name: &str| folders.iter().any(|folder| self.read(&folder.join(name)).is_ok());
        match module.needs.iter().find(|name| name.starts_with("libgcc_s") && !is_there(name)) {
            Some(name) => Err(format!(
                "{} has no {name}, which the module needs: install it there first",
                self.folder.display()
            )),
            None => Ok(()),
        }
    }

    /// A version of glibc that the module asks for and the root's library has not, if it can be read.
    fn suits_glibc(&self, module: &[u8]) -> Result<(), String> {
        let folders =
            self.libraries().into_iter().filter_map(|file| Some(file.parent()?.to_owned()));
        let mut files = folders.map(|folder| folder.join("libc.so.6"));
        let Some(library) = files.find_map(|file| self.read(&file).ok()) else { return Ok(()) };
        let missing = glibc_versions(module).find(|version| !has_text(&library, version));
        missing.map_or(Ok(()), |version| {
            let version = version.trim_start_matches("GLIBC_");
            Err(format!("{} has a glibc before {version}", self.folder.display()))
        })
    }
}

/// Names such as "GLIBC_2.34" among the texts of a binary.
fn glibc_versions(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let texts = bytes.split(|byte| *byte == 0).filter_map(|text| str::from_utf8(text).ok());
    texts.filter(|text| {
        let number = text.strip_prefix("GLIBC_2.");
        number.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    })
}

/// Whether a text with its end is in there.
fn has_text(bytes: &[u8], text: &str) -> bool {
    bytes.split(|byte| *byte == 0).any(|found| found == text.as_bytes())
}

impl Files for Root {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(self.outside(path)?)
    }

    fn list(&self, path: &Path) -> Option<Vec<OsString>> {
        ThisMachine.list(&self.outside(path).ok()?)
    }

    /// Nobody knows what its programs will be started with.
    fn variable(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_as_they_are_inside() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        let there = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(there.join("etc/ssl")).unwrap();
        fs::create_dir_all(there.join("usr/lib")).unwrap();
        symlink("/etc/ssl", there.join("usr/lib/ssl")).unwrap();
        symlink("../../../../../etc/ssl/a", there.join("etc/ssl/up")).unwrap();
        symlink("loop", there.join("etc/loop")).unwrap();
        let outside = |path: &str| root.outside(Path::new(path));
        let file = there.join("etc/ssl/openssl.cnf");
        assert_eq!(outside("/usr/lib/ssl/openssl.cnf").unwrap(), file);
        assert_eq!(
            outside("/etc/ssl/up").unwrap(),
            there.join("etc/ssl/a"),
            "never above the root"
        );
        assert_eq!(outside("/../../etc/ssl/../ssl/openssl.cnf").unwrap(), file);
        assert!(outside("/etc/loop").is_err());
        assert!(Root::open(&there.join("nothing")).is_err());
    }

    #[test]
    fn versions_of_glibc_are_told_from_other_texts() {
        let found: Vec<_> =
            glibc_versions(b"GLIBC_2.34\0GLIBC_PRIVATE\0xGLIBC_2.2.5\0GLIBC_2.2.5\0").collect();
        assert_eq!(found, ["GLIBC_2.34", "GLIBC_2.2.5"]);
        assert!(
            has_text(b"a\0GLIBC_2.34\0", "GLIBC_2.34") && !has_text(b"GLIBC_2.345\0", "GLIBC_2.34")
        );
    }
}
