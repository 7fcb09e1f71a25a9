//! `wirespeed doctor --why-slow`: real programs, whose limit is known, and what it says of them.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use wirespeed_libcrypto::Library;
use wirespeed_results::schema::doctor::{Doctor, Time};

fn doctor(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.args(["doctor", "--why-slow"]).args(arguments).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// What `openssl speed` of this does, and what was said; none where this user may not sample.
fn of_speed(words: &[&str]) -> Option<(Time, String)> {
    let speed = ["openssl", "speed", "-seconds", "2", "-bytes", "16384"];
    of_command(&[&speed[..], words].concat())
}

/// The same for any program.
fn of_command(words: &[&str]) -> Option<(Time, String)> {
    let output = doctor(&[&["--json", "--"], words].concat());
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

    let Some((time, _)) = of_speed(&["-decrypt", "-evp", "aes-256-cbc"]) else { return };
    let first = &time.parts[0];
    assert_eq!((first.kind.as_str(), first.name.as_str()), ("cipher", "AES-CBC dec"), "{time:?}");

    let Some((time, said)) = of_speed(&["rsa2048"]) else { return };
    let first = &time.parts[0];
    assert_eq!((first.kind.as_str(), first.name.as_str()), ("handshake", "RSA"), "{time:?}");
    assert!(said.contains("ECDSA P-256 in place of RSA"), "{said}");
}

/// Its functions are those that `/usr/bin/openssl` runs, but in a file of its own: as in a container.
#[test]
fn another_libcrypto_is_not_guessed_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = Library::host().expect("a libcrypto").path();
    let name = library.file_name().expect("a name");
    fs::copy(library, folder.path().join(name)).expect("a copy");
    let path = format!("LD_LIBRARY_PATH={}", folder.path().display());
    let speed = ["openssl", "speed", "-seconds", "2", "-bytes", "16384", "-evp", "aes-256-gcm"];
    let Some((time, said)) = of_command(&[&["env", &path], &speed[..]].concat()) else { return };
    assert_eq!(time.parts[0].kind, "openssl", "{time:?}");
    assert!(said.contains("could not be told apart"), "{said}");
}

#[test]
fn copying_is_told_from_the_rest_of_linux() {
    let symbols = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    if symbols.lines().all(|line| line.starts_with("0000000000000000 ")) {
        return println!("skipped: only root may see Linux's functions here");
    }
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(&vec![0; 64 << 20]).expect("room for it");
    let path = file.path().to_str().expect("a path of letters");
    let Some((time, said)) = of_command(&[&["cat"][..], &[path; 60]].concat()) else { return };
    let copying = time.parts.iter().filter(|part| part.kind == "copying");
    let share: f64 = copying.map(|part| part.share).sum();
    assert!(share > 0.3 && said.contains("copying, by Linux"), "{time:?} {said}");
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
