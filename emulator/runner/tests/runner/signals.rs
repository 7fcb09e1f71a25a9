//! What a traced program sees of signals: what it would see on the hardware.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use crate::support::{
    NO_FAULTING, Said, compile, padlock_run, padlock_run_path, padlock_run_without, scratch,
};

/// Runs a case of `signals.c` in its 64-bit and its 32-bit version.
fn run(case: &str, check: impl Fn(&Said)) {
    let folder = scratch();
    for options in [&[][..], &["-m32"]] {
        let program = compile(folder.path(), "signals", options);
        for more in [&[][..], &["--interrupt-every", "7"]] {
            let mut command = padlock_run();
            check(&Said::by(command.arg("--ptrace").args(more).arg(&program).arg(case)));
        }
    }
}

fn succeeds(said: &Said) {
    assert_eq!((said.text(), said.errors()), (String::new(), String::new()));
}

#[test]
fn a_timer_changes_nothing() {
    run("timer", succeeds);
}

#[test]
fn the_programs_own_signals_are_untouched() {
    run("own", succeeds);
}

#[test]
fn faults_have_their_address() {
    run("faults", succeeds);
}

#[test]
fn a_fault_cannot_be_blocked_or_ignored() {
    for case in ["blocked", "ignored", "blocked SIGBUS", "ignored SIGBUS"] {
        run(case, |said| assert_eq!(said.0.status.signal(), Some(libc::SIGSEGV), "{said:?}"));
    }
}

#[test]
fn stopping_and_going_on_is_seen_by_the_parent() {
    run("stopped", succeeds);
}

/// Whose children leave no status starts programs all the same.
#[test]
fn sigchld_may_be_ignored() {
    let folder = scratch();
    let block = compile(folder.path(), "block", &["-static"]);
    // A program that is handed over by the preload library, and one that is traced from the beginning.
    for option in ["--strict", "--ptrace"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' CHLD; exec \"$@\"", "sh", padlock_run_path(), option]);
        let said = Said::by(shell.args(["env", "-i"]).arg(&block));
        assert_eq!(said.text(), "69c4e0d86a7b0430d8cdb78070b4c55a\n");
    }
}

/// Where nobody traces, the kernel lets a call fail about which a filter would ask a tracer.
#[test]
fn a_programs_own_filters_ask_nobody() {
    let folder = scratch();
    let refused = compile(folder.path(), "refused", &[]);
    for options in [&[][..], &["-m32"]] {
        let program = compile(folder.path(), "signals", options);
        for calls in [&[][..], &[NO_FAULTING]] {
            let mut command = padlock_run_without(&refused, calls);
            succeeds(&Said::by(command.arg("--ptrace").arg(&program).arg("filter")));
        }
    }
}

#[test]
fn the_tracer_is_nobodys_child() {
    run("childless", succeeds);
}
