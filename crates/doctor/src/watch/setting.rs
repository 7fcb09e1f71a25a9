//! The configuration that a watched program reads: the machine's own, and `stats = FILE`.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wirespeed_openssl_conf::{Configuration, Text, Wanted, install};

use crate::examined::{Examined, ours};
use crate::trial::escape;

/// A folder with a configuration and a file to count in; gone with its value.
pub(super) struct Setting {
    folder: TempDir,
    installed: bool,
}

impl Setting {
    /// Copies the configuration and adds the counters; where Wirespeed is not in it, adds that too.
    pub(super) fn prepare(examined: &Examined<'_>, module: &Path) -> Result<Self, String> {
        let file = examined.file.as_deref().unwrap_or(Path::new("openssl.cnf"));
        let original = examined.here.read(file).unwrap_or_default();
        let installed = examined.installed();
        let (text, section) = match &installed {
            Some(installed) => (original, installed.section.name.clone()),
            None => with_ours(examined, module, file, &original)?,
        };
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let setting = Self { folder, installed: installed.is_some() };
        let root = examined.here.user() == 0;
        setting.write(text, section.as_bytes(), root).map_err(|error| error.to_string())?;
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
            "Wirespeed is not installed: the program ran with a copy of the configuration that has it; \
             by itself it will use it only after sudo wirespeed install",
        )
    }
}

/// The configuration as `wirespeed install` would leave it, and the name of our section.
fn with_ours(
    examined: &Examined<'_>,
    module: &Path,
    file: &Path,
    original: &[u8],
) -> Result<(Vec<u8>, Text), String> {
    let wanted = Wanted { module, files: &[], activates_default: true };
    let added = |bytes: &[u8]| install(bytes, file, examined.here, &wanted);
    // Of a file that cannot be changed, OpenSSL takes nothing or something too unusual to guess.
    let text = added(original).or_else(|_| added(b"")).map_err(|error| error.to_string())?;
    let read = Configuration::of(&text, file, examined.here).map_err(|error| error.to_string())?;
    let section = ours(&read).and_then(|provider| provider.reference.section);
    let section = section.ok_or("cannot make a configuration for this run")?;
    let name = section.name.clone();
    Ok((text, name))
}

#[cfg(test)]
mod tests {
    use wirespeed_openssl_conf::ThisMachine;

    use super::*;
    use crate::fake::{CONFIGURATION, Fake};

    fn section(fake: &Fake) -> (Vec<u8>, Vec<(String, String)>) {
        let examined = Examined::new(fake);
        let setting =
            Setting::prepare(&examined, Path::new("/x/libwirespeed.so")).expect("a setting");
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
