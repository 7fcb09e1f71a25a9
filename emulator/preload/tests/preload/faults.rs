//! Faults of emulated instructions, and the program's own ones.

use crate::support::{Said, compile, emulated, scratch, trace};

fn faults(settings: &str, case: &str) -> Said {
    let folder = scratch();
    let program = compile(folder.path(), "faults", &[]);
    Said::by(emulated(settings, program).arg(case))
}

#[test]
fn page_faults_reach_the_program_at_the_instruction() {
    for interrupt in ["", ",interrupt-every=1", ",interrupt-every=2"] {
        let said = faults(&format!("stats{interrupt}"), "pages");
        assert_eq!(said.output(), b"");
        // Two turns, four borders, two times eight blocks.
        assert_eq!(said.count("xcryptcbc").1, 2 * 4 * 2 * 8);
    }
}

#[test]
fn the_programs_own_handlers_work() {
    let said = faults("stats", "handlers");
    assert_eq!(said.output(), b"");
    assert!(said.count("xcryptecb").0 >= 5, "{}", said.errors());
}

#[test]
fn strict_faults_have_no_address() {
    assert_eq!(faults("cpu=c3,strict", "misaligned").text(), "1 1 1 1\n");
    let lenient = faults("cpu=c3", "misaligned").text();
    assert!(lenient.starts_with("0 "), "{lenient}");
}

#[test]
fn what_a_model_lacks_is_illegal() {
    assert_eq!(faults("cpu=c3", "lacking").text(), "1 1\n");
    assert_eq!(faults("cpu=c7", "lacking").text(), "0 0\n");
}

#[test]
fn an_unhandled_fault_ends_the_program_and_says_what_was_counted() {
    let said = faults("stats", "fatal");
    assert_eq!(said.signal(), Some(libc::SIGSEGV), "{}", said.errors());
    assert_eq!(said.count("xcryptecb"), (1, 1));
}

#[test]
fn too_small_a_stack_for_signals_is_named() {
    let said = faults("", "narrow");
    assert_eq!(said.signal(), Some(libc::SIGSEGV), "{}", said.errors());
    assert!(said.errors().contains("an alternate stack for signals is too small"));
}

/// Nothing is written beyond the stack, whose end cannot be touched: the objects' paths are not on it.
#[test]
fn a_trace_needs_no_larger_stack() {
    let folder = scratch();
    let file = folder.path().join("trace");
    assert_eq!(faults(&format!("trace={}", file.display()), "enough").text(), "");
    assert!(trace(&file).iter().any(|line| line.operation == "xcryptecb"));
    let said = faults(&format!("trace={}", file.display()), "narrow");
    assert_eq!(said.signal(), Some(libc::SIGSEGV), "{}", said.errors());
    assert!(said.errors().contains("an alternate stack for signals is too small"));
}

#[test]
fn settings_that_nobody_understands_end_the_program() {
    let said = Said::by(&mut emulated("cpu=nano,quick", "true"));
    assert_eq!(
        said.errors(),
        "padlock-run: PADLOCK_RUN: quick is not understood: run padlock-run --help\n"
    );
    assert_eq!(said.status(), Some(2));
}
