//! A folder that openssl.cnf includes has our file, and openssl.cnf stays as it is.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wirespeed_openssl_conf::{
    Configuration, DropIn, Removed, ThisMachine, WIRESPEED, Wanted, drop_in, drop_ins, install,
    uninstall_apart,
};

/// As Fedora's, which has the include behind its providers.
const FEDORA: &str = "\
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
ssl_conf = ssl_module
alg_section = evp_properties
[evp_properties]
#This section is intentionally added empty here to be tuned on particular systems
[provider_sect]
default = default_sect
##legacy = legacy_sect
[default_sect]
activate = 1
##[legacy_sect]
##activate = 1
.include @
[ssl_module]
system_default = crypto_policy
[crypto_policy]
MinProtocol = TLSv1.2
";

struct Machine {
    folder: TempDir,
    text: String,
}

impl Machine {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let text = text.replace('@', &folder.path().display().to_string());
        Self { folder, text }
    }

    fn wanted(module: &Path) -> Wanted<'_> {
        Wanted { module, files: &[], activates_default: false }
    }

    fn drop_in(&self) -> Option<(PathBuf, Vec<u8>)> {
        self.drop_in_with(&[])
    }

    fn drop_in_with(&self, keys: &[(&str, &Path)]) -> Option<(PathBuf, Vec<u8>)> {
        let wanted = Wanted { files: keys, ..Self::wanted(Path::new("/m/wirespeed.so")) };
        let (bytes, path) = (self.text.as_bytes(), Path::new("openssl.cnf"));
        let found = drop_in(bytes, path, &ThisMachine, &wanted).expect("no obstacle");
        found.map(|it| (it.path, it.bytes))
    }

    /// Our file without our lines.
    fn removed(&self, bytes: &[u8], original: Option<&[u8]>) -> Removed {
        let path = self.folder.path().join("wirespeed.cnf");
        let own = DropIn { path, bytes: bytes.to_owned() };
        let main = self.text.as_bytes();
        uninstall_apart(&own, original, main, Path::new("openssl.cnf"), &ThisMachine)
    }

    fn read(&self) -> Configuration {
        Configuration::of(self.text.as_bytes(), Path::new("openssl.cnf"), &ThisMachine)
            .expect("OpenSSL reads it")
    }
}

