//! `wirespeed install`.

use clap::Args;

use crate::fault::Fault;

#[derive(Args)]
pub(crate) struct InstallArguments {}

pub(crate) fn run(_: InstallArguments) -> Result<(), Fault> {
    Err(Fault::usage("install is not built yet"))
}
