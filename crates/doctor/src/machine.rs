//! What the machine itself takes from encryption, each with the figure that shows it.

mod busy;
mod clock;
mod costs;

use crate::examined::Examined;
use crate::finding::Finding;
pub(crate) use costs::Costs;

/// The clock, who else uses the CPUs, and what calls and memory cost.
pub(crate) fn machine(examined: &Examined<'_>) -> Vec<Finding> {
    let mut findings = clock::clock(examined);
    findings.extend(busy::busy(examined));
    findings.extend(costs::costs(examined));
    findings
}
