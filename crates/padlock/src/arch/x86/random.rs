//! Random bytes from RNG: `xstore` with its quality factors and its signs of trouble.
//!
//! What the unit gives is raw: good enough to be mixed into something, not to be a key. [`Generator::seed`]
//! conditions it and never trusts it alone; the [health tests](crate::health) are for those who want to
//! know whether the unit still works.

use std::fmt;
use std::hint;

use wirespeed_cpu::Rng;
use zeroize::Zeroize;

use crate::arch::x86::instruction;

/// Into how many bits the unit turns one: more bits behind each byte, fewer bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divisor {
    /// Eight bytes at once.
    By1,
    /// Four.
    By2,
    /// Two.
    By4,
    /// One.
    By8,
}

impl Divisor {
    /// Every divisor.
    pub const ALL: [Self; 4] = [Self::By1, Self::By2, Self::By4, Self::By8];

    /// Bytes at once.
    pub const fn bytes(self) -> usize {
        8 >> self as u32
    }
}

/// What `xstore` says in EAX, as MSR 110Bh had it (Linux `drivers/char/hw_random/via-rng.c`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Status(u32);

impl Status {
    /// The bits themselves.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Valid bytes, perhaps none: then ask again.
    pub const fn bytes(self) -> usize {
        (self.0 & 0x1f) as usize
    }

    /// Whether the generator is on.
    pub const fn is_enabled(self) -> bool {
        self.has(6)
    }

    /// The noise sources in use, as bits 9:8 select them.
    pub const fn noise_sources(self) -> u32 {
        self.0 >> 8 & 3
    }

    /// The bias that is applied, 0 for none.
    pub const fn bias(self) -> u32 {
        self.0 >> 10 & 7
    }

    /// Whether bits come as they are, von Neumann's whitener being off.
    pub const fn is_raw(self) -> bool {
        self.has(13)
    }

    /// Whether long runs of equal bits are filtered.
    pub const fn filters_strings(self) -> bool {
        self.has(14)
    }

    /// Whether that filter failed.
    pub const fn filter_failed(self) -> bool {
        self.has(15)
    }

    /// What the filter counted.
    pub const fn filter_count(self) -> u32 {
        self.0 >> 16 & 0x7f
    }

    const fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 != 0
    }

    /// Whether the generator runs as it does after a reset: on, unbiased, whitened, unfiltered. OpenSSL
    /// (`padlock_rand_bytes`) and libgcrypt (`poll_padlock`) refuse all others.
    fn check(self, divisor: Divisor) -> Result<(), Fault> {
        if !self.is_enabled() {
            Err(Fault::Disabled)
        } else if self.is_raw()
            || self.bias() != 0
            || self.filters_strings()
            || self.filter_failed()
        {
            Err(Fault::Altered(self))
        } else if self.bytes() > divisor.bytes() {
            Err(Fault::Impossible(self))
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Status({:#x})", self.0)
    }
}

/// Why there are no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The generator is off.
    Disabled,
    /// Somebody changed how it works: bias, raw bits or a filter.
    Altered(Status),
    /// It claims more bytes than it was asked for.
    Impossible(Status),
    /// It had none, however often it was asked.
    Exhausted,
    /// The kernel gave none to mix in.
    NoSystemRandomness,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => {
                f.write_str("PadLock's generator is off: the firmware did not enable it")
            }
            Self::Altered(status) => write!(
                f,
                "PadLock's generator is set to biased, raw or filtered bits (status {:#x})",
                status.bits()
            ),
            Self::Impossible(status) => {
                write!(
                    f,
                    "xstore claims bytes that it was not asked for (status {:#x})",
                    status.bits()
                )
            }
            Self::Exhausted => {
                write!(
                    f,
                    "PadLock's generator had no bytes in {ATTEMPTS} attempts: it may be broken"
                )
            }
            Self::NoSystemRandomness => {
                f.write_str("the kernel's generator, which is always mixed in, gave no bytes")
            }
        }
    }
}

impl std::error::Error for Fault {}

/// How often an empty generator is asked again. Linux waits up to 20 times 10 µs for it (`via-rng.c`); this is
/// as long, on these CPUs.
const ATTEMPTS: u32 = 1000;

/// Raw bytes behind each conditioned one. SP 800-90B §3.1.5.1.2: the output of a vetted conditioner has full
/// entropy when twice as much went in; four bits in a byte are claimed ([`Claim::XSTORE`]), and they are
/// halved once more.
///
/// [`Claim::XSTORE`]: crate::health::Claim::XSTORE
pub const RAW_BYTES: usize = 8 * SEED_BYTES;

/// Bytes that are conditioned at once.
pub const SEED_BYTES: usize = 32;

/// The random number generator.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    divisor: Divisor,
}

impl Generator {
    /// The unit, asked for bytes of this quality.
    pub const fn new(_: Rng, divisor: Divisor) -> Self {
        Self { divisor }
    }

