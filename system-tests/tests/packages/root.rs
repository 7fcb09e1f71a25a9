//! A system in a folder, and scripts that run in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A system that tests may change.
pub(crate) struct Root {
    folder: PathBuf,
}

static SHARED: OnceLock<Result<Root, String>> = OnceLock::new();

impl Root {
    /// The one that all steps work on.
    pub(crate) fn shared() -> Result<&'static Self, String> {
        SHARED.get_or_init(Self::copy).as_ref().map_err(String::clone)
    }

    /// Removes it.
    pub(crate) fn leave() {
        if let Some(Ok(root)) = SHARED.get() {
            let _ = fs::remove_dir_all(&root.folder);
        }
    }

    /// Copies the system and puts the packages into it, as they are and as a later version.
    fn copy() -> Result<Self, String> {
        let variable = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
        let (system, packages) = (variable("WIRESPEED_ROOT")?, variable("WIRESPEED_PACKAGES")?);
        let folder = PathBuf::from(format!("{system}.{}", std::process::id()));
        let root = Self { folder: folder.clone() };
        succeed(Command::new("cp").args(["-a", &system]).arg(&folder))?;
        for (name, later) in [("packages", false), ("later", true)] {
            let to = folder.join(name);
            fs::create_dir(&to).map_err(|error| error.to_string())?;
            for package in debs(Path::new(&packages))? {
                match later {
                    false => succeed(Command::new("cp").arg(&package).arg(&to))?,
                    true => succeed(
                        Command::new("sh").args(["-ec", LATER, "sh"]).args([&package, &to]),
                    )?,
                }
            }
        }
        Ok(root)
    }

    /// Runs a script in it. What it starts ends with it.
    pub(crate) fn run(&self, script: &str) -> Result<(), String> {
        let script = format!("{BEGINNING}\n{script}");
        let mut command = Command::new("unshare");
        command.args(["--mount", "--net", "--pid", "--fork", "--kill-child"]);
        command.arg(format!("--mount-proc={}", self.folder.join("proc").display()));
        command.arg("chroot").arg(&self.folder).args(["/bin/sh", "-euc", &script]).env_clear();
        command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("HOME", "/root")
            .env("LC_ALL", "C.UTF-8");
        succeed(&mut command)
    }
}

/// What each script begins with.
const BEGINNING: &str = include_str!("steps/beginning.sh");

/// The same package by a later number.
const LATER: &str = r#"
    work=$(mktemp -d)
    dpkg-deb --raw-extract "$1" "$work/it"
    version=$(dpkg-deb --field "$1" Version)
    sed -i "s/\b$version\b/$version+later/" "$work/it/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone --build "$work/it" "$2" > "$work/said"
    rm -r "$work"
"#;

fn debs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    Ok(files.filter(|file| file.extension().is_some_and(|it| it == "deb")).collect())
}

/// The command succeeds, or its words say why not.
fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(std::process::Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run {name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr)))
}
