//! `wirespeed tune` and `wirespeed routes`: the plan as people and scripts meet it.
//!
//! Measurements are as short as can be; what is chosen is never checked, only that it is told truly.

use crate::support::text;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use wirespeed_cipher::{Algorithm, Digest, Direction, Route, SIZE_CLASSES, Subject};
use wirespeed_cpu::{Feature, Features};
use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, LibcryptoCode, Offload, Plan, Row};

/// A folder with an openssl.cnf that names the plan beside it.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().expect("a folder"));
        machine.configure(&format!("plan = {}", machine.plan().display()));
        machine
    }

    fn configure(&self, keys: &str) {
        let text = format!(
            "openssl_conf = o\n[o]\nproviders = p\n[p]\ndefault = d\nwirespeed = w\n[d]\nactivate = 1\n\
             [w]\nactivate = 1\n{keys}\n"
        );
        fs::write(self.0.path().join("openssl.cnf"), text).expect("written");
    }

    fn plan(&self) -> PathBuf {
        self.0.path().join("plan")
    }

    fn wirespeed(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
        command.args(arguments.split_whitespace());
        command.env("OPENSSL_CONF", self.0.path().join("openssl.cnf"));
        command.env("WIRESPEED_HURRY", "1");
        command
    }

    fn tune(&self) -> Command {
        let mut command = self.wirespeed("tune --quick --output");
        command.arg(self.plan());
        command
    }

    /// Writes a plan with one route for one algorithm.
    fn plan_for(&self, algorithm: &str, route: Route, libcrypto: &str) {
        let algorithm: Algorithm = algorithm.parse().expect("known");
        let mut plan = Plan::new(Fingerprint::here(libcrypto));
        for &direction in algorithm.directions() {
            for size in SIZE_CLASSES {
                plan.put(Row { algorithm, direction, size, route, reason: None });
            }
        }
        fs::write(self.plan(), plan.to_string()).expect("written");
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<_> =
            names.map(|name| name.into_string().expect("a name of ours")).collect();
        names.sort();
        names
    }
}

fn host_version() -> &'static str {
    Library::host().expect("these tests need libcrypto").version()
}

fn output(command: &mut Command, status: i32) -> Output {
    let output = command.output().expect("the program runs");
    assert_eq!(output.status.code(), Some(status), "{command:?}: {}", text(&output.stderr));
    output
}

fn printed(command: &mut Command) -> String {
    let output = output(command, 0);
    assert_eq!(text(&output.stderr), "", "{command:?}");
    text(&output.stdout)
}

fn json(command: &mut Command) -> Value {
    serde_json::from_str(&printed(command)).expect("JSON")
}

