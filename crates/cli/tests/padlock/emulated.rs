//! On emulated CPUs: `padlock-run`, which counts what was executed.

use std::env::consts::ARCH;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use wirespeed_results::schema::padlock::{Padlock, PadlockReport};
use wirespeed_results::schema::random::Random;

use crate::support::is_of_type;
use crate::{Ended, Test, expect};

pub(crate) const TESTS: &[Test] = &[
    ("emulated::units", units),
    ("emulated::openssl", openssl),
    ("emulated::confirm", confirm),
    ("emulated::random", random),
    ("emulated::health", health),
];

/// With units that are broken on purpose.
pub(crate) const BROKEN: &[Test] =
    &[("emulated::quarantine", quarantine), ("emulated::stuck", stuck)];

/// Why nothing can be emulated here.
pub(crate) fn obstacle() -> Option<String> {
    if ARCH != "x86_64" {
        return Some("padlock-run is for x86-64".to_owned());
    }
    let ended = Ended::of(&mut emulated("nano", "padlock --json"));
    match ended {
        // 2: padlock-run says why it cannot run anything here.
        Ok(ended) if ended.status == Some(2) => Some(ended.errors.trim().to_owned()),
        _ => None,
    }
}

/// Why nothing can be broken here.
pub(crate) fn nothing_breaks() -> Option<String> {
    let release = cfg!(not(debug_assertions));
    release.then(|| "only debug builds can break a unit".to_owned()).or_else(obstacle)
}

/// `padlock-run`, built as this program was.
fn runner() -> &'static Path {
    static RUNNER: OnceLock<PathBuf> = OnceLock::new();
    RUNNER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_wirespeed")).parent().expect("a folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "padlock-runner"]);
        build.args(["--package", "padlock-preload", "--target-dir"]);
        build.arg(folder.parent().expect("a target folder"));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "padlock-run is built");
        folder.join("padlock-run")
    })
}

/// Our program on an emulated CPU.
fn emulated(cpu: &str, arguments: &str) -> Command {
    let mut command = Command::new(runner());
    command.args(["--cpu", cpu, "--stats", env!("CARGO_BIN_EXE_wirespeed")]);
    command.args(arguments.split_whitespace()).env_remove("PADLOCK_RUN");
    command
}

/// The same with a unit that is broken, which only debug builds know.
fn broken(unit: &str, cpu: &str, arguments: &str) -> Command {
    let mut command = emulated(cpu, arguments);
    command.env("PADLOCK_RUN", format!("wrong={unit}"));
    command
}

/// How often an instruction was executed, by the last word of `padlock-run`.
fn executed(ended: &Ended, instruction: &str) -> u64 {
    let words = ended.errors.lines().flat_map(|line| line.split(' '));
    let counts = words.filter_map(|word| word.strip_prefix(instruction)?.strip_prefix('='));
    let traps = counts.filter_map(|counts| counts.split('/').next()?.parse::<u64>().ok());
    traps.sum()
}

fn units() -> Result<(), String> {
    for (cpu, expected, known, served) in [
        ("c3", "rng ace", "VIA C3", "AES-256-CBC"),
        ("c7", "rng ace ace2 phe pmm", "VIA C7", "AES-256-CTR"),
        ("nano", "rng ace ace2 phe pmm", "VIA Nano", "SHA2-256"),
        ("zhaoxin", "rng ace ace2 phe phe2 pmm ccs", "Zhaoxin KX", "SM3"),
    ] {
        let ended = Ended::of(&mut emulated(cpu, "padlock --json"))?.is(0, "")?;
        let json = ended.json()?;
        let units = json["units"].as_array().ok_or("no units")?;
        let enabled = units.iter().filter(|unit| unit["state"] == "enabled");
        let enabled: Vec<_> = enabled.filter_map(|unit| unit["unit"].as_str()).collect();
        expect(enabled.join(" ") == expected, &format!("{cpu}: {enabled:?}"))?;
        expect(json["summary"] == "RNG, ACE", &format!("{cpu}: {}", json["summary"]))?;
        let name = json["cpu"]["name"].as_str().unwrap_or_default();
        expect(name.starts_with(known), &format!("{cpu}: {name}"))?;
        let algorithms = json["algorithms"].as_array().ok_or("no algorithms")?;
        expect(algorithms.iter().any(|it| it == served), &format!("{cpu}: no {served}"))?;
        let checks = json["route"]["proof"]["checks"].as_u64().unwrap_or_default();
        expect(checks > 500, &format!("{cpu}: proved by {checks}"))?;
        let ran = executed(&ended, "xcryptecb") + executed(&ended, "xcryptcbc");
        expect(ran > 100, &format!("{cpu}: PadLock proved without being used: {ended}"))?;
        is_of_type::<Padlock>(&json)?;
        let text = Ended::of(&mut emulated(cpu, "padlock"))?.is(0, "")?.output;
        expect(text.contains("\nPadLock    RNG, ACE\n"), &text)?;
    }
    Ok(())
}

