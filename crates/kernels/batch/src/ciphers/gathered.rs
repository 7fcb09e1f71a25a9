//! Streams under one key by a route that has no lanes for them: a block of each together, as ECB.

use wirespeed_cipher::{Block, BlockKernels, InOut, Schedule};
use zeroize::Zeroize;

use super::ChainMode;

/// Streams that are taken together.
pub(crate) const WIDTH: usize = 32;

/// Takes streams on by a block each, `count` times.
///
/// `step(lane, i)` is the `i`th block of a lane's data.
pub(crate) fn run<'d>(
    kernels: &BlockKernels,
    chain: ChainMode,
    key: &Schedule,
    chains: &mut [Block],
    count: usize,
    mut block: impl FnMut(usize, usize) -> InOut<'d>,
) {
    let encrypt = |chains: &mut [Block]| {
        (kernels.ecb[0])(key, InOut::in_place(chains.as_flattened_mut()));
    };
    let mut input = [0; 16];
    for i in 0..count {
        if chain == ChainMode::Cbc {
            for (lane, value) in chains.iter_mut().enumerate() {
                block(lane, i).save(&mut input);
                add(value, &input);
            }
        }
        encrypt(chains);
        for (lane, value) in chains.iter_mut().enumerate() {
            let mut data = block(lane, i);
            match chain {
                ChainMode::Cbc => data.overwrite(value),
                ChainMode::Cfb => {
                    data.save(&mut input);
                    add(value, &input);
                    data.overwrite(value);
                }
                ChainMode::Ofb => {
                    data.save(&mut input);
                    add(&mut input, value);
                    data.overwrite(&input);
                }
            }
        }
    }
    input.zeroize();
}

fn add(block: &mut Block, other: &Block) {
    *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*other)).to_ne_bytes();
}