/// Measures everything once: the plan is whole, is for this machine, and says what the tables say.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be hurried")]
fn tune_writes_a_plan_that_routes_explains() {
    let machine = Machine::new();
    let report = machine.0.path().join("report.json");
    let table = printed(machine.tune().arg("--json").arg(&report));
    for wanted in ["Routes    ", "\nPlan  ", "(new)", "\nIn use by  ", "wirespeed routes --why"] {
        assert!(table.contains(wanted), "no '{wanted}' in:\n{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");

    let plan = Plan::read(&machine.plan()).expect("a plan");
    let here = Fingerprint::here(host_version());
    assert_eq!(plan.fingerprint().difference(&here), None);
    assert!(plan.rows().all(|row| row.reason.is_some()));
    // What is not AES is only measured where a route of this CPU has it, and what is new where OpenSSL does.
    for algorithm in Algorithm::ALL {
        let rows = plan.rows().filter(|row| row.algorithm == *algorithm).count();
        let whole = algorithm.directions().len() * SIZE_CLASSES.len();
        let is_everywhere = Algorithm::AES.contains(algorithm) && algorithm.since() == (3, 0);
        let may_lack = rows == 0 && !is_everywhere;
        assert!(rows == whole || may_lack, "{algorithm}: {rows} rows");
    }
    assert_eq!(fs::metadata(machine.plan()).expect("a file").permissions().mode() & 0o777, 0o644);
    assert_eq!(machine.files(), ["openssl.cnf", "plan", "report.json"]);

    let report: Value =
        serde_json::from_str(&fs::read_to_string(report).expect("a file")).expect("JSON");
    assert_eq!(report["schema"], "wirespeed.tune/1");
    let routes = json(&mut machine.wirespeed("routes --json"));
    assert_eq!((&routes["chosen_by"], &routes["plan"]["ignored"]), (&"plan".into(), &Value::Null));
    assert_eq!(routes["algorithms"], report["algorithms"]);
    for served in routes["algorithms"].as_array().expect("algorithms") {
        let algorithm: Algorithm =
            served["algorithm"].as_str().expect("a name").parse().expect("known");
        assert_eq!(served["claimed"], plan.claims(algorithm));
    }
    let why = printed(&mut machine.wirespeed("routes AES-256-CBC --why"));
    assert!(why.contains("\nAES-256-CBC dec") && why.contains("this OpenSSL"), "{why}");
    assert!(why.lines().all(|line| line.chars().count() <= 100), "{why}");
}

/// The old plan stays whole, and no file is left beside it.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be hurried")]
fn an_interruption_leaves_the_old_plan_and_nothing_else() {
    let machine = Machine::new();
    fs::write(machine.plan(), "the old plan").expect("written");
    let mut running = machine
        .tune()
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The routes' line comes after the signals are watched, and long before the end.
    let mut head = [0; 600];
    let mut read = 0;
    let stdout = running.stdout.as_mut().expect("a pipe");
    while !String::from_utf8_lossy(&head[..read]).contains("Routes ") {
        read += std::io::Read::read(stdout, &mut head[read..]).expect("some text");
    }
    let kill = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "wirespeed: interrupted: the old plan stays as it was\n");
    assert_eq!(fs::read_to_string(machine.plan()).expect("a file"), "the old plan");
    assert_eq!(machine.files(), ["openssl.cnf", "plan"]);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be disproved and hurried")]
fn a_route_whose_proof_fails_is_named_and_left_out() {
    let machine = Machine::new();
    // A plan for another machine is no incumbent.
    machine.plan_for("AES-128-OFB", Route::Portable, "3.0.0");
    let output = output(machine.tune().env("WIRESPEED_DISPROVE", "portable"), 1);
    let message = text(&output.stderr);
    assert!(message.contains("not used, for the proof failed: portable"), "{message}");
    assert!(text(&output.stdout).contains("quarantined, not in the plan: portable: disproved"));
    assert!(text(&output.stdout).contains(" (new)\n"));
    let plan = Plan::read(&machine.plan()).expect("it was written all the same");
    let named = |row: &Row| {
        row.route == Route::Portable || row.reason.is_some_and(|it| it.second == Route::Portable)
    };
    assert!(!plan.rows().any(named));
}

/// Whether `routes --json` has it as here.
fn is_present(routes: &Value, route: Route) -> bool {
    let mut rows = routes["routes"].as_array().expect("routes").iter();
    rows.any(|row| row["route"] == route.name() && row["present"] == true)
}

/// The comparison of 2015 met an instruction set that was slower than plain code, which was used because it was there.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be slowed and hurried")]
fn a_route_that_is_slower_than_it_should_be_is_shown_and_avoided() {
    let machine = Machine::new();
    let json =
        |command: &mut Command| -> Value { serde_json::from_str(&printed(command)).expect("JSON") };
    let routes = json(&mut machine.wirespeed("routes --json"));
    let candidates = [Route::Vaes512, Route::Vaes256, Route::AesNi, Route::Portable];
    let best = candidates.into_iter().find(|route| is_present(&routes, *route));
    let best = best.expect("portable is everywhere");
    // As a share of the host's OpenSSL, measured in turns with it.
    let share = |slow: &str| {
        let routes = format!("bench AES-128-CTR --sizes 16384 --routes libcrypto,{best} --json -");
        let document = json(machine.wirespeed(&routes).env("WIRESPEED_SLOW", slow));
        let rate =
            |place: usize| document["rows"][place]["bytes_per_second"].as_f64().expect("a rate");
        rate(1) / rate(0)
    };
    let (whole, slowed) = (share(""), share(best.name()));
    assert!(slowed < whole / 5.0, "{best}: {slowed} of libcrypto, {whole} when not slowed");

    printed(machine.tune().env("WIRESPEED_SLOW", best.name()));
    let plan = Plan::read(&machine.plan()).expect("a plan");
    assert!(plan.rows().count() > 0);
    let slow: Vec<&Row> = plan.rows().filter(|row| row.route == best).collect();
    assert!(slow.is_empty(), "{best} is slow and serves: {slow:?}");
}

/// As on Haswell.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things")]
fn on_a_lesser_machine_nothing_that_it_lacks_is_planned() {
    let machine = Machine::new();
    printed(machine.tune().env("WIRESPEED_DENY", "avx512f,vaes,gfni"));
    let plan = Plan::read(&machine.plan()).expect("a plan");
    let absent = [Route::Vaes512, Route::Vaes256, Route::Gfni512, Route::Gfni256, Route::Avx512];
    let wrong: Vec<&Row> = plan.rows().filter(|row| absent.contains(&row.route)).collect();
    assert!(wrong.is_empty(), "absent and planned: {wrong:?}");
    assert!(plan.rows().count() > 0);
}

/// Without instructions for AES, as ours is told: this OpenSSL has them still, and is faster.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things and hurried")]
fn for_constant_time_ours_serves_where_this_openssl_looks_up_in_tables() {
    let machine = Machine::new();
    let lesser = |mut command: Command| {
        // With SSSE3 there is three times as much to measure.
        command.env("WIRESPEED_DENY", "aes,ssse3");
        command
    };
    let tune = |option: &[&str]| {
        let mut command = lesser(machine.tune());
        command.args(option);
        printed(&mut command)
    };
    let code = LibcryptoCode::of(
        host_version(),
        Features::detect().without(Feature::Aes).without(Feature::Ssse3),
    );
    let looked_up = |row: &&Row| code.looks_up(row.algorithm, row.direction).is_some();
    let plan = || Plan::read(&machine.plan()).expect("a plan");

    let table = tune(&["--constant-time"]);
    assert!(plan().is_for_constant_time());
    let left = plan().rows().filter(looked_up).filter(|row| row.route == Route::Libcrypto).count();
    assert_eq!(left, 0);
    let names = ["AES-128-GCM", "AES-256-CTR", "CAMELLIA-192-CBC", "ARIA-128-CCM", "SM4-ECB"];
    for name in names.map(|name| name.parse::<Algorithm>().expect("known")) {
        assert!(plan().claims(name) || !code.looks_up_anywhere(name), "{name}");
    }
    let forced: Vec<Row> = plan()
        .rows()
        .filter(|row| row.reason.is_some_and(|it| it.constant_time))
        .copied()
        .collect();
    assert!(forced.iter().all(|row| looked_up(&row)));
    let told = match forced.len() {
        0 => "constant time: nothing changes".to_owned(),
        count => format!("constant time: {count} of {} cells", plan().rows().count()),
    };
    assert!(table.contains(&told), "no '{told}' in:\n{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");

    let routes = json(&mut lesser(machine.wirespeed("routes --json")));
    assert_eq!(routes["constant_time"]["cells"], forced.len());
    if let Some(row) = forced.first() {
        let Row { algorithm, direction, .. } = *row;
        let what = code.looks_up(algorithm, direction).expect("it looks up").what;
        let why = lesser(machine.wirespeed(&format!("routes {algorithm} --why")));
        let why = printed(&mut { why });
        let words = why.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = format!(" of this OpenSSL, whose code looks up in tables: {what}");
        assert!(why.contains("\nconstant time") && words.contains(&told), "{why}");
        assert!(why.lines().all(|line| line.chars().count() <= 100), "{why}");
    }

    // It stays so until it is taken back.
    tune(&[]);
    assert!(plan().is_for_constant_time());
    let table = tune(&["--constant-time=off"]);
    assert!(!plan().is_for_constant_time() && !table.contains("constant time: "), "{table}");
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let machine = Machine::new();
    for (file, why) in [
        ("/nowhere/at/all/plan", "wirespeed: cannot write /nowhere/at/all/plan: "),
        ("/dev/null", "wirespeed: /dev/null is no regular file\n"),
    ] {
        let output = output(machine.wirespeed("tune --output").arg(file), 2);
        assert_eq!(text(&output.stdout), "");
        assert!(text(&output.stderr).starts_with(why), "{}", text(&output.stderr));
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can be denied things")]
fn without_a_libcrypto_there_is_nothing_to_tune() {
    let machine = Machine::new();
    let message = text(&output(machine.tune().env("WIRESPEED_NO_LIBCRYPTO", "1"), 2).stderr);
    assert!(message.contains("nothing to choose between"), "{message}");
}

#[test]
fn the_plan_that_openssl_cnf_names_is_shown() {
    let machine = Machine::new();
    machine.plan_for("AES-128-GCM", Route::Portable, host_version());
    let routes = json(&mut machine.wirespeed("routes --json"));
    assert_eq!(routes["plan"]["file"], machine.plan().display().to_string());
    let place = routes["plan"]["named_at"].as_str().expect("a place");
    assert!(place.ends_with("openssl.cnf:11"), "{place}");
    let table = printed(&mut machine.wirespeed("routes"));
    assert!(table.contains("AES-128-GCM enc  -             portable\n"), "{table}");
    assert!(table.contains("AES-128-CTR      -             left to this OpenSSL\n"), "{table}");
    assert!(table.contains(&format!("Chosen by the plan {}", machine.plan().display())));
    let why = printed(&mut machine.wirespeed("routes AES-128-GCM --why"));
    assert!(why.contains("AES-128-GCM enc: portable; nothing was measured\n"), "{why}");
}

#[test]
fn what_nothing_serves_is_said_to_stay_where_a_name_is_asked_for() {
    let machine = Machine::new();
    let left = |name: &str| printed(&mut machine.wirespeed(&format!("routes {name}")));
    let may = "SHA2-256         -             left to this OpenSSL: a plan may give it a route\n";
    assert!(left("SHA2-256").contains(may), "{}", left("SHA2-256"));
    machine.plan_for("AES-128-GCM", Route::Portable, host_version());
    for name in ["DES-EDE3-CBC", "SHA2-256"] {
        let line = format!("{name:<16} -             left to this OpenSSL\n");
        assert!(left(name).contains(&line), "{}", left(name));
    }
}

#[test]
fn a_plan_for_another_machine_is_ignored_and_that_is_said() {
    let machine = Machine::new();
    machine.plan_for("AES-128-GCM", Route::Portable, "3.0.0");
    let table = printed(&mut machine.wirespeed("routes"));
    assert!(table.contains("is ignored: made for libcrypto 3.0.0, this is "), "{table}");
    let routes = json(&mut machine.wirespeed("routes AES-128-GCM --json"));
    assert_eq!(routes["chosen_by"], "ladder");
    // Those that are here of what serves AES without a plan.
    let ours = [Route::Vaes512, Route::Vaes256, Route::AesNi, Route::PadLock];
    let ours = ours.into_iter().filter(|route| is_present(&routes, *route)).map(Route::name);
    let some_modes = cfg!(target_pointer_width = "64") && is_present(&routes, Route::Avx2);
    let serving = match ours.collect::<Vec<_>>()[..] {
        [] if some_modes => "the default priority avx2".to_owned(),
        [] => "this OpenSSL".to_owned(),
        ref ours => format!("the default priority {}", ours.join(" > ")),
    };
    let advice = format!("So {serving} serves: run sudo ");
    assert!(table.contains(&advice), "no '{advice}' in:\n{table}");
    // As the doctor says of a plan that openssl.cnf names.
    let renewed = format!("wirespeed tune --output {}\n", machine.plan().display());
    assert!(table.contains(&renewed), "no '{renewed}' in:\n{table}");

    fs::write(machine.plan(), "no plan at all").expect("written");
    let table = printed(&mut machine.wirespeed("routes"));
    assert!(table.contains("is ignored: line 1: a plan begins with 'wirespeed-plan 1'"), "{table}");
}

#[test]
fn listed_routes_come_before_the_plan() {
    let machine = Machine::new();
    machine.plan_for("AES-128-GCM", Route::Portable, host_version());
    machine.configure("routes = libcrypto");
    let routes = json(&mut machine.wirespeed("routes --json"));
    assert_eq!(routes["chosen_by"], "list");
    assert!(routes["listed_at"].as_str().is_some_and(|place| place.ends_with("openssl.cnf:11")));
    let rows = routes["algorithms"][0]["rows"].as_array().expect("rows");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["route"] == "libcrypto"));
}

/// A plan with calls for the kernel, which gets them only where it is here and turned on.
#[test]
fn what_the_kernel_would_serve_is_told_and_whether_it_does() {
    let machine = Machine::new();
    let mut plan = Plan::new(Fingerprint::here(host_version()));
    let cbc: Algorithm = "AES-128-CBC".parse().expect("known");
    for direction in Direction::BOTH {
        for size in SIZE_CLASSES {
            let route = if size < 16384 { Route::Libcrypto } else { Route::Kernel };
            plan.put(Row { algorithm: cbc, direction, size, route, reason: None });
        }
    }
    let subject = |name: &str| name.parse::<Subject>().expect("known");
    plan.put_digest(Digest::Sha1, Route::Portable);
    let route = Route::Kernel;
    plan.put_driver(cbc.into(), route, "cbc-aes-geode");
    let mut offload = |name, direction, bytes| {
        plan.put_offload(Offload { subject: subject(name), direction, bytes, route });
    };
    offload("SHA1", Direction::Encrypt, 4096);
    offload("DES-EDE3-CBC", Direction::Decrypt, 512);
    plan.put_driver(subject("SHA1"), route, "sha1-mv");
    fs::write(machine.plan(), plan.to_string()).expect("written");

    let table = printed(&mut machine.wirespeed("routes"));
    for wanted in [
        "AES-128-CBC enc  -             libcrypto to 8 KiB, kernel from 16 KiB\n",
        "SHA1             -             portable, kernel from 4 KiB\n",
        "DES-EDE3-CBC dec -             this OpenSSL, kernel from 512 B\n",
        "The plan has calls for the kernel, which is ",
    ] {
        assert!(table.contains(wanted), "no '{wanted}' in:\n{table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let routes = json(&mut machine.wirespeed("routes --json"));
    assert_eq!(routes["kernel_on_at"], Value::Null);
    let cbc = routes["algorithms"].as_array().expect("a list");
    let cbc = cbc.iter().find(|it| it["algorithm"] == "AES-128-CBC").expect("it is there");
    assert_eq!((&cbc["claimed"], &cbc["driver"]), (&true.into(), &"cbc-aes-geode".into()));
    let one = json(&mut machine.wirespeed("routes sha1 --json"));
    assert_eq!(one["algorithms"], Value::Array(vec![]));
    let sha1 = serde_json::json!(
        [{
            "algorithm": "SHA1", "direction": "hash", "size": 4096, "route": "kernel",
            "driver": "sha1-mv",
        }]
    );
    assert_eq!(one["offloads"], sha1);
    assert_eq!(one["digests"], serde_json::json!([{"digest": "SHA1", "route": "portable"}]));
    let why = printed(&mut machine.wirespeed("routes SHA1 --why"));
    let line =
        "SHA1: portable, kernel from 4 KiB\nkernel: by the driver sha1-mv, chosen by elapsed";
    assert!(why.contains(line), "{why}");

    machine.configure(&format!("kernel = on\nplan = {}", machine.plan().display()));
    let routes = json(&mut machine.wirespeed("routes --json"));
    assert!(routes["kernel_on_at"].as_str().is_some_and(|place| place.ends_with("openssl.cnf:11")));
    let all = routes["routes"].as_array().expect("a list");
    let [.., kernel, devcrypto] = &all[..] else { panic!("{all:?}") };
    assert_eq!((&kernel["route"], &kernel["off"]), (&"kernel".into(), &false.into()));
    assert_eq!(devcrypto["route"], "devcrypto");
    assert_eq!(routes["devcrypto_on_at"], Value::Null);
    // Absent or not: it is never said to be off now.
    let table = printed(&mut machine.wirespeed("routes"));
    assert!(!table.contains("which is off"), "{table}");
}

#[test]
fn every_symmetric_mode_has_one_direction() {
    let machine = Machine::new();
    let routes = json(&mut machine.wirespeed("routes AES-128-CTR --json"));
    let rows = routes["algorithms"][0]["rows"].as_array().expect("rows");
    let is_one = |row: &Value| row["direction"] == Direction::Encrypt.name();
    assert!(!rows.is_empty() && rows.iter().all(is_one), "{rows:?}");
}
