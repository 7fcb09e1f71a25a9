//! `wirespeed kernel` on any machine: what it shows where there is AF_ALG and where there is none, and what it
//! says to words that mean nothing. Drivers that serve and priorities that change are tested in the guest
//! (system-tests/tests/vm_kernel).

use std::process::{Command, Output};

use serde_json::Value;

fn kernel(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    program.arg("kernel").args(arguments).output().expect("the program runs")
}

fn json(arguments: &[&str]) -> Value {
    let output = kernel(arguments);
    assert!(output.status.success(), "{output:?}");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["schema"], "wirespeed.kernel/1");
    json
}

#[test]
fn a_list_measures_nothing_and_says_so() {
    let list = json(&["--list", "--json"]);
    assert_eq!(list["unmeasured"], "--list measures nothing");
    assert_eq!(list["measured"], Value::Array(Vec::new()));
    // A kernel without /proc/crypto says why.
    let drivers = list["drivers"].as_array().expect("a list");
    assert_eq!(drivers.is_empty(), list["reason"].is_string(), "{list}");
}

#[test]
fn what_was_asked_for_is_measured_or_the_reason_is_given() {
    // OpenSSL's name, and the kernel's.
    let asked = json(&["--json", "AES-128-CBC", "sha256"]);
    let measured = asked["measured"].as_array().expect("a list");
    match asked["unmeasured"].as_str() {
        Some(reason) => assert!(measured.is_empty() && !reason.is_empty(), "{asked}"),
        None => {
            let names: Vec<&Value> = measured.iter().map(|it| &it["algorithm"]).collect();
            assert_eq!(names, ["AES-128-CBC", "SHA2-256"]);
            for algorithm in measured {
                let rows = algorithm["rows"].as_array().expect("rows");
                assert!(!rows.is_empty() || algorithm["absent"].is_string(), "{algorithm}");
                let speed =
                    |row: &Value| row["bytes_per_second"].as_f64().is_some_and(|it| it > 0.0);
                assert!(rows.iter().all(|row| speed(row) || row["reason"].is_string()), "{rows:?}");
            }
        }
    }
    let text = String::from_utf8(kernel(&["AES-128-CBC"]).stdout).expect("UTF-8");
    assert_eq!(text.contains("Not measured: "), asked["unmeasured"].is_string(), "{text}");
}

#[test]
fn words_that_mean_nothing_are_one_line_that_says_what_they_may_be() {
    for (arguments, words) in [
        (&["AES-128-CBD"][..], "unknown algorithm 'AES-128-CBD': did you mean AES-128-CBC?"),
        (&["--prefer", "no_such_driver"], "no driver and no crypto module 'no_such_driver' here"),
        (&["--unprefer", "no_such_driver"], "no_such_driver is not preferred"),
        (&["--dry-run"], "--dry-run of what?"),
        (&["--prefer", "padlock", "--list"], "cannot be used with"),
        (&["--list", "AES-128-CBC"], "cannot be used with"),
        (&["--prefer", "padlock", "--unprefer"], "cannot be used with"),
    ] {
        let output = kernel(arguments);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(
            said.contains(words) && said.trim_end().lines().count() == 1,
            "{arguments:?}: {said}"
        );
    }
}
