//! The `openssl` program under test, with and without our module.

use std::path::Path;
use std::process::Command;

use wirespeed_cipher::{Algorithm, Route};
use wirespeed_conformance::here;
use wirespeed_cpu::Features;

/// An `openssl` command that reads no configuration but what it is given.
pub(crate) fn openssl<A: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = A>,
) -> Command {
    let program = here::openssl();
    let mut command = here::command(&program);
    // A program that we built has its libraries beside it.
    if let Some(prefix) = program.parent().and_then(Path::parent).filter(|it| it.is_absolute()) {
        command.env("LD_LIBRARY_PATH", prefix.join("lib"));
    }
    command.args(arguments).env("OPENSSL_CONF", "/dev/null").env_remove("OPENSSL_MODULES");
    command
}

/// Runs it to its end; an error holds what it said.
pub(crate) fn output(mut command: Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{command:?}: {}: {said}", output.status))
}

/// The options that load our module from `modules` beside the default provider.
pub(crate) fn with_module(modules: &Path, query: &str) -> Vec<String> {
    let modules = modules.display().to_string();
    let options = ["-provider-path", &modules, "-provider", "libwirespeed", "-provider", "default"];
    options.into_iter().chain(["-propquery", query]).map(str::to_owned).collect()
}

/// What has our module serve AES where it offers none by itself, because no route of its own suits every call.
pub(crate) fn serving() -> &'static str {
    let by_itself = |route: &Route| {
        let (algorithm, features) = (Algorithm::AES[0], Features::detect());
        wirespeed_kernels::has(*route, algorithm, features).is_ok()
            && wirespeed_kernels::suits_every_call(*route, algorithm, features)
    };
    if Route::PRIORITY.iter().any(by_itself) { "" } else { "routes = portable" }
}

/// The line of [`configuration`] that makes libcrypto load our module at once.
pub(crate) const OURS_ACTIVE: &str = "activate = yes";

/// An openssl.cnf that activates the default provider and our module, with more lines for the module.
pub(crate) fn configuration(module: &Path, more: &str) -> String {
    format!(
        "openssl_conf = init\n\
         [init]\nproviders = providers\nalg_section = algorithms\n\
         [providers]\ndefault = default_provider\nwirespeed = our_provider\n\
         [default_provider]\nactivate = 1\n\
         [our_provider]\nmodule = {}\n{OURS_ACTIVE}\n{more}\n\
         [algorithms]\ndefault_properties = ?provider=wirespeed,?wirespeed.preferred=yes\n",
        module.display()
    )
}
