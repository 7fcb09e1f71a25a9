//! Installing changes what it must and nothing else, twice is once, and taking it back is exact.

#![forbid(unsafe_code)]

mod material;

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use wirespeed_openssl_conf::{Configuration, Obstacle, ThisMachine, Wanted, install, uninstall};

fn wanted() -> Wanted<'static> {
    static FILES: LazyLock<[(&str, &Path); 1]> =
        LazyLock::new(|| [("plan", Path::new("/etc/w/$plan#1"))]);
    let module = Path::new("/modules/wire speed.so");
    Wanted { module, files: &*FILES, activates_default: true }
}

fn properties_hold(text: &[u8], path: &Path) -> Result<(), TestCaseError> {
    let installed = match install(text, path, &ThisMachine, &wanted()) {
        Ok(installed) => installed,
        Err(Obstacle::Entangled { what }) => {
            // Allowed, but only where the file really is: see `likely_files_are_not_entangled`.
            prop_assert!(!what.is_empty());
            return Ok(());
        }
        Err(_) => return Ok(()),
    };
    let again = install(&installed, path, &ThisMachine, &wanted()).unwrap();
    prop_assert_eq!(text_of(&again), text_of(&installed), "twice is once");
    let removed = uninstall(&installed, Some(text), path, &ThisMachine).unwrap();
    prop_assert_eq!(text_of(&removed.bytes), text_of(text), "taken back");
    prop_assert!(removed.kept.is_empty());
    let now = Configuration::of(&installed, path, &ThisMachine).unwrap();
    let ours = now.provider("wirespeed").expect("it is listed");
    prop_assert!(ours.is_activated() && now.has_default_provider());
    prop_assert_eq!(ours.entry("plan").map(|it| it.value.to_str()), Some("/etc/w/$plan#1".into()));
    let properties = now.default_properties().expect("a preference").value.to_str().into_owned();
    prop_assert!(properties.contains("provider=wirespeed"), "{}", properties);
    Ok(())
}

fn text_of(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\n", "\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_file(main in material::noise(), included in material::noise()) {
        let folder = tempfile::tempdir().unwrap();
        material::lay_out(folder.path(), &main, &included);
        let path = folder.path().join("openssl.cnf");
        properties_hold(&std::fs::read(&path).unwrap(), &path)?;
    }

    #[test]
    fn likely_files(main in material::likely(), included in material::likely()) {
        let folder = tempfile::tempdir().unwrap();
        material::lay_out(folder.path(), &main, &included);
        let path = folder.path().join("openssl.cnf");
        properties_hold(&std::fs::read(&path).unwrap(), &path)?;
    }
}

/// Installs into a text; what it has become.
fn installed(text: &str) -> String {
    let path = Path::new("/nowhere/openssl.cnf");
    let bytes = install(text.as_bytes(), path, &ThisMachine, &wanted()).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn lines_of_ours(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_suffix(" # wirespeed install")).collect()
}

#[test]
fn an_empty_file_gets_all_of_it() {
    assert_eq!(
        lines_of_ours(&installed("")),
        [
            "# Wirespeed: take these lines away with wirespeed uninstall",
            "openssl_conf = openssl_init",
            "[openssl_init]",
            "providers = provider_sect",
            "alg_section = evp_properties",
            "[provider_sect]",
            "default = default_sect",
            "wirespeed = wirespeed_sect",
            "[default_sect]",
            "activate = 1",
            "[wirespeed_sect]",
            "module = /modules/wire speed.so",
            "plan = /etc/w/\\$plan\\#1",
            "activate = 1",
            "[evp_properties]",
            "default_properties = ?provider=wirespeed,?wirespeed.preferred=yes",
        ]
    );
}

#[test]
fn a_missing_section_stays_its_own_key_s() {
    let text = "openssl_conf = a\n[a]\nproviders = b\n[b]\nwirespeed = default_sect\n";
    let lines = installed(text);
    assert!(lines_of_ours(&lines).contains(&"default = wirespeed_default_sect"), "{lines}");
    properties_hold(text.as_bytes(), Path::new("/nowhere/openssl.cnf")).unwrap();
}

