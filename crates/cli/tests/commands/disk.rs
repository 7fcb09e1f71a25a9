//! `wirespeed disk` and `wirespeed report` as people and scripts meet them, without root: tables, JSON, bars, pages,
//! refusals, Ctrl-C. What dm-crypt does is tested in the guest (system-tests/tests/vm_disk).

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::{assert_narrow, is_of_type, printed, text};
use serde_json::Value;
use tempfile::TempDir;
use wirespeed_results::schema::disk::Disk;

/// `wirespeed` with these words, in a folder of its own.
fn wirespeed(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command
}

fn folder() -> TempDir {
    // Beside the program rather than in /tmp, which may lie in memory.
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// The one line of a run that must end with status 2.
fn refused(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().expect("the program runs");
    let said = text(&stderr);
    assert_eq!((status.code(), said.lines().count()), (Some(2), 1), "{command:?}: {said}");
    said
}

fn json(printed: &str) -> Value {
    let json: Value = serde_json::from_str(printed).expect("JSON");
    assert_eq!(json["schema"], "wirespeed.disk/1");
    json
}

const FEW: &str = "--cipher aes-xts-plain64,arc4-ecb,xtea-cbc-plain64 --size 2MiB --threads 2";

/// Everything that lies in the folder.
fn left_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|it| it.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_test_of_every_cipher_has_its_line_and_bar() {
    let folder = folder();
    let table =
        printed(wirespeed(folder.path(), &format!("disk {FEW} --graph")).env("LC_ALL", "C"));
    for wanted in [
        "In memory, 2 MiB a test, 2 threads, sectors of 512 bytes\n",
        "Through a file in .",
        "cipher",
        "CPU s/GiB\n",
        "\nMB/s written (w2), and the factor\n",
        "\nMB/s read (r2), and the factor\n",
        "\nWhat this says\nIn memory the fastest cipher for a disk is aes-xts-plain64",
        "Through the file the fastest",
        "This storage moves ",
        "\nCautions\narc4-ecb: no protection",
        "xtea-cbc-plain64: blocks of 64 bits: beyond 32 GiB",
        "note: 2 MiB a test is over in milliseconds",
    ] {
        assert!(table.contains(wanted), "no '{wanted}' in:\n{table}");
    }
    // Two places, and `none`, two keys of AES, ARC4 and XTEA.
    for test in ["w", "r", "w2", "r2"] {
        let lines = table.lines().filter(|line| line.split_whitespace().any(|word| word == test));
        assert_eq!(lines.count(), 10, "{test} in:\n{table}");
    }
    assert!(table.contains(" ####"), "bars of ASCII:\n{table}");
    assert_narrow(&table);
    assert_eq!(left_in(folder.path()), [""; 0], "the file is gone");
}

#[test]
fn the_totals_are_right_and_everything_was_compared() {
    let folder = folder();
    let line = format!("disk {FEW} --sector 4096 --json -");
    let json = json(&printed(&mut wirespeed(folder.path(), &line)));
    assert_eq!((&json["interrupted"], &json["source"]), (&Value::Bool(false), &Value::Null));
    assert_eq!(json["settings"]["sector_bytes"], 4096);
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2 * 5 * 4);
    for row in rows {
        assert_eq!(
            (&row["bytes"], &row["threads"]),
            (&Value::from(2 << 20), &Value::from(2)),
            "{row}"
        );
        let figure = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"));
        let speed = figure("bytes") / figure("elapsed_ns") * 1e9;
        assert!((speed / figure("bytes_per_second") - 1.0).abs() < 1e-6, "{row}");
        let share = figure("cpu_ns") / figure("elapsed_ns") * 100.0;
        assert!((share - figure("cpu_percent")).abs() < 1e-6, "{row}");
        let same = |it: &&Value| {
            it["cipher"] == "none" && it["test"] == row["test"] && it["store"] == row["store"]
        };
        let none = rows.iter().find(same).expect("no encryption is always measured");
        let factor =
            figure("bytes_per_second") / none["bytes_per_second"].as_f64().expect("a speed");
        assert!((factor - figure("factor")).abs() < 1e-6, "{row}");
        // The second read is followed by the comparison; of a file, of every byte.
        let compared = match (row["test"].as_str(), row["store"].as_str()) {
            (Some("r2"), Some("file")) => Some(2 << 20),
            (Some("r2"), _) => row["compared_bytes"].as_u64().filter(|bytes| *bytes > 0),
            _ => None,
        };
        assert_eq!(row["compared_bytes"].as_u64(), compared, "{row}");
        assert_eq!(row["route"].is_null(), row["cipher"] == "none", "{row}");
    }
}

