//! A kernel of Debian's: where its files are, and how they come there.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::packages::{Source, by_numbers, in_folder};
use crate::program::output;
use crate::{Architecture, ciphers, dco, headers, initramfs, vmlinux};

const IMAGE: &str = "linux-image-";

/// A kernel, unpacked, with all that a guest boots from.
#[derive(Clone, Debug)]
pub struct Kernel {
    architecture: &'static Architecture,
    release: String,
    /// The root that its packages were unpacked into.
    root: PathBuf,
}

impl Kernel {
    /// The newest kernel of a series such as `6.1` or `6.12`, by default the one that Debian would
    /// install on a machine of that architecture. What is in `cache` already is taken from there; the rest is fetched with apt.
    pub fn provide(
        cache: &Path,
        architecture: &'static Architecture,
        series: Option<&str>,
    ) -> Result<Self, String> {
        fs::create_dir_all(cache).map_err(|error| in_folder(cache, error))?;
        let cache = cache.canonicalize().map_err(|error| in_folder(cache, error))?;
        let _others_wait = lock(&cache)?;
        let kept = fs::read_dir(&cache).into_iter().flatten().flatten();
        let kept = kept.filter_map(|entry| entry.file_name().into_string().ok());
        let chosen: Vec<_> = match series {
            Some(series) => kept.filter(|release| is_of(release, architecture, series)).collect(),
            // Others may be there, too.
            None => kept
                .filter(|release| is_for(release, architecture))
                .filter(|release| cache.join(release).join(DEFAULT).exists())
                .collect(),
        };
        if let Some(release) = chosen.into_iter().max_by(|one, other| by_numbers(one, other)) {
            let kernel = Self { architecture, root: cache.join(&release), release };
            initramfs::provide(&kernel, &kernel.root)?;
            return Ok(kernel);
        }
        let (source, package) = newest_package(&cache, architecture, series)?;
        let release = package.trim_start_matches(IMAGE).to_owned();
        let kernel = Self { architecture, root: cache.join(&release), release };
        if !kernel.root.exists() {
            kernel.unpack(&cache, &source, package)?;
        }
        initramfs::provide(&kernel, &kernel.root)?;
        if series.is_none() {
            fs::write(kernel.root.join(DEFAULT), "").map_err(|error| in_folder(&cache, error))?;
        }
        Ok(kernel)
    }

    /// What it is made for.
    pub fn architecture(&self) -> &'static Architecture {
        self.architecture
    }

    /// As `uname -r` says it.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The directory with all of its files.
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// The directory with its modules.
    pub fn modules(&self) -> PathBuf {
        self.root.join("lib/modules").join(&self.release)
    }

    /// The kernel itself, uncompressed: a guest that is translated would take seconds to unpack it.
    pub fn image(&self) -> PathBuf {
        self.root.join("vmlinux")
    }

    /// The initial RAM file system that makes the host's root the guest's.
    pub fn initramfs(&self) -> PathBuf {
        self.root.join(initramfs::name())
    }

    /// Builds a module from the directory of its source, and gives the file.
    ///
    /// The headers for it are fetched at the first time.
    pub fn build_module(&self, source: &Path) -> Result<PathBuf, String> {
        let _others_wait = lock(&self.root)?;
        headers::build(self, &self.root, source)
    }

    /// Builds all of [`ciphers::ALL`] from the kernel's own source, and gives the module of one.
    ///
    /// The source is fetched at the first time.
    pub fn build_cipher(&self, name: &str) -> Result<PathBuf, String> {
        let _others_wait = lock(&self.root)?;
        let place = ciphers::build(self, &self.root)?;
        Ok(place.join(name).with_extension("ko"))
    }

    /// Builds OpenVPN's data channel offload, and gives the module.
    ///
    /// Debian's package of its source is fetched at the first time.
    pub fn build_dco(&self) -> Result<PathBuf, String> {
        let _others_wait = lock(&self.root)?;
        dco::build(self, &self.root)
    }

    /// It all happens aside, so that what is there is whole.
    fn unpack(&self, cache: &Path, source: &Source, package: String) -> Result<(), String> {
        let aside = tempfile::tempdir_in(cache).map_err(|error| in_folder(cache, error))?;
        let root = aside.path();
        let mut packages = vec![package];
        // Newer ones come in pieces, which all have the release in their names.
        let pieces = source.dependencies(&packages[0])?;
        packages.extend(pieces.into_iter().filter(|name| name.ends_with(&self.release)));
        if !self.architecture.is_native() {
            packages.push(initramfs::BUSYBOX.to_owned());
        }
        source.unpack(&packages, root)?;
        // They know no /lib any more.
        if root.join("usr/lib/modules").exists() && !root.join("lib").exists() {
            symlink("usr/lib", root.join("lib")).map_err(|error| in_folder(root, error))?;
        }
        output(Command::new("depmod").arg("--basedir").arg(root).arg(&self.release))?;
        let modules = root.join("lib/modules").join(&self.release);
        let places = [root.join(format!("boot/vmlinuz-{}", self.release)), modules.join("vmlinuz")];
        let compressed = places.iter().find(|place| place.exists()).unwrap_or(&places[0]);
        vmlinux::extract(compressed, &root.join("vmlinux"))?;
        fs::set_permissions(root, Permissions::from_mode(0o755))
            .and_then(|()| fs::rename(root, &self.root))
            .map_err(|error| in_folder(cache, error))
    }
}

