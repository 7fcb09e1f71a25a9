//! Every file means to us what it means to libcrypto itself.
//!
//! `WIRESPEED_LIBCRYPTO` names another libcrypto than the host's.

#![forbid(unsafe_code)]

mod material;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wirespeed_libcrypto::Library;
use wirespeed_openssl_conf::{Configuration, Fault, Mistake, ThisMachine};

type Meaning = BTreeMap<Vec<u8>, Vec<(Vec<u8>, Vec<u8>)>>;

fn oracle() -> Library {
    let library = match std::env::var_os("WIRESPEED_LIBCRYPTO") {
        Some(path) => Library::open(Path::new(&path)),
        None => Library::host(),
    };
    library.expect("these tests need libcrypto")
}

fn ours(path: &Path) -> Result<Meaning, Fault> {
    let configuration = Configuration::read(path, &ThisMachine)?;
    let pairs = |section: &wirespeed_openssl_conf::Section| {
        let pair = |entry: &wirespeed_openssl_conf::Entry| {
            (entry.name.as_bytes().to_owned(), entry.value.as_bytes().to_owned())
        };
        (section.name.as_bytes().to_owned(), section.entries.iter().map(pair).collect())
    };
    Ok(configuration.sections().iter().map(pairs).collect())
}

/// Compares the two readings of a file.
fn compare(path: &Path) -> Result<(), TestCaseError> {
    let ours = ours(path);
    let theirs = oracle().read_configuration(path);
    match (ours, theirs) {
        // libcrypto goes on until descriptors run out.
        (Err(Fault::Wrong { mistake: Mistake::EndlessInclude, .. }), _) => {}
        (Err(_), Err(_)) => {}
        (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs.into_iter().collect::<Meaning>()),
        (Err(fault), Ok(_)) => prop_assert!(false, "libcrypto reads it, we do not: {}", fault),
        (Ok(_), Err(error)) => prop_assert!(false, "we read it, libcrypto does not: {}", error),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_text(main in material::noise(), included in material::noise()) {
        let folder = tempfile::tempdir().unwrap();
        material::lay_out(folder.path(), &main, &included);
        compare(&folder.path().join("openssl.cnf"))?;
    }

    #[test]
    fn likely_text(main in material::likely(), included in material::likely()) {
        let folder = tempfile::tempdir().unwrap();
        material::lay_out(folder.path(), &main, &included);
        compare(&folder.path().join("openssl.cnf"))?;
    }
}

#[test]
fn pieces_of_long_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openssl.cnf");
    for length in (495..520).chain(1005..1030) {
        for end in ["\n", "\r\n", "\\\nmore\n", "\r", "\\", "\r\r\nx=y", "\\\\\n", " # it\n", ""] {
            for mark in ["", "\u{feff}"] {
                let text = format!("{mark}a = {}{end}b = c\n", "x".repeat(length));
                fs::write(&path, text).unwrap();
                compare(&path).unwrap_or_else(|why| panic!("{length} {end:?} {mark:?}: {why}"));
            }
        }
    }
}
