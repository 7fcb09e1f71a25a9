//! What is to be changed on this machine: which openssl.cnf, which folder of modules, which module.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use wirespeed_libcrypto::Library;
use wirespeed_openssl_conf::{Files, ThisMachine};

use crate::replace::real;
use crate::root::{Libcrypto, Root};
use crate::shell;

/// The name of the copy that `install` makes among other modules. No package has it: it is ours to remove.
const COPY: &str = "wirespeed.so";
/// The module's name as it was built, and in packages, which may put it among other modules themselves.
const BUILT: &str = "libwirespeed.so";

/// The files that are concerned.
pub struct Place {
    /// openssl.cnf as it was named; inside the root, if there is one.
    pub configuration: PathBuf,
    /// Whether it is the machine's own, and not one that was asked for.
    pub is_the_machines: bool,
    /// The folder of provider modules.
    modules: PathBuf,
    root: Option<(Root, Libcrypto)>,
    /// The options by which a command of ours works there.
    options: String,
}

impl Place {
    /// Looks at what was asked, then at the environment as OpenSSL does, then asks libcrypto itself.
    ///
    /// # Errors
    /// If there is no libcrypto to ask.
    pub fn find(config: Option<PathBuf>, modules: Option<PathBuf>) -> Result<Self, String> {
        let library = Library::host();
        let libcrypto = library.as_ref().ok();
        let is_the_machines = config.is_none();
        let asked = [("config", &config), ("modules", &modules)];
        let options = asked.iter().filter_map(|(name, path)| Some(option(name, path.as_ref()?)));
        let options = options.collect();
        let configuration = config
            .or_else(|| variable("OPENSSL_CONF"))
            .or_else(|| Some(libcrypto?.configuration_folder()?.join("openssl.cnf")));
        let modules = modules.or_else(|| modules_folder(libcrypto));
        match (configuration, modules) {
            (Some(configuration), Some(modules)) => Ok(Self {
                configuration: absolute(&configuration)?,
                is_the_machines,
                modules: absolute(&modules)?,
                root: None,
                options,
            }),
            _ => Err(match library {
                Err(why) => format!("{why}: name --config FILE and --modules DIR"),
                Ok(library) => format!(
                    "{} does not say where it is configured: name --config FILE and --modules DIR",
                    library.path().display()
                ),
            }),
        }
    }

    /// What the OpenSSL of an unpacked system says.
    ///
    /// # Errors
    /// If there is none.
    pub fn in_root(folder: &Path) -> Result<Self, String> {
        let root = Root::open(folder)?;
        let libcrypto = root.libcrypto()?;
        let (configuration, modules) = (libcrypto.configuration.clone(), libcrypto.modules.clone());
        let options = option("root", folder);
        let root = Some((root, libcrypto));
        Ok(Self { configuration, is_the_machines: false, modules, root, options })
    }

    /// Whether it is in an unpacked system, of which nothing can be run.
    pub const fn is_in_root(&self) -> bool {
        self.root.is_some()
    }

    /// A command of ours that works there, to be typed again.
    pub fn command(&self, name: &str) -> String {
        format!("wirespeed {name}{}", self.options)
    }

    /// Where files come from.
    pub fn files(&self) -> &dyn Files {
        self.root.as_ref().map_or(&ThisMachine, |(root, _)| root)
    }

    /// Where a file that programs there know by this path lies for us.
    ///
    /// # Errors
    /// If its links lead nowhere.
    pub fn outside(&self, path: &Path) -> io::Result<PathBuf> {
        self.root.as_ref().map_or_else(|| Ok(path.to_owned()), |(root, _)| root.outside(path))
    }

    /// How programs there know a file of ours; nothing if it is outside.
    pub(crate) fn inside(&self, path: &Path) -> Option<PathBuf> {
        self.root.as_ref().map_or_else(|| Some(path.to_owned()), |(root, _)| root.inside(path))
    }

    /// Whether a module can run there.
    ///
    /// # Errors
    /// What it is not made for.
    pub fn suits(&self, module: &[u8]) -> Result<(), String> {
        self.root.as_ref().map_or(Ok(()), |(root, libcrypto)| root.suits(module, libcrypto))
    }

    /// Where `install` puts its copy of the module.
    pub fn copy(&self) -> PathBuf {
        self.modules.join(COPY)
    }

    /// The path of a module that lies among the other modules already, as a package puts it there.
    pub fn packaged(&self, module: &Path) -> Option<PathBuf> {
        let folder = self.outside(&self.modules).and_then(|folder| real(&folder)).ok()?;
        let is_there = module.parent() == Some(&folder);
        is_there.then(|| self.modules.join(module.file_name().unwrap_or_default()))
    }
}

/// The module that came with this program: beside it as cargo builds it, or in a tarball's library folder, or
/// among OpenSSL's modules where a package puts it.
///
/// # Errors
/// If it is in none of them: the places, and how to build it.
pub fn own_module() -> Result<PathBuf, String> {
    let unknown = |error| format!("cannot find this program's own file: {error}");
    let program = env::current_exe().and_then(fs::canonicalize).map_err(unknown)?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let around = [folder.to_owned(), folder.join("../lib"), folder.join("../lib/ossl-modules")];
    let modules = modules_folder(Library::host().ok().as_ref());
    let candidates = around.into_iter().chain(modules).map(|folder| folder.join(BUILT));
    let found = candidates.filter_map(|file| fs::canonicalize(file).ok()).next();
    found.ok_or_else(|| {
        let folder = folder.display();
        format!(
            "no {BUILT} in {folder}, in {folder}/../lib or among OpenSSL's modules: cargo build --release"
        )
    })
}

/// Where OpenSSL looks for provider modules.
fn modules_folder(libcrypto: Option<&Library>) -> Option<PathBuf> {
    variable("OPENSSL_MODULES").or_else(|| libcrypto?.modules_folder().map(Path::to_owned))
}

fn option(name: &str, path: &Path) -> String {
    format!(" --{name} {}", shell::path(path))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    let wrong = |error| format!("{}: {error}", path.display());
    std::path::absolute(path).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_to_be_typed_again_keeps_a_path_with_blanks_in_one_word() {
        assert_eq!(
            option("config", Path::new("/etc/ssl/openssl.cnf")),
            " --config /etc/ssl/openssl.cnf"
        );
        assert_eq!(option("root", Path::new("/srv/old root")), " --root '/srv/old root'");
    }
}
