//! This program again, with this machine's OpenSSL or with another.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wirespeed_cipher::{Direction, Subject, Use};
use wirespeed_results::schema::bench::{Bench, Row};
use wirespeed_results::schema::{HOST, Libcrypto};

use crate::fault::Fault;

/// One of the OpenSSLs that were named.
pub(crate) struct Other {
    path: PathBuf,
    /// "OpenSSL 3.5.7 1 Jul 2026".
    version: Option<String>,
    /// What stands above its column: "3.5.7".
    pub(crate) title: String,
    /// The dynamic loader that lies beside it, where this machine's C library is too old for it.
    loader: Option<PathBuf>,
}

/// What the dynamic loader says of a library that was built for a newer C library: "version `GLIBC_2.38' not found".
const TOO_NEW: &str = "GLIBC_";

impl Other {
    /// Looks at each of them, before anything is measured for long.
    pub(crate) fn all(paths: &[PathBuf]) -> Result<Vec<Self>, Fault> {
        let mut found = Vec::new();
        for path in paths {
            // Every OpenSSL has it.
            let glance = Work {
                subjects: &["SHA2-256".parse().map_err(Fault::usage)?],
                uses: &[Use::Message],
                directions: &[Direction::Encrypt],
                sizes: &[64],
                seconds: 0.0,
                threads: 1,
            };
            let alone = Library { path, loader: None };
            let (said, loader) = match (glance.again(Some(alone), HOST), beside(path)) {
                (Err(Fault::Usage(why)), Some(loader)) if why.contains(TOO_NEW) => {
                    let library = Library { path, loader: Some(&loader) };
                    (glance.again(Some(library), HOST)?, Some(loader))
                }
                (Err(Fault::Usage(why)), None) if why.contains(TOO_NEW) => {
                    return Err(Fault::usage(format!("{why}; {HINT}")));
                }
                (said, _) => (said?, None),
            };
            let version = said.machine.as_ref().and_then(|it| it.openssl().map(ToOwned::to_owned));
            let other = Self::new(path, version, &found);
            found.push(Self { loader, ..other });
        }
        Ok(found)
    }

    pub(crate) fn new(path: &Path, version: Option<String>, before: &[Self]) -> Self {
        let number = version.as_deref().and_then(|it| it.split(' ').nth(1));
        let number = number.unwrap_or("unnamed").to_owned();
        let alike = before.iter().filter(|it| it.title.split(' ').next() == Some(&*number)).count();
        let title = match alike {
            0 => number,
            more => format!("{number} ({})", more + 1),
        };
        Self { path: path.to_owned(), version, title, loader: None }
    }

    pub(crate) fn described(&self) -> Libcrypto {
        Libcrypto { path: Some(self.path.display().to_string()), version: self.version.clone() }
    }

    /// What it does by itself, its rows marked as such.
    pub(crate) fn measure(&self, work: &Work<'_>) -> Result<Bench, Fault> {
        let library = Library { path: &self.path, loader: self.loader.as_deref() };
        let mut bench = work.again(Some(library), HOST)?;
        let mark = |row: Row| Row { openssl: Some(self.title.clone()), ..row };
        bench.rows = bench.rows.into_iter().map(mark).collect();
        Ok(bench)
    }
}

const HINT: &str = "it was built for a newer C library: unpack that one's package (libc6, glibc) into the same folder, \
    and it is used";

/// The dynamic loader of an unpacked system, in the folder of its libcrypto; it and the C library there belong together.
fn beside(library: &Path) -> Option<PathBuf> {
    let folder = library.parent()?;
    let names = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_loader = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("ld-linux") && name.contains(".so.")
    };
    let mut loaders: Vec<PathBuf> = names.filter(is_loader).collect();
    loaders.sort();
    let loader = loaders.into_iter().next()?;
    folder.join("libc.so.6").exists().then_some(loader)
}

/// Another libcrypto, and what starts a program with the C library beside it.
#[derive(Clone, Copy)]
pub(super) struct Library<'a> {
    path: &'a Path,
    loader: Option<&'a Path>,
}

/// What is to be measured.
pub(crate) struct Work<'a> {
    pub(crate) subjects: &'a [Subject],
    pub(crate) uses: &'a [Use],
    pub(crate) directions: &'a [Direction],
    pub(crate) sizes: &'a [usize],
    pub(crate) seconds: f64,
    pub(crate) threads: usize,
}

impl Work<'_> {
    /// This program again, with these routes, or those that it takes by itself.
    pub(super) fn again(&self, library: Option<Library<'_>>, routes: &str) -> Result<Bench, Fault> {
        let what = library.map_or("this OpenSSL".to_owned(), |it| it.path.display().to_string());
        let failed = |why: &dyn fmt::Display| match why.to_string() {
            why if why.contains(&what) => Fault::usage(why),
            why => Fault::usage(format!("{what}: {why}")),
        };
        let program = std::env::current_exe().map_err(|why| failed(&why))?;
        let mut command = match library.and_then(|it| Some((it.loader?, it.path.parent()?))) {
            Some((loader, folder)) => {
                // ld.so(8): this folder before all others.
                let mut command = Command::new(loader);
                command.arg("--library-path").arg(folder).arg(program);
                command
            }
            None => Command::new(program),
        };
        self.ask(&mut command, routes);
        if let Some(library) = library {
            command.arg("--libcrypto").arg(library.path);
        }
        results(&mut command).map_err(|why| failed(&why))
    }

    /// Adds what asks for it to a command that is this program.
    pub(crate) fn ask<'c>(&self, command: &'c mut Command, routes: &str) -> &'c mut Command {
        command
            .arg("bench")
            .args(self.subjects.iter().map(|it| it.name()))
            .args(["--json", "-", "--sizes", &list(self.sizes), "--use", &list(self.uses)])
            .args(["--seconds", &self.seconds.to_string()])
            .args(["--threads", &self.threads.to_string()])
            .args(match self.directions {
                [Direction::Encrypt] => None,
                [Direction::Decrypt] => Some("--decrypt"),
                _ => Some("--both"),
            });
        if !routes.is_empty() {
            command.args(["--routes", routes]);
        }
        command
    }
}

fn list(words: &[impl ToString]) -> String {
    words.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// What this program, run again, measures and writes to standard output; or why not, in its words.
pub(crate) fn results(command: &mut Command) -> Result<Bench, String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output();
    let output = output.map_err(|why| why.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        // One that a signal ended has said nothing.
        let said = said.lines().next().map_or(output.status.to_string(), ToOwned::to_owned);
        return Err(said.strip_prefix("wirespeed: ").unwrap_or(&said).to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_counts_with_its_own_c_library_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let libcrypto = folder.path().join("libcrypto.so.3");
        assert_eq!(beside(&libcrypto), None);
        let loader = folder.path().join("ld-linux-x86-64.so.2");
        fs::write(&loader, "").expect("written");
        assert_eq!(beside(&libcrypto), None);
        fs::write(folder.path().join("libc.so.6"), "").expect("written");
        assert_eq!(beside(&libcrypto), Some(loader));
    }
}
