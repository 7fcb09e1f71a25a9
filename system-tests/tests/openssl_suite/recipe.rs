//! One recipe of OpenSSL's: a Perl program that runs some of the tests.

use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_stats::Snapshot;
use wirespeed_system_tests::process;
use wirespeed_system_tests::scratch::Scratch;
use wirespeed_system_tests::tap::{self, Report};

use crate::expected::{self, Expected, Often};
use crate::setup::{Module, Setup};

/// What the names of the recipes begin with that use what the module has, or the protocols above it.
const WANTED: [&str; 14] = [
    "evp", "ssl", "dtls", "quic", "cms", "enc", "dgst", "mac", "kdf", "pkcs12", "hmac", "sha",
    "aesgcm", "threads",
];

/// Those of a reduced run: what looks closest in the least time.
const QUICK: [&str; 12] = [
    "evp",
    "evp_extra",
    "evp_fetch_prov",
    "evp_libctx",
    "dgst",
    "mac",
    "hmac",
    "sha",
    "aesgcm",
    "sslapi",
    "sslrecords",
    "threads",
];

/// A recipe, by its file.
#[derive(Clone, Debug)]
pub(crate) struct Recipe(PathBuf);

/// What became of a recipe in which nothing unexpected failed.
enum Outcome {
    Passed,
    /// Why nothing was run.
    Skipped(String),
    /// The test that failed by a race.
    Raced(&'static str),
}

/// The recipes of a tree that concern us, in OpenSSL's order.
pub(crate) fn all(tree: &Path) -> Result<Vec<Recipe>, String> {
    let folder = tree.join("test/recipes");
    let failed = |why| format!("{}: {why}", folder.display());
    let entries = fs::read_dir(&folder).map_err(failed)?.flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    files.sort();
    let recipes = files.into_iter().map(|file| Recipe(file.into()));
    let recipes: Vec<_> = recipes.filter(Recipe::is_wanted).collect();
    for quick in QUICK {
        if !recipes.iter().any(|it| it.name() == format!("test_{quick}")) {
            return Err(format!("{}: there is no test_{quick}", folder.display()));
        }
    }
    Ok(recipes)
}

/// OpenSSL's release, as its file VERSION.dat says.
pub(crate) fn version(tree: &Path) -> Result<String, String> {
    let path = tree.join("VERSION.dat");
    let text = fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let field =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let fields = ["MAJOR", "MINOR", "PATCH"].map(field);
    let [Some(major), Some(minor), Some(patch)] = fields else {
        return Err(format!("{} has no version", path.display()));
    };
    Ok(format!("{major}.{minor}.{patch}"))
}

impl Recipe {
    /// As OpenSSL calls it: without its number.
    pub(crate) fn name(&self) -> String {
        let stem = self.0.file_stem().unwrap_or_default().to_string_lossy();
        stem.split_once('-').map_or_else(|| stem.to_string(), |(_, name)| name.to_owned())
    }

    fn is_wanted(&self) -> bool {
        let name = self.name();
        let name = name.strip_prefix("test_");
        let is_recipe = self.0.extension().is_some_and(|it| it == "t");
        is_recipe && name.is_some_and(|name| WANTED.iter().any(|it| name.starts_with(it)))
    }

    /// Whether a reduced run has it.
    pub(crate) fn is_quick(&self) -> bool {
        self.name().strip_prefix("test_").is_some_and(|name| QUICK.contains(&name))
    }

    /// Runs it; why nothing was run, if so. An error says what failed that was to pass, and what passed that is said to
    /// fail.
    pub(crate) fn run(&self, setup: &Setup) -> Result<Option<String>, String> {
        let mut outcome = self.run_once(setup)?;
        if matches!(outcome, Outcome::Raced(_)) {
            outcome = self.run_once(setup)?;
        }
        match outcome {
            Outcome::Raced(test) => Err(format!("{test} fails again, so it is no race")),
            Outcome::Skipped(reason) => Ok(Some(reason)),
            Outcome::Passed => Ok(None),
        }
    }

    fn run_once(&self, setup: &Setup) -> Result<Outcome, String> {
        let scratch = Scratch::new()?;
        let counters = scratch.write("counters", "")?;
        let tree = setup.tree();
        let output = process::command("perl")
            .arg("-w")
            .arg("-I")
            .arg(tree.join("util/perl"))
            .arg(tree.join("test/recipes").join(&self.0))
            .current_dir(tree)
            .env("SRCTOP", tree)
            .env("BLDTOP", tree)
            .env("RESULT_D", scratch.root())
            .env("PERL", "perl")
            .env("EXE_EXT", "")
            .env("OPENSSL_CONF", setup.global(expected::wants_stock_programs(&self.name())))
            .env("OPENSSL_CONF_INCLUDE", tree.join("test"))
            .env("OPENSSL_MODULES", tree.join("providers"))
            .env("OPENSSL_ENGINES", tree.join("engines"))
            .env("CTLOG_FILE", tree.join("test/ct/log_list.cnf"))
            .env("WIRESPEED_COUNTERS", &counters)
            .output()
            .map_err(|why| format!("perl: {why}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let Report { passed, mut failed, skipped } = tap::read(&said);
        if !output.status.success() && failed.is_empty() {
            failed.push(format!("the recipe itself: {}", output.status));
        }
        let raced = self
            .compare(setup, &failed)
            .map_err(|why| format!("{why}\n{}", tail(&String::from_utf8_lossy(&output.stderr))))?;
        if let Some(test) = raced {
            return Ok(Outcome::Raced(test));
        }
        if let Some(reason) = skipped {
            return Ok(Outcome::Skipped(reason));
        }
        if setup.module() == Module::Counting {
            self.served(&counters)?;
        }
        println!("{}::{}: {passed} passed", setup.name(), self.name());
        Ok(Outcome::Passed)
    }

    /// The test that failed by a race, if one did.
    fn compare(&self, setup: &Setup, failed: &[String]) -> Result<Option<&'static str>, String> {
        let expected = expected::failures(setup, &self.name());
        let is_new = |failed: &&String| !expected.iter().any(|it| it.explains(failed));
        let new: Vec<_> = failed.iter().filter(is_new).collect();
        if !new.is_empty() {
            return Err(format!("failed: {new:?}"));
        }
        let mut raced = None;
        for it in expected {
            let Expected { test, often, reason } = it;
            if failed.iter().any(|failed| it.explains(failed)) {
                println!("{}::{}: fails as expected: {test} ({reason})", setup.name(), self.name());
                raced = raced.or((often == Often::Rarely).then_some(test));
            } else if often == Often::Always {
                return Err(format!("{test} passes, yet expected.rs says that it fails"));
            }
        }
        Ok(raced)
    }

    /// Requires that the module served, where the recipe uses what it has.
    fn served(&self, counters: &Path) -> Result<(), String> {
        let counted = Snapshot::read(counters).map_err(|why| why.to_string())?;
        let calls: u64 = counted.rows().map(|row| row.calls).sum();
        if !counted.quarantined().is_empty() {
            return Err(format!("quarantined: {:?}", counted.quarantined()));
        }
        if calls == 0 && !expected::may_be_unserved(&self.name()) {
            let loads = counted.loads();
            return Err(format!("{loads} processes loaded the module, which served none of them"));
        }
        Ok(())
    }
}

/// The last lines of what was said, in which the reasons are.
fn tail(said: &str) -> String {
    let lines: Vec<_> = said.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}
