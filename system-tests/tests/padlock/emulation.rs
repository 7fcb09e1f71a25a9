//! `padlock-run` as it was built, programs in C, and the counts of what ran.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use wirespeed_system_tests::module;
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

/// `padlock-run`, which lies beside our module.
pub(crate) fn program() -> Result<PathBuf, String> {
    let module = module::file().ok_or("WIRESPEED_MODULES is not set")?;
    let program = module.with_file_name("padlock-run");
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!("{} does not exist: cargo build --release", program.display()))
    }
}

/// A command on an emulated PadLock, with these options, that counts.
pub(crate) fn emulated(options: &[&str], name: impl AsRef<OsStr>) -> Result<Command, String> {
    let mut command = command(program()?);
    command.arg("--stats").args(options).arg(name);
    // Whatever this machine is configured for.
    command.env("OPENSSL_CONF", "/dev/null").env_remove("OPENSSL_MODULES");
    Ok(command)
}

/// Builds a program in C.
pub(crate) fn compile<A: AsRef<OsStr>>(
    scratch: &Scratch,
    source: impl AsRef<Path>,
    options: &[A],
) -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/padlock/programs").join(source);
    let program = scratch.path(&source.file_stem().unwrap_or_default().to_string_lossy());
    let mut gcc = command("gcc");
    gcc.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]);
    // For 32-bit programs, which else find no headers of Linux's.
    gcc.args(["-idirafter", "/usr/include/x86_64-linux-gnu", "-o"]).arg(&program);
    output(gcc.arg(source).args(options))?;
    Ok(program)
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said(Output);

impl Said {
    /// Runs a command to its end.
    pub(crate) fn by(command: &mut Command, input: &[u8]) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{error}"))?;
        let pipe = child.stdin.take();
        let output = thread::scope(|scope| {
            // Who ends before it has read everything breaks the pipe.
            scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(input)));
            child.wait_with_output()
        });
        Ok(Self(output.map_err(|error| error.to_string())?))
    }

    /// Its standard output, if it succeeded.
    pub(crate) fn output(&self) -> Result<&[u8], String> {
        if self.0.status.success() {
            Ok(&self.0.stdout)
        } else {
            Err(format!("{}: {}", self.0.status, self.errors()))
        }
    }

    /// The same as text.
    pub(crate) fn text(&self) -> Result<String, String> {
        self.output().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Its standard error.
    pub(crate) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// What trapped in the processes of this name.
    pub(crate) fn counts(&self, name: &str) -> Counts {
        Counts::read(&self.errors(), name)
    }
}

/// Traps and blocks of each operation.
#[derive(Debug, Default)]
pub(crate) struct Counts(BTreeMap<String, (u64, u64)>);

impl Counts {
    /// From the lines that `--stats` writes for the processes of this name.
    pub(crate) fn read(errors: &str, name: &str) -> Self {
        let mut counts = Self::default();
        for line in errors.lines().filter_map(|line| line.strip_prefix("padlock-run: ")) {
            let mut words = line.split(' ').skip(1);
            if words.next() != Some(name) {
                continue;
            }
            for (operation, figures) in words.filter_map(|word| word.split_once('=')) {
                let (traps, blocks) = figures.split_once('/').unwrap_or((figures, "0"));
                let sum = counts.0.entry(operation.to_owned()).or_default();
                sum.0 += traps.parse::<u64>().unwrap_or(0);
                sum.1 += blocks.parse::<u64>().unwrap_or(0);
            }
        }
        counts
    }

    /// Requires that these operations processed at least so many blocks.
    pub(crate) fn ran(&self, expected: &[(&str, u64)]) -> Result<(), String> {
        for (operation, blocks) in expected {
            let got = self.0.get(*operation).copied().unwrap_or_default();
            if got.0 == 0 || got.1 < *blocks {
                return Err(format!(
                    "{operation} processed {} of {blocks} blocks: {self:?}",
                    got.1
                ));
            }
        }
        Ok(())
    }
}
