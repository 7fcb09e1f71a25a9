//! Many messages at once in the lanes of vectors, self-tested before the first use.

use wirespeed_batch::{ChainMode, CipherJob, CipherLanes, encrypt_all};
use wirespeed_cipher::{BlockCipher, BlockKernels, BlockKey, Direction, InOut, Route};
use wirespeed_cpu::Features;
use wirespeed_fork::SetOnce;

/// The most messages at once: those of a pipeline.
pub(crate) const MOST: usize = 32;

/// CBC encryption by the lanes of a route of which these are the kernels; none if it has no lanes, or gave wrong
/// bytes when it was asked for the first time in this process.
pub(crate) fn of(kernels: &BlockKernels) -> Option<CipherLanes> {
    const CIPHERS: usize = BlockCipher::ALL.len();
    static TESTED: [SetOnce<Option<CipherLanes>>; Route::ALL.len() * CIPHERS] =
        [const { SetOnce::new() }; Route::ALL.len() * CIPHERS];
    let place = kernels.route as usize * CIPHERS + kernels.cipher as usize;
    *TESTED[place].get_or_make(|| {
        let lanes =
            CipherLanes::new(kernels.route, kernels.cipher, ChainMode::Cbc, Features::detect())
                .ok()?;
        (lanes.width() > 1 && gives_the_same(&lanes)).then_some(lanes)
    })
}

/// Runs the jobs as many at once as there are lanes: never more, so that nothing is allocated.
pub(crate) fn run(lanes: &CipherLanes, jobs: &mut [CipherJob<'_>]) {
    for jobs in jobs.chunks_mut(lanes.width()) {
        encrypt_all(lanes, jobs);
    }
}

/// Whether messages of different lengths come out as they do by themselves.
fn gives_the_same(lanes: &CipherLanes) -> bool {
    const LONGEST: usize = 11;
    let mut key = BlockKey::empty(lanes.kernels());
    let bytes: [u8; 32] = std::array::from_fn(|i| (i * 37 + 1) as u8);
    key.set(&bytes[..usize::from(lanes.cipher().key_bits()) / 8], Direction::Encrypt);
    let blocks = |message: usize| message * 7 % (LONGEST + 1);
    let mut data: [[u8; 16 * LONGEST]; MOST] =
        std::array::from_fn(|message| std::array::from_fn(|i| (i * 5 + message) as u8));
    let mut ivs: [_; MOST] = std::array::from_fn(|message| [message as u8; 16]);
    let (mut right, mut right_ivs) = (data, ivs);
    for (message, (data, iv)) in right.iter_mut().zip(&mut right_ivs).enumerate() {
        let data = InOut::in_place(&mut data[..16 * blocks(message)]);
        (lanes.kernels().cbc[Direction::Encrypt as usize])(key.schedule(), iv, data);
    }
    let mut messages = data.iter_mut().zip(&mut ivs).enumerate();
    let mut jobs: [_; MOST] = std::array::from_fn(|_| {
        let (message, (data, iv)) = messages.next().expect("as many as there are jobs");
        let data = InOut::in_place(&mut data[..16 * blocks(message)]);
        CipherJob { key: key.schedule(), iv, data }
    });
    run(lanes, &mut jobs);
    data == right && ivs == right_ivs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "which has no CPU to ask")]
    fn every_route_with_lanes_passes() {
        for route in CipherLanes::ROUTES {
            for cipher in BlockCipher::ALL {
                if let Ok(kernels) = wirespeed_kernels::kernels(route, cipher, Features::detect()) {
                    let lanes = of(kernels).unwrap_or_else(|| panic!("{route} {cipher}: no lanes"));
                    assert_eq!((lanes.route(), lanes.cipher()), (route, cipher));
                }
            }
        }
    }
}
