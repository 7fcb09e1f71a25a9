//! `wirespeed compare`, and what `wirespeed bench` writes for it and for those who watch fleets.

use std::collections::BTreeSet;
use std::env::consts::ARCH;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::exposition::{metrics, promtool};
use crate::support::{assert_narrow, is_of_type};
use serde_json::Value;
use wirespeed_results::schema::compare::Compare;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn wirespeed(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    command.args(arguments);
    command
}

/// What a run that must succeed printed.
fn printed(arguments: &[&str]) -> String {
    let output = wirespeed(arguments).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The one line of a run that must end with status 2.
fn refused(arguments: &[&str]) -> String {
    let output = wirespeed(arguments).output().expect("the program runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{said}");
    said
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(arguments)).expect("JSON")
}

fn example(name: &str) -> String {
    format!("{EXAMPLES}/{name}.json")
}

/// A key for each message is other work than one for all.
#[test]
fn a_key_for_each_message_is_compared_with_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, usage: &str| {
        let text = format!(
            "{{\"schema\":\"wirespeed.bench/1\",\"rows\":[{{\"algorithm\":\"AES-128-GCM\",\
             \"direction\":\"enc\",\"use\":\"{usage}\",\"size\":1024,\"route\":\"libcrypto\",\
             \"door\":\"evp\",\"threads\":1,\"bytes_per_second\":1e9}}]}}"
        );
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let [first, other, same] = [("a.json", "message"), ("b.json", "rekey"), ("c.json", "message")]
        .map(|(name, usage)| write(name, usage));
    let verdict = |other: &str| {
        let text = printed(&["compare", &first, other]);
        text.lines().filter(|line| line.starts_with("VPN: ")).map(str::to_owned).collect::<String>()
    };
    assert!(verdict(&same).contains("AES-128-GCM"), "{}", verdict(&same));
    assert!(!verdict(&other).contains("AES-128-GCM"), "{}", verdict(&other));
}

#[test]
fn what_is_far_too_long_for_results_is_refused() {
    let said = refused(&["compare", "/dev/zero", "/dev/zero"]);
    assert!(said.contains("/dev/zero: more than 64 MiB are no results"), "{said}");
}

#[test]
fn the_articles_machines_stand_side_by_side() {
    let boxes = [example("ipfire-apu1c-2015"), example("ipfire-prime-box-2015")];
    let text = printed(&["compare", &boxes[0], &boxes[1]]);
    assert_narrow(&text);
    for wanted in [
        "A  ipfire-apu1c-2015: AMD APU G-T40E 1 GHz, 2 CPUs",
        "AES-128-GCM enc 1 KiB        14.5    libcrypto   19.5    libcrypto  B 1.3x",
        "SHA2-512 1 KiB               32.0    libcrypto   28.5    libcrypto  A 1.1x",
        "VPN: it depends; with AES-GCM B (ipfire-prime-box-2015)",
    ] {
        assert!(text.contains(wanted), "no '{wanted}' in:\n{text}");
    }
    // All of them are too wide for one table.
    let text = printed(&["compare", EXAMPLES]);
    assert_narrow(&text);
    assert!(text.matches("ahead").count() > 1, "{text}");
    for wanted in ["G  padlock-2005: VIA Nehemiah", "846      padlock", "14.3    cryptodev"] {
        assert!(text.contains(wanted), "no '{wanted}' in:\n{text}");
    }
}

