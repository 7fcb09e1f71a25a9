//! The program as people and scripts meet it: words, exit statuses, tables and JSON.
//!
//! Measurements are as short as can be; their structure is checked, never their values.

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use crate::support::{assert_narrow, interrupted, is_of_type, text};
use serde_json::Value;
use wirespeed_results::schema::bench::Bench;
use wirespeed_results::schema::plan::{Routes, Tune};
use wirespeed_results::schema::survey::Survey;

fn wirespeed(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.args(arguments.split_whitespace());
    command
}

fn output(arguments: &str) -> Output {
    wirespeed(arguments).output().expect("the program runs")
}

/// What a run that must succeed printed; it must have kept standard error clean.
fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    assert_eq!(text(&output.stderr), "", "{command:?}");
    assert_eq!(output.status.code(), Some(0), "{command:?}");
    text(&output.stdout)
}

/// The one line on standard error of a run that must end with status 2.
fn refused(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2), "{command:?}");
    assert_eq!(text(&output.stdout), "", "{command:?}");
    let message = text(&output.stderr);
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn unknown_words_are_named_with_what_exists() {
    for (arguments, beginning, exists) in [
        ("bench AES-129-GCM", "wirespeed: unknown algorithm 'AES-129-GCM'", "AES-128-GCM"),
        ("routes AES", "wirespeed: unknown algorithm 'AES'", "wirespeed routes lists"),
        ("bench --routes vaes1024", "wirespeed: unknown route 'vaes1024'", "libcrypto"),
        ("bench --use daily", "wirespeed: unknown use 'daily'", "rekey"),
        ("bench --sizes 12,big", "wirespeed: unknown size 'big'", "1420"),
        ("bench --threads 0", "wirespeed: --threads 0", "1 to 1024"),
        ("bench --seconds 1e9", "wirespeed: --seconds 1000000000", "3600"),
        ("bench --decrypt --both", "wirespeed: --decrypt cannot be used with --both", "--help"),
        ("--no-such-flag", "wirespeed: unexpected argument '--no-such-flag'", "--help"),
        ("survey", "wirespeed: unrecognized subcommand 'survey'", "--help"),
        ("bench --json - --csv -", "wirespeed: --json - and --csv -", "name a file"),
        ("bench --csv - --prometheus -", "wirespeed: --csv - and --prometheus -", "name a file"),
        ("bench MD5 --set gateway", "wirespeed: [ALGORITHM]... cannot be used", "--help"),
        ("bench --lanes 1", "wirespeed: --lanes 1", "2 to 64"),
    ] {
        let message = refused(&mut wirespeed(arguments));
        assert!(message.starts_with(beginning) && message.contains(exists), "{message}");
    }
}

