//! The hosts, and scripts that run beside them.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What starts a host.
const HOST: &str = include_str!("steps/host.sh");

/// Hosts that run.
pub(crate) struct Hosts {
    /// The program whose end is theirs.
    holder: Child,
    /// Its child, in their namespaces.
    inside: String,
    work: PathBuf,
    /// Whether a step has failed: those after it would only repeat that.
    failed: bool,
}

static SHARED: Mutex<Option<Result<Hosts, String>>> = Mutex::new(None);

impl Hosts {
    /// Does something with those that all steps share.
    pub(crate) fn with(act: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let mut shared = SHARED.lock().map_err(|error| error.to_string())?;
        match shared.get_or_insert_with(Self::start) {
            Ok(hosts) => act(hosts),
            Err(why) => Err(why.clone()),
        }
    }

    /// Ends them.
    pub(crate) fn leave() {
        if let Ok(Some(Ok(hosts))) = SHARED.lock().as_deref_mut() {
            let _ = hosts.holder.kill();
            let _ = hosts.holder.wait();
            let _ = fs::remove_dir(&hosts.work);
        }
    }

    fn start() -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let variable = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
        let roots = variable("WIRESPEED_ROOTS")?;
        let work = PathBuf::from(format!("{roots}/fleet.{}", std::process::id()));
        fs::create_dir(&work).map_err(text)?;
        let script = format!("{HOST}\n{}\nexec sleep infinity", include_str!("steps/start.sh"));
        let mut command = Command::new("unshare");
        command.args(["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]);
        command.args(["sh", "-euc", &script]).stdin(Stdio::null()).stdout(Stdio::piped());
        command.env("WORK", &work).env("ROOTS", &roots);
        command.env("PACKAGES", variable("WIRESPEED_PACKAGES")?);
        command.env("OPENSSL", variable("WIRESPEED_OPENSSL")?);
        command.env("REPOSITORY", REPOSITORY);
        let mut holder = command.spawn().map_err(text)?;
        let said = BufReader::new(holder.stdout.take().ok_or("no output")?);
        if !said.lines().map_while(Result::ok).any(|line| line == "ready") {
            return Err(format!("the hosts do not start: {}", holder.wait().map_err(text)?));
        }
        let id = holder.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let inside = children.map_err(text)?.trim().to_owned();
        Ok(Self { holder, inside, work, failed: false })
    }

    /// Runs a script beside them.
    pub(crate) fn run(&mut self, script: &str) -> Result<(), String> {
        if self.failed {
            return Err("a step before it failed".to_owned());
        }
        self.failed = true;
        let script = format!("{HOST}\n{}\n{script}", include_str!("steps/beginning.sh"));
        let mut command = Command::new("nsenter");
        command.args([
            "--target",
            &self.inside,
            "--mount",
            "--net",
            "--pid",
            "sh",
            "-euc",
            &script,
        ]);
        command.env("WORK", &self.work).env("REPOSITORY", REPOSITORY).stdin(Stdio::null());
        let output = command.output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if !output.status.success() {
            let (said, errors) = (text(&output.stdout), text(&output.stderr));
            return Err(format!("{}\n{said}{errors}", output.status));
        }
        self.failed = false;
        Ok(())
    }
}