#[test]
fn a_folder_is_ranked_and_what_is_foreign_is_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["ipfire-apu1c-2015", "ipfire-prime-box-2015", "padlock-2005"] {
        let to = folder.path().join(format!("{name}.json"));
        fs::copy(example(name), to).expect("copied");
    }
    let here = folder.path().display().to_string();
    fs::write(folder.path().join("plan.json"), "{\"schema\": \"wirespeed.tune/1\"}")
        .expect("written");
    fs::write(folder.path().join("notes.txt"), "no JSON").expect("written");
    let text = printed(&["compare", "--best-for", "vpn", &here]);
    assert_narrow(&text);
    let place = |name: &str| text.find(name).unwrap_or_else(|| panic!("no {name} in:\n{text}"));
    assert!(place("1  ipfire-apu1c-2015") < place("2  ipfire-prime-box-2015"), "{text}");
    assert!(text.contains("Not measured for it: padlock-2005"), "{text}");
    assert!(text.contains("plan.json was passed over"), "{text}");
    let none = printed(&["compare", "--best-for", "disk", &example("ipfire-apu1c-2015")]);
    let said = none.contains("was measured for it: ")
        && none.contains("wirespeed disk --json FILE does that");
    assert!(said, "{none}");
    let ranked = json(&["compare", "--best-for", "vpn", &here, "--json", "-"]);
    assert_eq!(ranked["best_for"]["ranking"].as_array().map(Vec::len), Some(2));
    assert_eq!((&ranked["best_for"]["use"], &ranked["comparison"]), (&"vpn".into(), &Value::Null));

    let broken = folder.path().join("broken.json");
    fs::write(&broken, "{").expect("written");
    let long = fs::File::create(folder.path().join("long.txt")).expect("made");
    long.set_len(65 << 20).expect("sparse");
    let text = printed(&["compare", "--best-for", "vpn", &here]);
    assert!(text.contains("broken.json was passed over: no JSON: "), "{text}");
    assert!(text.contains("long.txt was passed over: more than 64 MiB"), "{text}");
    let page = wirespeed(&["report", &here, "--output", "-"]).output().expect("the program runs");
    let said = String::from_utf8_lossy(&page.stderr);
    assert!(page.status.success() && page.stdout.starts_with(b"<!"), "{said}");
    assert!(said.contains("broken.json was passed over: no JSON: "), "{said}");
    let alone = tempfile::tempdir().expect("a folder");
    fs::copy(&broken, alone.path().join("broken.json")).expect("copied");
    let alone = alone.path().display().to_string();
    let broken = broken.display().to_string();
    for (arguments, words) in [
        (vec!["compare", &alone], "broken.json was passed over: no JSON: "),
        (vec!["report", &alone], "broken.json was passed over: no JSON: "),
        (vec!["compare", &broken], "broken.json: no JSON: "),
        (vec!["compare", "no/where.json"], "cannot read no/where.json: "),
        (
            vec!["compare", &example("padlock-2005")],
            "padlock-2005 is alone: name the results of two",
        ),
        (vec!["compare", &here, "--best-for", "mail"], "invalid value 'mail' for '--best-for"),
        (vec!["compare"], "--help"),
    ] {
        let said = refused(&arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn the_json_is_what_its_type_says() {
    for more in [&["--json", "-"][..], &["--json", "-", "--best-for", "vpn"]] {
        let document = json(&[&["compare", EXAMPLES], more].concat());
        assert_eq!(is_of_type::<Compare>(&document), Ok(()));
    }
}

const PASTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/tests/pasted");

#[test]
fn a_pasted_text_is_a_column_with_a_name() {
    let turris = format!("{PASTED}/turris-quoted.txt");
    let apu = example("ipfire-apu1c-2015");
    let text = printed(&["compare", &apu, &turris, "--as", "Old router"]);
    assert_narrow(&text);
    for wanted in [
        "B  Old router: OpenSSL 1.0.2k. As printed by openssl speed",
        "AES-128-CBC enc 1 KiB  42.6    libcrypto  42.9    libcrypto   even",
        "not timed by the same clock",
    ] {
        assert!(text.contains(wanted), "no '{wanted}' in:\n{text}");
    }
    let document = json(&["compare", &apu, &turris, "--as", "Old router", "--json", "-"]);
    assert_eq!(is_of_type::<Compare>(&document), Ok(()));
    assert_eq!(document["machines"][1]["label"], "Old router");

    // What is not the same work is told, and how to do it.
    let pi = format!("{PASTED}/pi4-gcm-3.0.0.txt");
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().join("here.json").display().to_string();
    let bench = ["bench", "AES-256-GCM", "--sizes", "1024", "--seconds", "0", "--json", &here];
    wirespeed(&bench).output().expect("the program runs");
    let text = printed(&["compare", &here, &pi]);
    assert!(text.contains("~"), "{text}");
    assert!(text.replace("\n  ", " ").contains("wirespeed bench --use stream,rekey"), "{text}");

    // From standard input, with a line that means nothing.
    let mut child = wirespeed(&["compare", "--best-for", "vpn", &apu, "-", "--as", "From a forum"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let paste = fs::read_to_string(format!("{PASTED}/nanopi-r2s-table.txt")).expect("a text");
    child.stdin.take().expect("a pipe").write_all(paste.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("1  From a forum"), "{text}");

    let two = format!("{PASTED}/pi5-cbc.txt");
    let said = refused(&["compare", &apu, &two, "--as", "Pi", "--as", "nobody"]);
    assert!(said.contains("--as nobody has no text to name: 1 of the files was printed"), "{said}");
    let said = refused(&["compare", &apu, concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    assert!(said.contains("Cargo.toml: no JSON, and no figures as openssl speed"), "{said}");
}

#[test]
fn a_report_draws_pasted_texts_and_names_their_lines() {
    let page = printed(&[
        "report",
        &format!("{PASTED}/nanopi-m4-buster.txt"),
        "--as",
        "M4",
        "--output",
        "-",
    ]);
    for wanted in ["<strong>M4</strong>", "OpenSSL 1.1.1c", "Lines 17 and 19 were not understood."]
    {
        assert!(page.contains(wanted), "no '{wanted}'");
    }
}

#[test]
fn a_gateways_algorithms_are_measured_and_written_for_who_watches() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (results, watched) = (at("here.json"), at("wirespeed.prom"));
    let text = printed(&[
        "bench",
        "--set",
        "gateway",
        "--seconds",
        "0",
        "--json",
        &results,
        "--prometheus",
        &watched,
    ]);
    assert_narrow(&text);
    assert!(
        text.contains("left out: CAMELLIA-128-GCM: OpenSSL has no Camellia in GCM mode"),
        "{text}"
    );
    let document: Value =
        serde_json::from_str(&fs::read_to_string(&results).expect("written")).expect("JSON");
    let rows = document["rows"].as_array().expect("rows");
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row["algorithm"].as_str()).collect();
    let expected = [
        "AES-128-CBC",
        "AES-128-GCM",
        "AES-256-CBC",
        "AES-256-GCM",
        "CAMELLIA-128-CBC",
        "CAMELLIA-256-CBC",
        "MD5",
        "SHA1",
        "SHA2-256",
        "SHA2-512",
    ];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), expected);
    assert!(rows.iter().all(|row| row["size"] == 1024));
    // Plain code stands beside the others, ours and OpenSSL's.
    let has = |field: &str, value: &Value| rows.iter().any(|row| row[field] == *value);
    assert!(has("route", &"portable".into()) && has("use", &"stream".into()));
    let masked =
        has("without", &"aesni".into()) && has("without", &"aesni, ssse3, avx, sha-ni".into());
    assert_eq!(masked, ARCH == "x86_64");
    if masked {
        assert!(
            text.contains("This OpenSSL with instructions taken away (OPENSSL_ia32cap)"),
            "{text}"
        );
    }

    let text = fs::read_to_string(&watched).expect("written");
    let metrics = metrics(&text);
    let rates = metrics.iter().filter(|(name, ..)| name == "wirespeed_bench_bytes_per_second");
    assert_eq!(rates.count(), rows.len());
    let row = &rows[0];
    let of_row = |name: &str| {
        let is_it = |(metric, labels, _): &&(String, String, f64)| {
            metric == name
                && ["algorithm", "route", "use"].iter().all(|field| {
                    labels.contains(&format!("{field}=\"{}\"", row[field].as_str().expect("text")))
                })
                && !labels.contains("without=")
        };
        metrics.iter().find(is_it).expect("told").2
    };
    let rate = row["bytes_per_second"].as_f64().expect("a rate");
    assert!((of_row("wirespeed_bench_bytes_per_second") / rate - 1.0).abs() < 1e-9);
    let seconds = row["median_ns"].as_f64().expect("a time") * 1e-9;
    assert!((of_row("wirespeed_bench_call_seconds") / seconds - 1.0).abs() < 1e-9);
    promtool(&text);

    // And it is what compare takes.
    let compared = printed(&["compare", &results, &example("ipfire-apu1c-2015")]);
    assert!(compared.contains("VPN: "), "{compared}");
    assert!(compared.contains("rows are not of the same mode of use"), "{compared}");
    assert_narrow(&compared);
}
