//! Machines whose limits are not known yet.

use wirespeed_cipher::Route;
use wirespeed_cpu::Features;

use crate::limit::Bound;

/// A unit that no machine has.
pub(crate) enum Unit {}

impl Unit {
    pub(crate) fn limit(self, _: Bound, _: u64) -> (u64, Box<dyn FnMut(u64) + Send>) {
        match self {}
    }
}

pub(crate) fn unit(_: Route, _: Features) -> Option<Unit> {
    None
}
