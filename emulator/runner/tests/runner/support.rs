//! `padlock-run` as it was built, programs in C, and what they say under it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

/// `padlock-run`, with the preload library beside it.
pub(crate) fn padlock_run() -> Command {
    let mut command = Command::new(padlock_run_path());
    command.stdin(Stdio::null());
    command
}

/// A system call that is refused: its number, its first argument, the error.
pub(crate) type Refusal = [&'static str; 3];

/// arch_prctl(ARCH_SET_CPUID) with ENODEV: the kernel cannot make CPUID fault.
pub(crate) const NO_FAULTING: Refusal = ["158", "4114", "19"];
/// prctl(PR_SET_SECCOMP) with EINVAL: no more filters can be installed.
pub(crate) const NO_FILTER: Refusal = ["157", "22", "22"];

/// `padlock-run` where these system calls are refused, by `programs/refused.c`.
pub(crate) fn padlock_run_without(refused: &Path, calls: &[Refusal]) -> Command {
    let mut words = Vec::new();
    for call in calls {
        words.push(refused.as_os_str());
        words.extend(call.iter().map(OsStr::new));
    }
    words.push(OsStr::new(padlock_run_path()));
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::null());
    command
}

/// Where `padlock-run` lies, with the preload library beside it.
pub(crate) fn padlock_run_path() -> &'static str {
    static LIBRARY: Once = Once::new();
    let program = env!("CARGO_BIN_EXE_padlock-run");
    LIBRARY.call_once(|| {
        let profile = Path::new(program).parent().expect("a folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "padlock-preload", "--target-dir"]);
        build.arg(profile.parent().expect("a target folder"));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "the library is built");
    });
    program
}

/// A folder of this run's own, removed in the end.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// Builds `programs/NAME.c` into `folder`.
pub(crate) fn compile(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    compile_from("tests/runner/programs", folder, name, options)
}

/// Builds a program that the preload library is tested with: both runners keep the same promises.
pub(crate) fn compile_shared(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    compile_from("../preload/tests/preload/programs", folder, name, options)
}

fn compile_from(programs: &str, folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(programs).join(name);
    let program = folder.join(format!("{name}{}", options.concat()));
    let mut gcc = Command::new("gcc");
    gcc.args([
        "-std=gnu11",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-clobbered",
        "-pthread",
        // For 32-bit programs, which else find no headers of Linux's.
        "-idirafter",
        "/usr/include/x86_64-linux-gnu",
    ]);
    gcc.args(options).arg("-o").arg(&program).arg(source.with_extension("c"));
    assert!(gcc.status().expect("gcc runs").success(), "{name}.c is compiled");
    program
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said(pub(crate) Output);

impl Said {
    /// Runs a command to its end.
    pub(crate) fn by(command: &mut Command) -> Self {
        Self(command.output().expect("it starts"))
    }

    /// Its standard output, if it succeeded.
    pub(crate) fn text(&self) -> String {
        assert!(self.0.status.success(), "{}: {}", self.0.status, self.errors());
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    /// Its standard error, without the remark that CPUID is rewritten.
    pub(crate) fn errors(&self) -> String {
        let text = String::from_utf8_lossy(&self.0.stderr).into_owned();
        let own = |line: &&str| !line.starts_with("padlock-run: CPUID cannot be made to fault");
        text.lines().filter(own).map(|line| format!("{line}\n")).collect()
    }

    /// What `--stats` says of the processes of this name, without CPUID.
    pub(crate) fn counts(&self, name: &str) -> Vec<String> {
        let errors = self.errors();
        let lines = errors.lines().filter_map(|line| line.strip_prefix("padlock-run: "));
        let mut counts = Vec::new();
        for line in lines {
            let mut words = line.split(' ').skip(1);
            if words.next() == Some(name) {
                let words: Vec<_> = words.filter(|word| !word.starts_with("cpuid=")).collect();
                counts.push(words.join(" "));
            }
        }
        counts
    }
}
