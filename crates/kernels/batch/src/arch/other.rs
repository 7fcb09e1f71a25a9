//! Machines for which there are no lanes of their own yet.

use wirespeed_cipher::{BlockCipher, Compression, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;

use crate::ciphers::ChainMode;
use crate::ciphers::lanes::Rung;
use crate::lanes::Rungs;

pub(crate) fn rungs(_: Route, _: Compression, _: Features) -> Result<Rungs, Absent> {
    Err(Absent::Elsewhere)
}

pub(crate) fn chains(
    _: Route,
    _: BlockCipher,
    _: ChainMode,
    _: Features,
) -> Option<&'static [Rung]> {
    None
}