#[test]
fn a_folder_that_is_included_has_it_all() {
    let machine = Machine::new(FEDORA);
    let (path, bytes) = machine.drop_in().expect("a file of ours");
    assert_eq!(path, machine.folder.path().join("wirespeed.cnf"));
    fs::write(&path, &bytes).expect("written");
    let configuration = machine.read();
    let ours = configuration.provider(WIRESPEED).expect("ours");
    assert!(ours.is_activated() && configuration.has_default_provider());
    let properties = configuration.entry("evp_properties", "default_properties").expect("there");
    assert_eq!(properties.value.to_str(), "?provider=wirespeed,?wirespeed.preferred=yes");
    // What stands behind the include is where it was.
    let policy = configuration.entry("crypto_policy", "MinProtocol").expect("there");
    assert_eq!(policy.value.to_str(), "TLSv1.2");
    assert_eq!(machine.drop_in(), Some((path.clone(), bytes)), "the second time it is the same");
    let text = machine.text.as_bytes();
    assert_eq!(drop_ins(text, Path::new("openssl.cnf"), &ThisMachine), [path]);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Puts lines behind the one that begins so.
fn behind(bytes: &[u8], beginning: &str, more: &str) -> String {
    let lines = text(bytes);
    let with = |line: &str| match line.starts_with(beginning) {
        true => format!("{line}\n{more}\n"),
        false => format!("{line}\n"),
    };
    lines.lines().map(with).collect()
}

#[test]
fn what_it_says_besides_stays_when_it_is_installed_again() {
    let machine = Machine::new(FEDORA);
    let stats = ("stats", Path::new("/s"));
    let (path, first) = machine.drop_in_with(&[stats]).expect("a file of ours");
    fs::write(&path, &first).expect("written");
    assert_eq!(machine.drop_in(), Some((path.clone(), first.clone())), "it counts on");
    // A value of theirs behind ours goes, for the last one counts; but their line stays.
    let theirs = "# we want Linux's\nkernel = on\nplan = /theirs\n[theirs]\nkey = value";
    let edited = behind(&first, "activate = 1 # w", theirs);
    fs::write(&path, &edited).expect("written");
    let plan = ("plan", Path::new("/p"));
    let (_, second) = machine.drop_in_with(&[plan]).expect("a file of ours");
    let expected =
        edited.replace("plan = /theirs\n", "plan = /theirs\nplan = /p # wirespeed install\n");
    assert_eq!(text(&second), expected);
    fs::write(&path, &second).expect("written");
    assert_eq!(machine.drop_in_with(&[plan]), Some((path.clone(), second.clone())));
    let ours = machine.read();
    let ours = ours.provider(WIRESPEED).expect("ours");
    for (key, value) in [("kernel", "on"), ("plan", "/p"), ("stats", "/s")] {
        assert_eq!(ours.entry(key).expect(key).value.to_str(), value);
    }
    let value = machine.read();
    let value = value.entry("crypto_policy", "MinProtocol").expect("there");
    assert_eq!(value.value.to_str(), "TLSv1.2", "it goes back to its section");
}

#[test]
fn what_others_wrote_into_it_stays_when_it_is_taken_back() {
    let machine = Machine::new(&FEDORA.replace("[ssl_module]", "more = 1\n[ssl_module]"));
    let (path, ours) = machine.drop_in().expect("a file of ours");
    assert_eq!(machine.removed(&ours, None).bytes, b"", "all of it was ours");
    let theirs = behind(&ours, "module = ", "kernel = on");
    let removed = machine.removed(theirs.as_bytes(), None);
    let header = "[wirespeed_sect] # wirespeed install\nkernel = on\n";
    assert_eq!(text(&removed.bytes), format!("{header}[default_sect] # wirespeed install\n"));
    assert_eq!(removed.kept.len(), 2);
    assert_eq!(machine.removed(&removed.bytes, None).bytes, removed.bytes, "and stays so");
    fs::write(&path, &removed.bytes).expect("written");
    assert!(machine.read().section("default_sect").expect("there").entry("more").is_some());
    let (_, again) = machine.drop_in().expect("a file of ours");
    assert!(text(&again).contains("kernel = on\n"));
}

/// Fedora's file lists `default` in a comment only, and an admin turns `legacy` on later.
#[test]
fn the_default_provider_stays_where_others_are_active_by_now() {
    let text_before = FEDORA
        .replace("default = default_sect", "##default = default_sect")
        .replace("\nactivate = 1", "\n##activate = 1");
    let mut machine = Machine::new(&text_before);
    let (path, ours) = machine.drop_in().expect("a file of ours");
    fs::write(&path, &ours).expect("written");
    assert_eq!(machine.removed(&ours, None).bytes, b"", "nobody depends on it yet");
    machine.text = machine
        .text
        .replace("##legacy", "legacy")
        .replace("##[legacy_sect]\n##", "[legacy_sect]\n");
    assert!(machine.read().provider("legacy").expect("listed").is_activated());
    let removed = machine.removed(&ours, None);
    fs::write(&path, &removed.bytes).expect("written");
    let now = machine.read();
    assert!(now.has_default_provider(), "{}", text(&removed.bytes));
    assert!(now.provider(WIRESPEED).is_none() && !text(&removed.bytes).contains("/m/wirespeed.so"));
    assert!(now.default_properties().is_none());
    let kept = |line: &str| removed.kept.iter().any(|(_, text)| text.starts_with(line));
    assert!(kept("default = ") && kept("activate = 1"), "{:?}", removed.kept);
    assert_eq!(machine.removed(&removed.bytes, None).bytes, removed.bytes, "and stays so");
    // What was in the file before is no reason to lose it either.
    let original = machine.removed(&ours, Some(b""));
    assert_eq!(original, removed);
    machine.text = machine.text.replace("##default", "default");
    machine.text = machine.text.replace("[default_sect]\n##", "[default_sect]\n");
    assert_eq!(machine.removed(&removed.bytes, None).bytes, b"", "nobody depends on it any more");
}

/// Somebody has a file of this name already.
#[test]
fn a_file_of_others_is_added_to_and_comes_back() {
    let machine = Machine::new(FEDORA);
    let path = machine.folder.path().join("wirespeed.cnf");
    let theirs = "# of mine\n[mine]\nkey = value\n";
    fs::write(&path, theirs).expect("written");
    let (_, ours) = machine.drop_in().expect("a file of ours");
    assert!(text(&ours).contains(theirs), "{}", text(&ours));
    let removed = machine.removed(&ours, Some(theirs.as_bytes()));
    assert_eq!((text(&removed.bytes), removed.kept), (theirs.to_owned(), vec![]));
}

#[test]
fn keys_below_the_include_stay_in_their_section() {
    let text = FEDORA.replace("[ssl_module]", "more = 1\n[ssl_module]");
    let machine = Machine::new(&text);
    let (path, bytes) = machine.drop_in().expect("a file of ours");
    fs::write(path, bytes).expect("written");
    assert!(machine.read().section("default_sect").expect("there").entry("more").is_some());
}

#[test]
fn without_such_a_folder_the_main_file_has_it() {
    for (what, with) in [
        (".include @", ""),
        (".include @", ".include @/none"),
        // It would come behind whatever fails there.
        ("alg_section = evp_properties", ""),
    ] {
        assert_eq!(Machine::new(&FEDORA.replace(what, with)).drop_in(), None, "{what}");
    }
}

/// What is said behind the include counts, and ours would not.
#[test]
fn where_the_main_file_has_the_last_word_it_has_it_all() {
    let late = format!("{FEDORA}[evp_properties]\ndefault_properties = provider=default\n");
    let machine = Machine::new(&late.replace("provider=default", "fips=no"));
    assert_eq!(machine.drop_in(), None);
}

#[test]
fn lines_in_the_main_file_stay_there() {
    let machine = Machine::new(FEDORA);
    let module = Path::new("/m/wirespeed.so");
    let (bytes, path) = (machine.text.as_bytes(), Path::new("openssl.cnf"));
    let text = install(bytes, path, &ThisMachine, &Machine::wanted(module)).expect("no obstacle");
    let machine = Machine { text: String::from_utf8(text).expect("text"), ..machine };
    assert_eq!(machine.drop_in(), None);
}
