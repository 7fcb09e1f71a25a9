//! `--openssl FILE…`: another libcrypto beside this machine's. The one that is here stands for it.

use std::fs;
use std::process::Command;

use crate::support::{assert_narrow, interrupted, is_of_type};
use serde_json::Value;
use wirespeed_results::schema::bench::Bench;

fn wirespeed(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    let output = command.args(arguments).output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (code, printed, said) = wirespeed(arguments);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{arguments:?}");
    serde_json::from_str(&printed).expect("JSON")
}

/// One algorithm at one size, in no time.
const SHORT: [&str; 6] = ["bench", "AES-128-CTR", "--sizes", "64", "--seconds", "0"];

/// Where this machine's libcrypto lies.
fn here() -> String {
    let document = json(&[&SHORT[..], &["--routes", "libcrypto", "--json", "-"]].concat());
    let path = document["machine"]["libcrypto"]["path"].as_str();
    path.expect("these tests need libcrypto 3.0 or later").to_owned()
}

#[test]
fn what_no_release_can_do_is_said_instead_of_a_verdict() {
    let arguments = ["bench", "AES-128-GCM", "--use", "stream", "--seconds", "0", "--openssl"];
    let (code, text, said) = wirespeed(&[&arguments[..], &[&here()]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("left out: AES-128-GCM stream: "), "{text}");
    assert!(!text.contains("has nothing of it"), "{text}");
}

#[test]
fn each_file_is_a_column() {
    let path = here();
    let (code, text, said) = wirespeed(&[&SHORT[..], &["--openssl", &path, &path]].concat());
    assert_eq!((code, said.as_str()), (Some(0), ""), "{text}");
    assert_narrow(&text);
    let head = text.lines().find(|line| line.contains("this OpenSSL")).expect("a table");
    let titles: Vec<&str> = head.split_whitespace().collect();
    // "MB/s this OpenSSL 3.0.19 3.0.19 (2) Wirespeed"
    assert_eq!((titles[3], titles[4], titles[5]), (titles[3], titles[3], "(2)"), "{head}");
    assert!(text.contains(&format!("\nOpenSSL {} is ", titles[3])), "{text}");
}

#[test]
fn each_file_has_rows_of_its_own() {
    let path = here();
    let arguments = [&SHORT[..], &["--json", "-", "--openssl", &path, "aes-256-ctr"]].concat();
    let document = json(&arguments);
    assert_eq!(is_of_type::<Bench>(&document), Ok(()));
    let openssl = document["openssl"].as_array().expect("a list");
    assert_eq!((openssl.len(), openssl[0]["path"].as_str()), (1, Some(path.as_str())));
    let rows = document["rows"].as_array().expect("rows");
    let others: Vec<&Value> = rows.iter().filter(|row| !row["openssl"].is_null()).collect();
    let algorithms: Vec<&str> = others.iter().filter_map(|row| row["algorithm"].as_str()).collect();
    // What is no file but an algorithm is one.
    assert_eq!(algorithms, ["AES-128-CTR", "AES-256-CTR"]);
    assert!(others.iter().all(|row| row["route"] == "libcrypto"), "{others:?}");
    assert!(rows.len() > 2 * others.len(), "this OpenSSL and ours are missing");
}

#[test]
fn what_was_measured_survives_an_interruption() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("here.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.args(["bench", "AES-128-CTR", "AES-256-CTR", "--routes", "portable", "--sizes", "64"]);
    command.args(["--seconds", "1", "--openssl", &here(), "--json"]).arg(&file);
    let rest = interrupted(&mut command, "AES-128-CTR, message");
    let kept: Value = serde_json::from_slice(&fs::read(file).expect("a file")).expect("JSON");
    assert_eq!(kept["interrupted"], true);
    let rows = kept["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["algorithm"] == "AES-256-CTR"), "{rows:?}");
    assert!(rest.iter().any(|line| line == "AES-256-CTR, message"), "{rest:?}");
}

#[test]
fn what_is_no_openssl_is_told_before_anything_is_measured() {
    for (file, words) in [
        ("/nowhere/libcrypto.so.3", "--openssl /nowhere/libcrypto.so.3: No such file"),
        ("/usr", "--openssl /usr: that is a folder: name the libcrypto.so.3 or .4 in it"),
        (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "Cargo.toml: "),
    ] {
        for command in [&SHORT[..], &[]] {
            let (code, printed, said) = wirespeed(&[command, &["--openssl", file]].concat());
            assert_eq!((code, printed.as_str()), (Some(2), ""), "{file}");
            assert!(said.contains(words) && said.lines().count() == 1, "{said}");
        }
    }
    let (code, _, said) = wirespeed(&["bench", "--set", "gateway", "--openssl", "x"]);
    assert!(code == Some(2) && said.contains("cannot be used with"), "{said}");
}
