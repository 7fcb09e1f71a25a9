//! What looks after the plan from then on, where somebody asked for it.

use wirespeed_installation::{Place, Upkeep};

use super::show;
use crate::fault::Fault;

/// The consent of `--keep`, and what it takes.
pub(super) struct Keep<'a>(Option<Upkeep<'a>>);

impl<'a> Keep<'a> {
    /// Without consent nothing is to be done; what the machine lacks is told before anything is changed.
    pub(super) fn asked(place: &'a Place, is_asked: bool) -> Result<Self, Fault> {
        let upkeep = is_asked.then(|| Upkeep::find(place)).transpose();
        Ok(Self(upkeep.map_err(Fault::usage)?))
    }

    /// Whether somebody asked.
    pub(super) const fn is_asked(&self) -> bool {
        self.0.is_some()
    }

    /// Whether it is not asked for, or on already.
    pub(super) fn is_done(&self) -> bool {
        self.0.as_ref().is_none_or(Upkeep::is_on)
    }

    /// What would be done.
    pub(super) fn show(&self) -> Result<(), Fault> {
        let Some(upkeep) = &self.0 else { return Ok(()) };
        let switch = upkeep.switch().display();
        show(&format!("\nThe plan would be kept up to date: {switch}\n"))
    }

    /// Does it.
    pub(super) fn turn_on(&self, command: &str) -> Result<(), Fault> {
        let Some(upkeep) = &self.0 else { return Ok(()) };
        let command = format!("{command} --keep");
        upkeep.turn_on(&command).map_err(|why| {
            Fault::usage(why).and("all else is installed, but the plan is not kept up to date")
        })?;
        let switch = upkeep.switch().display();
        show(&format!("\nThe plan is kept up to date: {switch}\n"))
    }
}
