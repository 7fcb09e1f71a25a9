//! A source of raw bytes under the health tests, and how its bytes become output.

use wirespeed_padlock::health::{Claim, Health, START_UP};

use crate::fault::Fault;

/// Raw bytes behind each piece of output.
const RAW_BYTES: usize = 256;
/// Bytes of output that are made at once.
pub(super) const SEED_BYTES: usize = 32;

/// Where raw bytes come from, and how they are conditioned.
trait Noise {
    /// Fills the buffer, or says why it cannot.
    fn fill(&mut self, raw: &mut [u8]) -> Result<(), String>;
    /// Raw bytes and the kernel's randomness, hashed together.
    fn condition(&self, raw: &[u8; RAW_BYTES]) -> Result<[u8; SEED_BYTES], String>;
}

/// A source whose every sample is tested before it is used.
pub(super) struct Tested {
    noise: Box<dyn Noise>,
    health: Health,
}

impl Tested {
    fn new(noise: Box<dyn Noise>) -> Self {
        Self { noise, health: Health::new(Claim::XSTORE) }
    }

    pub(super) fn health(&self) -> &Health {
        &self.health
    }

    /// The start-up test (SP 800-90B §4.3); its samples are used for nothing else.
    pub(super) fn start(&mut self) -> Result<(), Fault> {
        while self.health.samples() < START_UP {
            self.raw()?;
        }
        Ok(())
    }

    /// The next piece of output, from samples that passed.
    pub(super) fn seed(&mut self) -> Result<[u8; SEED_BYTES], Fault> {
        let raw = self.raw()?;
        self.noise.condition(&raw).map_err(Fault::NotSo)
    }

    /// Samples that passed.
    fn raw(&mut self) -> Result<[u8; RAW_BYTES], Fault> {
        let mut raw = [0; RAW_BYTES];
        self.noise.fill(&mut raw).map_err(|why| Fault::NotSo(format!("xstore: {why}")))?;
        let tested = raw.iter().try_for_each(|sample| self.health.test(*sample));
        let failed =
            |failure| Fault::NotSo(format!("xstore failed the {failure}: nothing more is written"));
        tested.map(|()| raw).map_err(failed)
    }
}

/// PadLock's generator on this machine.
#[cfg(target_arch = "x86_64")]
pub(super) fn open() -> Result<Tested, Fault> {
    use wirespeed_cpu::{Features, Rng, Token};
    use wirespeed_padlock::random::{Divisor, Generator};

    let rng = Rng::probe(Features::detect()).map_err(|_| absent())?;
    Ok(Tested::new(Box::new(padlock::PadLock(Generator::new(rng, Divisor::By1)))))
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn open() -> Result<Tested, Fault> {
    Err(absent())
}

fn absent() -> Fault {
    Fault::usage(
        "this CPU has no PadLock with random numbers (no-RNG): padlock-run --cpu nano wirespeed random … \
         runs this on an emulated one",
    )
}

#[cfg(target_arch = "x86_64")]
mod padlock {
    use wirespeed_cipher::{Compression, Digest, Hasher, Route};
    use wirespeed_cpu::Features;
    use wirespeed_padlock::random::{self, Generator};

    use super::{Noise, RAW_BYTES, SEED_BYTES};

    pub(super) struct PadLock(pub(super) Generator);

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
        let kernels = wirespeed_native::hash(Route::Portable, Compression::Sha256, Features::NONE);
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
}

/// How a made-up source goes wrong.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub(super) enum Broken {
    Never,
    /// The same byte from then on.
    Stuck {
        after: u64,
    },
    /// Every other byte is the same.
    Biased,
    /// Nothing from then on.
    Empty {
        after: u64,
    },
}

/// A source that follows a script.
#[cfg(test)]
pub(super) fn scripted(broken: Broken) -> Tested {
    struct Scripted {
        broken: Broken,
        given: u64,
        state: u32,
    }

    impl Noise for Scripted {
        fn fill(&mut self, raw: &mut [u8]) -> Result<(), String> {
            for byte in raw {
                // Marsaglia, "Xorshift RNGs".
                self.state ^= self.state << 13;
                self.state ^= self.state >> 17;
                self.state ^= self.state << 5;
                *byte = match self.broken {
                    Broken::Empty { after } if self.given >= after => {
                        return Err("no bytes".to_owned());
                    }
                    Broken::Stuck { after } if self.given >= after => 0x5a,
                    Broken::Biased if self.given.is_multiple_of(2) => 0x42,
                    _ => (self.state >> 12) as u8,
                };
                self.given += 1;
            }
            Ok(())
        }

        fn condition(&self, raw: &[u8; RAW_BYTES]) -> Result<[u8; SEED_BYTES], String> {
            wirespeed_padlock::random::condition(raw, |pool| {
                let (raw, system) = pool.split_at(RAW_BYTES);
                std::array::from_fn(|i| system[i] ^ raw[i])
            })
            .map_err(|fault| fault.to_string())
        }
    }
    Tested::new(Box::new(Scripted { broken, given: 0, state: 1 }))
}
