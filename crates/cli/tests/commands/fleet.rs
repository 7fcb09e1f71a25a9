//! `wirespeed report --fleet`: many hosts, and files that are none.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

fn report(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.arg("report").arg("--fleet").arg(folder).args(words).output().expect("the program runs")
}

/// A host's benchmark; the third OpenSSL is newer.
fn bench(number: usize) -> String {
    let row = |route: &str, rate: f64| {
        format!(
            "{{\"algorithm\":\"AES-128-GCM\",\"direction\":\"enc\",\"use\":\"message\",\"size\":1420,\
             \"route\":\"{route}\",\"door\":\"evp\",\"threads\":1,\"bytes_per_second\":{rate}}}"
        )
    };
    let version = if number.is_multiple_of(3) { "3.5.9" } else { "3.0.20" };
    let rate = if number == 7 { 2e9 } else { 4e9 };
    let rows = [row("libcrypto", 1e9), row("vaes512", rate)].join(",");
    format!(
        "{{\"schema\":\"wirespeed.bench/1\",\"machine\":{{\"cpu\":{{\"brand\":\"<b>CPU</b>\"}},\
         \"libcrypto\":{{\"version\":\"OpenSSL {version} 1 Jan 2026\"}}}},\"rows\":[{rows}]}}"
    )
}

#[test]
fn a_fleet_on_a_page_damaged_files_and_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("rack")).expect("a folder");
    for number in 0..30 {
        fs::write(at(&format!("rack/host{number}.json")), bench(number)).expect("written");
    }
    // Another host than that of the rack.
    fs::write(at("host1.json"), bench(1)).expect("written");
    let stats = "{\"schema\":\"wirespeed.stats/1\",\"version\":\"0\",\"place\":\"\",\"seconds\":86400,\"loads\":1,\
                 \"quarantined\":[],\"rows\":[{\"algorithm\":\"AES-128-GCM\",\"direction\":\"enc\",\
                 \"route\":\"vaes512\",\"calls\":1,\"bytes\":4000000000000}]}";
    fs::write(at("rack/host1.stats.json"), stats).expect("written");
    fs::write(at("cut.json"), &bench(1)[..100]).expect("written");
    fs::write(at("<i>.json"), [0xff, 0xfe, 0x00]).expect("written");
    std::os::unix::fs::symlink(folder.path(), at("circle")).expect("a link");
    let page = at("page.html").display().to_string();
    let output = report(folder.path(), &["--output", &page]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let page = fs::read_to_string(&page).expect("written");
    for wanted in [
        "31 hosts of 2 kinds. 2 files were not understood",
        "1 host is more than 15 % behind",
        "<th scope=\"row\">rack/host7</th>",
        "OpenSSL 3.0.20 1 Jan 2026 to OpenSSL 3.5.9 1 Jan 2026",
        // 4 TB at 1 and at 4 GB/s.
        "OpenSSL alone would take 4000 s of CPU time for them, Wirespeed takes 1000 s",
        "<li>cut: ",
        "&lt;i&gt;: ",
        "&lt;b&gt;CPU&lt;/b&gt;",
    ] {
        assert!(page.contains(wanted), "no {wanted}: {page}");
    }
    assert!(!page.contains("<b>") && !page.contains("<i>") && !page.contains("<script"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_read_does_not_hide_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    let (program, closed) = (folder.path().join("wirespeed"), folder.path().join("hosts/closed"));
    fs::copy(env!("CARGO_BIN_EXE_wirespeed"), &program).expect("a copy that all may run");
    fs::create_dir_all(&closed).expect("folders");
    fs::write(folder.path().join("hosts/host1.json"), bench(1)).expect("written");
    set(folder.path(), 0o755);
    set(&closed, 0);
    let mut command = Command::new(&program);
    command.args(["report", "--fleet", "hosts", "--output", "-"]).current_dir(folder.path());
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    let output = command.output().expect("the program runs");
    set(&closed, 0o755);
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && page.contains("1 host of 1 kind"), "{output:?}");
    assert!(page.contains("hosts/closed: Permission denied"), "{page}");
}

#[test]
fn what_holds_no_results_is_told_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let gone = folder.path().join("gone");
    for (folder, words, says) in [
        (folder.path(), &[][..], "wirespeed: no results there"),
        (&gone, &[], "wirespeed: cannot read the folder "),
        (folder.path(), &["x.json"], "wirespeed: "),
    ] {
        let output = report(folder, words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with(says) && said.lines().count() == 1, "{said}");
    }
}
