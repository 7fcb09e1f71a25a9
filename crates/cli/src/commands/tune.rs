//! `wirespeed tune`.

use clap::Args;

use crate::fault::Fault;

#[derive(Args)]
pub(crate) struct TuneArguments {}

pub(crate) fn run(_: TuneArguments) -> Result<(), Fault> {
    Err(Fault::usage("tune is not built yet"))
}
