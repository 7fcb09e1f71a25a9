//! The program `wirespeed`: every command that measures or tells, and no word of another architecture.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use wirespeed_cipher::Route;
use wirespeed_results::schema::disk::Disk;
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use crate::machine::Machine;

pub(crate) fn modules() -> Result<PathBuf, String> {
    Ok(env::var_os("WIRESPEED_MODULES").ok_or("WIRESPEED_MODULES is not set")?.into())
}

pub(crate) fn wirespeed(machine: &Machine, arguments: &[&str]) -> Result<Command, String> {
    let mut started = machine.command(modules()?.join("wirespeed"));
    started.args(arguments).env("OPENSSL_CONF", "/dev/null");
    Ok(started)
}

/// What it says, with no word of another architecture.
fn says(machine: &Machine, arguments: &[&str]) -> Result<String, String> {
    of_its_own(machine, arguments, &output(&mut wirespeed(machine, arguments)?)?)
}

fn of_its_own(machine: &Machine, arguments: &[&str], said: &[u8]) -> Result<String, String> {
    let said = String::from_utf8_lossy(said).into_owned();
    let small = said.to_lowercase();
    let foreign = machine.architecture.foreign.concat();
    // What runs beside these tests may be of another.
    let mut lines = small.lines().filter(|line| !line.contains("/proc/"));
    let line = lines.find(|line| foreign.iter().any(|word| line.contains(word)));
    line.map_or(Ok(()), |line| Err(format!("{arguments:?} speaks of another: {line}")))?;
    Ok(said)
}

pub(crate) fn has(said: &str, wanted: &str) -> Result<(), String> {
    said.contains(wanted).then_some(()).ok_or_else(|| format!("no word of '{wanted}': {said}"))
}

pub(crate) fn survey(machine: &Machine) -> Result<(), String> {
    let said = says(machine, &["--seconds", "0.01"])?;
    has(&said, "all proved on this machine")?;
    has(&said, &format!("{}  ", machine.tier.aes))?;
    if machine.architecture.has_extensions {
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        has(&words, "note: This CPU has v zbb")?;
        has(&words, "zvksh. No route of ours uses them yet.")?;
    }
    Ok(())
}

/// What is named is what OpenSSL finds, which asks Linux as well.
pub(crate) fn extensions(machine: &Machine) -> Result<(), String> {
    // What OpenSSL knows besides.
    const OTHERS: [&str; 7] = ["rv64gc", "zba", "zbs", "zkr", "zkt", "zvbb", ""];
    let said = output(&mut machine.openssl(["version", "-c"]))?;
    let said = String::from_utf8_lossy(&said).to_lowercase();
    let found = said.split("riscvcap=").nth(1).and_then(|it| it.split_whitespace().next());
    let found = found.ok_or_else(|| format!("no word of extensions: {said}"))?;
    let mut right: Vec<_> = found.split('_').filter(|it| !OTHERS.contains(it)).collect();
    let said = says(machine, &["routes", "--json"])?;
    let routes: Value = serde_json::from_str(&said).map_err(|error| error.to_string())?;
    let named = routes["machine"]["cpu"]["features"].as_array();
    let mut named: Vec<_> = named.into_iter().flatten().filter_map(Value::as_str).collect();
    right.sort_unstable();
    named.sort_unstable();
    if named != right {
        return Err(format!("{named:?} are not {right:?}"));
    }
    // Zbb is on every CPU here.
    if named.contains(&"zbb") != machine.tier.mask.is_none() {
        return Err(format!("{named:?}"));
    }
    Ok(())
}

pub(crate) fn routes(machine: &Machine) -> Result<(), String> {
    let said = says(machine, &["routes", "--why"])?;
    let aes = machine.tier.aes;
    let (by, served) = match machine.tier.by_itself {
        true => (format!("the default priority {aes}"), format!("{aes};")),
        false => ("this OpenSSL".to_owned(), "left to this OpenSSL".to_owned()),
    };
    has(&said, &format!("No plan: {by} serves: run "))?;
    has(&said, &format!("AES-128-GCM enc: {served}"))
}

