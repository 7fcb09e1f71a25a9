//! Into an unpacked system: a container's layer, the root of a machine to be. Nothing of it is run, so nothing is tried.

use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_installation::{Alone, Change, Original, Place, Staged, make_folders, obstacle};
use wirespeed_plan::{Fingerprint, Plan, SYSTEM};

use super::keep::Keep;
use super::plan::lacks;
use super::plan_before::PlanBefore;
use super::travelled::refused;
use super::{Intention, replaceable, show, unable};
use crate::arguments::Switch;
use crate::fault::Fault;
use crate::plan::cost_in_words;

/// The plan that the unpacked system is to have.
pub(super) struct PlanThere {
    /// What is to be written.
    text: Option<Vec<u8>>,
    /// Whether it has one whose choice stands.
    stands: bool,
    /// What it costs, where that is known.
    cost: Option<String>,
}

impl PlanThere {
    /// The plan of a file. Without, somebody's choice is kept as a plan with nothing else in it, which fits no machine
    /// but says what is wanted of the one that is measured there.
    pub(super) fn find(
        place: &Place,
        file: Option<PathBuf>,
        constant_time: Option<Switch>,
    ) -> Result<Self, Fault> {
        let Some(file) = file else {
            let there = place.outside(Path::new(SYSTEM));
            let chosen = there.is_ok_and(|file| Plan::is_file_for_constant_time(&file));
            let wanted = constant_time.map_or(chosen, Switch::is_on);
            let choice = (wanted != chosen).then(|| match wanted {
                true => Plan::new(Fingerprint::of_no_machine()).for_constant_time(),
                false => Plan::new(Fingerprint::of_no_machine()),
            });
            let text = choice.map(|it| it.to_string().into_bytes());
            return Ok(Self { text, stands: wanted && chosen, cost: None });
        };
        let (text, plan) = read(&file)?;
        if let Some(lack) = lacks(&plan, constant_time) {
            return Err(refused(&file, &lack, constant_time));
        }
        Ok(Self { text: Some(text), stands: false, cost: cost_in_words(&plan) })
    }
}

pub(super) fn run(
    place: &Place,
    plan: PlanThere,
    activates_default: bool,
    keep: &Keep<'_>,
    dry_run: bool,
) -> Result<(), Fault> {
    let PlanThere { text: plan, stands, cost } = plan;
    // One that is kept is measured when the system has started: the module does without it until then.
    let has_plan = plan.is_some() || stands || keep.is_asked();
    let intention =
        Intention::form(place, has_plan.then(|| SYSTEM.into()), false, activates_default)?;
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
    show(&cost.map(|cost| format!("\n{cost}")).unwrap_or_default())?;
    if dry_run {
        keep.show()?;
        return show("\nNothing was changed.\n");
    }
    let command = &place.command("install");
    let copy = match intention.module.is_packaged {
        true => None,
        false => Some(replaceable(installed, &to, command).map_err(Fault::usage)?),
    };
    let before = plan.map(|plan| write_plan(place, &plan, command)).transpose()?;
    let mut change = Change::begin(place, &intention.configuration, copy.as_ref());
    let staged = change.stage_module(&intention.module.bytes);
    let placed = staged.and_then(|_| change.place(&intention.text)).map_err(Fault::usage);
    placed.map_err(|fault| match before {
        Some(before) => before.back(fault),
        None => fault,
    })?;
    change.keep();
    keep.turn_on(command)?;
    show("\nInstalled there, untried. Try it when it runs: openssl list -providers\n")
}

/// Writes the plan there; gives what it was before.
fn write_plan(place: &Place, plan: &[u8], command: &str) -> Result<PlanBefore, Fault> {
    let file =
        place.outside(Path::new(SYSTEM)).map_err(|error| unable(Path::new(SYSTEM), &error))?;
    let unable = |error| Fault::usage(obstacle(&file, &error, command));
    let folder = file.parent().unwrap_or(Path::new("/"));
    make_folders(folder).map_err(unable)?;
    let _alone = Alone::in_folder(folder).map_err(Fault::usage)?;
    let original = Original::read(&file).map_err(unable)?;
    original.stage(plan).and_then(Staged::place).map_err(unable)?;
    Ok(PlanBefore::of(original))
}

/// A plan and its bytes, if it is one: where it will be used nobody knows, and the module ignores what does not fit.
fn read(file: &Path) -> Result<(Vec<u8>, Plan), Fault> {
    let wrong = |why: String| Fault::usage(format!("{}: {why}", file.display()));
    let plan = Plan::read(file).map_err(|why| wrong(why.to_string()))?;
    Ok((fs::read(file).map_err(|error| wrong(error.to_string()))?, plan))
}
