//! A machine that cannot have PadLock.

use wirespeed_cpu::Features;
use wirespeed_results::schema::padlock::{Point, Unit};

use crate::commands::padlock::units::Known;
use crate::fault::Fault;

pub(crate) fn here() -> (Option<Known>, Vec<Unit>) {
    (None, Vec::new())
}

pub(crate) fn points(_: Features) -> Result<Vec<Point>, Fault> {
    Ok(Vec::new())
}
