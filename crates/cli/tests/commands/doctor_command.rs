//! `wirespeed doctor -- CMD`: programs that use Wirespeed, and programs that do not, each with its reason.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::support::{CTR, Case, installed, is_of_type, module};
use serde_json::Value;
use wirespeed_cipher::Route;
use wirespeed_results::schema::doctor::Doctor;
use wirespeed_stats::Snapshot;

/// What a run of the doctor said.
struct Said {
    status: Option<i32>,
    json: Value,
    /// What the command printed.
    printed: String,
}

impl Said {
    fn of(output: &Output) -> Self {
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        let json = serde_json::from_slice(&output.stdout);
        Self {
            status: output.status.code(),
            json: json.unwrap_or_else(|_| panic!("{printed}")),
            printed,
        }
    }

    /// Every finding: state, text and mend.
    fn text(&self) -> String {
        let findings = self.json["findings"].as_array().expect("findings");
        let line = |finding: &Value| {
            let word = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            format!("{}: {} -> {}", word("state"), word("text"), word("mend"))
        };
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Must have found a fault with these words.
    fn must_blame(&self, words: &[&str]) {
        let text = self.text();
        assert_eq!(self.status, Some(1), "{text}");
        for word in words {
            assert!(text.contains(word), "no '{word}' in:\n{text}");
        }
    }
}

impl Case {
    fn watch<W: AsRef<std::ffi::OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Said {
        let output = self.doctor().args(["--json", "--"]).args(words).output();
        Said::of(&output.expect("the program runs"))
    }
}

fn ready() -> Case {
    Case::new(&installed("routes = portable\nciphers = AES-128-CTR AES-128-CBC"))
}

#[test]
fn a_program_that_uses_it_is_told_with_route_calls_and_bytes() {
    let case = ready();
    let plain = case.write("plain", vec![7; 100_000]);
    let cipher = case.path("cipher").display().to_string();
    let said =
        case.watch(["openssl"].iter().chain(&CTR).copied().chain(["-in", &plain, "-out", &cipher]));
    assert_eq!(said.status, Some(0), "{}", said.text());
    assert!(said.text().contains("openssl used portable for 97.7 KiB"), "{}", said.text());
    let rows = said.json["command"]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        (&rows[0]["algorithm"], &rows[0]["route"]),
        (&"AES-128-CTR".into(), &"portable".into())
    );
    assert_eq!(rows[0]["bytes"], 100_000);
    assert!(rows[0]["calls"].as_u64().is_some_and(|calls| calls > 0));
    assert_eq!(said.json["command"]["loads"], 1);
    // The bytes are those that openssl makes alone.
    let alone = case
        .program("openssl")
        .args(CTR)
        .args(["-in", &plain])
        .env("OPENSSL_CONF", "/dev/null")
        .output();
    assert_eq!(fs::read(cipher).expect("written"), alone.expect("openssl runs").stdout);
}

#[test]
fn its_output_goes_where_it_goes_and_its_failure_is_said() {
    let case = ready();
    let command = ["--", "sh", "-c", "echo to output; echo to error >&2; exit 3"];
    let output = case.doctor().args(command).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "to output\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.starts_with("to error\n") && said.contains("sh ended with exit status: 3"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(1), "it used nothing");
    let said = case.watch(&command[1..]);
    assert_eq!(said.json["command"]["status"], 3);
    assert!(said.printed.contains("to output\nto error\n"), "{}", said.printed);
    let notes = case.write("notes", "no program");
    for (wrong, words) in [("no-such-program-here", "command not found"), (&notes, "denied")] {
        let output = case.doctor().args(["--", wrong]).output().expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(wrong) && said.contains(words), "{said}");
    }
}

/// The seeds: "segmentation fault openssl speed -evp aes-128-cbc -engine af_alg".
#[test]
fn a_program_that_crashes() {
    let said = ready().watch(["sh", "-c", "kill -SEGV $$"]);
    said.must_blame(&[
        "sh ended with signal: 11",
        "it crashed",
        "run it with OPENSSL_CONF=/dev/null",
    ]);
}

#[test]
fn children_of_a_script_count_too() {
    let case = ready();
    let plain = case.write("plain", vec![7; 1000]);
    let script =
        format!("for n in 1 2 3; do openssl {} -in {plain} >/dev/null; done", CTR.join(" "));
    let said = case.watch(["sh", "-c", &script]);
    assert_eq!(
        (said.status, &said.json["command"]["loads"]),
        (Some(0), &3.into()),
        "{}",
        said.text()
    );
    assert_eq!(said.json["command"]["rows"][0]["bytes"], 3000);
}

