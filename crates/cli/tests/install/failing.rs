//! What fails leaves no trace and says in one line what it was.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;

use crate::files::Case;
use crate::scene::{Ended, Scene, expect, text};

/// A test and its name.
pub(crate) type Test = (&'static str, fn() -> Result<(), String>);

pub(crate) const TESTS: &[Test] = &[
    ("failing::before", before),
    ("failing::in-place", in_place),
    ("failing::upgrade", upgrade),
    ("failing::truncated-module", truncated_module),
    ("failing::interrupted-before", interrupted_before),
    ("failing::interrupted-in-place", interrupted_in_place),
    ("failing::no-folder", no_folder),
    ("failing::device", device),
    ("failing::not-allowed", not_allowed),
    ("failing::unreadable", unreadable),
    ("failing::demanding", demanding),
    ("edited::by-others", edited),
    ("edited::link-and-mode", link_and_mode),
];

const TEXT: &str = "HOME = .\n[req]\ndefault_bits = 2048\n";

fn scene_of(text: &'static str) -> Result<Scene, String> {
    Scene::new(&Case { name: "", text: Some(text), included: &[], engines: false })
}

/// A trial program that fails, before anything is in place.
fn before() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    let path = scene.fake("sshd", "echo this is the end >&2; exit 1")?;
    let ended: Ended = scene.command("install").env("PATH", path).output().map_err(text)?.into();
    let ended = ended.is(1, "sshd -t fails")?;
    expect(ended.errors.contains("this is the end"), &ended.errors)?;
    expect(scene.state() == scene.original, "something was changed")
}

/// A trial program that works until the file is in place.
fn in_place() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    let file = scene.path("openssl.cnf").display().to_string();
    let path = scene.fake(
        "sshd",
        &format!("if [ $OPENSSL_CONF = {file} ]; then echo locked out >&2; exit 255; fi"),
    )?;
    let ended: Ended = scene.command("install").env("PATH", path).output().map_err(text)?.into();
    let ended = ended.is(1, "sshd -t failed: locked out")?;
    expect(ended.errors.contains("as before"), &ended.errors)?;
    expect(scene.state() == scene.original, "not all was restored")
}

/// A newer module that fails in place gives way to the one before.
fn upgrade() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    scene.run("install")?.is(0, "")?;
    let module = scene.path("modules/wirespeed.so");
    let older = [fs::read(&module).map_err(text)?, b"an older build".to_vec()].concat();
    fs::write(&module, &older).map_err(text)?;
    let installed = scene.state();
    let size = older.len();
    let module = module.display();
    let path = scene.fake(
        "sshd",
        &format!("test $(stat -c %s {module}) = {size} || {{ echo too new >&2; exit 1; }}"),
    )?;
    let ended: Ended = scene.command("install").env("PATH", path).output().map_err(text)?.into();
    ended.is(1, "too new")?;
    expect(scene.state() == installed, "the older module is not back")
}

/// A module that is not whole.
fn truncated_module() -> Result<(), String> {
    let mut scene = scene_of(TEXT)?;
    let folder = tempfile::tempdir().map_err(text)?;
    let module = scene.program.with_file_name("libwirespeed.so");
    let bytes = fs::read(module).map_err(text)?;
    fs::write(folder.path().join("libwirespeed.so"), &bytes[..4096]).map_err(text)?;
    let program = folder.path().join("wirespeed");
    fs::copy(&scene.program, &program).map_err(text)?;
    scene.program = program;
    let ended = scene.run("install")?.is(1, "openssl list -providers")?;
    expect(ended.errors.contains("nothing was changed"), &ended.errors)?;
    expect(scene.state() == scene.original, "something was changed")
}

fn interrupted(condition: &str) -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    let file = scene.path("openssl.cnf").display().to_string();
    let script = format!("if {condition} {file}; then kill -INT $PPID; sleep 0.2; fi");
    let path = scene.fake("sshd", &script)?;
    let ended: Ended = scene.command("install").env("PATH", path).output().map_err(text)?.into();
    ended.is(2, "interrupted: ")?;
    expect(scene.state() == scene.original, "not all is as it was")
}

fn interrupted_before() -> Result<(), String> {
    interrupted("! grep -q wirespeed")
}

fn interrupted_in_place() -> Result<(), String> {
    interrupted("grep -q wirespeed")
}

/// A device stands where openssl.cnf should.
fn device() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    let mut command = std::process::Command::new(&scene.program);
    command.args(["install", "--config", "/dev/null", "--modules"]).arg(scene.path("modules"));
    let ended: Ended = command.output().map_err(text)?.into();
    ended.is(2, "/dev/null: it is no regular file").map(drop)
}

