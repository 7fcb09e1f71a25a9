//! `wirespeed uninstall`: openssl.cnf as it was before, and no copy of the module.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use wirespeed_installation::{
    Alone, Original, Place, Staged, Upkeep, advice, backup, obstacle, remove, shell, writable,
};
use wirespeed_openssl_conf::{
    Configuration, Removed, ThisMachine, WIRESPEED, drop_ins, uninstall, uninstall_apart,
};
use wirespeed_plan::SYSTEM;

use super::install::place::PlaceArguments;
use super::install::unified;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  wirespeed uninstall --dry-run               show what would change; touch nothing
  sudo wirespeed uninstall                    restore openssl.cnf, remove the module
  wirespeed uninstall --root DIR              the same in an unpacked system

The plan that was measured stays, and is kept up to date no more. A file that nobody edited since is
restored byte for byte. In one that was edited, only the lines that wirespeed install added are
removed.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UninstallArguments {
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: PlaceArguments,
}

pub(crate) fn run(arguments: UninstallArguments) -> Result<(), Fault> {
    let place = arguments.place.find()?;
    let read = |path: &Path| place.outside(path).and_then(|path| Original::read(&path));
    let file = read(&place.configuration);
    let file = file.map_err(|error| Fault::usage(advice(&place.configuration, &error)))?;
    // A package's module has another name, and stays.
    let module = read(&place.copy()).ok().filter(|module| module.bytes().is_some());
    let module = module.filter(|module| !is_used_elsewhere(&place, module.path()));
    let bytes = file.bytes().unwrap_or_default();
    let original = fs::read(backup(file.path())).ok();
    let removed = uninstall(bytes, original.as_deref(), &place.configuration, place.files())
        .map_err(|fault| Fault::usage(format!("OpenSSL cannot read it: {fault}")))?;
    let own = drop_ins(bytes, &place.configuration, place.files());
    let own = own.iter().filter_map(|path| OwnFile::of(read(path).ok()?));
    let own: Vec<OwnFile> = own.collect();
    let concerns_all = place.is_the_machines || place.is_in_root();
    let kept = if concerns_all { Upkeep::there(&place) } else { Vec::new() };
    // Of one that was killed before it had removed it.
    let is_left = original.as_deref().is_some_and(|it| it == bytes);
    let nothing = removed.bytes == bytes && module.is_none() && own.is_empty();
    if nothing && !is_left && kept.is_empty() {
        return match file.bytes() {
            Some(_) => show("Not installed: nothing to change.\n"),
            None => show(&format!(
                "Not installed: nothing to change. There is no {}.\n",
                file.path().display()
            )),
        };
    }
    show(&unified(file.path(), bytes, &removed.bytes))?;
    for OwnFile { file, removed, .. } in &own {
        show(&unified(file.path(), file.bytes().unwrap_or_default(), &removed.bytes))?;
    }
    if let Some(module) = &module {
        show(&format!("\n{} is removed\n", module.path().display()))?;
    }
    for file in &kept {
        show(&format!("\n{} is removed: the plan is kept up to date no more\n", file.display()))?;
    }
    if let Some(plan) = plan_that_stays(&place, bytes) {
        let sudo = if plan == Path::new(SYSTEM) { "sudo " } else { "" };
        let (name, word) = (plan.display(), shell::path(&plan));
        show(&format!("\n{name} stays, for a later install; to remove it: {sudo}rm {word}\n"))?;
    }
    if arguments.dry_run {
        return show("\nNothing was changed.\n");
    }
    let command = &place.command("uninstall");
    let own_files = own.iter().map(|own| &own.file);
    let changed: Vec<_> = [&file].into_iter().chain(&module).chain(own_files).collect();
    for file in &changed {
        writable(file, command).map_err(Fault::usage)?;
    }
    let interruption = Interruption::watch()?;
    interruption.check("nothing was changed")?;
    let _alone = Alone::at(&place, changed).map_err(Fault::usage)?;
    if !kept.is_empty() {
        Upkeep::turn_off(&place, command).map_err(Fault::usage)?;
    }
    if place.is_in_root() {
        // Before what tells a later try that this one came to no end.
        remove_plan(&place, command)?;
    }
    let mut end = String::new();
    for OwnFile { file, original, removed } in &own {
        end.push_str(&restore(file, original.as_deref(), removed, command)?);
    }
    if removed.bytes != bytes || is_left || (own.is_empty() && kept.is_empty()) {
        end.push_str(&restore(&file, original.as_deref(), &removed, command)?);
    }
    // Last: until now openssl.cnf may have named it.
    if let Some(module) = &module {
        let unable = |error| Fault::usage(obstacle(module.path(), &error, command));
        remove(module.path()).map_err(unable)?;
    }
    show(&format!("\n{end}"))?;
    for (line, text) in own.iter().flat_map(|own| &own.removed.kept).chain(&removed.kept) {
        show(&format!("  kept, since other lines depend on it: {line}: {text}\n"))?;
    }
    match place.is_in_root() {
        true => Ok(()),
        false => show("Programs that run already keep the module until they are restarted.\n"),
    }
}

