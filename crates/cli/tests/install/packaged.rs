//! A module that a package put among OpenSSL's: it is used where it lies, and never ours to change.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::failing::Test;
use crate::files::Case;
use crate::scene::{Ended, Scene, expect, text};

pub(crate) const TESTS: &[Test] = &[
    ("packaged::round", round),
    ("packaged::over-a-copy", over_a_copy),
    ("packaged::fails", fails),
];

/// A machine with both packages: the program by itself, the module among OpenSSL's.
struct Packaged {
    scene: Scene,
    by_hand: PathBuf,
    module: PathBuf,
    _folder: TempDir,
}

impl Packaged {
    fn new() -> Result<Self, String> {
        let case = Case { name: "", text: Some("HOME = .\n"), included: &[], engines: false };
        let mut scene = Scene::new(&case)?;
        let module = scene.path("modules/libwirespeed.so");
        fs::copy(scene.program.with_file_name("libwirespeed.so"), &module).map_err(text)?;
        let folder = tempfile::tempdir().map_err(text)?;
        let program = folder.path().join("wirespeed");
        fs::copy(&scene.program, &program).map_err(text)?;
        let by_hand = std::mem::replace(&mut scene.program, program);
        scene.original = scene.state();
        Ok(Self { scene, by_hand, module, _folder: folder })
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = self.scene.command(arguments);
        command.env("OPENSSL_MODULES", self.scene.path("modules"));
        command
    }

    fn run(&self, arguments: &str) -> Result<Ended, String> {
        Ok(self.command(arguments).output().map_err(text)?.into())
    }

    /// Which file it is, and since when as it is.
    fn identity(&self) -> Result<(u64, i64), String> {
        let it = fs::metadata(&self.module).map_err(text)?;
        Ok((it.ino(), it.ctime()))
    }

    fn names(&self, module: &Path) -> Result<(), String> {
        let now = fs::read_to_string(self.scene.path("openssl.cnf")).map_err(text)?;
        expect(now.contains(&format!("module = {}", module.display())), &now)
    }
}

fn round() -> Result<(), String> {
    let machine = Packaged::new()?;
    let before = machine.identity()?;
    let shown = machine.run("install")?.is(0, "")?.output;
    expect(!shown.contains("is copied to"), &shown)?;
    machine.names(&machine.module)?;
    let listed = machine.scene.openssl(&["list", "-providers"])?;
    expect(listed.lines().any(|line| line.trim() == "wirespeed"), &listed)?;
    machine.run("install")?.is(0, "")?;
    let shown = machine.run("uninstall")?.is(0, "")?.output;
    expect(!shown.contains("is removed"), &shown)?;
    expect(machine.scene.state() == machine.scene.original, "it is not as it was before")?;
    expect(machine.identity()? == before, "the package's file was written")
}

/// A copy that was installed by hand gives way, and goes with `uninstall`.
fn over_a_copy() -> Result<(), String> {
    let machine = Packaged::new()?;
    let mut copied = Command::new(&machine.by_hand);
    copied.args(["install", "--config"]).arg(machine.scene.path("openssl.cnf"));
    copied.arg("--modules").arg(machine.scene.path("modules"));
    Ended::from(copied.output().map_err(text)?).is(0, "")?;
    machine.names(&machine.scene.path("modules/wirespeed.so"))?;
    machine.run("install")?.is(0, "")?;
    machine.names(&machine.module)?;
    machine.run("uninstall")?.is(0, "")?;
    expect(machine.scene.state() == machine.scene.original, "something is left")
}

/// What fails in place leaves the package's file as it is.
fn fails() -> Result<(), String> {
    let machine = Packaged::new()?;
    let before = machine.identity()?;
    let file = machine.scene.path("openssl.cnf").display().to_string();
    let script = format!("if [ $OPENSSL_CONF = {file} ]; then exit 255; fi");
    let path = machine.scene.fake("sshd", &script)?;
    let ended = machine.command("install").env("PATH", path).output().map_err(text)?;
    Ended::from(ended).is(1, "as before")?;
    expect(machine.scene.state() == machine.scene.original, "not all was restored")?;
    expect(machine.identity()? == before, "the package's file was written")
}
