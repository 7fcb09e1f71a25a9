//! A shell in a mount namespace where what commands may change is a copy.

use std::env;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// How long a command is watched, in steps; and one that is to come to its end, with what comes before it.
const WHILE: u32 = 50;
const TO_THE_END: u32 = 15_000;
const STEP: Duration = Duration::from_millis(20);

/// What is measured in a hurry, and changes the machine: it is to come to its end.
const SHORT: [&str; 4] = ["install", "uninstall", "tune", "--help"];

/// What commands may change, copied and mounted over itself.
const COPY: &str = include_str!("../support/copied-machine.sh");

/// Programs of the names that commands have, and files that examples speak of.
const BEGINNING: &str = r#"
    ip link set lo up
    mount -t tmpfs none /run
    mount -t tmpfs none /mnt
    mount -t tmpfs none /var/lib
    mkdir -p /var/lib/nginx /var/lib/prometheus/node-exporter /var/lib/wirespeed/stats
    mkdir -p /mnt/bin /etc/cron.d
    mkdir -p "$folder/work/backup" "$folder/work/machines" "$folder/work/results" "$folder/work/there"
    echo $$ > /run/nginx.pid
    # Only root may change it, as --keep wants.
    cp "$program" "$(dirname "$program")/libwirespeed.so" /mnt/bin
    cp "$runner"/padlock-run "$runner"/libpadlock_preload.so /mnt/bin
    printf '#!/bin/sh\nexec "$@"\n' > /mnt/bin/sudo
    chmod 755 /mnt/bin/sudo
    export PATH="/mnt/bin:$PATH"
    mount --bind "$folder/work" /var/tmp
    cd "$folder/work"
    cp -r "$repository/examples" .
    cp examples/ipfire-apu1c-2015.json here.json
    cp here.json machines
    cp here.json results
    cp "$repository/crates/results/tests/pasted/turris-quoted.txt" router.txt
    for name in there both here-bench here-disk there-bench there-disk; do cp here.json $name.json; done
    echo hello > it.iso
    echo hello > backup/it
    sha256sum it.iso > SHA256SUMS
    printf '#!/bin/sh\n' > program
    chmod 755 program
    # An unpacked system, as much as installing asks for.
    libraries=$(dirname "$(ldd "$(command -v openssl)" | grep -o '/[^ ]*libcrypto[^ ]*')")
    mkdir -p there/usr/lib there/etc/cron.d "there$settings" "there$modules"
    cp -L "$libraries"/libcrypto.so.? "$libraries"/libc.so.6 "$libraries"/libgcc_s.so.1 there/usr/lib
    cp -L "$settings/openssl.cnf" "there$settings"
    mkdir -p there/usr/bin new/usr/lib
    cp there/usr/lib/libcrypto.so.3 new/usr/lib
    cp "$program" there/usr/bin
"#;

/// The folder that one command runs in.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// How it ended.
pub(crate) struct Ended {
    /// Nothing if it was ended here.
    pub(crate) code: Option<i32>,
    pub(crate) errors: String,
}

/// Why a namespace cannot be had here.
pub(crate) fn obstacle() -> Option<String> {
    if env::var_os("WIRESPEED_THOROUGH").is_none() {
        return Some("it takes seconds for each: cargo xtask test --thorough runs them".to_owned());
    }
    if !cfg!(debug_assertions) {
        return Some("a release build measures plans for half a minute each".to_owned());
    }
    let command = ["-m", "-n", "mount", "-t", "tmpfs", "none", "/mnt"];
    match Command::new("unshare").args(command).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            Some(format!("no mount namespace: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => Some(format!("no unshare: {error}")),
    }
}

impl Sandbox {
    pub(crate) fn new() -> Result<Self, String> {
        build()?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Self { folder })
    }

    /// Runs it as a shell does, for a while.
    pub(crate) fn run(&self, script: &str) -> Result<Ended, String> {
        let unable = |error: std::io::Error| error.to_string();
        let errors = self.folder.path().join("errors");
        let program = Path::new(env!("CARGO_BIN_EXE_wirespeed"));
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut command = Command::new("unshare");
        let setup = format!("{COPY}{BEGINNING}\nexec sh -ec \"$script\" 2> \"$folder/errors\"");
        command.args(["-m", "-n", "sh", "-ec", &setup]).process_group(0);
        command.env("folder", self.folder.path()).env("repository", repository);
        command.env("program", program).env("script", script);
        command.env("runner", program.parent().unwrap_or(program));
        command.env("WIRESPEED_HURRY", "1");
        command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
        // On the least x86-64 there is least to measure.
        let is_short = SHORT.iter().any(|word| script.split(' ').any(|it| it == *word));
        if is_short {
            command.env("WIRESPEED_DENY", "ssse3");
        }
        let log = File::create(self.folder.path().join("log")).map_err(unable)?;
        command.stdin(std::process::Stdio::null());
        command.stdout(log.try_clone().map_err(unable)?).stderr(log);
        let mut child = command.spawn().map_err(unable)?;
        let code = watch(&mut child, &errors, if is_short { TO_THE_END } else { WHILE })?;
        let said =
            |name: &str| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        match errors.exists() {
            true => Ok(Ended { code, errors: said("errors") }),
            false => Err(format!("it was not begun: {}", said("log"))),
        }
    }
}

/// Waits for its end, or ends it and all that it started. The file is there once the command itself has begun.
fn watch(child: &mut Child, begun: &Path, steps: u32) -> Result<Option<i32>, String> {
    let unable = |error: std::io::Error| error.to_string();
    let mut watched = 0;
    for _ in 0..TO_THE_END {
        if let Some(status) = child.try_wait().map_err(unable)? {
            return Ok(Some(status.code().unwrap_or(-1)));
        }
        watched += u32::from(watched > 0 || begun.exists());
        if watched >= steps {
            break;
        }
        sleep(STEP);
    }
    // As Ctrl-C does, twice, and then for good.
    for signal in ["INT", "INT", "KILL"] {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-s", signal, "--", &group]).status();
        for _ in 0..50 {
            if child.try_wait().map_err(unable)?.is_some() {
                return Ok(None);
            }
            sleep(STEP);
        }
    }
    Err("it does not come to an end".to_owned())
}

/// The module and the emulator: cargo builds the program for these tests, not the others.
fn build() -> Result<(), String> {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    let build = || {
        let program = Path::new(env!("CARGO_BIN_EXE_wirespeed"));
        let folder = program.ancestors().nth(2).expect("target/debug/wirespeed");
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--quiet", "--target-dir"]).arg(folder);
        for package in ["wirespeed-module", "padlock-runner", "padlock-preload"] {
            command.args(["--package", package]);
        }
        let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let output = output.map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    BUILT.get_or_init(build).clone()
}
