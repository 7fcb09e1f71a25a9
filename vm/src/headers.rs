//! Modules for a kernel: its headers, fetched and unpacked beside it, and the build against them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::packages::{Source, in_folder};
use crate::program::output;
use crate::{Architecture, Kernel};

/// Debian builds with BTF, for which the kernel's debug information is not here.
pub(crate) const WITHOUT_BTF: &str = "CONFIG_DEBUG_INFO_BTF_MODULES=";

/// Builds the module whose source, with a `Kbuild`, is in a directory.
pub(crate) fn build(kernel: &Kernel, root: &Path, source: &Path) -> Result<PathBuf, String> {
    let name = source.canonicalize().map_err(|error| in_folder(source, error))?;
    let name = name.file_name().unwrap_or_default();
    // The build leaves its files beside the source: a copy is built, which the next one finds made.
    let place = root.join("modules").join(name);
    copy(source, &place)?;
    make(kernel, root, &place)?;
    let is_module = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "ko");
    files(&place)?.into_iter().find(is_module).ok_or_else(|| in_folder(&place, "holds no module"))
}

/// Builds the modules of a directory in it.
pub(crate) fn make(kernel: &Kernel, root: &Path, place: &Path) -> Result<(), String> {
    let headers = provide(kernel, root)?;
    let mut make = Command::new("make");
    make.arg("--silent").arg("-C").arg(headers).arg(format!("M={}", place.display()));
    if !kernel.architecture().is_native() {
        make.arg(format!("CROSS_COMPILE={}", kernel.architecture().tools));
    }
    output(make.args([WITHOUT_BTF, "modules"])).map(|_| ())
}

/// The kernel's build directory.
pub(crate) fn provide(kernel: &Kernel, root: &Path) -> Result<PathBuf, String> {
    let package = format!("linux-headers-{}", kernel.release());
    let sources = root.join("usr/src");
    let folder = sources.join(&package);
    let ready = sources.join("ready");
    if ready.exists() {
        return Ok(folder);
    }
    let cache = root.parent().unwrap_or(root);
    let source = Source::own(kernel.architecture(), cache)?;
    let needed = source.dependencies(&package)?;
    let of = |prefix: &str| -> Vec<_> {
        needed.iter().filter(|name| name.starts_with(prefix)).cloned().collect()
    };
    let mut wanted = of("linux-headers-");
    wanted.push(package);
    source.unpack(&wanted, root)?;
    // Its programs run here.
    Source::own(Architecture::here()?, cache)?.unpack(&of("linux-kbuild-"), root)?;
    // They are made to be used where Debian would have installed them.
    for file in ["Makefile", ".kernelvariables"].map(|name| folder.join(name)) {
        let text = fs::read_to_string(&file).map_err(|error| in_folder(&file, error))?;
        let mut moved = text;
        for place in ["/usr/src/", "/usr/lib/"] {
            moved = moved.replace(place, &format!("{}{place}", root.display()));
        }
        fs::write(&file, moved).map_err(|error| in_folder(&file, error))?;
    }
    fs::write(&ready, "").map_err(|error| in_folder(&ready, error))?;
    Ok(folder)
}

/// Brings a directory's files up to date; those that are stay as they are, for make.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|error| in_folder(to, error))?;
    for file in files(from)?.into_iter().filter(|file| file.is_file()) {
        let target = to.join(file.file_name().unwrap_or_default());
        let bytes = fs::read(&file).map_err(|error| in_folder(&file, error))?;
        if fs::read(&target).ok().as_ref() != Some(&bytes) {
            fs::write(&target, bytes).map_err(|error| in_folder(&target, error))?;
        }
    }
    Ok(())
}

pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| in_folder(folder, error))?;
    let paths = entries.map(|entry| Ok(entry.map_err(|error| in_folder(folder, error))?.path()));
    paths.collect()
}