#[test]
fn without_an_installation_it_runs_all_the_same_and_says_so() {
    module();
    let case = Case::new("openssl_conf = init\n[init]\n");
    let plain = case.write("plain", vec![7; 1000]);
    let out = case.path("out").display().to_string();
    let said =
        case.watch(["openssl"].iter().chain(&CTR).copied().chain(["-in", &plain, "-out", &out]));
    assert_eq!(said.status, Some(0), "{}", said.text());
    assert!(said.text().contains("note: Wirespeed is not installed"), "{}", said.text());
    assert_eq!(said.json["command"]["rows"][0]["algorithm"], "AES-128-CTR");
}

#[test]
fn a_program_that_never_encrypts() {
    ready().watch(["true"]).must_blame(&["it never loaded OpenSSL"]);
    let said = ready().watch(["openssl", "list", "-providers"]);
    said.must_blame(&["openssl loaded Wirespeed and used none of it"]);
    // The generator of OpenSSL 3.0 to 3.4 runs on our ciphers; that is no use of the program's.
    let said = Case::new(&installed("")).watch(["openssl", "rand", "-hex", "32"]);
    said.must_blame(&["openssl loaded Wirespeed and used none of it"]);
}

#[test]
fn a_program_with_an_environment_of_its_own() {
    let speed =
        ["openssl", "speed", "-elapsed", "-seconds", "1", "-bytes", "64", "-evp", "aes-128-ctr"];
    let said = ready().watch(["env", "-i", "PATH=/usr/bin:/bin"].into_iter().chain(speed));
    said.must_blame(&["openssl was started with an environment of its own, without OPENSSL_CONF"]);
}

#[test]
fn a_program_with_another_users_rights() {
    let case = ready();
    let program = case.path("elevated");
    fs::copy("/bin/true", &program).expect("copied");
    fs::set_permissions(&program, Permissions::from_mode(0o4755)).expect("permissions");
    case.watch([program]).must_blame(&["it is set-user-ID"]);
}

#[test]
fn a_program_that_only_has_others_start_something() {
    let case = ready();
    case.write("systemctl", "#!/bin/sh\nexit 0\n");
    fs::set_permissions(case.path("systemctl"), Permissions::from_mode(0o755))
        .expect("permissions");
    case.watch([case.path("systemctl")]).must_blame(&["it only launches other processes"]);
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "glibc's own ldconfig is static, others may not be")]
fn a_statically_linked_program() {
    ready().watch(["/sbin/ldconfig", "-p"]).must_blame(&["it is statically linked"]);
}

/// A service in the foreground, ended as a person ends it: the terminal tells all of its group.
#[test]
fn ctrl_c_ends_the_program_and_not_the_report() {
    ends_the_program_and_not_the_report("-s INT -- -", 2);
}

/// As `timeout --foreground` does.
#[test]
fn sigterm_ends_the_program_and_not_the_report() {
    ends_the_program_and_not_the_report("-s TERM ", 15);
}

fn ends_the_program_and_not_the_report(kill: &str, signal: i32) {
    let case = ready();
    let scratch = case.path("scratch");
    fs::create_dir(&scratch).expect("a folder");
    let mut doctor = case.doctor();
    doctor.env("TMPDIR", &scratch);
    let speed = ["speed", "-elapsed", "-seconds", "60", "-bytes", "64", "-evp", "aes-128-ctr"];
    doctor.args(["--json", "--", "openssl"]).args(speed).process_group(0);
    let doctor = doctor.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    // By the counters, which lie in a folder of the doctor's.
    let is_at_work = || {
        let folders = fs::read_dir(&scratch).expect("a folder").filter_map(Result::ok);
        let counted = folders.filter_map(|it| Snapshot::read(&it.path().join("stats")).ok());
        counted.flat_map(|it| it.rows().collect::<Vec<_>>()).any(|row| row.route == Route::Portable)
    };
    // A program that ends before it works is seen to have said nothing below.
    for _ in 0..1000 {
        if is_at_work() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // The shell's own kill: the program of that name is not on every machine.
    let kill = format!("kill {kill}{}", doctor.id());
    let killed = Command::new("sh").args(["-c", &kill]).status();
    assert!(killed.expect("kill runs").success());
    let said = Said::of(&doctor.wait_with_output().expect("it ends"));
    assert_eq!(said.status, Some(0), "{}", said.text());
    let ended = format!("fine: openssl ended with signal: {signal}");
    assert!(said.text().contains(&ended), "{}", said.text());
    assert!(said.json["command"]["status"].is_null());
    assert!(said.text().contains("openssl used portable"), "{}", said.text());
    assert_eq!(fs::read_dir(scratch).expect("a folder").count(), 0, "nothing is left");
}

#[test]
fn what_is_left_in_the_background_is_named() {
    let case = ready();
    let number = case.path("number");
    // It is still there when the doctor looks, and has loaded the module, however slow the machine is.
    let speed = format!(
        "openssl speed -elapsed -seconds 60 -bytes 64 -evp aes-128-ctr >/dev/null 2>&1 & echo $! >{}",
        number.display()
    );
    let wait = "while kill -0 $! && ! grep -q libwirespeed /proc/$!/maps; do sleep 0.1; done";
    let said = case.watch(["sh", "-c", &format!("{speed}; {wait}")]);
    let kill = format!("kill $(cat {})", number.display());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("kill runs").success());
    assert!(said.text().contains("left running in the background"), "{}", said.text());
    assert!(said.text().contains("openssl ("), "{}", said.text());
}