/// A file of ours in a folder that openssl.cnf includes.
struct OwnFile {
    file: Original,
    original: Option<Vec<u8>>,
    removed: Removed,
}

impl OwnFile {
    /// None where nothing of ours is in it that could go.
    fn of(file: Original) -> Option<Self> {
        let original = fs::read(backup(file.path())).ok();
        let removed = uninstall_apart(file.bytes()?, original.as_deref());
        (file.bytes() != Some(&removed.bytes)).then_some(Self { file, original, removed })
    }
}

/// Of an unpacked system: nobody measured its plan there.
fn remove_plan(place: &Place, command: &str) -> Result<(), Fault> {
    let unable = |error| Fault::usage(obstacle(Path::new(SYSTEM), &error, command));
    let plan = place.outside(Path::new(SYSTEM)).map_err(unable)?;
    if plan.exists() {
        remove(&plan).map_err(unable)?;
    }
    // Its folder, too, unless somebody keeps more in it.
    let _ = plan.parent().map(fs::remove_dir);
    Ok(())
}

/// Writes the file without our lines; says in one line how it now is.
fn restore(
    file: &Original,
    before: Option<&[u8]>,
    removed: &Removed,
    command: &str,
) -> Result<String, Fault> {
    let path = file.path();
    let name = path.display();
    let unable = |error| Fault::usage(obstacle(path, &error, command));
    let kept = backup(path);
    if before.is_none() && removed.bytes.is_empty() && file.bytes().is_some() {
        remove(path).map_err(unable)?;
        return Ok(format!("{name} is gone, as before.\n"));
    }
    if file.bytes() != Some(&removed.bytes) {
        file.stage(&removed.bytes).and_then(Staged::place).map_err(unable)?;
    }
    if before == Some(&removed.bytes) {
        remove(&kept).map_err(unable)?;
        return Ok(format!("{name} is as it was, byte for byte.\n"));
    }
    let kept = kept.display();
    Ok(match before {
        Some(_) => format!(
            "{name} was edited since: our lines are out, yours stay; as it was before: {kept}\n"
        ),
        None => format!("Our lines are out of {name}.\n"),
    })
}

/// The plan that the configuration names: what was measured is not taken away. That of the machine is
/// left unmentioned where only a file of somebody's own is changed.
fn plan_that_stays(place: &Place, bytes: &[u8]) -> Option<PathBuf> {
    if place.is_in_root() {
        return None;
    }
    let read = Configuration::of(bytes, &place.configuration, &ThisMachine).ok();
    let named = read.as_ref().and_then(|read| read.provider(WIRESPEED)?.entry("plan"));
    let plan = named.map(|entry| entry.value.to_path());
    let plan = plan.or_else(|| place.is_the_machines.then(|| SYSTEM.into()))?;
    let is_theirs = place.is_the_machines || plan != Path::new(SYSTEM);
    (is_theirs && plan.exists()).then_some(plan)
}

/// Whether the machine's own openssl.cnf loads a module that another installation is to lose.
fn is_used_elsewhere(place: &Place, module: &Path) -> bool {
    if place.is_the_machines || place.is_in_root() {
        return false;
    }
    let machines = Place::find(None, None);
    let same =
        |one: &Path, other: &Path| fs::canonicalize(one).ok() == fs::canonicalize(other).ok();
    machines.is_ok_and(|machines| {
        !same(&machines.configuration, &place.configuration)
            && Configuration::read(&machines.configuration, &ThisMachine).is_ok_and(|it| {
                let provider = it.provider(WIRESPEED);
                let entry = provider.and_then(|provider| provider.entry("module"));
                entry.is_some_and(|entry| same(Path::new(&*entry.value.to_str()), module))
            })
    })
}

fn show(text: &str) -> Result<(), Fault> {
    say(text)
}