#[test]
fn what_nobody_hears_changes_no_exit_status() {
    for (arguments, status) in [("bench AES-129-GCM", 2), ("--no-such-flag", 2), ("--help", 0)] {
        let full = File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut command = wirespeed(arguments);
        let ended = command.stdout(Stdio::null()).stderr(full).status().expect("the program runs");
        assert_eq!(ended.code(), Some(status), "{arguments}");
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things")]
fn a_forced_route_that_is_absent_is_refused_with_the_reason() {
    let message = refused(wirespeed("bench --routes vaes512").env("WIRESPEED_DENY", "vaes"));
    assert!(message.starts_with("wirespeed: route vaes512 is absent: "), "{message}");
    let forced = "bench AES-128-CTR --routes libcrypto";
    let message = refused(wirespeed(forced).env("WIRESPEED_NO_LIBCRYPTO", "1"));
    assert!(message.starts_with("wirespeed: route libcrypto is absent: no libcrypto"), "{message}");
}

/// Whether this machine has Linux's crypto for us.
fn has_kernel_route() -> bool {
    let json: Value =
        serde_json::from_str(&printed(&mut wirespeed("routes --json"))).expect("JSON");
    let routes = json["routes"].as_array().expect("routes");
    let kernel = routes.iter().find(|row| row["route"] == "kernel").expect("every route is told");
    kernel["present"] == true
}

#[test]
fn linuxs_crypto_runs_on_request_alone() {
    let usual = printed(&mut wirespeed("bench AES-128-CBC --sizes 64 --seconds 0 --json -"));
    let usual: Value = serde_json::from_str(&usual).expect("JSON");
    let rows = usual["rows"].as_array().expect("rows");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["route"] != "kernel"));
    assert!(rows.iter().all(|row| row["system_calls"].is_null() && row["lanes"] == 1));
    let asked = "bench AES-128-CBC --sizes 64,65536 --seconds 0 --routes kernel,libcrypto";
    if !has_kernel_route() {
        let one_lane = "bench AES-128-CBC --lanes 4";
        for asked in [asked, "bench AES-128-CBC --driver cbc-aes-aesni", one_lane, "tune --kernel"]
        {
            let message = refused(&mut wirespeed(asked));
            assert!(message.starts_with("wirespeed: route kernel is absent: "), "{message}");
        }
        return;
    }
    let table = printed(wirespeed(asked).args(["--lanes", "2"]));
    for wanted in ["kernel  libcrypto  kernel x2", "CPU s/GiB", "calls kernel x2"] {
        assert!(table.contains(wanted), "no '{wanted}' in:\n{table}");
    }
    assert!(table.contains("break-even of kernel with the best in the process: "), "{table}");
    assert_narrow(&table);
    let json = printed(wirespeed(asked).args(["--json", "-"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["clock"], &json["quarantined"]), (&"wall".into(), &Value::Array(vec![])));
    let rows = json["rows"].as_array().expect("rows");
    let kernel: Vec<&Value> = rows.iter().filter(|row| row["route"] == "kernel").collect();
    assert!(kernel.iter().all(|row| row["system_calls"].as_f64() >= Some(2.0)), "{kernel:?}");
    assert_eq!(json["break_even"].as_array().map(Vec::len), Some(1));
    let message = refused(&mut wirespeed("bench AES-128-CBC --driver nonsense"));
    assert!(message.starts_with("wirespeed: driver nonsense is absent: "), "{message}");
}

/// What we have no kernels for is measured when it is named, through EVP.
#[test]
fn algorithms_of_others_are_measured_when_they_are_named() {
    let arguments =
        "bench DES-EDE3-CBC HMAC-MD5 HMAC-SHA1 AES-128-CCM --sizes 64 --seconds 0 --json -";
    let json = printed(wirespeed(arguments).args(["--routes", "libcrypto,portable"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let rows = json["rows"].as_array().expect("rows");
    let named: Vec<&str> = rows.iter().filter_map(|row| row["algorithm"].as_str()).collect();
    assert_eq!(named, ["DES-EDE3-CBC", "HMAC-MD5", "HMAC-SHA1", "AES-128-CCM"]);
    assert!(rows.iter().all(|row| row["route"] == "libcrypto"));
    let skipped = json["skipped"].as_array().expect("skipped");
    assert_eq!(skipped.iter().filter(|row| row["route"] == "portable").count(), 4, "{skipped:?}");
}

#[test]
fn a_file_that_cannot_be_written_is_named_before_anything_is_measured() {
    for arguments in [
        "--seconds 3600 --json",
        "bench AES-128-CTR --seconds 3600 --json",
        "bench AES-128-CTR --seconds 3600 --csv",
        "bench AES-128-CTR --seconds 3600 --prometheus",
        "tune --output",
        "tune --json",
        "disk --json",
        "vpn --seconds 3600 --json",
        "random --output /dev/null --json",
    ] {
        let output = output(&format!("{arguments} /nowhere/at/all"));
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(text(&output.stderr).contains("/nowhere/at/all"), "{arguments}");
        assert_eq!(text(&output.stdout), "", "{arguments}");
    }
}

/// What is there already is neither lost nor cut while a run may still fail.
#[test]
fn a_try_to_write_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = folder.path().join("old.json");
    fs::write(&old, "results").expect("written");
    for file in ["old.json", "new.json"] {
        let path = folder.path().join(file).display().to_string();
        let output = output(&format!("bench AES-128-CTR --routes padlock --json {path}"));
        assert_eq!(output.status.code(), Some(2), "there is no such unit here");
    }
    assert_eq!(fs::read_to_string(&old).expect("still there"), "results");
    assert!(!folder.path().join("new.json").exists());
}

/// Without a name bench measures what the survey does, and says nothing of what nobody asked for.
#[test]
fn bench_measures_the_survey_s_algorithms() {
    let table = printed(wirespeed("bench --sizes 64 --seconds 0").env("WIRESPEED_HURRY", "1"));
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.strip_suffix(", message")).collect();
    assert!(names.contains(&"AES-128-GCM enc") && names.contains(&"SHA2-256"), "{table}");
    assert!(!names.contains(&"AES-192-OFB") && !table.contains("left out"), "{table}");
    let all = output("bench AES-128-GCM --all");
    assert!(text(&all.stderr).contains("cannot be used with --all"), "{}", text(&all.stderr));
}

#[test]
fn what_bench_measured_survives_an_interruption() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("here.json");
    let words = "bench AES-128-CTR AES-256-CTR --routes portable,libcrypto --sizes 64,1024 --json";
    let mut run = wirespeed(words);
    run.args([file.as_os_str(), "--seconds".as_ref(), "1".as_ref()]);
    let rest = interrupted(&mut run, "AES-128-CTR, message");
    let kept = fs::read_to_string(file).expect("a file");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(kept["interrupted"], true);
    let rows = kept["rows"].as_array().expect("rows").len();
    assert!((4..8).contains(&rows), "{rows} rows");
    // The block that was broken off is shown as far as it came.
    let is_shown = rest.iter().any(|line| line == "AES-256-CTR, message");
    assert_eq!(is_shown, rows > 4, "{rest:?}");
}

#[test]
fn every_help_has_examples_and_fits_its_columns() {
    let commands = "bench routes tune install uninstall doctor stats kernel disk vpn compare report \
                    padlock random sum";
    for command in [""].into_iter().chain(commands.split(' ')) {
        let help = printed(&mut wirespeed(&format!("{command} --help")));
        assert!(
            help.contains("Examples:\n  wirespeed") || command == "routes",
            "{command}: {help}"
        );
        assert_narrow(&help);
        // A line that was wrapped is followed by its rest.
        let examples = help.lines().skip_while(|line| *line != "Examples:").skip(1);
        let mut examples = examples.take_while(|line| !line.is_empty());
        let begins = |line: &str| {
            let words = ["wirespeed ", "sudo ", "padlock-run ", "find ", "openssl ", "cargo "];
            words.iter().any(|word| line.trim_start().starts_with(word))
        };
        let wrapped = examples.find(|line| !begins(line) && line.trim() != "wirespeed");
        assert_eq!(wrapped, None, "{command}");
    }
}

#[test]
fn bench_prints_routes_side_by_side() {
    let arguments = "bench AES-128-CBC --both --sizes 16,1420 --use message,stream --seconds 0";
    let table = printed(wirespeed(arguments).args(["--routes", "libcrypto,portable"]));
    for wanted in [
        "AES-128-CBC enc, message\n",
        "AES-128-CBC dec, stream\n",
        "libcrypto  portable",
        "\n1408 B  ",
        "break-even with libcrypto: portable ",
    ] {
        assert!(table.contains(wanted), "no '{wanted}' in:\n{table}");
    }
    assert_narrow(&table);
}

#[test]
fn bench_leaves_out_what_does_not_exist_and_says_why() {
    let table = printed(&mut wirespeed("bench AES-128-GCM --use stream --seconds 0"));
    assert!(table.contains("left out: AES-128-GCM stream: an AEAD gives a tag"), "{table}");
}

#[test]
fn bench_writes_json_and_csv() {
    let arguments = "bench AES-128-CTR --sizes 1024 --seconds 0.01 --json -";
    let json: Value = serde_json::from_str(&printed(&mut wirespeed(arguments))).expect("JSON");
    assert_eq!(json["schema"], "wirespeed.bench/1");
    assert_eq!(json["clock"], "thread-cpu");
    let rows = json["rows"].as_array().expect("rows");
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!((&row["algorithm"], &row["size"]), (&"AES-128-CTR".into(), &1024.into()));
        assert!(row["bytes_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    }
    let arguments = "bench AES-128-CTR --sizes 1024 --seconds 0 --csv -";
    let csv = printed(&mut wirespeed(arguments));
    let mut lines = csv.lines();
    let names = lines.next().expect("a first line");
    assert!(names.starts_with("algorithm,direction,use,size,route,"));
    for line in lines {
        assert_eq!(line.split(',').count(), names.split(',').count(), "{line}");
    }
}

#[test]
fn threads_run_together() {
    let arguments = "bench AES-128-GCM --sizes 1024 --seconds 0 --threads 2 --json -";
    let json: Value = serde_json::from_str(&printed(&mut wirespeed(arguments))).expect("JSON");
    assert_eq!(json["clock"], "wall");
    assert!(json["rows"].as_array().expect("rows").iter().all(|row| row["threads"] == 2));
}

#[test]
fn the_survey_shows_machine_routes_table_and_advice() {
    let survey = printed(&mut wirespeed("--seconds 0"));
    for wanted in [
        "Wirespeed ",
        "\nRoutes    ",
        "this OpenSSL",
        "AES-128-GCM enc          16 B",
        "\n          kernel ",
        "\nWhat you would gain   ",
    ] {
        assert!(survey.contains(wanted), "no '{wanted}' in:\n{survey}");
    }
    assert_narrow(&survey);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things")]
fn a_lesser_machine_is_surveyed_too() {
    let survey = printed(wirespeed("--seconds 0").env("WIRESPEED_DENY", "aes"));
    assert!(survey.contains("vaes512 absent: this CPU has no aes"), "{survey}");
    assert!(survey.contains("portable"), "{survey}");
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things")]
fn without_a_libcrypto_the_survey_says_so_and_goes_on() {
    let survey = printed(wirespeed("--seconds 0").env("WIRESPEED_NO_LIBCRYPTO", "1"));
    assert!(survey.contains("no OpenSSL 3 or 4"), "{survey}");
    assert!(survey.contains("libcrypto absent: no libcrypto here"), "{survey}");
    assert!(survey.contains("AES-128-GCM enc          16 B"), "{survey}");
    assert!(survey.contains("install OpenSSL 3"), "{survey}");
    let arguments = "bench AES-128-GCM --sizes 64 --seconds 0 --json -";
    let bench = printed(wirespeed(arguments).env("WIRESPEED_NO_LIBCRYPTO", "1"));
    let json: Value = serde_json::from_str(&bench).expect("JSON");
    assert!(json["machine"]["libcrypto"].is_null());
    assert!(json["rows"].as_array().expect("rows").iter().all(|row| row["door"] == "direct"));
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things")]
fn routes_tell_what_serves_what() {
    let text = printed(wirespeed("routes").env("WIRESPEED_DENY", "avx512f"));
    // What is missing first is named: older CPUs have AVX-512 and no VAES.
    let missing = if std::is_x86_feature_detected!("vaes") { "avx512f" } else { "vaes" };
    let said = format!("vaes512    absent: this CPU has no {missing}");
    assert!(text.contains(&said), "{text}");
    let json = printed(&mut wirespeed("routes aes-256-xts --json"));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["algorithms"][0]["algorithm"], "AES-256-XTS");
    assert_eq!(json["algorithms"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_json_is_what_its_type_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let [plan, configuration] = ["plan", "openssl.cnf"].map(|name| folder.path().join(name));
    let plan = plan.display();
    let keys = format!("openssl_conf=o\n[o]\nproviders=p\n[p]\nwirespeed=w\n[w]\nplan={plan}\n");
    fs::write(&configuration, keys).expect("written");
    let written = |arguments: &str| -> Value {
        let mut command = wirespeed(arguments);
        command.env("OPENSSL_CONF", &configuration).env("WIRESPEED_HURRY", "few");
        // On the least x86-64 there is least to measure.
        command.env("WIRESPEED_DENY", "ssse3");
        serde_json::from_str(&printed(&mut command)).expect("JSON")
    };
    let bench = "bench AES-128-GCM --use message,stream --sizes 64 --seconds 0 --json -";
    assert_eq!(is_of_type::<Bench>(&written(bench)), Ok(()));
    assert_eq!(is_of_type::<Survey>(&written("--seconds 0 --json -")), Ok(()));
    let tune = format!("tune --quick --output {plan} --json -");
    assert_eq!(is_of_type::<Tune>(&written(&tune)), Ok(()));
    assert_eq!(is_of_type::<Routes>(&written("routes --json")), Ok(()));
}