    /// One `xstore`: its status, and eight bytes of which so many are random as that says.
    pub fn store(&self) -> (Status, [u8; 8]) {
        // SAFETY: a generator is only made with the token.
        let (status, bytes) = unsafe { instruction::xstore(self.divisor as u32) };
        (Status(status), bytes)
    }

    /// Fills `out` with raw bytes.
    pub fn fill_raw(&self, mut out: &mut [u8]) -> Result<(), Fault> {
        let mut attempts = 0;
        while !out.is_empty() {
            let (status, mut bytes) = self.store();
            status.check(self.divisor).inspect_err(|_| bytes.zeroize())?;
            let count = status.bytes().min(out.len());
            out[..count].copy_from_slice(&bytes[..count]);
            bytes.zeroize();
            out = &mut out[count..];
            attempts = if count == 0 { attempts + 1 } else { 0 };
            if attempts == ATTEMPTS {
                return Err(Fault::Exhausted);
            }
            hint::spin_loop();
        }
        Ok(())
    }

    /// Fills `out` with raw bytes by `rep xstore`, an instruction for every 256 bytes. It waits for the
    /// generator by itself, so it can be stuck where [`Self::fill_raw`] gives up.
    pub fn fill_raw_repeatedly(&self, out: &mut [u8]) -> Result<(), Fault> {
        for chunk in out.chunks_mut(256) {
            let mut room = [0; 256 + 8];
            // SAFETY: a generator is only made with the token, and eight bytes follow the chunk.
            let status = unsafe {
                instruction::rep_xstore(self.divisor as u32, room.as_mut_ptr(), chunk.len())
            };
            let checked = Status(status).check(self.divisor);
            if checked.is_ok() {
                chunk.copy_from_slice(&room[..chunk.len()]);
            }
            room.zeroize();
            checked?;
        }
        Ok(())
    }

    /// Fills `out` with what may be used: raw bytes and the kernel's randomness, hashed together by `hash`, a
    /// function of 256 bits such as SHA-256 in software. So the result is as good as the better of the two,
    /// and neither's weakness shows.
    pub fn seed(
        &self,
        hash: impl Fn(&[u8]) -> [u8; SEED_BYTES],
        out: &mut [u8],
    ) -> Result<(), Fault> {
        for chunk in out.chunks_mut(SEED_BYTES) {
            let mut raw = [0; RAW_BYTES];
            let seed = self.fill_raw(&mut raw).and_then(|()| condition(&raw, &hash));
            raw.zeroize();
            let mut seed = seed?;
            chunk.copy_from_slice(&seed[..chunk.len()]);
            seed.zeroize();
        }
        Ok(())
    }
}

/// What may be used of raw bytes: they and the kernel's randomness, hashed together as
/// [`Generator::seed`] does it, for those who test the raw bytes first.
pub fn condition(
    raw: &[u8; RAW_BYTES],
    hash: impl Fn(&[u8]) -> [u8; SEED_BYTES],
) -> Result<[u8; SEED_BYTES], Fault> {
    let mut pool = [0; RAW_BYTES + SEED_BYTES];
    let (head, system) = pool.split_at_mut(RAW_BYTES);
    head.copy_from_slice(raw);
    let seed = system_randomness(system).map(|()| hash(&pool));
    pool.zeroize();
    seed
}

/// getrandom(2), for up to 256 bytes, which come whole or not at all.
fn system_randomness(out: &mut [u8]) -> Result<(), Fault> {
    // SAFETY: the bytes are writable.
    let got = unsafe { libc::getrandom(out.as_mut_ptr().cast(), out.len(), 0) };
    if usize::try_from(got) == Ok(out.len()) { Ok(()) } else { Err(Fault::NoSystemRandomness) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_words_are_read_as_linux_reads_them() {
        let good = Status(0x148);
        assert_eq!((good.bytes(), good.is_enabled(), good.noise_sources()), (8, true, 1));
        assert_eq!(good.check(Divisor::By1), Ok(()));
        assert_eq!(Status(0x140).check(Divisor::By8), Ok(()), "no bytes yet are no fault");
        assert_eq!(good.check(Divisor::By2), Err(Fault::Impossible(good)));
        assert_eq!(Status(0x108).check(Divisor::By1), Err(Fault::Disabled));
        for trouble in [0x400, 0x1000, 0x2000, 0x4000, 0x8000] {
            let status = Status(0x148 | trouble);
            assert_eq!(status.check(Divisor::By1), Err(Fault::Altered(status)));
        }
        assert_eq!(Status(0x1c_0148).filter_count(), 0x1c);
    }

    #[test]
    fn divisors_say_how_many_bytes() {
        assert_eq!(Divisor::ALL.map(Divisor::bytes), [8, 4, 2, 1]);
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let altered = Fault::Altered(Status(0x2148)).to_string();
        assert!(altered.contains("raw") && altered.contains("0x2148"), "{altered}");
    }
}