/// Lets one process at a time change what is in a directory, for as long as it keeps the file.
fn lock(folder: &Path) -> Result<File, String> {
    let file = File::create(folder.join("lock")).map_err(|error| in_folder(folder, error))?;
    file.lock().map_err(|error| in_folder(folder, error))?;
    Ok(file)
}

/// Marks the release that Debian would install.
const DEFAULT: &str = "default";

/// Whether it is one for that architecture.
fn is_for(release: &str, architecture: &Architecture) -> bool {
    without_flavour(release, architecture).is_some()
}

/// What stands before the architecture's flavour that has everything.
fn without_flavour<'r>(release: &'r str, architecture: &Architecture) -> Option<&'r str> {
    release.strip_suffix(architecture.debian)?.strip_suffix('-')
}

fn is_of(release: &str, architecture: &Architecture, series: &str) -> bool {
    let rest = without_flavour(release, architecture).and_then(|rest| rest.strip_prefix(series));
    // Other flavours are `cloud-amd64`, `rt-amd64`: the one for clouds lacks 9p and PadLock.
    let is_number = |piece: &str| piece.starts_with(|letter: char| letter.is_ascii_digit());
    rest.is_some_and(|rest| {
        (rest.is_empty() || rest.starts_with('.')) && rest.split('-').skip(1).all(is_number)
    })
}

/// The package of the kernel that is wanted, and where to get it: where this machine's apt knows none of
/// the series, the newer Debian may.
fn newest_package(
    cache: &Path,
    architecture: &'static Architecture,
    series: Option<&str>,
) -> Result<(Source, String), String> {
    let own = Source::own(architecture, cache)?;
    let Some(series) = series else {
        let meta = format!("{IMAGE}{}", architecture.debian);
        let newest = own.dependencies(&meta)?;
        let newest = newest.into_iter().find(|package| package.starts_with(IMAGE));
        let newest = newest.ok_or_else(|| format!("{meta} depends on no kernel"))?;
        return Ok((own, newest));
    };
    if let Some(package) = newest_of(&own, architecture, series)? {
        return Ok((own, package));
    }
    let unknown = format!("apt knows no kernel {series} of the flavour {}", architecture.debian);
    let newer = Source::newer(architecture, cache)
        .map_err(|why| format!("{unknown}, and the newer Debian: {why}"))?;
    let package = newest_of(&newer, architecture, series)?;
    package.map(|package| (newer, package)).ok_or(unknown)
}

fn newest_of(
    source: &Source,
    architecture: &Architecture,
    series: &str,
) -> Result<Option<String>, String> {
    let known = source.beginning(&format!("{IMAGE}{series}"))?;
    let numbered = |package: &String| {
        // `linux-image-6.12-amd64` only depends on the newest; it holds no kernel.
        let release = package.trim_start_matches(IMAGE);
        is_of(release, architecture, series) && release.split('.').count() > 2
    };
    Ok(known.into_iter().filter(numbered).max_by(|one, other| by_numbers(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AARCH64, X86_64};

    #[test]
    fn a_series_is_not_the_beginning_of_another() {
        let is_of = |release, series| is_of(release, &X86_64, series);
        assert!(is_of("6.1.0-56-amd64", "6.1"));
        assert!(!is_of("6.12.117+deb12-amd64", "6.1"));
        assert!(!is_of("6.1.0-56-cloud-amd64", "6.1.0-56"));
        assert!(!is_of("6.12.117+deb12-cloud-amd64", "6.12"));
        assert!(is_of("6.1.0-56-amd64", "6.1.0-56"));
        assert!(!is_of("6.1.0-56-rt-amd64", "6.1.0-56"));
    }

    #[test]
    fn a_kernel_is_of_one_architecture() {
        assert!(is_of("6.1.0-56-arm64", &AARCH64, "6.1"));
        assert!(!is_of("6.1.0-56-arm64", &X86_64, "6.1"));
        assert!(is_for("6.1.0-56-amd64", &X86_64) && !is_for("6.1.0-56-amd64", &AARCH64));
        assert!(!is_for("newer", &X86_64));
    }
}
