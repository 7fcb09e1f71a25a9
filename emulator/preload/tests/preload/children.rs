//! Programs that the program starts run on the emulated CPU too.

use std::process::Command;

use crate::support::{Counts, Said, compile, emulated, library, scratch};

const FUNCTIONS: [&str; 13] = [
    "execve",
    "execv",
    "execvp",
    "execvpe",
    "execl",
    "execlp",
    "execle",
    "fexecve",
    "execveat",
    "execveat: AT_FDCWD",
    "posix_spawn",
    "posix_spawnp",
    "vfork",
];

#[test]
fn the_emulator_goes_along_without_its_variables() {
    let folder = scratch();
    let start = compile(folder.path(), "start", &["-Wno-clobbered"]);
    let child = compile(folder.path(), "child", &[]);
    for function in FUNCTIONS {
        let said = Said::by(emulated("stats", &start).arg(function).arg(&child));
        assert_eq!(said.text(), "CentaurHauls zero 1 2 3 4 5 6 7 kept\n", "{function}");
        let child = |counts: &Counts| counts.name != "start" && counts.of("cpuid").0 > 0;
        assert!(said.counts().iter().any(child), "{function}: {}", said.errors());
    }
}

#[test]
fn static_and_32_bit_children_are_traced() {
    let folder = scratch();
    let start = compile(folder.path(), "start", &["-Wno-clobbered"]);
    let mut kinds = vec![compile(folder.path(), "child", &["-static"])];
    let narrow = folder.path().join("narrow");
    std::fs::create_dir(&narrow).expect("a folder");
    kinds.push(compile(&narrow, "child", &["-m32"]));
    for child in kinds {
        for function in FUNCTIONS {
            let said = Said::by(emulated("", &start).arg(function).arg(&child));
            assert_eq!(said.text(), "CentaurHauls zero 1 2 3 4 5 6 7 kept\n", "{function}");
        }
    }
}

#[test]
fn an_emptied_environment_does_not_lose_the_emulator() {
    let mut command = emulated("cpu=zhaoxin", "env");
    let said = Said::by(command.args(["-i", "openssl", "engine", "padlock"]));
    assert_eq!(said.text(), "(padlock) VIA PadLock (no-RNG, ACE)\n");
    // What else is to be preloaded stays.
    let said = Said::by(
        emulated("cpu=zhaoxin", "env")
            .args(["LD_PRELOAD=libm.so.6", "/bin/sh", "-c"])
            .arg("echo $LD_PRELOAD $PADLOCK_RUN"),
    );
    assert_eq!(said.text(), format!("{}:libm.so.6 cpu=zhaoxin\n", library().display()));
}

#[test]
fn a_script_is_run_by_its_interpreter() {
    let folder = scratch();
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/bin/sh\nopenssl engine padlock\n").expect("a file");
    let mut shell = Command::new("chmod");
    assert!(shell.arg("+x").arg(&script).status().expect("chmod runs").success());
    let said = Said::by(emulated("", "env").arg("-i").arg(&script));
    assert_eq!(said.text(), "(padlock) VIA PadLock (no-RNG, ACE)\n");
}
