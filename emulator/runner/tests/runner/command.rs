//! `padlock-run` as a command: its exit status, its words, its options.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use crate::support::{Said, compile, padlock_run, padlock_run_path, scratch};

const BOTH: [&[&str]; 2] = [&[], &["--ptrace"]];

#[test]
fn the_status_is_the_commands() {
    for runner in BOTH {
        let said = Said::by(padlock_run().args(runner).args(["sh", "-c", "exit 3"]));
        assert_eq!((said.0.status.code(), &said.errors()[..]), (Some(3), ""));
        // A shell says 128 + 15 for it.
        let said = Said::by(padlock_run().args(runner).args(["sh", "-c", "kill $$"]));
        assert_eq!(said.0.status.signal(), Some(libc::SIGTERM));
    }
}

#[test]
fn what_cannot_be_run_is_said_in_one_line() {
    let folder = scratch();
    let not_executable = folder.path().join("text");
    std::fs::write(&not_executable, "text").expect("a file");
    let missing = folder.path().join("missing");
    let own = env!("CARGO_BIN_EXE_padlock-run").as_ref();
    let cases: [(&[&std::ffi::OsStr], i32, &str); 8] = [
        (&["no-such-command".as_ref()], 127, "no-such-command: command not found"),
        (&[missing.as_ref()], 127, "No such file or directory"),
        (&[not_executable.as_ref()], 126, "Permission denied"),
        (&["/".as_ref()], 126, "directory"),
        (&[], 2, "see padlock-run --help"),
        (&["--cpu".as_ref(), "486".as_ref(), "true".as_ref()], 2, "'486'"),
        (&["--no-such-option".as_ref(), "true".as_ref()], 2, "--no-such-option"),
        // A program has one tracer.
        (&["--ptrace".as_ref(), own, "--ptrace".as_ref(), "true".as_ref()], 2, "traced"),
    ];
    for (words, status, part) in cases {
        let said = Said::by(padlock_run().args(words));
        let errors = said.errors();
        assert_eq!(said.0.status.code(), Some(status), "{words:?}: {errors}");
        assert!(errors.starts_with("padlock-run: ") && errors.contains(part), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

/// Who ignores SIGPIPE, as Python does, wants it so for what it starts.
#[test]
fn sigpipe_is_as_the_caller_left_it() {
    for runner in BOTH {
        for (prepare, expected) in [("trap '' PIPE", 1), (":", 0)] {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("{prepare}; exec \"$@\""), "sh", padlock_run_path()]);
            shell.args(runner).args(["grep", "SigIgn", "/proc/self/status"]);
            let text = Said::by(&mut shell).text();
            let digits = text.trim().strip_prefix("SigIgn:\t").expect("proc(5)");
            let ignored = u64::from_str_radix(digits, 16).expect("a set");
            assert_eq!(ignored >> (libc::SIGPIPE - 1) & 1, expected, "{runner:?}");
        }
    }
}

#[test]
fn options_reach_the_emulated_cpu() {
    let folder = scratch();
    let block = compile(folder.path(), "block", &[]);
    for runner in BOTH {
        let run = |words: &[&str]| {
            Said::by(padlock_run().args(runner).args(words).arg("--stats").arg(&block))
        };
        for cpu in ["c3", "c7", "nano", "zhaoxin"] {
            let said = run(&["--cpu", cpu, "--strict", "--iv-writeback", "--hide-aesni"]);
            assert_eq!(said.text(), "69c4e0d86a7b0430d8cdb78070b4c55a\n");
            assert_eq!(said.counts("block"), ["xcryptecb=1/1"]);
        }
        let trace = folder.path().join("trace");
        let said = run(&["--trace", trace.to_str().expect("a name")]);
        assert_eq!(said.counts("block"), ["xcryptecb=1/1"]);
        let trace = std::fs::read_to_string(trace).expect("a trace");
        let line = trace.lines().find(|line| line.contains("xcryptecb")).expect("a line");
        assert!(
            line.contains(block.to_str().expect("a name")) && line.contains("\txcryptecb\t1\t"),
            "{line}"
        );
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_unit_can_be_made_to_fail() {
    let folder = scratch();
    let block = compile(folder.path(), "block", &[]);
    for runner in BOTH {
        let run = |unit: &str| {
            let mut command = padlock_run();
            command.env("PADLOCK_RUN", format!("wrong={unit}"));
            Said::by(command.args(runner).arg(&block)).0.status.code()
        };
        assert_eq!((run("xcrypt-128"), run("xcrypt-256")), (Some(1), Some(0)));
    }
}

/// Whoever kills the tracer kills all that it traces; nothing goes on without its CPU.
#[test]
fn nothing_outlives_the_tracer() {
    let mut command = padlock_run();
    let mut shell = command.args(["--ptrace", "sh", "-c", "sleep 1000 & sleep 1000"]);
    shell = shell.stderr(std::process::Stdio::null());
    let mut shell = shell.spawn().expect("it starts");
    let tracer = loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", shell.id()));
        let status = status.expect("it runs");
        let number = status.lines().find_map(|line| line.strip_prefix("TracerPid:\t"));
        match number {
            Some("0") | None => std::thread::sleep(std::time::Duration::from_millis(5)),
            Some(number) => break number.to_owned(),
        }
    };
    assert!(Command::new("kill").args(["-KILL", &tracer]).status().expect("kill runs").success());
    assert_eq!(shell.wait().expect("it ends").signal(), Some(libc::SIGKILL));
}
