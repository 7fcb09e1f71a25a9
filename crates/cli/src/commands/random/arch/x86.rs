//! Random numbers by PadLock.

use wirespeed_cipher::{Compression, Digest, Hasher, Route};
use wirespeed_cpu::{Features, Rng, Token};
use wirespeed_padlock::random::{self, Divisor, Generator};

use crate::commands::random::source::{Noise, RAW_BYTES, SEED_BYTES};

/// PadLock's generator, if this CPU has one.
pub(crate) fn generator() -> Option<Box<dyn Noise>> {
    let rng = Rng::probe(Features::detect()).ok()?;
    Some(Box::new(PadLock(Generator::new(rng, Divisor::By1))))
}

struct PadLock(Generator);

impl Noise for PadLock {
    fn fill(&mut self, raw: &mut [u8]) -> Result<(), String> {
        self.0.fill_raw(raw).map_err(|fault| fault.to_string())
    }

    fn condition(&self, raw: &[u8; RAW_BYTES]) -> Result<[u8; SEED_BYTES], String> {
        random::condition(raw, sha256).map_err(|fault| fault.to_string())
    }
}

/// In software: what is wrong with PadLock must not spoil what it is mixed with.
fn sha256(data: &[u8]) -> [u8; 32] {
    let kernels = wirespeed_kernels::hash(Route::Portable, Compression::Sha256, Features::NONE);
    let mut hasher = Hasher::new(kernels.expect("for any machine"), Digest::Sha256);
    hasher.update(data);
    let mut hash = [0; 32];
    hasher.finish(&mut hash);
    hash
}

#[cfg(test)]
#[test]
fn the_conditioner_is_sha_256() {
    // FIPS 180-2, B.1.
    assert_eq!(sha256(b"abc")[..8], [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea]);
}
