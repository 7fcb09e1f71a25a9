//! The ways in which our module is put before OpenSSL's tests: each a copy of the built tree with other configurations.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use wirespeed_cipher::Route;
use wirespeed_conformance::here;
use wirespeed_cpu::Features;
use wirespeed_openssl_conf::{self as openssl_conf, ThisMachine, Wanted};
use wirespeed_system_tests::module;
use wirespeed_system_tests::process;

/// The configurations that the tests read: the programs' own, and those that tests load into contexts of theirs.
const GLOBAL: &str = "apps/openssl.cnf";
const OF_TESTS: [&str; 3] =
    ["test/default.cnf", "test/default-and-legacy.cnf", "test/default-recordpadding.cnf"];

/// Where a run of a recipe wants its counters: OpenSSL replaces it by the variable.
const COUNTERS: &str = "$ENV::WIRESPEED_COUNTERS";

/// A way to run the recipes.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    name: String,
    module: Module,
    /// OpenSSL's release, as its sources say.
    release: String,
    tree: Arc<Tree>,
}

/// What is there of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Module {
    /// Nothing: what OpenSSL by itself comes to here.
    None,
    /// The module, which counts nothing.
    Quiet,
    /// The module, with counters that tell what ran.
    Counting,
}

/// A copy of the tree that was built, whose files are the same until they are written anew.
#[derive(Debug)]
struct Tree(PathBuf);

impl Drop for Tree {
    fn drop(&mut self) {
        // A copy that stays is emptied by the next run.
        _ = fs::remove_dir_all(&self.0);
    }
}

/// The set-ups for this machine.
pub(crate) fn all(tree: &Path, release: &str) -> Result<Vec<Setup>, String> {
    let counting = format!("stats = {COUNTERS}\n");
    let mut setups = vec![setup(tree, release, "base", Module::None, "")?];
    if module::file().is_none() {
        return Err("WIRESPEED_MODULES is not set".to_owned());
    }
    setups.push(setup(tree, release, "counting", Module::Counting, &counting)?);
    if let Some(library) = env::var_os("WIRESPEED_RELABELLED") {
        let relabelled = setup(tree, release, "relabelled", Module::Counting, &counting)?;
        relabelled.replace_library(Path::new(&library))?;
        setups.push(relabelled);
    }
    if here::reduced() {
        return Ok(setups);
    }
    setups.push(setup(tree, release, "quiet", Module::Quiet, "")?);
    for (route, _) in here::routes() {
        // Behind it a route that has everything: no route has every cipher and every hash function.
        let mut routes = vec![route, Route::Portable];
        routes.dedup();
        let routes: Vec<_> = routes.iter().map(ToString::to_string).collect();
        let lines = format!("{counting}routes = {}\n", routes.join(", "));
        let forced = setup(tree, release, &format!("forced-{route}"), Module::Counting, &lines)?;
        // A route that this machine lacks keeps the module out.
        let is_here = wirespeed_kernels::presence(route, Features::detect()).is_ok();
        if forced.loads()? != is_here {
            return Err(format!(
                "{route} is here: {is_here}, and that is not how the module loads"
            ));
        }
        if is_here {
            setups.push(forced);
        }
    }
    Ok(setups)
}

/// Copies the tree and writes its configurations, with these lines in our section.
fn setup(
    tree: &Path,
    release: &str,
    name: &str,
    module: Module,
    lines: &str,
) -> Result<Setup, String> {
    let mut copy = tree.as_os_str().to_owned();
    copy.push(format!("-{name}"));
    let copy = PathBuf::from(copy);
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|why| format!("{}: {why}", copy.display()))?;
    }
    let mut link = process::command("cp");
    process::output(link.args(["--archive", "--link"]).args([tree, &copy]))?;
    let (name, release) = (name.to_owned(), release.to_owned());
    let setup = Setup { name, module, release, tree: Arc::new(Tree(copy)) };
    if module != Module::None {
        for file in OF_TESTS.iter().chain([&GLOBAL]) {
            // Some came with later releases.
            if setup.tree().join(file).exists() {
                setup.configure(file, lines)?;
            }
        }
    }
    Ok(setup)
}

impl Setup {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn release(&self) -> &str {
        &self.release
    }

    pub(crate) const fn module(&self) -> Module {
        self.module
    }

    /// The tree, whose files are not for changing.
    pub(crate) fn tree(&self) -> &Path {
        &self.tree.0
    }

    /// Whether one route is all there is.
    pub(crate) fn is_forced(&self) -> bool {
        self.name.starts_with("forced-")
    }

    /// The programs' own configuration, or the one that they had before ours.
    pub(crate) fn global(&self, is_stock: bool) -> PathBuf {
        let path = self.tree().join(GLOBAL);
        if is_stock && self.module != Module::None { original(&path) } else { path }
    }

    /// Installs our module in a file, as `wirespeed install` does, and adds lines to its section.
    fn configure(&self, file: &str, lines: &str) -> Result<(), String> {
        let path = self.tree().join(file);
        let failed = |why: &dyn ToString| format!("{}: {}", path.display(), why.to_string());
        let module = module::file().ok_or("WIRESPEED_MODULES is not set")?;
        let before = fs::read(&path).map_err(|why| failed(&why))?;
        let wanted = Wanted { module: &module, files: &[], activates_default: false };
        let installed = openssl_conf::install(&before, &path, &ThisMachine, &wanted)
            .map_err(|why| failed(&why))?;
        let installed = String::from_utf8(installed).map_err(|why| failed(&why))?;
        let header = "[wirespeed_sect]";
        if !installed.contains(header) {
            return Err(failed(&"nothing was installed"));
        }
        fs::rename(&path, original(&path)).map_err(|why| failed(&why))?;
        // A section may be begun twice.
        fs::write(&path, format!("{installed}\n{header}\n{lines}")).map_err(|why| failed(&why))
    }

    /// Puts another libcrypto into the tree.
    fn replace_library(&self, library: &Path) -> Result<(), String> {
        let name = library.file_name().unwrap_or(OsStr::new(""));
        let place = self.tree().join(name);
        let failed = |why| format!("{}: {why}", place.display());
        // The file itself is the built tree's, too.
        fs::remove_file(&place).map_err(failed)?;
        fs::copy(library, &place).map_err(failed)?;
        Ok(())
    }

    /// Whether a program gets the module with these lines.
    fn loads(&self) -> Result<bool, String> {
        let counters = self.tree().join("tried");
        let mut openssl = self.command("apps/openssl");
        let openssl = openssl.env("WIRESPEED_COUNTERS", &counters).args(["list", "-providers"]);
        let said = openssl.output().map_err(|why| why.to_string())?;
        let said = String::from_utf8_lossy(&said.stdout);
        Ok(said.contains("name: Wirespeed"))
    }

    /// A program of the tree, with the tree's libraries.
    fn command(&self, program: &str) -> Command {
        let mut command = process::command(self.tree().join(program));
        command.env("LD_LIBRARY_PATH", self.tree()).env("OPENSSL_CONF", self.global(false));
        command
    }
}

/// Where a configuration is kept as it was.
fn original(path: &Path) -> PathBuf {
    path.with_extension("cnf.original")
}
