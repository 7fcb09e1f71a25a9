//! A folder with an openssl.cnf, a folder of modules, and the program that is to work on them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;
use wirespeed_libcrypto::Library;

use crate::Values;
use crate::files::Case;

/// Every file below a folder, with its content.
pub(crate) type State = BTreeMap<PathBuf, Vec<u8>>;

pub(crate) struct Scene {
    folder: TempDir,
    /// The program, with its module beside it.
    pub(crate) program: PathBuf,
    /// What it all looked like in the beginning.
    pub(crate) original: State,
}

/// How the program ended.
pub(crate) struct Ended {
    pub(crate) output: String,
    pub(crate) errors: String,
    code: Option<i32>,
}

impl Scene {
    pub(crate) fn new(case: &Case) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(text)?;
        let place = |text: &str| text.replace("@/", &format!("{}/", folder.path().display()));
        let main = case.text.map(|text| ("openssl.cnf", text));
        for (name, content) in case.included.iter().copied().chain(main) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in the folder")).map_err(text)?;
            fs::write(path, place(content)).map_err(text)?;
        }
        fs::create_dir(folder.path().join("modules")).map_err(text)?;
        let mut scene = Self { folder, program: program()?, original: State::new() };
        scene.original = scene.state();
        Ok(scene)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments.split_whitespace());
        command.arg("--config").arg(self.path("openssl.cnf"));
        command.arg("--modules").arg(self.path("modules"));
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Result<Ended, String> {
        Ok(self.command(arguments).output().map_err(text)?.into())
    }

    /// All files but folders for trials.
    pub(crate) fn state(&self) -> State {
        let mut state = State::new();
        collect(self.folder.path(), &mut state);
        state.retain(|path, _| !path.starts_with(self.path("path")));
        state
    }

    /// What libcrypto reads.
    pub(crate) fn values(&self) -> Values {
        let library = Library::host().expect("these tests need libcrypto");
        let read = library.read_configuration(&self.path("openssl.cnf")).unwrap_or_default();
        let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let pairs = read.into_iter().flat_map(|(section, keys)| {
            keys.into_iter().map(move |(key, value)| ((section.clone(), key), value))
        });
        pairs.map(|((section, key), value)| ((lossy(section), lossy(key)), lossy(value))).collect()
    }

    pub(crate) fn openssl(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("openssl");
        command.args(arguments).env("OPENSSL_CONF", self.path("openssl.cnf"));
        let ended: Ended = command.output().map_err(text)?.into();
        Ok(ended.is(0, "")?.output)
    }

    /// Puts a script in front of the search path; its name is the program's that it plays.
    pub(crate) fn fake(&self, name: &str, script: &str) -> Result<String, String> {
        use std::os::unix::fs::PermissionsExt;
        let folder = self.path("path");
        fs::create_dir_all(&folder).map_err(text)?;
        let file = folder.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).map_err(text)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).map_err(text)?;
        let path = std::env::var("PATH").map_err(text)?;
        Ok(format!("{}:{path}", folder.display()))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (code, errors) = (output.status.code(), lossy(&output.stderr));
        Self { output: lossy(&output.stdout), errors, code }
    }
}

impl Ended {
    /// Checks the exit status and that standard error holds these words, or nothing at all.
    pub(crate) fn is(self, code: i32, words: &str) -> Result<Self, String> {
        let Self { output, errors, code: ended } = &self;
        let said = format!("ended with {ended:?}, not {code}\n{output}\n{errors}");
        expect(*ended == Some(code), &said)?;
        let as_wanted = if words.is_empty() { errors.is_empty() } else { errors.contains(words) };
        expect(as_wanted, &format!("{words:?} is not what it says: {errors}"))?;
        expect(errors.lines().count() <= 1, &format!("more than one line: {errors}"))?;
        Ok(self)
    }
}

pub(crate) fn expect(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn collect(folder: &Path, state: &mut State) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, state),
            path => {
                let bytes = fs::read(&path).unwrap_or_default();
                state.insert(path, bytes);
            }
        }
    }
}

/// The program, with the module beside it: cargo builds the one for these tests, not the other.
fn program() -> Result<PathBuf, String> {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    let program = PathBuf::from(env!("CARGO_BIN_EXE_wirespeed"));
    let build = || {
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--quiet", "--package", "wirespeed-module"]);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        let folder = program.ancestors().nth(2).expect("target/debug/wirespeed");
        command.arg("--target-dir").arg(folder).current_dir(env!("CARGO_MANIFEST_DIR"));
        let ended: Ended = command.output().map_err(text)?.into();
        expect(ended.code == Some(0), &ended.errors)
    };
    BUILT.get_or_init(build).clone().map(|()| program)
}
