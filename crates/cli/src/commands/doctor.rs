//! `wirespeed doctor`.

use clap::Args;

use crate::fault::Fault;

#[derive(Args)]
pub(crate) struct DoctorArguments {}

pub(crate) fn run(_: DoctorArguments) -> Result<(), Fault> {
    Err(Fault::usage("doctor is not built yet"))
}