#[test]
fn an_openssl_1() {
    let case = ready();
    preloaded(&case, "libcrypto.so.1.1").must_blame(&[
        "runs on",
        "libcrypto.so.1.1",
        "knows no providers",
    ]);
}

#[test]
fn another_library_for_tls() {
    for (library, name) in [("libgnutls.so.30", "GnuTLS"), ("libnss3.so", "NSS")] {
        preloaded(&ready(), library)
            .must_blame(&[&format!("it encrypts with {name}, not with OpenSSL")]);
    }
}

/// A program that maps a library of that name.
fn preloaded(case: &Case, library: &str) -> Said {
    // Any library will do: what counts is its name.
    let any = fs::read_to_string("/proc/self/maps").expect("maps");
    let any = any.split_whitespace().find(|word| word.contains("/libgcc_s.so")).expect("a library");
    fs::copy(any, case.path(library)).expect("copied");
    let preload = format!("LD_PRELOAD={}", case.path(library).display());
    case.watch(["env", &preload, "sleep", "0.3"])
}

/// As conda brings it: found by the program's own path, with a configuration folder of its own.
#[test]
fn an_openssl_of_its_own() {
    let case = ready();
    let host = wirespeed_libcrypto::Library::host().expect("these tests need libcrypto");
    let folder = host.configuration_folder().expect("a folder").display().to_string();
    let mut bytes = fs::read(host.path()).expect("libcrypto");
    let mark = format!("OPENSSLDIR: \"{folder}\"").into_bytes();
    let own = format!("OPENSSLDIR: \"/{}\"", "x".repeat(folder.len() - 1)).into_bytes();
    let places: Vec<_> =
        (0..bytes.len() - mark.len()).filter(|at| bytes[*at..].starts_with(&mark)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at..at + own.len()].copy_from_slice(&own));
    let name = host.path().file_name().expect("a name").to_string_lossy().into_owned();
    case.write(&name, bytes);
    let path = format!("LD_LIBRARY_PATH={}", case.path("").display());
    let speed = ["speed", "-elapsed", "-seconds", "1", "-bytes", "64", "-evp", "aes-128-ctr"];
    let said = case.watch(["env", &path, "openssl"].into_iter().chain(speed));
    said.must_blame(&["it brings its own", "/xxx", "set OPENSSL_CONF="]);
    assert!(!said.json["command"]["rows"].as_array().expect("rows").is_empty(), "it was used");
}

#[test]
fn a_module_that_is_refused_is_the_reason() {
    let case = Case::new(&installed("routes = warp"));
    let said = case.watch(["openssl", "list", "-providers"]);
    said.must_blame(&["unknown route 'warp'", "change the line routes = warp"]);
}

/// Seen: "used vaes512", while by itself the program got the default provider.
#[test]
fn what_the_configuration_itself_gives_is_told() {
    let case =
        Case::new(&installed("routes = portable\nciphers = AES-128-CTR\nstats = /nowhere/stats"));
    let plain = case.write("plain", vec![7; 100_000]);
    let cipher = case.path("cipher").display().to_string();
    let words = ["openssl"].iter().chain(&CTR).copied().chain(["-in", &plain, "-out", &cipher]);
    let said = case.watch(words);
    said.must_blame(&[
        "openssl used portable",
        "programs started from here: without counters: stats = /nowhere/stats: ",
        "let this user write it",
    ]);
}

#[test]
fn openssl_speed_that_misleads() {
    let query = ["-evp", "aes-128-ctr", "-propquery", "?provider=wirespeed"];
    let said = ready()
        .watch(["openssl", "speed", "-seconds", "1", "-bytes", "64"].into_iter().chain(query));
    said.must_blame(&[
        "without -elapsed",
        "-propquery after -evp is ignored",
        "run openssl speed -elapsed -seconds 1 -bytes 64 -propquery '?provider=wirespeed' -evp aes-128-ctr",
    ]);
}

#[test]
fn a_long_run_gets_an_estimate() {
    let case = Case::new(&installed(""));
    let speed =
        ["openssl", "speed", "-elapsed", "-seconds", "3", "-bytes", "16384", "-evp", "aes-128-cbc"];
    let said = case.watch(speed);
    assert_eq!(said.status, Some(0), "{}", said.text());
    let estimate = &said.json["command"]["estimate"];
    assert!(estimate["gain"].as_f64().is_some_and(|gain| gain > 0.0), "{estimate}");
    assert_eq!(is_of_type::<Doctor>(&said.json), Ok(()));
}
