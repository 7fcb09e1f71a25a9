//! Into an unpacked system: a container's layer, the root of a machine to be. Nothing of it is run, so nothing is tried.

use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_installation::{Change, Original, Place, obstacle, sweep};
use wirespeed_plan::{Plan, SYSTEM};

use super::keep::Keep;
use super::{Intention, replaceable, show, unable};
use crate::fault::Fault;

pub(super) fn run(
    place: &Place,
    plan: Option<PathBuf>,
    activates_default: bool,
    keep: &Keep<'_>,
    dry_run: bool,
) -> Result<(), Fault> {
    let plan = plan.map(|file| read(&file)).transpose()?;
    // One that is kept is measured when the system has started: the module does without it until then.
    let has_plan = plan.is_some() || keep.is_asked();
    let intention = Intention::form(place, has_plan.then(|| SYSTEM.into()), activates_default)?;
    let outside = |path: &Path| place.outside(path).map_err(|error| unable(path, &error));
    let to = outside(&intention.module.to)?;
    let installed = Original::read(&to);
    let same = installed.as_ref().is_ok_and(|it| it.bytes() == Some(&intention.module.bytes));
    if same
        && intention.configuration.bytes() == Some(&intention.text)
        && plan.is_none()
        && keep.is_done()
    {
        return show("Already installed there: nothing to change.\n");
    }
    intention.show(same)?;
    if dry_run {
        keep.show()?;
        return show("\nNothing was changed.\n");
    }
    let command = &place.command("install");
    let copy = match intention.module.is_packaged {
        true => None,
        false => Some(replaceable(installed, &to, command).map_err(Fault::usage)?),
    };
    if let Some(plan) = plan {
        let file = outside(Path::new(SYSTEM))?;
        let unable = |error| Fault::usage(obstacle(&file, &error, command));
        let folder = file.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).and_then(|()| sweep(folder)).map_err(unable)?;
        let original = Original::read(&file).map_err(unable)?;
        original.stage(&plan).and_then(wirespeed_installation::Staged::place).map_err(unable)?;
    }
    let mut change = Change::begin(place, &intention.configuration, copy.as_ref());
    change.stage_module(&intention.module.bytes).map_err(Fault::usage)?;
    change.place(&intention.text).map_err(Fault::usage)?;
    change.keep();
    keep.turn_on(command)?;
    show("\nInstalled there, untried. Try it when it runs: openssl list -providers\n")
}

/// A plan's bytes, if it is one: where it will be used nobody knows, and the module ignores what does not fit.
fn read(file: &Path) -> Result<Vec<u8>, Fault> {
    let wrong = |why: String| Fault::usage(format!("{}: {why}", file.display()));
    Plan::read(file).map_err(|why| wrong(why.to_string()))?;
    fs::read(file).map_err(|error| wrong(error.to_string()))
}