#[test]
fn what_is_there_is_used_whatever_its_name() {
    let text = "HOME = .\nopenssl_conf = a\n\n[a]\nengines = e\nproviders = b\nalg_section = c\n\
                [e]\n[b]\ndefault = d\nlegacy = l\n[c]\ndefault_properties = fips=no\n[d]\n\
                activate = 0\n[l]\nactivate = 1\n";
    assert_eq!(
        lines_of_ours(&installed(text)),
        [
            "wirespeed = wirespeed_sect",
            "default_properties = fips=no,?provider=wirespeed,?wirespeed.preferred=yes",
            "activate = 1",
            "# Wirespeed: take these lines away with wirespeed uninstall",
            "[wirespeed_sect]",
            "module = /modules/wire speed.so",
            "plan = /etc/w/\\$plan\\#1",
            "activate = 1",
        ]
    );
    assert!(installed(text).contains("fips=no\ndefault_properties = fips=no,?"), "said again");
}

#[test]
fn line_ends_are_those_of_the_file() {
    let text = installed("[a]\r\nb = c");
    assert!(text.starts_with("openssl_conf = openssl_init # wirespeed install\r\n[a]\r\n"));
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
}

#[test]
fn the_plan_or_the_module_that_moves_is_said_in_the_same_line() {
    let path = Path::new("/nowhere/openssl.cnf");
    let first = installed("a = b\n");
    let wanted = Wanted { module: Path::new("/elsewhere.so"), files: &[], ..wanted() };
    let moved = install(first.as_bytes(), path, &ThisMachine, &wanted).unwrap();
    let moved = String::from_utf8(moved).unwrap();
    assert_eq!(moved, first.replace("/modules/wire speed.so", "/elsewhere.so"));
}

#[test]
fn a_preference_that_is_there_is_not_said_again() {
    let properties = |existing: &str| {
        let text = format!(
            "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = {existing}\n"
        );
        let path = Path::new("/etc/openssl.cnf");
        let now = Configuration::of(installed(&text).as_bytes(), path, &ThisMachine).unwrap();
        now.default_properties().expect("properties").value.to_string()
    };
    let both = "?provider=wirespeed,?wirespeed.preferred=yes";
    assert_eq!(properties(both), both);
    assert_eq!(properties("?provider=wirespeed"), both);
    assert_eq!(properties("-fips, ?x=y"), format!("-fips, ?x=y,{both}"));
}

#[test]
fn demands_that_we_cannot_meet_are_obstacles() {
    let refused = |line: &str| {
        let text = format!("openssl_conf = a\n[a]\nalg_section = b\n[b]\n{line}\n");
        let path = Path::new("/etc/openssl.cnf");
        install(text.as_bytes(), path, &ThisMachine, &wanted()).unwrap_err().to_string()
    };
    assert!(refused("default_properties = fips=yes").contains("demands fips=yes"));
    assert!(refused("fips_mode = yes").starts_with("/etc/openssl.cnf:5: "));
    assert!(refused("default_properties = ?provider=tpm2").contains("prefers another provider"));
    assert!(refused("default_properties = provider = tpm2").contains("demands another provider"));
    assert!(refused("default_properties = provider!=wirespeed").contains("keeps Wirespeed out"));
    assert!(refused("nonsense").contains("/etc/openssl.cnf:5: neither a section, nor a key"));
}

#[test]
fn what_others_built_on_our_lines_stays() {
    let path = Path::new("/nowhere/openssl.cnf");
    let remove = |text: &str| uninstall(text.as_bytes(), None, path, &ThisMachine).unwrap();
    // A key of one's own in a section of its own: ours go, it stays.
    let edited = installed("a = b\n") + "[own]\nkey = value\n";
    let removed = remove(&edited);
    assert_eq!(String::from_utf8(removed.bytes).unwrap(), "a = b\n[own]\nkey = value\n");
    assert!(removed.kept.is_empty());
    // Another provider in the list that we made: it must still be found, and default with it.
    let list = "wirespeed = wirespeed_sect # wirespeed install\n";
    let edited = installed("a = b\n").replace(list, &format!("{list}legacy = l\n"));
    let removed = remove(&(edited + "[l]\nactivate = 1\n"));
    let configuration = Configuration::of(&removed.bytes, path, &ThisMachine).unwrap();
    assert!(configuration.provider("legacy").expect("listed").is_activated());
    assert!(configuration.has_default_provider() && configuration.provider("wirespeed").is_none());
    assert!(configuration.default_properties().is_none());
    assert!(removed.kept.iter().any(|(_, line)| line.starts_with("default = default_sect")));
}