/// What we say of OpenSSL's engine is what it says.
fn openssl() -> Result<(), String> {
    for cpu in ["c3", "zhaoxin"] {
        let json = Ended::of(&mut emulated(cpu, "padlock --json"))?.is(0, "")?.json()?;
        let mut command = Command::new(runner());
        let engine = Ended::of(command.args(["--cpu", cpu, "openssl", "engine", "padlock"]))?;
        match json["openssl"]["engine"].as_str() {
            Some(said) => expect(engine.output.trim() == said, &format!("{said} is not {engine}"))?,
            // OpenSSL 4: no such command.
            None => expect(engine.status != Some(0), &engine.output)?,
        }
        let warned = json["openssl"]["warning"].is_string();
        expect(warned == (cpu == "zhaoxin" && json["openssl"]["engine"].is_string()), cpu)?;
    }
    Ok(())
}

/// A PadLock that computes wrongly is named and not used.
fn quarantine() -> Result<(), String> {
    let ended = Ended::of(&mut broken("xcrypt-256", "zhaoxin", "padlock"))?;
    let ended = ended.is(1, "wirespeed: quarantined, not used, for the proof failed: padlock: ")?;
    expect(ended.output.contains("route padlock is quarantined and never used"), &ended.output)?;
    let json = Ended::of(&mut broken("xsha256", "nano", "padlock --json"))?.json()?;
    let why = json["route"]["quarantined"].as_str().unwrap_or_default();
    expect(json["route"]["proof"].is_null() && why.contains("SHA2-"), why)
}

/// The report answers every point that docs/padlock.md lists, and the emulator does what is assumed.
fn confirm() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("report");
    let mut command = emulated("zhaoxin", "padlock --confirm");
    let ended = Ended::of(command.arg(&file))?.is(0, "some seconds")?;
    expect(ended.output.contains("This is an emulated PadLock"), &ended.output)?;
    let report = fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let (text, json) = report.split_once("\nThe same as JSON:\n").ok_or("no JSON")?;
    let json: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    is_of_type::<PadlockReport>(&json)?;
    expect(json["emulated"] == true && text.contains("This confirms nothing."), text)?;
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    for named in ["Zhaoxin KX-6000", "microcode ", release.trim()] {
        expect(text.contains(named), &format!("no {named} in {text}"))?;
    }
    let points = json["points"].as_array().ok_or("no points")?;
    let answered: Vec<_> = points.iter().filter_map(|point| point["id"].as_str()).collect();
    let document = include_str!("../../../../docs/padlock.md");
    let listed = document.lines().filter_map(|line| line.strip_prefix("| U")?.split_once(" |"));
    let listed: Vec<String> = listed.map(|(number, _)| format!("U{number}")).collect();
    expect(answered == listed, &format!("{answered:?} are not {listed:?}"))?;
    for point in points {
        let is_assumed = point["answer"] == "as assumed" || point["answer"] == "noted";
        expect(is_assumed, &format!("{point}"))?;
    }
    Ok(())
}

fn random() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("bytes");
    let mut seen = Vec::new();
    for cpu in ["c3", "nano"] {
        let mut command = emulated(cpu, "random --source padlock --bytes 1000 --json - --output");
        let ended = Ended::of(command.arg(&file))?.is(0, "")?;
        let json = ended.json()?;
        // 32 seeds of 256 samples each, after 1024.
        let samples = 1024 + 32 * 256;
        expect(json["bytes"] == 1000 && json["samples"] == samples, &ended.output)?;
        // Eight samples in each xstore.
        let traps = executed(&ended, "xstore");
        expect(traps == samples / 8, &format!("{traps} xstores for {samples} samples"))?;
        is_of_type::<Random>(&json)?;
        let bytes = fs::read(&file).map_err(|error| error.to_string())?;
        let mode = fs::metadata(&file).map_err(|error| error.to_string())?.permissions().mode();
        expect(bytes.len() == 1000 && mode & 0o077 == 0, &format!("{mode:o}"))?;
        seen.push(bytes);
    }
    expect(seen[0] != seen[1], "the same bytes twice")?;
    let mut piped = emulated("nano", "random --bytes 33");
    let output = piped.output().map_err(|error| error.to_string())?;
    expect(output.stdout.len() == 33, &format!("{} bytes", output.stdout.len()))
}

fn health() -> Result<(), String> {
    let ended = Ended::of(&mut emulated("nano", "random --health"))?.is(0, "")?;
    expect(ended.output.starts_with("xstore is healthy\n"), &ended.output)?;
    expect(ended.output.contains("1280  of them 1024 to start up"), &ended.output)
}

/// A source that gives the same byte for ever: nothing is written, not even a file.
fn stuck() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("bytes");
    let failed = "wirespeed: xstore failed the repetition count test: 9 times ";
    let ended = Ended::of(broken("xstore", "nano", "random --output").arg(&file))?.is(1, failed)?;
    expect(ended.output.is_empty() && !file.exists(), "something was written")?;
    let ended = Ended::of(&mut broken("xstore", "nano", "random --health"))?.is(1, failed)?;
    expect(ended.output.starts_with("xstore is not healthy: "), &ended.output)
}
