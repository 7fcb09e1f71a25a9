//! The library and `padlock-run` as they were built, programs in C, and what they say under the library.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

/// The folder of what is built, with the library and `padlock-run` in it.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "padlock-preload"]);
        build.args(["--package", "padlock-runner", "--target-dir"]).arg(target);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "the library and padlock-run are built");
        target.join(if cfg!(debug_assertions) { "debug" } else { "release" })
    })
}

/// The library.
pub(crate) fn library() -> PathBuf {
    built().join("libpadlock_preload.so")
}

/// A folder of this run's own, removed in the end.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// Builds `programs/NAME.c` into `folder`.
pub(crate) fn compile(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/preload/programs");
    let program = folder.join(name);
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"]);
    // For 32-bit programs, which else find no headers of Linux's.
    gcc.args(["-idirafter", "/usr/include/x86_64-linux-gnu"]);
    gcc.args(options).arg("-o").arg(&program).arg(source.join(name).with_extension("c"));
    let status = gcc.status().expect("gcc runs");
    assert!(status.success(), "{name}.c is compiled");
    program
}

/// A command under the library, with these settings.
pub(crate) fn emulated(settings: &str, program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env("LD_PRELOAD", library()).env("PADLOCK_RUN", settings);
    command
}

/// What a command said.
pub(crate) struct Said {
    output: Output,
}

impl Said {
    /// Runs a command to its end with this input.
    pub(crate) fn with_input(command: &mut Command, input: &[u8]) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        let output = thread::scope(|scope| {
            // A program that ends before it has read everything breaks the pipe.
            scope.spawn(move || pipe.write_all(input));
            child.wait_with_output().expect("it ends")
        });
        Self { output }
    }

    /// Runs a command to its end.
    pub(crate) fn by(command: &mut Command) -> Self {
        Self::with_input(command, b"")
    }

    /// Its standard output, if it succeeded.
    pub(crate) fn output(&self) -> &[u8] {
        assert!(self.output.status.success(), "{}: {}", self.output.status, self.errors());
        &self.output.stdout
    }

    /// The same as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.output()).into_owned()
    }

    /// Its standard error.
    pub(crate) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The signal that ended it.
    pub(crate) fn signal(&self) -> Option<i32> {
        self.output.status.signal()
    }

    /// Its exit status.
    pub(crate) fn status(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// The counts of each process.
    pub(crate) fn counts(&self) -> Vec<Counts> {
        let errors = self.errors();
        let lines = errors.lines().filter_map(|line| line.strip_prefix("padlock-run: "));
        lines.map(|line| parse(line).unwrap_or_else(|| panic!("counts: {line}"))).collect()
    }

    /// Traps and blocks of one operation in the only process there is.
    pub(crate) fn count(&self, operation: &str) -> (u64, u64) {
        match &self.counts()[..] {
            [counts] => counts.of(operation),
            other => panic!("one process: {other:?}"),
        }
    }
}

/// What was counted in one process.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) name: String,
    /// Traps and blocks.
    operations: BTreeMap<String, (u64, u64)>,
}

impl Counts {
    /// Traps and blocks of one operation.
    pub(crate) fn of(&self, operation: &str) -> (u64, u64) {
        self.operations.get(operation).copied().unwrap_or_default()
    }
}

/// `PID NAME xcryptcbc=TRAPS/BLOCKS … cpuid=TRAPS`
fn parse(line: &str) -> Option<Counts> {
    let mut words = line.split(' ');
    words.next()?.parse::<u32>().ok()?;
    let name = words.next()?.to_owned();
    let counts = words.map(|word| {
        let (operation, counts) = word.split_once('=')?;
        let (traps, blocks) = counts.split_once('/').unwrap_or((counts, "0"));
        Some((operation.to_owned(), (traps.parse().ok()?, blocks.parse().ok()?)))
    });
    Some(Counts { name, operations: counts.collect::<Option<_>>()? })
}

/// A line of a trace.
#[derive(Debug)]
pub(crate) struct Trapped {
    pub(crate) signal: String,
    pub(crate) object: String,
    pub(crate) offset: u64,
    pub(crate) operation: String,
    pub(crate) blocks: u64,
}

/// The lines of a trace.
pub(crate) fn trace(file: &Path) -> Vec<Trapped> {
    let text = fs::read_to_string(file).expect("a trace");
    let line = |line: &str| {
        let [_, _, signal, _, place, operation, blocks, ..] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let (object, offset) = place.rsplit_once('+')?;
        Some(Trapped {
            signal: signal.to_owned(),
            object: object.to_owned(),
            offset: u64::from_str_radix(offset.strip_prefix("0x")?, 16).ok()?,
            operation: operation.to_owned(),
            blocks: blocks.parse().ok()?,
        })
    };
    text.lines().map(|it| line(it).unwrap_or_else(|| panic!("trace: {it}"))).collect()
}
