//! A source of raw bytes under the health tests, and how its bytes become output.

use std::env::consts::ARCH;

use wirespeed_padlock::health::{Claim, Health, START_UP};

use super::arch;
use crate::commands::padlock::has_emulator;
use crate::fault::Fault;

/// Raw bytes behind each piece of output.
pub(super) const RAW_BYTES: usize = 256;
/// Bytes of output that are made at once.
pub(super) const SEED_BYTES: usize = 32;

/// Where raw bytes come from, and how they are conditioned.
pub(super) trait Noise {
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
pub(super) fn open() -> Result<Tested, Fault> {
    arch::generator().map(Tested::new).ok_or_else(|| Fault::usage(absent(ARCH)))
}

fn absent(architecture: &str) -> String {
    let elsewhere = match has_emulator(architecture) {
        true => "padlock-run --cpu nano wirespeed random … runs this on an emulated one",
        false => "VIA's and Zhaoxin's x86 alone have it",
    };
    format!("this CPU has no PadLock with random numbers (no-RNG): {elsewhere}")
}

#[cfg(test)]
#[test]
fn an_emulated_one_is_named_where_there_is_one() {
    assert!(absent("x86_64").contains("padlock-run"));
    assert!(!absent("x86").contains("padlock-run") && !absent("aarch64").contains("padlock-run"));
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
