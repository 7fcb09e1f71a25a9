//! This program under `padlock-run`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use libtest_mimic::Failed;

use crate::INSIDE;

/// `padlock-run`, built with its library beside it.
fn padlock_run() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "padlock-preload"]);
        build.args(["--package", "padlock-runner", "--target-dir"]).arg(target);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "padlock-run and its library are built");
        target.join(if cfg!(debug_assertions) { "debug" } else { "release" }).join("padlock-run")
    })
}

/// What was said inside.
pub(crate) struct Said {
    pub(crate) text: String,
    errors: String,
}

impl Said {
    /// The instructions and blocks that `--stats` counted, without CPUID.
    pub(crate) fn counts(&self) -> String {
        let mine = |line: &&str| line.starts_with("padlock-run: ") && line.contains("cpuid=");
        let line = self.errors.lines().rfind(mine).unwrap_or_default();
        let counts =
            line.split(' ').filter(|word| word.contains('=') && !word.starts_with("cpuid"));
        counts.collect::<Vec<_>>().join(" ")
    }
}

/// Runs this program inside.
pub(crate) fn inside(model: &str, options: &[&str], what: &str) -> Result<Said, Failed> {
    let mut command = Command::new(padlock_run());
    command.args(["--cpu", model]).args(options).arg(env::current_exe()?).env(INSIDE, what);
    let output = command.output()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{}: {errors}", output.status).into());
    }
    Ok(Said { text: String::from_utf8_lossy(&output.stdout).into_owned(), errors })
}
