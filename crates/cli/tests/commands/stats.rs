//! Counting, as programs and people meet it: many users, files that cannot be written or are cut short, and
//! `wirespeed stats`, which prints what was counted.

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Output, Stdio};

use crate::support::{CTR, Case, NOBODY, installed, is_of_type};
use serde_json::Value;
use wirespeed_results::schema::stats::Stats;

/// A configuration that counts in the file `stats` of its folder, or in the folder of that name.
fn counting(case: &Case) {
    let place = case.path("stats").display().to_string();
    case.rewrite(&format!("routes = portable\nstats = {place}"));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `wirespeed stats` with these words.
fn stats(case: &Case, words: &[&str]) -> Output {
    let mut command = case.program(env!("CARGO_BIN_EXE_wirespeed"));
    command.arg("stats").args(words).output().expect("the program runs")
}

/// What it says as JSON.
fn counted(case: &Case) -> Value {
    let output = stats(case, &["--json", "-"]);
    assert_eq!(text(&output.stderr), "");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn bytes(json: &Value) -> u64 {
    let rows = json["rows"].as_array().expect("rows");
    rows.iter()
        .filter(|row| row["route"] == "portable")
        .filter_map(|row| row["bytes"].as_u64())
        .sum()
}

/// A program that encrypts what it is given, as it is given.
struct Encrypting {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Encrypting {
    fn start(case: &Case) -> Self {
        let mut command = case.program("openssl");
        command.args(CTR).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("openssl runs");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self { child, input: input.expect("piped"), output: output.expect("piped") }
    }

    /// Has so much encrypted that it must have come out again.
    fn encrypt(&mut self) {
        self.input.write_all(&[7; 32 << 10]).expect("taken");
        self.output.read_exact(&mut [0; 16 << 10]).expect("given back");
    }

    /// Its exit status, and what it said.
    fn end(mut self) -> Output {
        drop(self.input);
        self.output.read_to_end(&mut Vec::new()).expect("the rest");
        self.child.wait_with_output().expect("it ends")
    }
}

#[test]
fn a_file_that_is_cut_short_ends_no_program() {
    let case = Case::shared("");
    counting(&case);
    let place = case.path("stats");
    for length in [0, 100, 1 << 20] {
        let _ = fs::remove_file(&place);
        let mut program = Encrypting::start(&case);
        program.encrypt();
        let file = File::options().write(true).open(&place).expect("the counters");
        file.set_len(length).expect("cut");
        program.encrypt();
        let output = program.end();
        assert!(output.status.success(), "{length}: {output:?}");
        assert_eq!(file.metadata().expect("a file").len(), length, "not ours any more");
    }
    // One that was emptied begins anew, with the programs that start then.
    File::create(&place).expect("emptied");
    let mut program = Encrypting::start(&case);
    program.encrypt();
    assert!(program.end().status.success());
    assert_eq!(bytes(&counted(&case)), 32 << 10);
}

#[test]
fn what_was_counted_is_printed_while_programs_run_and_after_they_were_killed() {
    let case = Case::shared("");
    counting(&case);
    let mut program = Encrypting::start(&case);
    program.encrypt();
    let running = counted(&case);
    assert!(bytes(&running) >= 16 << 10, "{running}");
    assert_eq!(running["loads"], 1);
    program.child.kill().expect("killed");
    program.child.wait().expect("it ends");
    assert!(bytes(&counted(&case)) >= 16 << 10);
    let mut program = Encrypting::start(&case);
    program.encrypt();
    assert!(program.end().status.success());
    let json = counted(&case);
    assert_eq!((&json["schema"], &json["loads"]), (&"wirespeed.stats/1".into(), &2.into()));
    assert_eq!(json["rows"][0]["algorithm"], "AES-128-CTR");
    assert_eq!(is_of_type::<Stats>(&json), Ok(()));
    let output = stats(&case, &[]);
    let said = text(&output.stdout);
    let place = case.path("stats").display().to_string();
    assert_eq!(output.status.code(), Some(0));
    assert!(said.starts_with(&format!("{place}: 2 processes loaded Wirespeed\n")), "{said}");
    let line = said.lines().find(|line| line.starts_with("AES-128-CTR")).expect("a row");
    assert!(line.contains("portable") && line.ends_with("KiB"), "{said}");
    assert_eq!(text(&stats(&case, &[&place]).stdout), said, "the same by name");
}

#[test]
fn without_counters_it_says_what_to_do() {
    let case = Case::new(&installed(""));
    for (words, says) in [
        (&[][..], "wirespeed: nothing is counted: write stats = FILE into Wirespeed's section"),
        (&["/nowhere/stats"], "wirespeed: /nowhere/stats: No such file"),
        (&["/etc/passwd"], "wirespeed: /etc/passwd: not a stats file of Wirespeed"),
    ] {
        let output = stats(&case, words);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with(says) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn many_users_count_in_a_folder() {
    let case = Case::shared("");
    counting(&case);
    let place = case.path("stats");
    fs::create_dir(&place).expect("a folder");
    fs::set_permissions(&place, Permissions::from_mode(0o1777)).expect("permissions");
    encrypt_as(&case, None);
    if !crate::support::is_root() {
        println!("skipped the other user: only root can become one");
        return;
    }
    encrypt_as(&case, Some(NOBODY));
    for user in [0, NOBODY] {
        let file = fs::metadata(place.join(format!("stats-{user}"))).expect("a file for each");
        assert_eq!((file.uid(), file.mode() & 0o777), (user, 0o600));
    }
    let json = counted(&case);
    assert_eq!((&json["loads"], bytes(&json)), (&2.into(), 200_006));
    // Whoever may write there can hide nobody's counts, and keep nobody waiting.
    let fifo = std::process::Command::new("mkfifo").arg(place.join("stats-4711")).status();
    assert!(fifo.expect("mkfifo runs").success());
    let output = stats(&case, &["--json", "-"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), bytes(&json)), (Some(0), 200_006));
    let said = text(&output.stderr);
    let wanted =
        format!("wirespeed: {}/stats-4711 was passed over: not a regular file\n", place.display());
    assert_eq!(said, wanted);
}

#[test]
fn a_file_that_others_may_write_counts_for_all() {
    if !crate::support::is_root() {
        println!("skipped: only root can become another user");
        return;
    }
    let case = Case::shared("");
    counting(&case);
    let place = case.path("stats");
    File::create(&place).expect("a file");
    fs::set_permissions(&place, Permissions::from_mode(0o666)).expect("permissions");
    encrypt_as(&case, Some(NOBODY));
    encrypt_as(&case, None);
    let json = counted(&case);
    assert_eq!((&json["loads"], bytes(&json)), (&2.into(), 200_006));
}

/// Seen: everybody but root went without the module.
#[test]
fn a_file_of_roots_keeps_the_module_from_nobody() {
    if !crate::support::is_root() {
        println!("skipped: only root can become another user");
        return;
    }
    let case = Case::shared("");
    counting(&case);
    encrypt_as(&case, None);
    assert_eq!(fs::metadata(case.path("stats")).expect("a file").mode() & 0o777, 0o600);
    encrypt_as(&case, Some(NOBODY));
    let mut list = crate::support::as_user(case.program("openssl"), Some(NOBODY));
    let output = list.args(["list", "-providers"]).output().expect("openssl runs");
    assert!(text(&output.stdout).contains("Wirespeed"), "{}", text(&output.stdout));
    assert_eq!(text(&output.stderr), "");
    assert_eq!(bytes(&counted(&case)), 100_003, "root's alone");
}

/// Encrypts 100,003 bytes.
fn encrypt_as(case: &Case, user: Option<u32>) {
    let plain = case.write("plain", vec![7; 100_003]);
    fs::set_permissions(&plain, Permissions::from_mode(0o644)).expect("permissions");
    let mut command = crate::support::as_user(case.program("openssl"), user);
    let output = command.args(CTR).args([Path::new("-in"), Path::new(&plain)]).output();
    let output = output.expect("openssl runs");
    assert!(output.status.success() && output.stdout.len() == 100_003, "{output:?}");
}
