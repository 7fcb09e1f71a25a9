//! On this machine as it is.

use std::env::consts::ARCH;

use wirespeed_results::schema::kernel::Kernel;
use wirespeed_results::schema::padlock::Padlock;

use crate::support::is_of_type;
use crate::{Ended, Test, expect, wirespeed};

pub(crate) const TESTS: &[Test] = &[
    ("here::padlock", padlock),
    ("here::random", random),
    ("here::kernel", kernel),
    ("here::help", help),
];

/// Whether this machine has PadLock's units; on nearly all, CI's among them, it has not.
fn units() -> Result<bool, String> {
    let json = Ended::of(&mut wirespeed("padlock --json"))?.json()?;
    Ok(json["summary"] != "no-RNG, no-ACE")
}

fn padlock() -> Result<(), String> {
    let ended = Ended::of(&mut wirespeed("padlock --json"))?.is(0, "")?;
    let json = ended.json()?;
    let states = json["units"].as_array().ok_or("no units")?.len();
    expect(states == 8 || ARCH != "x86_64", "not every unit")?;
    let text = Ended::of(&mut wirespeed("padlock"))?.is(0, "")?.output;
    expect(text.lines().all(|line| line.chars().count() <= 100), &text)?;
    if units()? {
        return is_of_type::<Padlock>(&json);
    }
    expect(text.contains("\nPadLock    no-RNG, no-ACE\n"), &text)?;
    expect(text.contains(" has no PadLock (no-RNG, no-ACE)"), &text)?;
    expect(text.contains("padlock-run --cpu nano ./wirespeed padlock"), &text)?;
    let nothing =
        Ended::of(&mut wirespeed("padlock --confirm"))?.is(2, "padlock-run --cpu nano")?;
    expect(nothing.errors.lines().count() == 1, &nothing.errors)?;
    is_of_type::<Padlock>(&json)
}

fn random() -> Result<(), String> {
    if units()? {
        return Ended::of(&mut wirespeed("random --health"))?.is(0, "").map(drop);
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("bytes");
    let mut command = wirespeed("random --source padlock --output");
    let ended =
        Ended::of(command.arg(&file))?.is(2, "this CPU has no PadLock with random numbers")?;
    expect(ended.errors.lines().count() == 1, &ended.errors)?;
    expect(ended.output.is_empty() && !file.exists(), "something was written")?;
    let both = "random --json - --output -";
    Ended::of(&mut wirespeed(both))?.is(2, "both want standard output").map(drop)
}

fn kernel() -> Result<(), String> {
    let ended = Ended::of(&mut wirespeed("kernel --json"))?.is(0, "")?;
    let json = ended.json()?;
    let list = std::fs::read_to_string("/proc/crypto").unwrap_or_default();
    let listed = list.lines().filter(|line| line.starts_with("driver ")).count();
    let drivers = json["drivers"].as_array().ok_or("no drivers")?;
    expect(drivers.len() == listed, &format!("{} of {listed} drivers", drivers.len()))?;
    let text = Ended::of(&mut wirespeed("kernel"))?.is(0, "")?.output;
    if drivers.is_empty() {
        return expect(text.contains("has no crypto drivers to show: /proc/crypto"), &text);
    }
    let usable =
        drivers.iter().filter(|it| it["self_test_passed"] == true && it["internal"] == false);
    let mut algorithms: Vec<_> = usable.filter_map(|it| it["algorithm"].as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    let serving = drivers.iter().filter(|driver| driver["serves"] == true);
    let served: Vec<_> = serving.filter_map(|driver| driver["algorithm"].as_str()).collect();
    let all = algorithms.iter().all(|algorithm| served.contains(algorithm));
    expect(all, "an algorithm that nobody serves")?;
    is_of_type::<Kernel>(&json)?;
    Ended::of(&mut wirespeed("kernel --prefer nothing"))?
        .is(2, "no driver and no crypto module")?;
    Ended::of(&mut wirespeed("kernel --dry-run"))?.is(2, "--prefer DRIVER or --unprefer").map(drop)
}

fn help() -> Result<(), String> {
    for command in ["padlock", "random", "kernel"] {
        let help = Ended::of(&mut wirespeed(&format!("{command} --help")))?.is(0, "")?.output;
        expect(help.contains(&format!("Examples:\n  wirespeed {command}")), &help)?;
        expect(help.contains("Exit status: 0 "), &help)?;
    }
    Ok(())
}
