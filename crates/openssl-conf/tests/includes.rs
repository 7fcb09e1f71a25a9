//! Lines behind an `.include` go where its file says. Ours stay, whatever a file brings, and whenever
//! it appears.

#![forbid(unsafe_code)]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use wirespeed_libcrypto::Library;
use wirespeed_openssl_conf::{Configuration, ThisMachine, Wanted, install, uninstall};

const PREFERENCE: &str = "?provider=wirespeed,?wirespeed.preferred=yes";

/// A folder with an openssl.cnf. `@/` is where it lies.
struct Scene {
    folder: TempDir,
    original: String,
}

impl Scene {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let original = text.replace("@/", &format!("{}/", folder.path().display()));
        fs::write(folder.path().join("openssl.cnf"), &original).expect("written");
        Self { folder, original }
    }

    fn install(&self) -> String {
        let path = self.folder.path().join("openssl.cnf");
        let bytes = fs::read(&path).expect("readable");
        let module = Path::new("/modules/w.so");
        let wanted = Wanted { module, files: &[], activates_default: false };
        let text = install(&bytes, &path, &ThisMachine, &wanted).expect("it can be installed");
        fs::write(&path, &text).expect("written");
        String::from_utf8(text).expect("text")
    }

    /// The file that is included appears.
    fn bring(&self, text: &str) {
        fs::write(self.folder.path().join("later.cnf"), text).expect("written");
    }

    /// What OpenSSL itself reads is what was installed, and taking it back is exact.
    fn holds(&self, why: &str) {
        let path = self.folder.path().join("openssl.cnf");
        let text = fs::read_to_string(&path).expect("readable");
        let now = Configuration::read(&path, &ThisMachine).expect("readable");
        let active = |name: &str| now.provider(name).is_some_and(|one| one.is_activated());
        assert!(active("wirespeed") && active("default"), "{why}\n{text}");
        let properties = now.default_properties().expect("a preference").value.to_string();
        assert!(properties.ends_with(PREFERENCE), "{why}: {properties}\n{text}");
        let list = now.provider("wirespeed").expect("listed").reference.entry.clone();
        let library = Library::host().expect("these tests need libcrypto");
        let read = library.read_configuration(&path).expect("OpenSSL reads it");
        let is_listed = read.iter().any(|(_, keys)| {
            keys.iter().any(|(key, value)| {
                (&key[..], &value[..]) == (list.name.as_bytes(), list.value.as_bytes())
            })
        });
        assert!(is_listed, "{why}\n{text}");
        let original = Some(self.original.as_bytes());
        let removed = uninstall(text.as_bytes(), original, &path, &ThisMachine).expect("readable");
        assert_eq!(String::from_utf8_lossy(&removed.bytes), self.original, "{why}");
    }
}

/// Files that appear later: one that ends in its own section, one without any, one of keys for many.
const LATER: [&str; 3] = [
    "[other]\nkey = value\n",
    "key = other\n[other]\n",
    "[provider_sect]\nlegacy = other\n[other]\nsome = thing\n[last]\nend = 1\n",
];

/// Each section that we write in, with an include in it.
const SCENES: [(&str, &str); 8] = [
    ("openssl_conf", "HOME = .\n.include @/later.cnf\nRANDFILE = x\n[req]\nbits = 1\n"),
    ("openssl_conf behind all", "# nothing\n.include @/later.cnf\n"),
    ("modules", "openssl_conf = init\n[init]\n.include @/later.cnf\n[req]\nbits = 1\n"),
    (
        "provider_sect",
        "openssl_conf = init\n[init]\nproviders = provider_sect\n[provider_sect]\n\
         default = d\n.include = @/later.cnf\n[d]\nactivate = 1\n",
    ),
    // Without the default provider next to nothing works, so its lines must stay as ours do.
    (
        "default behind it",
        "openssl_conf = i\n[i]\nproviders = p\n[p]\n.include @/later.cnf\ndefault = d\n[d]\n\
         activate = 1\n",
    ),
    (
        "activate behind it",
        "openssl_conf = i\n[i]\nproviders = p\n[p]\ndefault = d\n[d]\n.include @/later.cnf\n\
         activate = 1\n",
    ),
    (
        "evp_properties",
        "openssl_conf = init\n[init]\nalg_section = evp\n[evp]\n.include @/later.cnf\n",
    ),
    (
        "sections that are listed",
        "openssl_conf = init\n[init]\nproviders = p\n[p]\ndefault = d\nwirespeed = w\n[d]\n\
         .include @/later.cnf\n[w]\n.include @/later.cnf\n",
    ),
];

#[test]
fn our_lines_stay_when_a_file_appears() {
    for (name, text) in SCENES {
        for later in LATER {
            let scene = Scene::new(text);
            let installed = scene.install();
            scene.holds(name);
            scene.bring(later);
            scene.holds(&format!("{name} with {later:?}"));
            assert_eq!(scene.install(), installed, "{name}: a second time changes nothing");
        }
    }
}

/// The key that must be said again, behind the line that said it, has its section with it.
#[test]
fn what_is_said_again_behind_an_include_stays() {
    let text = "openssl_conf = init\n[init]\nalg_section = evp\n[evp]\n.include @/later.cnf\n\
                default_properties = ?x=y\n[end]\n";
    let scene = Scene::new(text);
    let installed = scene.install();
    let line = format!("evp::default_properties = ?x=y,{PREFERENCE} # wirespeed install\n");
    assert!(installed.contains(&line), "{installed}");
    scene.holds("before");
    scene.bring(LATER[0]);
    scene.holds("after");
    assert_eq!(scene.install(), installed);
}

/// A file as an older version left it: its lines behind the include, one of them lost by now.
#[test]
fn older_lines_behind_an_include_are_moved_and_not_doubled() {
    let text = "openssl_conf = init\n[init]\nproviders = list\n[list]\n.include @/later.cnf\n\
                [end]\n";
    for lost in [false, true] {
        let scene = Scene::new(text);
        let path = scene.folder.path().join("openssl.cnf");
        let installed = scene.install();
        let ours = "default = default_sect # wirespeed install\n\
                    wirespeed = wirespeed_sect # wirespeed install\n";
        assert!(installed.contains(ours), "{installed}");
        let older = installed.replace(ours, "").replace("[end]\n", &format!("{ours}[end]\n"));
        fs::write(&path, &older).expect("written");
        if lost {
            scene.bring("legacy = l\n[l]\nactivate = 1\n");
        }
        let again = scene.install();
        let lines = again.lines().filter(|line| line.starts_with("wirespeed = "));
        assert_eq!(lines.count(), 1, "{again}");
        assert_eq!(again, installed, "as if it had been installed now");
        scene.holds("moved");
    }
}
