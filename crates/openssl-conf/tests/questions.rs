//! The questions that people have about a configuration.

#![forbid(unsafe_code)]

use std::path::Path;

use wirespeed_openssl_conf::{Configuration, ThisMachine};

fn read(text: &str) -> Configuration {
    Configuration::of(text.as_bytes(), Path::new("openssl.cnf"), &ThisMachine).expect("readable")
}

#[test]
fn providers_with_their_keys_and_places() {
    let configuration = read(
        "openssl_conf = init\n[init]\nproviders = list\n[list]\n1.default = d\nours = w\noff = o\n\
         lost = nowhere\n[d]\nactivate = 1\n[w]\nidentity = wirespeed\nmodule = /w.so\n\
         activate = yes\n[o]\nactivate = 0\n",
    );
    let names: Vec<_> = configuration
        .providers()
        .iter()
        .map(|one| (one.name.to_string(), one.is_activated(), one.reference.entry.place.line))
        .collect();
    let expected =
        [("default", true, 5), ("wirespeed", true, 6), ("off", false, 7), ("lost", false, 8)];
    assert_eq!(names, expected.map(|(name, on, line)| (name.to_owned(), on, line)));
    let ours = configuration.provider("wirespeed").expect("listed");
    assert_eq!(ours.entry("module").expect("a module").place.to_string(), "openssl.cnf:13");
    assert!(configuration.provider("lost").expect("listed").reference.section.is_none());
    assert!(configuration.has_default_provider());
}

#[test]
fn the_default_provider_goes_when_another_is_activated() {
    let other = "openssl_conf = i\n[i]\nproviders = p\n[p]\ndefault = d\nlegacy = l\n[d]\n[l]\n";
    assert!(read(other).has_default_provider(), "nothing is activated: it comes by itself");
    assert!(!read(&format!("{other}activate = 1\n")).has_default_provider());
    assert!(read("").has_default_provider());
}

#[test]
fn what_nothing_leads_to_is_misplaced() {
    let configuration = read(
        "openssl_conf = init\nproviders = list\n[init]\nengines = e\n[e]\npadlock = p\n[p]\n\
         soft_load = 1\n[req]\nbits = 2048\nopenssl_conf = init\nalg_section = list\n[list]\n",
    );
    let misplaced: Vec<_> = configuration
        .misplaced()
        .iter()
        .map(|it| format!("{} in {} for {}", it.entry.name, it.section.name, it.meant_for))
        .collect();
    assert_eq!(
        misplaced,
        [
            "openssl_conf in req for default",
            "alg_section in req for init",
            "providers in default for init"
        ]
    );
    let engines: Vec<_> = configuration.engines().iter().map(|it| it.name.to_string()).collect();
    assert_eq!(engines, ["padlock"]);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let mistake = |text: &str| {
        let read = Configuration::of(text.as_bytes(), Path::new("x.cnf"), &ThisMachine);
        read.expect_err("a mistake").to_string()
    };
    assert_eq!(mistake("a = 1\n\n[b\n"), "x.cnf:3: the section's name lacks its closing ]");
    assert_eq!(mistake("a \\\n b\n"), "x.cnf:1: neither a section, nor a key with = and its value");
    assert_eq!(mistake("a = ${b\n"), "x.cnf:1: a variable lacks its closing } or )");
    let unknown = "x.cnf:2: the variable s::b has no value before this line";
    assert_eq!(mistake("[s]\na = $b\n"), unknown);
    assert!(mistake(".pragma x\n").starts_with("x.cnf:1: not a pragma"));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = Configuration::read(Path::new("/nowhere/x.cnf"), &ThisMachine).err();
    assert!(error.expect("no such file").to_string().starts_with("/nowhere/x.cnf: "));
}
