//! A machine that cannot have PadLock.

use wirespeed_cpu::Features;

use crate::commands::padlock::confirm::Point;
use crate::commands::padlock::units::{Known, Units};
use crate::fault::Fault;

pub(crate) fn here() -> (Option<Known>, Units) {
    (None, Units(Vec::new()))
}

pub(crate) fn points(_: Features) -> Result<Vec<Point>, Fault> {
    Ok(Vec::new())
}
