//! Programs that start programs: preloaded ones traced ones, and the other way round.

use std::process::Command;

use crate::support::{Said, compile, compile_shared, padlock_run, padlock_run_path, scratch};

const RIGHT: &str = "69c4e0d86a7b0430d8cdb78070b4c55a\n";

#[test]
fn every_kind_starts_every_other() {
    let folder = scratch();
    let all: Vec<_> = [&[][..], &["-static"], &["-m32"]]
        .map(|options| compile(folder.path(), "block", options).display().to_string())
        .to_vec();
    let script = all.join(" && ");
    for runner in [&[][..], &["--ptrace"]] {
        let said = Said::by(padlock_run().args(runner).args(["--stats", "sh", "-c", &script]));
        assert_eq!(said.text(), RIGHT.repeat(3));
        for name in ["block", "block-static", "block-m32"] {
            assert_eq!(said.counts(name), ["xcryptecb=1/1"], "{name} {runner:?}");
        }
    }
}

#[test]
fn a_chain_of_execs_keeps_its_process() {
    let folder = scratch();
    // A preloaded shell becomes a traced program, which becomes or starts a dynamic one.
    let start = compile_shared(folder.path(), "start", &["-static"]);
    let child = compile_shared(folder.path(), "child", &[]);
    for function in ["execve", "execv", "fexecve", "posix_spawn", "vfork"] {
        let mut command = padlock_run();
        command.args(["--stats", "sh", "-c", "echo $$; exec \"$@\"", "sh"]);
        let said = Said::by(command.arg(&start).arg(function).arg(&child));
        let text = said.text();
        let (process, rest) = text.split_once('\n').expect("two lines");
        assert_eq!(rest, "CentaurHauls zero 1 2 3 4 5 6 7 kept\n", "{function}");
        let line = format!("padlock-run: {process} start-static ");
        assert!(said.errors().contains(&line), "{function}: {}", said.errors());
    }
}

/// One `padlock-run` inside another: preloaded programs may start what they like.
#[test]
fn one_may_start_another() {
    let folder = scratch();
    let block = compile(folder.path(), "block", &[]);
    let own = env!("CARGO_BIN_EXE_padlock-run");
    for inner in [&["--cpu", "c3"][..], &["--ptrace", "--cpu", "zhaoxin"]] {
        let said = Said::by(padlock_run().arg(own).args(inner).arg("--stats").arg(&block));
        assert_eq!(said.text(), RIGHT);
        assert_eq!(said.counts("block"), ["xcryptecb=1/1"]);
    }
}

#[test]
fn a_foreign_tracer_is_named() {
    let folder = scratch();
    let foreign = compile(folder.path(), "foreign", &[]);
    let run = |words: &[&str]| {
        let mut command = Command::new(&foreign);
        Said::by(command.arg(padlock_run_path()).args(words))
    };
    let said = run(&["--ptrace", "true"]);
    assert_eq!(said.0.status.code(), Some(2));
    assert!(said.errors().contains("a program has one tracer"), "{}", said.errors());
    // The preload library needs none.
    assert_eq!(run(&["sh", "-c", "exit 7"]).0.status.code(), Some(7));
}
