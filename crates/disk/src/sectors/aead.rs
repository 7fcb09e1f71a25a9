//! Sectors with a tag beside each: what is read is what was written, or it is refused.
//!
//! In the layout of dm-crypt's `crypt_convert_block_aead` (`drivers/md/dm-crypt.c`): beside a sector lie the tag and
//! then the random IV; associated data are the number of the sector, little-endian, and the IV.

use chacha20::ChaCha20;
use cipher::{KeyIvInit, StreamCipher};
use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{Block, Direction, InOut};

use super::pool::Pool;
use super::{Forged, SectorCipher};
use crate::UNIT;

/// A key that authenticates, and the state of one message.
pub(super) trait Seal: Clone + Send + 'static {
    /// Bytes of the IV.
    const IV_BYTES: usize;
    /// Encrypts or decrypts a message, and gives its tag.
    fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        associated: &[u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Block;
}

const TAG_BYTES: usize = 16;
const NUMBER_BYTES: usize = 8;

/// Sectors sealed one by one.
pub(super) struct Sealed<S> {
    workers: Pool<Worker<S>>,
    sector_bytes: usize,
}

struct Worker<S> {
    seal: S,
    ivs: RandomIvs,
}

impl<S: Seal> Sealed<S> {
    pub(super) fn new(seal: S, sector_bytes: usize) -> Self {
        let fresh = |it: &Worker<S>| Worker { seal: it.seal.clone(), ivs: RandomIvs::new() };
        let pattern = Worker { seal, ivs: RandomIvs::new() };
        Self { workers: Pool::new(pattern, fresh), sector_bytes }
    }

    /// The sectors' numbers from the first on.
    fn numbers(&self, first: u64) -> impl Iterator<Item = u64> {
        let step = self.sector_bytes as u64 / UNIT;
        (0..).map(move |place| first.wrapping_add(step * place))
    }
}

impl<S: Seal> SectorCipher for Sealed<S> {
    fn encrypt(&self, number: u64, plain: &[u8], sectors: &mut [u8], tags: &mut [u8]) {
        let beside = tags.chunks_exact_mut(TAG_BYTES + S::IV_BYTES);
        let data =
            plain.chunks_exact(self.sector_bytes).zip(sectors.chunks_exact_mut(self.sector_bytes));
        self.workers.with(|Worker { seal, ivs }| {
            for ((number, beside), (plain, sector)) in self.numbers(number).zip(beside).zip(data) {
                let (tag, iv) = beside.split_at_mut(TAG_BYTES);
                ivs.next(iv);
                let associated = associated(number, iv);
                let associated = &associated[..NUMBER_BYTES + S::IV_BYTES];
                let made = seal.run(Direction::Encrypt, iv, associated, plain, sector);
                tag.copy_from_slice(&made);
            }
        });
    }

    fn decrypt(
        &self,
        number: u64,
        sectors: &[u8],
        plain: &mut [u8],
        tags: &[u8],
    ) -> Result<(), Forged> {
        let beside = tags.chunks_exact(TAG_BYTES + S::IV_BYTES);
        let data =
            sectors.chunks_exact(self.sector_bytes).zip(plain.chunks_exact_mut(self.sector_bytes));
        self.workers.with(|Worker { seal, .. }| {
            for ((number, beside), (sector, plain)) in self.numbers(number).zip(beside).zip(data) {
                let (tag, iv) = beside.split_at(TAG_BYTES);
                let associated = associated(number, iv);
                let associated = &associated[..NUMBER_BYTES + S::IV_BYTES];
                let made = seal.run(Direction::Decrypt, iv, associated, sector, plain);
                // Every byte is looked at, so that the time says nothing about them.
                if made.iter().zip(tag).fold(0, |sum, (one, other)| sum | (one ^ other)) != 0 {
                    plain.fill(0);
                    return Err(Forged);
                }
            }
            Ok(())
        })
    }
}

/// The longest associated data; a shorter IV leaves the end unused.
fn associated(number: u64, iv: &[u8]) -> [u8; NUMBER_BYTES + 16] {
    let mut bytes = [0; NUMBER_BYTES + 16];
    bytes[..NUMBER_BYTES].copy_from_slice(&number.to_le_bytes());
    bytes[NUMBER_BYTES..][..iv.len()].copy_from_slice(iv);
    bytes
}

/// IVs from a ChaCha20 that was seeded by the kernel and whose own output is its next key, as the kernel's
/// `get_random_bytes` makes those of dm-crypt.
struct RandomIvs {
    /// The next key, and then IVs.
    bytes: [u8; Self::BYTES],
    used: usize,
}

impl RandomIvs {
    const KEY_BYTES: usize = 32;
    /// Enough for the wide path of the crate.
    const BYTES: usize = 1024;

    fn new() -> Self {
        let mut bytes = [0; Self::BYTES];
        let mut seeded = 0;
        while seeded < Self::KEY_BYTES {
            let room = &mut bytes[seeded..Self::KEY_BYTES];
            match rustix::rand::getrandom(room, rustix::rand::GetRandomFlags::empty()) {
                Ok(count) => seeded += count,
                Err(rustix::io::Errno::INTR) => {}
                Err(why) => panic!("getrandom: {why}"),
            }
        }
        Self { bytes, used: Self::BYTES }
    }

    #[inline]
    fn next(&mut self, iv: &mut [u8]) {
        if self.used + iv.len() > Self::BYTES {
            let key = *self.bytes.first_chunk::<{ Self::KEY_BYTES }>().expect("more than a key");
            self.bytes = [0; Self::BYTES];
            ChaCha20::new(&key.into(), &[0; 12].into()).apply_keystream(&mut self.bytes);
            self.used = Self::KEY_BYTES;
        }
        iv.copy_from_slice(&self.bytes[self.used..][..iv.len()]);
        self.used += iv.len();
    }
}

impl Seal for Gcm {
    const IV_BYTES: usize = 12;

    fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        associated: &[u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Block {
        self.start(iv);
        self.aad(associated).expect("before the data");
        self.crypt(direction, InOut::between(from, to)).expect("a sector is short");
        self.tag()
    }
}
