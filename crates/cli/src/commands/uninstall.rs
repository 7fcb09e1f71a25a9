//! `wirespeed uninstall`: openssl.cnf as it was before, and no copy of the module.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use wirespeed_installation::{
    Alone, Original, Place, Staged, Upkeep, advice, backup, obstacle, remove, shell, writable,
};
use wirespeed_openssl_conf::{
    Configuration, DropIn, Removed, ThisMachine, WIRESPEED, drop_ins, uninstall, uninstall_apart,
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
  wirespeed uninstall --root DIR              the same in an unpacked system, its plan too

The plan that was measured stays, and is kept up to date no more; with --root it is removed. A file
that nobody edited since is restored byte for byte. In one that was edited, only the lines that
wirespeed install added are removed.";

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
    let found = Found::at(&place)?;
    if found.is_nothing() {
        return match found.file.bytes() {
            Some(_) => show("Not installed: nothing to change.\n"),
            None => show(&format!(
                "Not installed: nothing to change. There is no {}.\n",
                found.file.path().display()
            )),
        };
    }
    found.show(&place)?;
    if arguments.dry_run {
        return show("\nNothing was changed.\n");
    }
    let end = found.remove(&place)?;
    show(&format!("\n{end}"))?;
    let kept = found.own.iter().flat_map(|own| &own.removed.kept).chain(&found.removed.kept);
    for (line, text) in kept {
        show(&format!("  kept, since other lines depend on it: {line}: {text}\n"))?;
    }
    match place.is_in_root() {
        true => Ok(()),
        false => show("Programs that run already keep the module until they are restarted.\n"),
    }
}

/// All that is ours in one place.
struct Found {
    /// openssl.cnf, as it was before, and without our lines.
    file: Original,
    original: Option<Vec<u8>>,
    removed: Removed,
    own: Vec<OwnFile>,
    module: Option<Original>,
    /// What keeps the plan up to date.
    upkeep: Vec<PathBuf>,
    /// The plan of an unpacked system, which goes with the rest.
    plan: Option<PathBuf>,
}

impl Found {
    fn at(place: &Place) -> Result<Self, Fault> {
        let read = |path: &Path| place.outside(path).and_then(|path| Original::read(&path));
        let file = read(&place.configuration);
        let file = file.map_err(|error| Fault::usage(advice(&place.configuration, &error)))?;
        // A package's module has another name, and stays.
        let module = read(&place.copy()).ok().filter(|module| module.bytes().is_some());
        let module = module.filter(|module| !is_used_elsewhere(place, module.path()));
        let bytes = file.bytes().unwrap_or_default();
        let original = fs::read(backup(file.path())).ok();
        let removed = uninstall(bytes, original.as_deref(), &place.configuration, place.files())
            .map_err(|fault| Fault::usage(format!("OpenSSL cannot read it: {fault}")))?;
        let own = drop_ins(bytes, &place.configuration, place.files());
        let own = own.into_iter().filter_map(|path| {
            let file = read(&path).ok()?;
            OwnFile::of(file, path, &removed.bytes, place)
        });
        let own = own.collect();
        let concerns_all = place.is_the_machines || place.is_in_root();
        let upkeep = if concerns_all { Upkeep::there(place) } else { Vec::new() };
        let plan = place.outside(Path::new(SYSTEM)).ok().filter(|_| place.is_in_root());
        let plan = plan.filter(|plan| plan.exists());
        Ok(Self { file, original, removed, own, module, upkeep, plan })
    }

    fn is_nothing(&self) -> bool {
        let bytes = self.file.bytes().unwrap_or_default();
        let nothing = self.removed.bytes == bytes && self.module.is_none() && self.own.is_empty();
        nothing && !self.is_left() && self.upkeep.is_empty()
    }

    /// Of an uninstall that was killed before it had removed the backup.
    fn is_left(&self) -> bool {
        self.original.is_some() && self.original.as_deref() == self.file.bytes()
    }

    /// What would change.
    fn show(&self, place: &Place) -> Result<(), Fault> {
        let bytes = self.file.bytes().unwrap_or_default();
        show(&unified(self.file.path(), bytes, &self.removed.bytes))?;
        for OwnFile { file, removed, .. } in &self.own {
            show(&unified(file.path(), file.bytes().unwrap_or_default(), &removed.bytes))?;
        }
        for file in self.module.iter().map(Original::path).chain(self.plan.as_deref()) {
            show(&format!("\n{} is removed\n", file.display()))?;
        }
        for file in &self.upkeep {
            let name = file.display();
            show(&format!("\n{name} is removed: the plan is kept up to date no more\n"))?;
        }
        if let Some(plan) = plan_that_stays(place, bytes) {
            let sudo = if plan == Path::new(SYSTEM) { "sudo " } else { "" };
            let (name, word) = (plan.display(), shell::path(&plan));
            show(&format!("\n{name} stays, for a later install; to remove it: {sudo}rm {word}\n"))?;
        }
        Ok(())
    }

    /// Does it, and says how the files now are.
    fn remove(&self, place: &Place) -> Result<String, Fault> {
        let command = &place.command("uninstall");
        let own_files = self.own.iter().map(|own| &own.file);
        let changed: Vec<_> =
            [&self.file].into_iter().chain(&self.module).chain(own_files).collect();
        for file in &changed {
            writable(file, command).map_err(Fault::usage)?;
        }
        let interruption = Interruption::watch()?;
        interruption.check("nothing was changed")?;
        let _alone = Alone::at(place, changed).map_err(Fault::usage)?;
        if !self.upkeep.is_empty() {
            Upkeep::turn_off(place, command).map_err(Fault::usage)?;
        }
        if place.is_in_root() {
            // Before what tells a later try that this one came to no end.
            remove_plan(place, command)?;
        }
        let mut end = String::new();
        for OwnFile { file, original, removed } in &self.own {
            end.push_str(&restore(file, original.as_deref(), removed, command)?);
        }
        let is_changed = self.removed.bytes != self.file.bytes().unwrap_or_default();
        // A file that has nothing of ours is nobody's business, empty or not there.
        if is_changed || self.is_left() {
            end.push_str(&restore(&self.file, self.original.as_deref(), &self.removed, command)?);
        }
        // Last: until now openssl.cnf may have named it.
        if let Some(module) = &self.module {
            let unable = |error| Fault::usage(obstacle(module.path(), &error, command));
            remove(module.path()).map_err(unable)?;
            if end.is_empty() {
                end = format!("{} is gone.\n", module.path().display());
            }
        }
        Ok(end)
    }
}

/// A file of ours in a folder that openssl.cnf includes.
struct OwnFile {
    file: Original,
    original: Option<Vec<u8>>,
    removed: Removed,
}

impl OwnFile {
    /// None where nothing of ours is in it that could go. `path` is how openssl.cnf knows the file,
    /// and `main` what openssl.cnf is to hold.
    fn of(file: Original, path: PathBuf, main: &[u8], place: &Place) -> Option<Self> {
        let original = fs::read(backup(file.path())).ok();
        let own = DropIn { path, bytes: file.bytes()?.to_owned() };
        let original_bytes = original.as_deref();
        let (configuration, files) = (&place.configuration, place.files());
        let removed = uninstall_apart(&own, original_bytes, main, configuration, files);
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
