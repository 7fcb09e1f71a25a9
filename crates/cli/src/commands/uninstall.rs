//! `wirespeed uninstall`.

use clap::Args;

use crate::fault::Fault;

#[derive(Args)]
pub(crate) struct UninstallArguments {}

pub(crate) fn run(_: UninstallArguments) -> Result<(), Fault> {
    Err(Fault::usage("uninstall is not built yet"))
}
