//! The guest itself: that a command runs in it as it would here, that it ends in any case, and that nothing stays.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::process::{name, tree, wait_until};
use wirespeed_system_tests::running::signal;
use wirespeed_vm::{Failure, Machine, Program};

use crate::{Answer, machine};

/// Where it starts, its words, its environment, its exit status, and a kernel that is not the host's.
pub(crate) fn command(machine: Machine) -> Result<(), String> {
    let script = r#"pwd; echo "$VARIABLE"; uname -n; id -u; printf '%s\n' "$@"; exit 7"#;
    let words = ["sh", "-c", script, "sh", "a b", "it's"];
    let program = Program::here(words)?.environment("VARIABLE", "one\ntwo 'three'");
    let answer = Answer::of(&machine, &program)?;
    let here = env::current_dir().map_err(|error| error.to_string())?;
    let right = format!("{}\none\ntwo 'three'\nvm\n0\na b\nit's\n", here.display());
    if answer.text() != right || answer.status != 7 {
        return Err(format!("{answer:?}"));
    }
    match Answer::of(&machine, &Program::here(["/nowhere"])?)? {
        Answer { status: 127, .. } => Ok(()),
        other => Err(format!("a program that is not there: {other:?}")),
    }
}

/// Every byte, each stream by itself, whatever the command leaves running, and no terminal.
pub(crate) fn streams(machine: Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let bytes = painted(1, 3_000_000);
    let file = scratch.write("bytes", &bytes)?;
    let script = format!(
        "test -t 1 && echo terminal; cat {}; echo there > /dev/stderr; sleep 1000 & head -c 1",
        file.display()
    );
    let answer = Answer::of_script(&machine, &script)?;
    same(|| "standard output".to_owned(), &bytes, &answer.output)?;
    match (answer.status, answer.complaints.as_str()) {
        (0, "there\n") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// All of the host's files may be changed, and are not.
pub(crate) fn overlay(machine: Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let file = scratch.write("file", "before")?;
    let folder = scratch.root().display();
    let script = format!(
        "cd {folder} && echo after > file && echo new > new && cat file new && echo x >> /etc/passwd"
    );
    let answer = Answer::of_script(&machine, &script)?;
    if answer.text() != "after\nnew\n" || answer.status != 0 {
        return Err(format!("{answer:?}"));
    }
    same(|| "the file".to_owned(), b"before", &std::fs::read(file).unwrap_or_default())?;
    if scratch.path("new").exists() { Err("a file came back".to_owned()) } else { Ok(()) }
}

/// A command that does not end.
pub(crate) fn limit(machine: Machine) -> Result<(), String> {
    let limit = Duration::from_secs(20);
    match Answer::of_script(&machine.limit(limit), "echo lost > /dev/kmsg; sleep 1000") {
        Err(Failure::TimedOut(after, log)) if after == limit && log.contains("lost") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// A kernel that dies.
pub(crate) fn death(machine: Machine) -> Result<(), String> {
    match Answer::of_script(&machine, "echo c > /proc/sysrq-trigger; sleep 1000") {
        Err(Failure::Died(log)) if log.contains("Kernel panic - not syncing") => {}
        other => return Err(format!("{other:?}")),
    }
    match Answer::of_script(&machine.cpu("nonsense"), "true") {
        Err(Failure::Environment(why)) if why.contains("nonsense") => Ok(()),
        other => Err(format!("a CPU that QEMU does not know: {other:?}")),
    }
}

/// Two at once, that do not know of each other.
pub(crate) fn parallel(machine: Machine) -> Result<(), String> {
    let both = thread::scope(|scope| {
        let run = |word: &'static str| {
            let machine = &machine;
            scope.spawn(move || {
                Answer::of_script(machine, &format!("echo {word} > /tmp/word; cat /tmp/word"))
            })
        };
        ["one", "two"].map(run).map(|thread| thread.join().expect("it does not panic"))
    });
    for (word, answer) in ["one\n", "two\n"].into_iter().zip(both) {
        let answer = answer?;
        if answer.text() != word {
            return Err(format!("{answer:?} instead of {word}"));
        }
    }
    Ok(())
}

/// Names the signal test's child.
const CHILD: &str = "WIRESPEED_VM_CHILD";

pub(crate) fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// Runs a command that does not end.
pub(crate) fn child() -> ExitCode {
    let run = || Answer::of_script(&machine()?, "sleep 1000");
    eprintln!("{:?}", run());
    ExitCode::FAILURE
}

/// Ctrl-C: the signal ends the program as it would have ended, and nothing is left of the guest.
pub(crate) fn interrupt(_: Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let this = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = wirespeed_system_tests::process::command(this);
    command.env(CHILD, "1").env("TMPDIR", scratch.root());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let guests = |parent: u32| {
        let mut all = tree(parent);
        all.retain(|process| name(*process).is_some_and(|name| name.starts_with("qemu")));
        all
    };
    wait_until("the guest", || !guests(child.id()).is_empty())?;
    let guests = guests(child.id());
    signal(child.id(), libc::SIGINT)?;
    let ended = child.wait().map_err(|error| error.to_string())?;
    let alive = guests.iter().find(|guest| Path::new(&format!("/proc/{guest}")).exists());
    let left = std::fs::read_dir(scratch.root()).map_err(|error| error.to_string())?.count();
    match (ended.signal(), alive, left) {
        (Some(libc::SIGINT), None, 0) => Ok(()),
        other => Err(format!("{ended}: {other:?}")),
    }
}