pub(crate) fn bench(machine: &Machine) -> Result<(), String> {
    let sizes = ["--sizes", "16,1420", "--seconds", "0.01"];
    let said = says(machine, &[&["bench", "AES-128-GCM"][..], &sizes].concat())?;
    has(&said, machine.tier.aes.name())
}

/// In memory and through a file: the bytes that were written, by whatever serves XTS there.
pub(crate) fn disk(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let folder = scratch.root().display().to_string();
    let disk = ["disk", "--size", "1MiB", "--cipher", "aes-xts-plain64", "--key-size", "256"];
    let said = says(machine, &[&disk[..], &["--directory", &folder, "--json", "-"]].concat())?;
    let disk: Disk = serde_json::from_str(&said).map_err(|error| error.to_string())?;
    for store in ["memory", "file"] {
        let rows = disk.rows.iter().filter(|it| it.store == store && it.cipher != "none");
        let compared = rows.filter(|it| it.wrong.is_none() && it.compared_bytes > Some(0));
        // The best, and plain code where that is another.
        if compared.count() == 0 {
            return Err(format!("{store}: nothing was compared: {disk:?}"));
        }
    }
    Ok(())
}

pub(crate) fn doctor(machine: &Machine) -> Result<(), String> {
    // It sees all of this machine, too, and may find something to mend there.
    let output = wirespeed(machine, &["doctor"])?.output().map_err(|error| error.to_string())?;
    let said = of_its_own(machine, &["doctor"], &output.stdout)?;
    has(&said, "every route of this machine gives right bytes")
}

/// Packets of WireGuard and of ESP.
pub(crate) fn vpn(machine: &Machine) -> Result<(), String> {
    let suites = ["--suites", "wireguard,aes128gcm16", "--sizes", "1420", "--seconds", "0.01"];
    let said = says(machine, &[&["vpn"][..], &suites].concat())?;
    // Plain code runs only when it is asked for.
    let route = match machine.tier.aes {
        Route::Portable => Route::Libcrypto,
        route => route,
    };
    has(&said, route.name())
}

/// A board of its kind, by its files.
pub(crate) fn described(machine: &Machine) -> Result<(), String> {
    const BOARDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/cli/tests/machines/");
    let (board, commands) = machine.architecture.board;
    let files = format!("{BOARDS}{board}");
    for (arguments, wanted) in commands {
        let said = says(machine, &[arguments, &["--machine-files", &files][..]].concat())?;
        has(&said.split_whitespace().collect::<Vec<_>>().join(" "), wanted)?;
    }
    Ok(())
}

/// Measures, writes a plan, and reads it back.
pub(crate) fn tune(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plan = scratch.path("plan").display().to_string();
    says(machine, &["tune", "--quick", "--output", &plan])?;
    let text = fs::read_to_string(&plan).map_err(|error| error.to_string())?;
    has(&text, "libcrypto")
}

/// Into an unpacked system, whose `openssl` then has it; and out again.
pub(crate) fn install(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let root = scratch.path("root");
    output(command("cp").arg("-a").args([&machine.root, &root]))?;
    let file = root.join("etc/ssl/openssl.cnf");
    let before = fs::read(&file).map_err(|error| error.to_string())?;
    let at = root.display().to_string();
    says(machine, &["install", "--root", &at])?;
    let ours = Machine::new(&root, machine.architecture, machine.tier);
    let said = output(&mut ours.configured(["list", "-providers"]))?;
    has(&String::from_utf8_lossy(&said), "wirespeed")?;
    says(machine, &["uninstall", "--root", &at])?;
    match fs::read(&file) {
        Ok(after) if after == before => Ok(()),
        _ => Err("uninstall left another openssl.cnf".to_owned()),
    }
}

/// What `sha256sum` says.
pub(crate) fn sum(machine: &Machine) -> Result<(), String> {
    let file = machine.root.join("usr/bin/openssl").display().to_string();
    let said = says(machine, &["sum", &file])?;
    let right = output(command("sha256sum").arg(&file))?;
    match said.as_bytes() == right {
        true => Ok(()),
        false => Err(format!("{said} is not {}", String::from_utf8_lossy(&right))),
    }
}
