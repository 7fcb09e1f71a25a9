//! What the kernel says about its modules, its drivers, and what ours counted.

use std::fs;

use wirespeed_system_tests::process::{command, output};

/// What our module shows and takes.
pub(crate) const PARAMETERS: &str = "/sys/module/padlock_emulator/parameters";

/// One of its counters.
pub(crate) fn counter(name: &str) -> Result<u64, String> {
    let file = format!("{PARAMETERS}/{name}");
    let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    text.trim().parse().map_err(|error| format!("{file}: {error}: {text}"))
}

/// Does something, and says by how much a counter grew meanwhile.
pub(crate) fn growth<T>(
    name: &str,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<(T, u64), String> {
    let before = counter(name)?;
    let done = work()?;
    Ok((done, counter(name)? - before))
}

/// Loads modules, as their packages have them.
pub(crate) fn load(modules: &[&str]) -> Result<(), String> {
    output(command("/sbin/modprobe").arg("--all").args(modules)).map(|_| ())
}

/// Whether a module is there.
pub(crate) fn is_loaded(module: &str) -> bool {
    fs::metadata(format!("/sys/module/{module}")).is_ok()
}

/// Whether this CPU's hash engine can leave a message open: those before Nano always finish it.
pub(crate) fn has_partial_hashes() -> Result<bool, String> {
    let facts = fs::read_to_string("/proc/cpuinfo").map_err(|error| error.to_string())?;
    let model = facts.lines().find_map(|line| line.strip_prefix("model\t\t: "));
    let model: u32 = model.and_then(|model| model.parse().ok()).ok_or("no model in cpuinfo")?;
    Ok(model >= 15)
}

/// The name of the driver of a hash, such as `sha1`.
pub(crate) fn hash_driver(hash: &str) -> Result<String, String> {
    Ok(format!("{hash}-padlock{}", if has_partial_hashes()? { "-nano" } else { "" }))
}

/// A driver in /proc/crypto.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) references: u32,
    pub(crate) self_test: String,
}

impl Driver {
    /// The one of that name.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let text = fs::read_to_string("/proc/crypto").map_err(|error| error.to_string())?;
        let field = |entry: &str, field: &str| {
            let found = entry.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                (key.trim() == field).then(|| value.trim().to_owned())
            });
            found.unwrap_or_default()
        };
        let entry = text.split("\n\n").find(|entry| field(entry, "driver") == name);
        let entry = entry.ok_or_else(|| format!("/proc/crypto has no {name}"))?;
        let references = field(entry, "refcnt").parse().map_err(|error| format!("{error}"))?;
        Ok(Self { references, self_test: field(entry, "selftest") })
    }
}
