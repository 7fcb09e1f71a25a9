//! What a configuration keeps from programs on purpose stays so, unless somebody asks for more.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::io;
use std::path::Path;

use wirespeed_openssl_conf::{Configuration, Files, Obstacle, ThisMachine, Wanted, install};

const PATH: &str = "/etc/x/openssl.cnf";

fn attempt(text: &str, activates_default: bool) -> Result<String, Obstacle> {
    let wanted = Wanted { module: Path::new("/modules/w.so"), files: &[], activates_default };
    let bytes = install(text.as_bytes(), Path::new(PATH), &ThisMachine, &wanted)?;
    Ok(String::from_utf8(bytes).expect("text"))
}

fn refusal(text: &str, activates_default: bool) -> String {
    attempt(text, activates_default).expect_err("an obstacle").to_string()
}

/// Providers as a list, each activated.
fn activated(names: &[&str]) -> String {
    let mut text = "openssl_conf = a\n[a]\nproviders = them\n[them]\n".to_owned();
    names.iter().for_each(|name| text.push_str(&format!("{name} = {name}_sect\n")));
    names.iter().for_each(|name| text.push_str(&format!("[{name}_sect]\nactivate = 1\n")));
    text
}

#[test]
fn a_default_provider_that_is_off_stays_off() {
    for (names, active) in [
        (&["base"][..], "base"),
        (&["legacy"], "legacy"),
        (&["legacy", "base"], "legacy and base"),
        (&["tpm2"], "tpm2"),
    ] {
        let said = refusal(&activated(names), false);
        let begin = format!("/etc/x/openssl.cnf:5: [them] activates {active} and not the default ");
        assert!(said.starts_with(&begin), "{said}");
        assert!(said.contains("programs would get default and wirespeed besides"), "{said}");
        assert!(said.ends_with("say --activate-default"), "{said}");
        let now = attempt(&activated(names), true).expect("it was asked for");
        assert!(now.contains("default = default_sect # wirespeed install"), "{now}");
        // What was asked for once is so.
        assert_eq!(attempt(&now, false).expect("it is so already"), now);
    }
    // Listed, and turned off.
    let text = activated(&["base"]) + "[them]\ndefault = d\n[d]\nactivate = 0\n";
    assert!(refusal(&text, false).contains("--activate-default"));
}

#[test]
fn a_default_provider_that_is_on_needs_no_word() {
    let text = activated(&["default", "legacy"]);
    assert!(attempt(&text, false).is_ok() && attempt("", false).is_ok());
    let listed = text.replace("activate = 1\n", "");
    assert!(attempt(&listed, false).is_ok(), "nothing is activated: it comes by itself");
}

#[test]
fn a_fips_configuration_is_refused_whatever_is_asked() {
    let provider = activated(&["fips", "base"]);
    let both = activated(&["default", "fips"]);
    let properties =
        "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = ?x=y,?fips=yes\n";
    for activates_default in [false, true] {
        let said = refusal(&provider, activates_default);
        assert!(said.starts_with("/etc/x/openssl.cnf:5: the provider fips, activated in [them],"));
        assert!(said.contains("FIPS configuration, and Wirespeed is not validated"), "{said}");
        assert!(refusal(&both, activates_default).contains("FIPS configuration"));
        let said = refusal(properties, activates_default);
        assert!(
            said.starts_with("/etc/x/openssl.cnf:5: ?fips=yes in default_properties"),
            "{said}"
        );
        assert!(said.contains("FIPS configuration"), "{said}");
        let demanded = properties.replace("?fips", "fips");
        assert!(refusal(&demanded, activates_default).contains("demands fips=yes"));
    }
    let text = properties.replace("fips=yes", "fips=no");
    assert!(attempt(&text, false).is_ok());
}

#[test]
fn another_provider_may_be_kept_out() {
    let properties = |existing: &str| {
        let head = "openssl_conf = a\n[a]\nalg_section = b\n[b]\n";
        let now = attempt(&format!("{head}default_properties = {existing}\n"), false).unwrap();
        let now = Configuration::of(now.as_bytes(), Path::new(PATH), &ThisMachine).unwrap();
        now.default_properties().expect("properties").value.to_string()
    };
    assert_eq!(properties("provider!=fips"), "provider!=fips,?wirespeed.preferred=yes");
    assert_eq!(properties("?provider != x, ?a=b"), "?provider != x, ?a=b,?wirespeed.preferred=yes");
}

#[test]
fn a_key_among_the_providers_that_names_no_section_is_told_with_its_line() {
    let text = activated(&["default"]).replace("[default_sect]", "HOME = .\n[default_sect]");
    let said = refusal(&text, false);
    let begin = "/etc/x/openssl.cnf:6: HOME = . stands among the providers of [them], and there is no section [.]";
    assert!(said.starts_with(begin), "{said}");
    assert!(said.contains("loads no provider from there on"), "{said}");
    // With a section of that name OpenSSL takes it for a provider.
    assert!(attempt(&(text + "[.]\nx = y\n"), false).is_ok());
}

/// OpenSSL 3.0 looks for the key alone (crypto/provider_conf.c).
#[test]
fn a_switch_that_some_versions_take_for_yes_counts() {
    let off = |names: &[&str]| activated(names).replace("activate = 1", "activate = 0");
    let said = refusal(&off(&["base"]), false);
    let right =
        "activates base (activate = 0, which OpenSSL 3.0 takes for yes) and not the default";
    assert!(said.contains(right), "{said}");
    assert!(attempt(&off(&["base"]), true).is_ok());
    assert!(refusal(&off(&["fips"]), true).contains("fips"), "a FIPS configuration");
}

/// What has no such property counts as `no`, so both ways to ask for one are the same.
#[test]
fn unequal_to_no_is_yes() {
    let of = |query: &str| {
        format!("openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = {query}\n")
    };
    assert!(refusal(&of("fips!=no"), true).contains("demands fips!=no"));
    assert!(refusal(&of("?fips!=no"), true).contains("?fips!=no in default_properties"));
    assert!(attempt(&of("fips!=yes"), false).is_ok());
    assert!(attempt(&of("provider!=no"), false).is_ok());
}

/// Found by fuzzing: what `install` wrote there a second `install` refused.
#[test]
fn a_section_that_lists_providers_and_is_one_is_left_alone() {
    let own = "openssl_conf = a\n[a]\nproviders = them\n[them]\ndefault = them\n";
    let said = refusal(own, true);
    assert!(said.contains("too unusual to be changed safely"), "{said}");
    assert!(said.contains("activate = 1 stands among the providers of [them]"), "{said}");
}

/// A machine with a word for Linux's FIPS mode.
struct FipsEnabled(&'static [u8]);

impl Files for FipsEnabled {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path == Path::new("/proc/sys/crypto/fips_enabled") {
            true => Ok(self.0.to_owned()),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn list(&self, _: &Path) -> Option<Vec<OsString>> {
        None
    }

    fn variable(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

/// RHEL's OpenSSL activates the FIPS provider then, and its configuration does not say so.
#[test]
fn a_machine_in_fips_mode_is_left_alone() {
    let wanted = Wanted { module: Path::new("/modules/w.so"), files: &[], activates_default: true };
    let attempt = |enabled| install(b"", Path::new(PATH), &FipsEnabled(enabled), &wanted);
    let said = attempt(b"1\n").expect_err("an obstacle").to_string();
    assert!(said.starts_with("this machine is in FIPS mode (/proc/sys/crypto/fips_enabled = 1)"));
    assert!(attempt(b"0\n").is_ok());
}
