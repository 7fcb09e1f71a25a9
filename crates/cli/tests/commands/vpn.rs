//! `wirespeed vpn` as people and scripts meet it: tables, JSON, refusals, Ctrl-C.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use crate::support::{assert_narrow, interrupted, is_of_type, printed, text};
use serde_json::Value;
use wirespeed_results::schema::vpn::Vpn;

/// `wirespeed vpn` with these words.
fn vpn(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.arg("vpn").args(arguments.split_whitespace());
    command
}

fn json(printed: &str) -> Value {
    let json: Value = serde_json::from_str(printed).expect("JSON");
    assert_eq!(json["schema"], "wirespeed.vpn/1");
    json
}

const FEW: &str = "--suites aes128gcm16,aes128-sha1,3des-sha1 --seconds 0.01 --threads 2";

/// The values of a field in all rows of a list.
fn values(list: &Value, field: &str) -> BTreeSet<String> {
    let rows = list.as_array().expect("a list").iter();
    rows.map(|row| row[field].as_str().map_or(row[field].to_string(), str::to_owned)).collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn every_suite_has_its_line() {
    let table = printed(vpn(&format!("{FEW} --sizes 1420,imix --batch")).env("NO_COLOR", "1"));
    for wanted in [
        "3 suites proved with ",
        "\nPackets of 1420 bytes, Mbit/s inside the tunnel, one core\n",
        "\nSimple IMIX (7 of 40, 4 of 576, 1 of 1500 bytes), Mbit/s",
        "\nESP AES-128-CBC HMAC-SHA1 ",
        "left out: we have no kernels for DES-EDE3-CBC\n",
        "left out: no kernels for many packets at once\n",
        "\nWhat that fills, by the slower end and the faster route: cores for a link\n",
        "\nThe same, 32 packets at once\n",
        "\nWhat this says\nWith packets of 1420 bytes the fastest suite is ESP AES-128-GCM by ",
        "\nLeft out of this estimate: kernel path; NIC;",
    ] {
        assert!(table.contains(wanted), "{wanted:?}: {table}");
    }
    assert_narrow(&table);
    assert!(!table.contains('\u{1b}'), "no colours");
}

#[test]
fn every_case_has_its_row_and_every_tunnel_its_links() {
    let json = json(&printed(&mut vpn(&format!("{FEW} --sizes 64 --batch --json -"))));
    // Three suites, both ways, on one thread and on two, by three candidates.
    let rows = json["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3 * 2 * 2 * 3);
    assert_eq!(values(&json["rows"], "direction"), set(&["enc", "dec"]));
    assert_eq!(values(&json["rows"], "threads"), set(&["1", "2"]));
    assert_eq!(values(&json["rows"], "in_flight"), set(&["1", "32"]));
    for row in rows {
        let is_absent = row["absent"].is_string();
        assert_eq!(row["packets_per_second"].is_null(), is_absent, "{row}");
        assert_eq!(
            (row["packet"].as_str(), row["packet_bytes"].as_f64()),
            (Some("64"), Some(64.0))
        );
    }
    let links = json["links"].as_array().expect("links");
    for link in links {
        assert_eq!(link["cores_needed"].as_array().map(Vec::len), Some(6), "{link}");
        assert!(link["bits_per_second_per_core"].as_f64().is_some_and(|bits| bits > 0.0));
    }
    // This OpenSSL has all three; 3DES has nobody else.
    let host = links.iter().filter(|link| link["route"] == "libcrypto").count();
    assert_eq!(host, 3);
    assert_eq!(json["interrupted"], false);
    assert_eq!(json["settings"]["threads"], serde_json::json!([1, 2]));
}

#[test]
fn what_makes_no_sense_is_one_line() {
    for (words, said) in [
        ("--suites aes-xts", "unknown suite 'aes-xts': choose from aes128gcm16 aes256gcm16 "),
        ("--sizes 10", "unknown packet size '10': choose from 64 128 256 "),
        ("--threads 0", "--threads 0: choose from 1 to 1024"),
    ] {
        let Output { status, stderr, .. } = vpn(words).output().expect("the program runs");
        let line = text(&stderr);
        assert_eq!((status.code(), line.lines().count()), (Some(2), 1), "{words}: {line}");
        assert!(line.contains(said), "{words}: {line}");
    }
}

/// Without OpenSSL our kernels for many packets are left, if they are asked for.
#[cfg(debug_assertions)]
#[test]
fn a_machine_without_openssl() {
    let words = "--suites aes128gcm16 --sizes 64 --seconds 0.01 --threads 1";
    let output = vpn(words).env("WIRESPEED_NO_LIBCRYPTO", "1").output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("nothing here runs what was asked for: no libcrypto here")
    );
    let mut batch = vpn(&format!("{words} --batch --json -"));
    let json = json(&printed(batch.env("WIRESPEED_NO_LIBCRYPTO", "1")));
    assert_eq!(json["links"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["links"][0]["in_flight"], 32);
}

/// The first Ctrl-C ends the run after the case at hand: what was measured is told and written.
#[test]
fn what_was_measured_survives_an_interruption() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("here.json");
    let words = "--suites wireguard --sizes 1420,64 --seconds 0.5 --threads 1 --json";
    let behind = "What that fills, by the slower end and the faster route: cores for a link";
    let rest = interrupted(vpn(words).arg(&file), behind);
    assert!(rest.iter().any(|line| line == "What this says"), "{rest:?}");
    let json = json(&fs::read_to_string(file).expect("a file"));
    assert_eq!(json["interrupted"], true);
    let rows = json["rows"].as_array().expect("rows").len();
    assert!((4..8).contains(&rows), "{rows} rows");
}

#[test]
fn the_json_is_what_its_type_says() {
    let json = json(&printed(&mut vpn(&format!("{FEW} --sizes 64 --json -"))));
    // Tunnels take root: system-tests/tests/hosts/tunnels.rs has them.
    assert_eq!(is_of_type::<Vpn>(&json), Ok(()));
}
