//! What an administrator does, a script for each step, each going on from the one before.

/// A script, and what it shows.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) script: &'static str,
    /// Whether it runs in a copy that systemd has started as a machine.
    pub(crate) boots: bool,
}

const fn step(name: &'static str, script: &'static str) -> Step {
    Step { name, script, boots: false }
}

const fn booted(name: &'static str, script: &'static str) -> Step {
    Step { name, script, boots: true }
}

pub(crate) const STEPS: &[Step] = &[
    step("before", include_str!("steps/before.sh")),
    step("dependencies-by-apt", include_str!("steps/dependencies.sh")),
    step("table", include_str!("steps/table.sh")),
    step("emulator-and-library", include_str!("steps/beside.sh")),
    step("install-dry-run", include_str!("steps/dry-run.sh")),
    step("install", include_str!("steps/install.sh")),
    step("programs", include_str!("steps/programs.sh")),
    step("upgrade-under-nginx", include_str!("steps/upgrade.sh")),
    step("plan-of-another-version", include_str!("steps/stale.sh")),
    step("plan-of-another-machine", include_str!("steps/travelled.sh")),
    step("obstacles", include_str!("steps/obstacles.sh")),
    step("unpacked-root", include_str!("steps/unpacked.sh")),
    booted("kept-by-systemd", include_str!("steps/booted.sh")),
    step("kept-up-to-date", include_str!("steps/keep.sh")),
    step("killed", include_str!("steps/killed.sh")),
    step("over-a-copy", include_str!("steps/by-hand.sh")),
    step("removal-refused", include_str!("steps/refused.sh")),
    step("remove", include_str!("steps/remove.sh")),
    step("purge", include_str!("steps/purge.sh")),
    step("containerfile", include_str!("steps/containerfile.sh")),
];
