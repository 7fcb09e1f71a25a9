//! Random bytes: as many as asked for, never twice the same, and conditioned.

use sha2::{Digest, Sha256};
use wirespeed_cpu::{Features, Rng, Token};
use wirespeed_padlock::random::{Divisor, Generator};

/// Every quality factor, by `xstore` and by `rep xstore`.
pub(crate) fn check(features: Features) {
    let rng = Rng::probe(features).expect("RNG");
    for divisor in Divisor::ALL {
        let generator = Generator::new(rng, divisor);
        let (status, _) = generator.store();
        assert!(status.is_enabled() && status.bytes() <= divisor.bytes(), "{status:?}");
        for bytes in [0, 1, 7, 8, 9, 100, 300] {
            let filled = |fill: &dyn Fn(&mut [u8])| {
                // What was not filled would stay.
                let both = [0x00, 0xff].map(|before| {
                    let mut out = vec![before; bytes + 16];
                    fill(&mut out[8..8 + bytes]);
                    assert!(out[..8].iter().chain(&out[8 + bytes..]).all(|b| *b == before));
                    out
                });
                if bytes >= 8 {
                    assert_ne!(both[0][8..8 + bytes], both[1][8..8 + bytes], "{divisor:?}");
                }
            };
            filled(&|out| generator.fill_raw(out).expect("bytes"));
            filled(&|out| generator.fill_raw_repeatedly(out).expect("bytes"));
            filled(&|out| {
                generator.seed(|pool| Sha256::digest(pool).into(), out).expect("bytes");
            });
        }
    }
}
