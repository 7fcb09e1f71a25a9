//! The configuration that a watched program reads: the machine's own, and `stats = FILE`.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::super::examined::{Examined, MODULE_NAMES};
use super::super::trial::escape;
use crate::fault::Fault;

/// A folder with a configuration and a file to count in; gone with its value.
pub(super) struct Setting {
    folder: TempDir,
    installed: bool,
}

impl Setting {
    /// Copies the configuration and adds the counters; without Wirespeed in it, makes one.
    pub(super) fn prepare(examined: &Examined<'_>) -> Result<Self, Fault> {
        let installed = examined.installed();
        let (text, section) = match (&installed, &examined.file) {
            (Some(installed), Some(file)) => {
                let text = examined.here.read(file).map_err(Fault::usage)?;
                (text, installed.section.name.as_bytes().to_owned())
            }
            _ => (made(&our_module(examined)?), b"wirespeed_section".to_vec()),
        };
        let setting = Self { folder: tempfile::tempdir()?, installed: installed.is_some() };
        setting.write(text, &section, examined.here.user() == 0).map_err(Fault::usage)?;
        Ok(setting)
    }

    fn write(&self, mut text: Vec<u8>, section: &[u8], root: bool) -> io::Result<()> {
        // Sections of the same name are one (config(5)), so what is appended to the file belongs to
        // ours, wherever it stands; the last value counts. Two line ends, for the first may be escaped.
        text.extend_from_slice(b"\n\n[");
        text.extend_from_slice(section);
        let counters = self.counters();
        text.extend_from_slice(
            format!("]\nstats = {}\n", escape(&counters.to_string_lossy())).as_bytes(),
        );
        File::create_new(self.configuration())?.write_all(&text)?;
        File::create_new(&counters)?;
        if root {
            // A service gives up root's rights, and its workers count too.
            fs::set_permissions(self.folder.path(), Permissions::from_mode(0o711))?;
            fs::set_permissions(counters, Permissions::from_mode(0o666))?;
            fs::set_permissions(self.configuration(), Permissions::from_mode(0o644))?;
        }
        Ok(())
    }

    /// What `OPENSSL_CONF` is to say.
    pub(super) fn configuration(&self) -> PathBuf {
        self.folder.path().join("openssl.cnf")
    }

    /// The file to count in.
    pub(super) fn counters(&self) -> PathBuf {
        self.folder.path().join("stats")
    }

    /// What is to be known about it.
    pub(super) fn note(&self) -> Option<&'static str> {
        (!self.installed).then_some(
            "Wirespeed is not installed: the program ran with a configuration made for this run, and \
             will use it by itself only after sudo wirespeed install",
        )
    }
}

/// Where a module of ours lies that is not installed: beside this program, or in the modules folder.
fn our_module(examined: &Examined<'_>) -> Result<PathBuf, Fault> {
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|path| path.parent().map(Path::to_owned));
    let folders: Vec<PathBuf> = beside.into_iter().chain(examined.modules_folder()).collect();
    let places = folders.iter().flat_map(|folder| MODULE_NAMES.map(|name| folder.join(name)));
    places.into_iter().find(|path| examined.here.exists(path)).ok_or_else(|| {
        let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Fault::usage(format!(
            "no module of Wirespeed in {}: build or install it",
            folders.join(", ")
        ))
    })
}

fn made(module: &Path) -> Vec<u8> {
    let module = escape(&module.to_string_lossy());
    format!(
        "openssl_conf = init\n\
         [init]\nproviders = providers\nalg_section = algorithms\n\
         [providers]\ndefault = default_section\nwirespeed = wirespeed_section\n\
         [default_section]\nactivate = 1\n\
         [wirespeed_section]\nmodule = {module}\nactivate = 1\n\
         [algorithms]\ndefault_properties = ?provider=wirespeed\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use wirespeed_openssl_conf::{Configuration, ThisMachine};

    use super::super::super::examined::{Examined, ours};
    use super::super::super::fake::{CONFIGURATION, Fake};
    use super::*;

    fn section(fake: &Fake) -> (Vec<u8>, Vec<(String, String)>) {
        let examined = Examined::new(fake);
        let setting = Setting::prepare(&examined).expect("a setting");
        let text = fs::read(setting.configuration()).expect("a copy");
        let read = Configuration::read(&setting.configuration(), &ThisMachine).expect("readable");
        let ours = ours(&read).expect("our provider");
        let counters = setting.counters().display().to_string();
        assert_eq!(ours.entry("stats").expect("stats").value.to_str(), counters);
        assert_eq!(fs::metadata(setting.counters()).expect("a file").len(), 0);
        let entries = &ours.reference.section.expect("a section").entries;
        let pair = |entry: &wirespeed_openssl_conf::Entry| {
            (entry.name.to_string(), entry.value.to_string())
        };
        (text, entries.iter().map(pair).collect())
    }

    #[test]
    fn the_configuration_is_copied_byte_for_byte() {
        let fake =
            Fake::installed("ciphers = AES-128-GCM\nstats = /run/stats\n[req]\nx = \\\r\n 1 \\");
        let original = wirespeed_openssl_conf::Files::read(&fake, Path::new(CONFIGURATION));
        let (copy, section) = section(&fake);
        assert!(copy.starts_with(&original.expect("a file")));
        assert!(section.contains(&("ciphers".to_owned(), "AES-128-GCM".to_owned())));
    }

    #[test]
    fn what_is_included_stays_included() {
        let included = tempfile::NamedTempFile::new().expect("a file");
        let text = "[w]\nmodule = /x/wirespeed.so\nactivate = 1";
        fs::write(&included, text).expect("written");
        let path = included.path().display().to_string();
        let main =
            format!("openssl_conf = i\n[i]\nproviders = p\n[p]\nwirespeed = w\n.include {path}");
        let (_, section) = section(&Fake::configured(&main).file(&path, text));
        assert!(section.contains(&("activate".to_owned(), "1".to_owned())));
    }
}
