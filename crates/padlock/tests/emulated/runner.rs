//! This program under `padlock-run`.

use std::env;
use std::env::consts::ARCH;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use libtest_mimic::Failed;

use crate::INSIDE;

/// What is built: the folder of `padlock-run` with its library beside it, and that of our examples.
struct Built {
    emulator: PathBuf,
    examples: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
        let mut examples = cargo(["--package", "wirespeed-padlock", "--examples"]);
        let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
        let ours = target.join(profile).join("examples");
        // What runs 32-bit programs is one of 64 bits.
        if ARCH == "x86" {
            examples.arg("--target").arg(target.file_name().expect("a target's folder"));
            target = target.parent().expect("a target folder");
        }
        let emulator = ["--package", "padlock-preload", "--package", "padlock-runner"];
        for mut build in [cargo(emulator), examples] {
            let status = build.arg("--target-dir").arg(target).status().expect("cargo runs");
            assert!(status.success(), "padlock-run, its library and our examples are built");
        }
        Built { emulator: target.join(profile), examples: ours }
    })
}

/// Cargo that builds something as this program was built.
fn cargo<const N: usize>(words: [&str; N]) -> Command {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet"]).args(words).current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    build
}

/// `padlock-run`.
fn padlock_run() -> Command {
    Command::new(built().emulator.join("padlock-run"))
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
    let mut command = padlock_run();
    command.args(["--cpu", model]).args(options).arg(env::current_exe()?).env(INSIDE, what);
    let output = command.output()?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{}: {errors}", output.status).into());
    }
    Ok(Said { text: String::from_utf8_lossy(&output.stdout).into_owned(), errors })
}

/// Runs an example, which must say this.
pub(crate) fn example(name: &str, arguments: &[&Path], expected: &str) -> Result<(), Failed> {
    let program = built().examples.join(name);
    let output = padlock_run().arg(program).args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = output.status.success() && text.contains(expected);
    if said { Ok(()) } else { Err(format!("{}: {text}", output.status).into()) }
}
