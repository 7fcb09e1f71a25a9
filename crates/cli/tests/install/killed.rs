//! Killed before each of its changes: OpenSSL's programs start, and the same command again mends it.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::{env, fs, iter};

use crate::failing::Test;
use crate::files::Case;
use crate::scene::{Scene, expect, text};

/// SIGKILL.
const KILL: i32 = 9;

/// A test for each kind of change, so that they run side by side.
pub(crate) const TESTS: &[Test] = &[
    ("killed::rename", || killed_before(&["rename", "renameat", "renameat2"])),
    ("killed::remove", || killed_before(&["unlink", "unlinkat", "rmdir"])),
    ("killed::make", || killed_before(&["mkdir", "mkdirat", "symlink", "link", "linkat"])),
    ("killed::permit", || killed_before(&["chmod", "fchmod", "fchmodat", "chown", "fchown"])),
    ("killed::settle", || killed_before(&["fsync", "fdatasync"])),
];

/// Why a program cannot be killed at a system call here.
pub(crate) fn obstacle() -> Option<String> {
    match Command::new("strace").args(["-o", "/dev/null", "true"]).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            Some(format!("no strace: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => Some(format!("no strace: {error}")),
    }
}

fn killed_before(calls: &[&str]) -> Result<(), String> {
    let mut times = 0;
    for call in calls {
        for step in ["install", "uninstall"] {
            // Until it is through before its next call of that kind.
            for number in numbers() {
                match one(step, call, number)? {
                    true => times += 1,
                    false => break,
                }
            }
        }
    }
    expect(times > 0, "it was never killed")
}

/// Before which calls: before each in a thorough test, else ever more seldom.
fn numbers() -> impl Iterator<Item = u32> {
    let all = env::var_os("WIRESPEED_THOROUGH").is_some();
    let next = move |number: &u32| Some(if all { number + 1 } else { 2 * number });
    iter::successors(Some(1), next)
}

/// Whether it was killed before that call, which must leave all in order.
fn one(step: &str, call: &str, number: u32) -> Result<bool, String> {
    let case = Case { name: "", text: Some("HOME = .\n"), included: &[], engines: false };
    let scene = Scene::new(&case)?;
    // No programs to try but openssl: the steps are the same.
    let path = scene.path("path");
    fs::create_dir(&path).map_err(text)?;
    std::os::unix::fs::symlink("/usr/bin/openssl", path.join("openssl")).map_err(text)?;
    let run = |command: &mut Command| -> Result<ExitStatus, String> {
        Ok(command.env("PATH", &path).output().map_err(text)?.status)
    };
    let succeeds = |step: &str| -> Result<(), String> {
        let status = run(&mut scene.command(step))?;
        expect(status.success(), &format!("{step} again: {status}"))
    };
    if step == "uninstall" {
        succeeds("install")?;
    }
    let command = scene.command(step);
    let mut strace = Command::new("/usr/bin/strace");
    strace.args(["-qq", "-o", "/dev/null", "-e"]).arg(format!("trace=?{call}"));
    strace.arg("-e").arg(format!("inject=?{call}:signal=KILL:when={number}"));
    strace.arg(command.get_program()).args(command.get_args());
    let status = run(&mut strace)?;
    if status.success() {
        return Ok(false);
    }
    let point = format!("{step} before {call} {number}");
    expect(status.signal() == Some(KILL), &format!("{point}: {status}"))?;
    let still = |why: String| format!("{point}: {why}");
    // The old state or the new one.
    scene.openssl(&["list", "-providers"]).map_err(still)?;
    succeeds(step).map_err(still)?;
    if step == "install" {
        let listed = scene.openssl(&["list", "-providers"]).map_err(still)?;
        expect(listed.contains("  wirespeed\n"), &format!("{point}: {listed}"))?;
        succeeds("uninstall").map_err(still)?;
    }
    let left: Vec<_> = scene.state().into_keys().collect();
    expect(scene.state() == scene.original, &format!("{point}: left {left:?}"))?;
    Ok(true)
}
