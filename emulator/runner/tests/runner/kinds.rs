//! Every kind of program: dynamic and static, of 64 and of 32 bits, and where no filter can be installed.

use std::process::Command;

use crate::support::{Said, compile, compile_shared, padlock_run, scratch};

#[test]
fn programs_of_every_kind_have_a_padlock() {
    let folder = scratch();
    for options in [&[][..], &["-static"], &["-m32"], &["-m32", "-static"], &["-static-pie"]] {
        let block = compile(folder.path(), "block", options);
        let name = format!("block{}", options.concat());
        let bare = Command::new(&block).output().expect("it starts");
        assert!(!bare.status.success(), "this CPU has a PadLock");
        for runner in [&[][..], &["--ptrace"], &["--interrupt-every", "1"]] {
            let said = Said::by(padlock_run().args(runner).arg("--stats").arg(&block));
            assert_eq!(said.text(), "69c4e0d86a7b0430d8cdb78070b4c55a\n", "{options:?} {runner:?}");
            assert_eq!(said.counts(&name[..name.len().min(15)]), ["xcryptecb=1/1"]);
        }
    }
}

#[test]
fn every_cpuid_sees_the_emulated_cpu() {
    let folder = scratch();
    let library = compile_shared(folder.path(), "late", &["-shared", "-fPIC"]);
    let program = compile_shared(folder.path(), "cpuid", &[]);
    // Without a filter every system call is looked at.
    let unfiltered = compile(folder.path(), "unfiltered", &[]);
    let mut slow = Command::new(unfiltered);
    slow.arg(env!("CARGO_BIN_EXE_padlock-run"));
    for mut command in [padlock_run(), slow] {
        command.args(["--ptrace", "--cpu", "zhaoxin"]).arg(&program).arg(&library);
        let text = Said::by(&mut command).text();
        for place in ["program", "constructor", "faulting"] {
            assert!(text.contains(&format!("{place}   Shanghai  \n")), "{place}: {text}");
        }
    }
}

#[test]
fn threads_and_children_share_a_tracer() {
    let folder = scratch();
    for options in [&[][..], &["-static"]] {
        let threads = compile_shared(folder.path(), "threads", options);
        let said =
            Said::by(padlock_run().args(["--ptrace", "--stats", "--cpu", "zhaoxin"]).arg(&threads));
        assert_eq!(said.text(), "");
        let counts = said.counts(&format!("threads{}", options.concat()));
        // Two children of their own, then everything else: four threads of a thousand instructions without
        // a block, four of 51, and eleven.
        assert_eq!(counts, ["xcryptecb=1/1", "xcryptecb=1/1", "xcryptecb=4215/215 xsha512=1/1"]);
    }
}