#[test]
fn words_that_mean_nothing_are_one_line_that_says_what_they_may_be() {
    let folder = folder();
    for (line, words) in [
        (
            "--cipher aes-xts-plain63",
            "unknown cipher 'aes-xts-plain63': did you mean aes-xts-plain64?",
        ),
        ("--cipher rot13-ecb", "unknown cipher 'rot13-ecb'"),
        ("--cipher aes-xts-plain64 --key-size 128", "has keys of 256, "),
        ("--key-size 256", "--key-size needs --cipher"),
        ("--size 12x", "--size 12x: choose from 1MiB on"),
        ("--size 256MB", "--size 256MB: write 256MiB"),
        ("--sector 520", "--sector 520: choose 512 or 4096"),
        ("--threads 0", "--threads 0: choose from 1 to 1024"),
        ("--device /dev/x", "--device needs --dm-crypt"),
        ("--dm-crypt --compare-cryptsetup", "cannot be used with"),
        ("--directory nowhere", "nowhere is no directory: name one with --directory DIR"),
        ("--size 4194304TiB", "no room for 4194304 TiB in .: take less with --size"),
        ("--dm-crypt --device /dev/x --yes-destroy /dev/y", "nothing was touched"),
    ] {
        let said = refused(&mut wirespeed(folder.path(), &format!("disk {line}")));
        assert!(said.starts_with("wirespeed: ") && said.contains(words), "{line}: {said}");
    }
    let help = printed(&mut wirespeed(folder.path(), "disk --help"));
    for wanted in ["Examples:", "What is written where", "DESTROYS", "Exit status"] {
        assert!(help.contains(wanted), "no '{wanted}' in:\n{help}");
    }
    assert!(!printed(&mut wirespeed(folder.path(), "--help")).contains("disk-watcher"));
}

/// Root may do everything, so root lets nobody run the program.
#[test]
fn without_root_there_is_no_dm_crypt_and_no_file_where_one_may_not_write() {
    // Where everybody may enter.
    let folder = tempfile::tempdir().expect("a folder");
    let set = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    set(folder.path(), 0o755);
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).expect("a folder");
    set(&closed, 0o555);
    let program = folder.path().join("wirespeed");
    fs::copy(env!("CARGO_BIN_EXE_wirespeed"), &program).expect("a copy that all may run");
    for (line, words) in [
        ("disk --dm-crypt --ram", "--dm-crypt needs root: sudo ./wirespeed disk --dm-crypt"),
        ("disk --size 1MiB --directory closed", "cannot make a file in closed: "),
    ] {
        let mut command = Command::new(&program);
        command.args(line.split_whitespace()).current_dir(folder.path());
        if rustix::process::geteuid().is_root() {
            command.uid(65534).gid(65534);
        }
        let said = refused(&mut command);
        assert!(said.contains(words), "{said}");
        // Who may is settled before anything begins, Ctrl-C as a question included.
        let shown = command.output().expect("the program runs").stdout;
        assert_eq!(shown.is_empty(), line.contains("--dm-crypt"), "{}", text(&shown));
    }
}

#[test]
fn ctrl_c_ends_it_between_two_chunks_and_loses_nothing() {
    let folder = folder();
    // As many bytes as take far longer than the test.
    let line = "disk --cipher cast6-cbc-plain64 --size 1GiB --threads 1 --json kept.json";
    let mut running = wirespeed(folder.path(), line)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut output = BufReader::new(running.stdout.take().expect("a pipe"));
    let mut said = String::new();
    // The four tests without encryption are over when the fourth line has come.
    while !said.lines().any(|line| line.contains(" r2 ")) {
        assert!(output.read_line(&mut said).expect("a line") > 0, "{said}");
    }
    let process = rustix::process::Pid::from_child(&running);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("Ctrl-C");
    while output.read_line(&mut said).expect("a line") > 0 {}
    let ended = running.wait_with_output().expect("an end");
    let line = text(&ended.stderr);
    assert_eq!((ended.status.code(), line.lines().count()), (Some(2), 1), "{line}");
    assert!(line.starts_with("wirespeed: interrupted: "), "{line}");
    assert_eq!(left_in(folder.path()), ["kept.json"], "{said}");
    let kept = json(&fs::read_to_string(folder.path().join("kept.json")).expect("kept"));
    assert_eq!(kept["interrupted"], true);
    let rows = kept["rows"].as_array().expect("rows");
    assert!(
        (4..8).contains(&rows.len()) && rows.iter().all(|row| row["store"] == "memory"),
        "{rows:?}"
    );
}

