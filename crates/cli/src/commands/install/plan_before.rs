//! The plan as it was: it comes back where nothing is installed after all.

use std::fs;

use wirespeed_installation::{Original, advice};

use crate::fault::Fault;
use crate::plan::Destination;

pub(super) struct PlanBefore(Original);

impl PlanBefore {
    /// Reads it. What keeps a plan from its place is told here, before anything is measured.
    pub(super) fn read() -> Result<Self, Fault> {
        let destination = Destination::new(None)?;
        let file = destination.file();
        let original = Original::read(file);
        Ok(Self(original.map_err(|error| Fault::usage(advice(file, &error)))?))
    }

    /// That of a file that is about to be replaced.
    pub(super) const fn of(file: Original) -> Self {
        Self(file)
    }

    /// Puts it back after a fault, and gives the fault. Where there was none, there is none again.
    pub(super) fn back(self, fault: Fault) -> Fault {
        let path = self.0.path();
        if fs::read(path).ok().as_deref() == self.0.bytes() {
            return fault;
        }
        match self.0.restore() {
            Ok(()) => fault,
            Err(error) => {
                fault.and(format!("the plan from before is not back: {}", advice(path, &error)))
            }
        }
    }
}