fn no_folder() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    let mut command = std::process::Command::new(&scene.program);
    command.args(["install", "--config", "/nowhere/at/all.cnf", "--modules", "/nowhere"]);
    let ended: Ended = command.output().map_err(text)?.into();
    ended.is(2, "/nowhere/at/all.cnf").map(drop)
}

/// Somebody who may not: one line with the command, before anything is touched; --dry-run works.
fn not_allowed() -> Result<(), String> {
    let mut scene = scene_of(TEXT)?;
    let folder = tempfile::tempdir().map_err(text)?;
    let world = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path(), world.clone()).map_err(text)?;
    for name in ["wirespeed", "libwirespeed.so"] {
        let from = scene.program.with_file_name(name);
        fs::copy(from, folder.path().join(name)).map_err(text)?;
    }
    scene.program = folder.path().join("wirespeed");
    let is_root = fs::metadata("/proc/self").map_err(text)?.uid() == 0;
    let closed = fs::Permissions::from_mode(0o555);
    for place in [scene.path(""), scene.path("modules")] {
        fs::set_permissions(place, if is_root { world.clone() } else { closed.clone() })
            .map_err(text)?;
    }
    let run = |arguments: &str| -> Result<Ended, String> {
        let mut command = scene.command(arguments);
        if is_root {
            command.uid(65534).gid(65534);
        }
        Ok(command
            .current_dir(folder.path())
            .env("HOME", "/nowhere")
            .output()
            .map_err(text)?
            .into())
    };
    let ended = run("install")?.is(2, "takes root to change: sudo ./wirespeed install")?;
    expect(ended.output.is_empty(), &ended.output)?;
    run("install --dry-run")?.is(0, "")?;
    expect(scene.state() == scene.original, "something was changed")?;
    for place in [scene.path(""), scene.path("modules")] {
        fs::set_permissions(place, world.clone()).map_err(text)?;
    }
    scene.run("install")?.is(0, "")?;
    let ended = match is_root {
        true => run("uninstall")?.is(2, "takes root to change: sudo ./wirespeed uninstall")?,
        false => return Ok(()),
    };
    expect(ended.errors.contains("openssl.cnf"), &ended.errors)
}

fn unreadable() -> Result<(), String> {
    let scene = scene_of("a = 1\n[broken\n")?;
    let ended = scene.run("install")?.is(2, "openssl.cnf:2: ")?;
    expect(ended.errors.contains("closing ]"), &ended.errors)?;
    expect(scene.state() == scene.original, "something was changed")
}

/// A machine that demands what Wirespeed cannot be.
fn demanding() -> Result<(), String> {
    let scene =
        scene_of("openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n")?;
    scene.run("install")?.is(2, "demands fips=yes")?;
    expect(scene.state() == scene.original, "something was changed")
}

/// Only our lines go from a file that somebody edited since.
fn edited() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    scene.run("install")?.is(0, "")?;
    let file = scene.path("openssl.cnf");
    let installed = fs::read_to_string(&file).map_err(text)?;
    fs::write(&file, installed.replace("2048", "4096") + "[mine]\nkey = value\n").map_err(text)?;
    let ended = scene.run("uninstall")?.is(0, "")?;
    expect(ended.output.contains("was edited since"), &ended.output)?;
    let now = fs::read_to_string(&file).map_err(text)?;
    expect(now == TEXT.replace("2048", "4096") + "[mine]\nkey = value\n", &now)?;
    let kept = fs::read_to_string(scene.path("openssl.cnf.wirespeed-backup")).map_err(text)?;
    expect(kept == TEXT, &kept)
}

/// A link stays a link, and a mode a mode.
fn link_and_mode() -> Result<(), String> {
    let scene = scene_of(TEXT)?;
    let (file, real) = (scene.path("openssl.cnf"), scene.path("real/there.cnf"));
    fs::create_dir(scene.path("real")).map_err(text)?;
    fs::rename(&file, &real).map_err(text)?;
    std::os::unix::fs::symlink("real/there.cnf", &file).map_err(text)?;
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).map_err(text)?;
    let before = scene.state();
    for step in ["install", "uninstall"] {
        scene.run(step)?.is(0, "")?;
        let is_link = fs::symlink_metadata(&file).map_err(text)?.is_symlink();
        let mode = fs::metadata(&real).map_err(text)?.mode() & 0o777;
        expect(is_link && mode == 0o640, &format!("{is_link} {mode:o}"))?;
    }
    expect(scene.state() == before, "it is not as it was before")
}
