//! Every kind of program: dynamic and static, of 64 and of 32 bits, and where no filter can be installed.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::support::{
    NO_FAULTING, NO_FILTER, Said, compile, compile_shared, padlock_run, padlock_run_path,
    padlock_run_without, scratch,
};

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

/// The kernel executes what nobody may read, and no tracer may look into it.
#[test]
fn a_program_may_be_unreadable() {
    let folder = tempfile::tempdir().expect("a folder that others reach");
    // Not by this process: what it has open to be written, no thread's child can execute.
    let place = |from: &Path, mode: &str| {
        let to = folder.path().join(from.file_name().expect("a name"));
        let install = Command::new("install").args(["-m", mode]).arg(from).arg(&to).status();
        assert!(install.expect("install runs").success());
        to
    };
    let built = scratch();
    let block = place(&compile(built.path(), "block", &[]), "111");
    let runner = Path::new(padlock_run_path());
    place(&runner.with_file_name("libpadlock_preload.so"), "755");
    let mut command = Command::new(place(runner, "755"));
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("ours");
    if std::fs::metadata("/proc/self").expect("proc(5)").uid() == 0 {
        // Root may read everything.
        command.uid(65534).gid(65534);
    }
    let said = Said::by(command.arg(block));
    assert_eq!(said.text(), "69c4e0d86a7b0430d8cdb78070b4c55a\n");
}

#[test]
fn every_cpuid_sees_the_emulated_cpu() {
    let folder = scratch();
    let library = compile_shared(folder.path(), "late", &["-shared", "-fPIC"]);
    let program = compile_shared(folder.path(), "cpuid", &[]);
    let refused = compile(folder.path(), "refused", &[]);
    for calls in [&[][..], &[NO_FAULTING], &[NO_FAULTING, NO_FILTER]] {
        let mut command = padlock_run_without(&refused, calls);
        command.args(["--ptrace", "--cpu", "zhaoxin"]).arg(&program).arg(&library);
        let text = Said::by(&mut command).text();
        for place in ["program", "constructor", "faulting"] {
            assert!(text.contains(&format!("{place}   Shanghai  \n")), "{place}: {text}");
        }
    }
}

#[test]
fn what_cannot_be_served_is_said_and_ends_nothing() {
    let folder = scratch();
    let block = compile(folder.path(), "block", &[]);
    let refused = compile(folder.path(), "refused", &[]);
    let shared = compile(folder.path(), "shared", &[]);
    let check = |said: &Said| {
        assert_eq!(said.text(), "69c4e0d86a7b0430d8cdb78070b4c55a\n");
        let errors = said.errors();
        errors.contains("not all of it runs on the emulated CPU")
    };
    // CPUID cannot be rewritten there.
    let mut command = padlock_run_without(&refused, &[NO_FAULTING]);
    assert!(check(&Said::by(command.arg("--ptrace").arg(&shared).arg(&block))));
    // A program that lets nobody make CPUID fault, which is nothing to it where it is rewritten.
    let mut command = padlock_run();
    command.arg("--ptrace").arg(&refused).args(NO_FAULTING);
    let said = Said::by(command.arg(&block));
    let is_rewritten = String::from_utf8_lossy(&said.0.stderr).contains("rewritten");
    assert_eq!(check(&said), !is_rewritten);
}

#[test]
fn names_may_be_any_bytes() {
    let folder = scratch();
    let block = compile(folder.path(), "block", &[]);
    let refused = compile(folder.path(), "refused", &[]);
    let odd = folder.path().join(OsStr::from_bytes(b"bl\xffck"));
    std::fs::rename(block, &odd).expect("another name");
    let trace = folder.path().join("trace");
    for calls in [&[][..], &[NO_FAULTING]] {
        let mut command = padlock_run_without(&refused, calls);
        let said = Said::by(command.args(["--ptrace", "--trace"]).arg(&trace).arg(&odd));
        assert_eq!((said.text().len(), said.errors()), (33, String::new()));
        let trace = std::fs::read(&trace).expect("a trace");
        assert!(trace.windows(6).any(|bytes| bytes == b"bl\xffck+"), "{}", trace.escape_ascii());
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
