//! `wirespeed doctor --prometheus`: what a fleet's Prometheus reads of a machine, against what really ran there.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::exposition::{metrics, promtool};
use crate::support::{CTR, Case, installed};

/// As many bytes as a program encrypts here.
const BYTES: usize = 100_003;

/// `wirespeed doctor` with these words; proving routes takes most of its time, so few are here.
fn doctor(case: &Case, words: &[&str]) -> Output {
    let mut doctor = case.doctor();
    doctor.args(words).env("WIRESPEED_DENY", "aes,avx2,sha_ni").output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What it writes to standard output, which must be sound.
fn written(case: &Case) -> Vec<(String, String, f64)> {
    let output = doctor(case, &["--prometheus", "-"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let text = text(&output.stdout);
    let told = metrics(&text);
    promtool(&text);
    told
}

/// The one value of a metric whose labels contain this.
fn value(told: &[(String, String, f64)], name: &str, label: &str) -> Option<f64> {
    let of_it = |it: &&(String, String, f64)| it.0 == name && it.1.contains(label);
    let values: Vec<f64> = told.iter().filter(of_it).map(|it| it.2).collect();
    assert!(values.len() < 2, "{name} {label}: {values:?}");
    values.first().copied()
}

fn encrypt(case: &Case) {
    let plain = case.write("plain", vec![7; BYTES]);
    let mut openssl = case.program("openssl");
    let output = openssl.args(CTR).args([Path::new("-in"), Path::new(&plain)]).output();
    assert!(output.expect("openssl runs").status.success());
}

#[test]
fn what_programs_did_adds_up_over_restarts() {
    let case = Case::shared("");
    let place = case.path("stats");
    case.rewrite(&format!("routes = portable\nstats = {}", place.display()));
    let told = written(&case);
    assert_eq!(value(&told, "wirespeed_module_loaded", ""), Some(1.0));
    assert_eq!(value(&told, "wirespeed_processed_bytes_total", "AES-128-CTR"), None);
    for times in 1..=2_u8 {
        encrypt(&case);
        let told = written(&case);
        let bytes = f64::from(times) * BYTES as f64;
        let row = "algorithm=\"AES-128-CTR\",direction=\"enc\",route=\"portable\"";
        assert_eq!(value(&told, "wirespeed_processed_bytes_total", row), Some(bytes));
        assert!(value(&told, "wirespeed_calls_total", row) > Some(0.0));
    }
    // A file that somebody cuts short is told of, and the rest goes on.
    fs::File::options().write(true).open(&place).expect("there").set_len(100).expect("cut");
    let told = written(&case);
    assert_eq!(value(&told, "wirespeed_processed_bytes_total", "AES-128-CTR"), None);
    assert_eq!(value(&told, "wirespeed_doctor_fault", "check=\"proof\""), Some(1.0));
    assert_eq!(value(&told, "wirespeed_module_loaded", ""), Some(1.0));
}

#[test]
fn a_plan_that_fits_no_more_and_a_module_that_is_gone_are_seen() {
    let case = Case::shared("");
    let plan = wirespeed_plan::Plan::new(wirespeed_plan::Fingerprint::here("3.0.0-not-this"));
    let plan = case.write("plan", plan.to_string());
    case.rewrite(&format!("plan = {plan}"));
    let told = written(&case);
    assert_eq!(value(&told, "wirespeed_plan_fits", ""), Some(0.0));
    assert!(value(&told, "wirespeed_plan_timestamp_seconds", "") > Some(1.7e9));
    assert_eq!(value(&told, "wirespeed_doctor_fault", "check=\"plan\""), Some(1.0));
    assert_eq!(value(&told, "wirespeed_module_loaded", ""), Some(1.0));
    fs::remove_file(case.path("wirespeed.so")).expect("gone");
    let told = written(&case);
    assert_eq!(value(&told, "wirespeed_module_loaded", ""), Some(0.0));
    assert_eq!(value(&told, "wirespeed_doctor_fault", "check=\"module\""), Some(1.0));
    case.write("openssl.cnf", "");
    let told = written(&case);
    assert_eq!(value(&told, "wirespeed_module_loaded", ""), Some(0.0));
    assert_eq!(value(&told, "wirespeed_plan_fits", ""), None);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be disproved")]
fn a_route_whose_proof_fails_is_named() {
    let case = Case::new(&installed(""));
    let mut doctor = case.doctor();
    doctor.args(["--prometheus", "-"]).env("WIRESPEED_DENY", "aes,avx2,sha_ni");
    let output = doctor.env("WIRESPEED_DISPROVE", "portable").output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = metrics(&text(&output.stdout));
    let failed = value(&told, "wirespeed_self_test_failed", "route=\"portable\"");
    let others = told.iter().filter(|it| it.0 == "wirespeed_self_test_failed" && it.2 > 0.0);
    assert_eq!((failed, others.count()), (Some(1.0), 1));
}

#[test]
fn the_file_comes_beside_the_report_and_mistakes_are_told_first() {
    let case = Case::new(&installed(""));
    let file = case.path("wirespeed.prom");
    let target = file.display().to_string();
    let output = doctor(&case, &["--json", "--prometheus", &target]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let told = metrics(&fs::read_to_string(&file).expect("written"));
    let faults = told.iter().filter(|it| it.0 == "wirespeed_doctor_fault" && it.2 > 0.0);
    let checks: std::collections::BTreeSet<_> = json["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|finding| finding["state"] == "mend")
        .map(|finding| finding["check"].as_str().expect("text").to_owned())
        .collect();
    assert_eq!(faults.count(), checks.len(), "{checks:?}");
    for (words, says) in [
        (&["--prometheus", "/nowhere/at/all"][..], "wirespeed: cannot write /nowhere/at/all"),
        (&["--prometheus", "-", "--json"], "wirespeed: --json and --prometheus -"),
        (&["--prometheus", "x.prom", "--", "true"], "wirespeed: "),
    ] {
        let output = doctor(&case, words);
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
        assert!(said.starts_with(says) && said.lines().count() == 1, "{said}");
    }
}
