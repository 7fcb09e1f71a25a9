//! A folder with an openssl.cnf, and the programs that read it.

// Each test file uses its own part.
#![allow(dead_code)]

pub(crate) mod exposition;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;
use wirespeed_results::schema::Document;

/// What a program wrote.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What a run that must succeed printed.
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{command:?}");
    text(&output.stdout)
}

/// Presses Ctrl-C once a command that measures has printed a line. It must say in its one line that it was interrupted;
/// gives the lines that it printed afterwards.
pub(crate) fn interrupted(command: &mut Command, behind: &str) -> Vec<String> {
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut run = run.expect("the program runs");
    let mut lines = BufReader::new(run.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line more").expect("UTF-8");
    while next() != behind {}
    let process = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("Ctrl-C");
    let rest = lines.map(|line| line.expect("UTF-8")).collect();
    let Output { status, stderr, .. } = run.wait_with_output().expect("its end");
    assert_eq!(status.code(), Some(2));
    assert_eq!(text(&stderr), "wirespeed: interrupted: what was measured so far is above\n");
    rest
}

/// Our module, built as this program was.
pub(crate) fn module() -> &'static Path {
    static MODULE: OnceLock<PathBuf> = OnceLock::new();
    MODULE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_wirespeed")).parent().expect("a folder");
        let target = folder.parent().expect("a target folder");
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--quiet", "--package", "wirespeed-module", "--target-dir"])
            .arg(target);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "the module is built");
        folder.join("libwirespeed.so")
    })
}

/// Fits into 100 columns, however long the path is at which the program was built.
pub(crate) fn assert_narrow(text: &str) {
    for line in text.replace(env!("CARGO_BIN_EXE_wirespeed"), "wirespeed").lines() {
        assert!(line.chars().count() <= 100, "too wide: {line}");
    }
}

/// Its path as text.
pub(crate) fn module_text() -> String {
    module().display().to_string()
}

/// The unprivileged user that every machine has.
pub(crate) const NOBODY: u32 = 65534;

/// Whether these tests may become another user.
pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0)
}

/// A program that runs as that user, from a folder that everybody may look into.
pub(crate) fn as_user(mut command: Command, user: Option<u32>) -> Command {
    if let Some(user) = user {
        command.uid(user).gid(user).current_dir("/");
    }
    command
}

/// `openssl enc` with the key and the first counter of SP 800-38A, F.5.1.
pub(crate) const CTR: [&str; 6] = [
    "enc",
    "-aes-128-ctr",
    "-K",
    "2b7e151628aed2a6abf7158809cf4f3c",
    "-iv",
    "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
];

/// A configuration with Wirespeed in it, and more lines in its section.
pub(crate) fn installed(more: &str) -> String {
    with_module(&module_text(), more)
}

/// The same with a module that lies elsewhere.
fn with_module(module: &str, more: &str) -> String {
    format!(
        "openssl_conf = init\n[init]\nproviders = providers\nalg_section = algorithms\n\
         [providers]\ndefault = default_section\nwirespeed = wirespeed_section\n\
         [default_section]\nactivate = 1\n\
         [wirespeed_section]\nmodule = {module}\nactivate = 1\n{more}\n\
         [algorithms]\ndefault_properties = ?provider=wirespeed\n"
    )
}

/// A folder of its own with an openssl.cnf in it.
pub(crate) struct Case {
    folder: TempDir,
}

impl Case {
    pub(crate) fn new(configuration: &str) -> Self {
        let case = Self { folder: tempfile::tempdir().expect("a folder") };
        case.write("openssl.cnf", configuration);
        case
    }

    /// One that every user may look into, with a module of its own and more lines in our section.
    pub(crate) fn shared(more: &str) -> Self {
        let case = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::copy(module(), case.path("wirespeed.so")).expect("copied");
        case.rewrite(more);
        for (path, mode) in [("", 0o755), ("wirespeed.so", 0o755), ("openssl.cnf", 0o644)] {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(case.path(path), mode).expect("permissions");
        }
        case
    }

    /// Its configuration with other lines in our section.
    pub(crate) fn rewrite(&self, more: &str) {
        let module = self.path("wirespeed.so").display().to_string();
        self.write("openssl.cnf", with_module(&module, more));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn configuration(&self) -> PathBuf {
        self.path("openssl.cnf")
    }

    /// Writes a file; gives its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).expect("written");
        path.display().to_string()
    }

    /// A program that reads this configuration.
    pub(crate) fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("OPENSSL_CONF", self.configuration()).env_remove("OPENSSL_MODULES");
        command
    }

    /// `wirespeed doctor`.
    pub(crate) fn doctor(&self) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_wirespeed"));
        command.arg("doctor");
        command
    }

    /// What every check found, on a machine with nothing but plain integers: proving routes takes most of its time, and few
    /// tests are about that.
    pub(crate) fn examine(&self) -> Report {
        Report::by(self.doctor().env("WIRESPEED_DENY", "aes,avx2,sha_ni"))
    }

    /// The same on the machine as it is.
    pub(crate) fn examine_all_routes(&self) -> Report {
        Report::by(&mut self.doctor())
    }

    /// The faults that a check found, with their mends.
    pub(crate) fn faults(&self, check: &str) -> Vec<(String, String)> {
        self.examine().faults(check)
    }

    /// `openssl enc` gives the right bytes with this configuration, whatever is wrong with it.
    pub(crate) fn programs_go_on(&self) {
        // SP 800-38A, F.5.1: CTR-AES128, the first block.
        let plain = [0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96];
        let right = [0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26];
        self.write("plain", plain);
        let mut enc = self.program("openssl");
        enc.args(CTR).arg("-in").arg(self.path("plain"));
        let output = enc.output().expect("openssl runs");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout, right, "{output:?}");
    }
}

/// What every check found.
pub(crate) struct Report(Vec<Value>);

impl Report {
    /// What this `wirespeed doctor` says.
    fn by(doctor: &mut Command) -> Self {
        let output = doctor.arg("--json").output().expect("the program runs");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(json["schema"], "wirespeed.doctor/1");
        let findings = json["findings"].as_array().expect("findings").clone();
        let faults = findings.iter().filter(|finding| finding["state"] == "mend").count();
        assert_eq!(json["faults"], faults);
        assert_eq!(output.status.code(), Some(i32::from(faults > 0)));
        Self(findings)
    }

    fn of(&self, check: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |finding| finding["check"] == check)
    }

    /// Everything that a check says.
    pub(crate) fn text(&self, check: &str) -> String {
        let texts = self.of(check).filter_map(|finding| finding["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Whether a check says that something is fine, and finds no fault.
    pub(crate) fn is_fine(&self, check: &str) -> bool {
        let fine = self.of(check).any(|finding| finding["state"] == "fine");
        fine && self.faults(check).is_empty()
    }

    /// The faults that a check found, with their mends.
    pub(crate) fn faults(&self, check: &str) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let faults = self.of(check).filter(|finding| finding["state"] == "mend");
        faults.map(|finding| (text(&finding["text"]), text(&finding["mend"]))).collect()
    }
}

/// That a document is what its type says: no field is unknown to it, and none is lost.
pub(crate) fn is_of_type<T: Document>(json: &Value) -> Result<(), String> {
    let read = T::deserialize(json).map_err(|error| format!("{}: {error}", T::SCHEMA))?;
    let again = serde_json::to_value(read).map_err(|error| error.to_string())?;
    match json["schema"] == T::SCHEMA && again == *json {
        true => Ok(()),
        false => Err(format!("{}: {again} is not {json}", T::SCHEMA)),
    }
}
