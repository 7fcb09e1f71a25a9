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
        succeed(Command::new("cp").arg(DOCUMENT).arg(folder.join("packages")))?;
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

    /// Runs a script in a copy that systemd starts as a machine, which ends with it. The reason, where systemd does not
    /// start here.
    pub(crate) fn boot(&self, script: &str) -> Result<Option<String>, String> {
        let mut name = self.folder.clone().into_os_string();
        name.push(".booted");
        let copy = Self { folder: PathBuf::from(name) };
        succeed(Command::new("cp").arg("-a").args([&self.folder, &copy.folder]))?;
        let booted = copy.booted(script);
        fs::remove_dir_all(&copy.folder).map_err(|error| error.to_string())?;
        booted
    }

    fn booted(&self, script: &str) -> Result<Option<String>, String> {
        let place = |name: &str| self.folder.join(name);
        let write = |name: &str, text: &str| {
            fs::write(place(name), text).map_err(|error| format!("{name}: {error}"))
        };
        write("step", &format!("{BEGINNING}\n{script}"))?;
        write("etc/systemd/system/step.service", BOOTED)?;
        // As of a machine that starts for the first time.
        let _ = fs::remove_file(place("etc/machine-id"));
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "600", "systemd-nspawn", "--quiet", "--boot"]);
        command.args(["--register=no", "--keep-unit", "--private-network", "--console=pipe"]);
        command.arg("--directory").arg(&self.folder).arg("systemd.unit=step.service");
        let ended = succeed(&mut command);
        match (fs::read_to_string(place("said")), ended) {
            (Ok(_), Ok(())) => Ok(None),
            (Ok(said), Err(why)) => Err(format!("{said}\n{why}")),
            (Err(_), ended) => Ok(Some(format!(
                "systemd does not start here: {}",
                ended.err().unwrap_or_default()
            ))),
        }
    }
}

/// A unit that runs a step, and with which the machine ends.
const BOOTED: &str = "[Unit]\nSuccessAction=exit\nFailureAction=exit\nFailureActionExitStatus=1\n\
    [Service]\nType=oneshot\nTimeoutStartSec=500\nExecStart=/bin/sh -eu /step\n\
    StandardOutput=file:/said\nStandardError=inherit\nEnvironment=LC_ALL=C.UTF-8\n";

/// What each script begins with.
const BEGINNING: &str = include_str!("steps/beginning.sh");

/// Has lines for images.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/install.md");

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
