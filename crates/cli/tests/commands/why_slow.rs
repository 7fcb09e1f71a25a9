//! `wirespeed doctor --why-slow`: real programs, whose limit is known, and what it says of them.

use std::process::{Command, Output, Stdio};

use wirespeed_results::schema::doctor::{Doctor, Time};

fn doctor(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.args(["doctor", "--why-slow"]).args(arguments).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// What `openssl speed` of this does, and what was said; none where this user may not sample.
fn of_speed(words: &[&str]) -> Option<(Time, String)> {
    let speed = ["--json", "--", "openssl", "speed", "-seconds", "2", "-bytes", "16384"];
    let output = doctor(&[&speed[..], words].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    if error.contains("does not let this user sample") {
        println!("skipped: only root may sample programs here");
        return None;
    }
    let found: Doctor =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}"));
    let said: Vec<_> =
        found.findings.iter().map(|it| format!("{} {:?}", it.text, it.mend)).collect();
    Some((found.time.expect("its time"), said.join("\n")))
}

#[test]
fn a_cipher_is_told_from_a_handshake() {
    let Some((time, said)) = of_speed(&["-evp", "aes-256-gcm"]) else { return };
    let first = &time.parts[0];
    assert_eq!((first.kind.as_str(), first.name.as_str()), ("cipher", "AES-GCM"), "{time:?}");
    assert!(first.share > 0.5 && said.contains("ciphers and hashes of OpenSSL"), "{said}");
    assert!(time.gain.is_some_and(|gain| gain >= 1.0 && gain <= time.gain_at_most), "{time:?}");
    let sum: f64 = time.parts.iter().map(|part| part.share).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{time:?}");

    let Some((time, said)) = of_speed(&["rsa2048"]) else { return };
    let first = &time.parts[0];
    assert_eq!((first.kind.as_str(), first.name.as_str()), ("handshake", "RSA"), "{time:?}");
    assert!(said.contains("ECDSA P-256 in place of RSA"), "{said}");
}

#[test]
fn a_program_that_sleeps_waits() {
    let mut sleeping = Command::new("sleep").arg("60").spawn().expect("sleep runs");
    let output = doctor(&["--pid", &sleeping.id().to_string()]);
    sleeping.kill().expect("it is ours");
    sleeping.wait().expect("it ends");
    let (said, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if error.contains("does not let this user sample") {
        return println!("skipped: only root may sample programs here");
    }
    assert!(said.contains("sleep used") && said.contains("it waits"), "{said}{error}");
}

#[test]
fn what_cannot_be_watched_is_said_in_one_line() {
    // No process has so high a number (proc_sys_kernel(5), pid_max).
    for (arguments, answer) in [
        (&[][..], "--why-slow wants a program: --pid N, or -- CMD"),
        (&["--pid", "4194305"][..], "no process has the number 4194305"),
        (&["--", "wirespeed-no-such-program"][..], "wirespeed-no-such-program: command not found"),
    ] {
        let output = doctor(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        let own = error.lines().filter(|line| line.starts_with("wirespeed: "));
        assert!(own.eq([format!("wirespeed: {answer}")]), "{error}");
    }
}