/// A program that says what cryptsetup would.
fn fake_cryptsetup(folder: &Path, script: &str) {
    let program = folder.join("cryptsetup");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
}

#[test]
fn cryptsetups_figures_stand_beside_ours() {
    let folder = folder();
    let run = || {
        let line = "disk --compare-cryptsetup --cipher aes-xts-plain64,arc4-ecb --size 1MiB";
        let mut command = wirespeed(folder.path(), line);
        let path =
            format!("{}:{}", folder.path().display(), std::env::var("PATH").expect("a path"));
        printed(command.env("PATH", path))
    };
    fake_cryptsetup(
        folder.path(),
        "case \"$*\" in\n\
         *'--cipher aes-xts-plain64 --key-size 512'*) echo '  aes-xts  512b  1000.0 MiB/s  2000.0 MiB/s';;\n\
         *) echo \"Cipher $3 is not available.\" >&2; exit 1;;\nesac",
    );
    let text = run();
    assert!(text.contains("\nBeside cryptsetup benchmark\n"), "{text}");
    let line = text
        .lines()
        .find(|line| line.ends_with("1048.6      2097.2"))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with("aes-xts-plain64  512"), "{text}");
    assert!(text.contains("Cipher arc4-ecb is not available"), "{text}");
    assert!(text.contains("(AF_ALG) to the kernel"), "{text}");
    // A kernel without AF_ALG is one line, and all else goes on.
    let none = "echo 'Cipher is not available.' >&2; echo 'Required kernel crypto interface not available.' >&2; exit 1";
    fake_cryptsetup(folder.path(), none);
    let text = run();
    assert!(
        text.contains("note: cryptsetup benchmark: this kernel gives programs no crypto"),
        "{text}"
    );
    assert!(!text.contains("Beside cryptsetup") && text.contains("What this says"), "{text}");
}

#[test]
fn what_disk_writes_report_draws() {
    let folder = folder();
    printed(&mut wirespeed(folder.path(), &format!("disk {FEW} --json here.json")));
    let article = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/dm-crypt-2007.json");
    let report = format!("report here.json {article} --output both.html");
    assert_eq!(printed(&mut wirespeed(folder.path(), &report)), "");
    let page = fs::read_to_string(folder.path().join("both.html")).expect("a page");
    for wanted in [
        "In memory: written",
        "Through a file: read",
        "aes586 128",
        "xtea-cbc-plain64 128",
        "arc4-ecb: no protection",
    ] {
        assert!(page.contains(wanted), "no '{wanted}' in the page");
    }
    fs::write(folder.path().join("tune.json"), "{\"schema\": \"wirespeed.tune/1\"}")
        .expect("written");
    for (line, words) in [
        (
            "report tune.json --output a.html",
            "tune.json: its schema is wirespeed.tune/1: what the survey, bench, disk and vpn",
        ),
        ("report nowhere.json --output a.html", "cannot read nowhere.json: "),
        ("report both.html --output a.html", "both.html: no JSON, and no figures"),
        ("report here.json --output no/where.html", "cannot write no/where.html: "),
    ] {
        let said = refused(&mut wirespeed(folder.path(), line));
        assert!(said.contains(words), "{line}: {said}");
    }
}

#[test]
fn the_json_is_what_its_type_says() {
    let folder = folder();
    fake_cryptsetup(folder.path(), "echo '  a  1b  1.0 MiB/s  2.0 MiB/s'");
    let mut command =
        wirespeed(folder.path(), &format!("disk {FEW} --compare-cryptsetup --json -"));
    command.env("PATH", folder.path());
    let json = json(&printed(&mut command));
    assert_eq!(is_of_type::<Disk>(&json), Ok(()));
}
