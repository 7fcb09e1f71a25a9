//! XTS: one data unit (sector) at a time, with ciphertext stealing.

use std::ffi::CStr;
use std::fmt;

use crate::{Block, BlockCipher, BlockKernels, BlockKey, Direction, EcbFn, InOut, Schedule, wipe};

/// Why a data unit cannot be processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XtsError {
    /// Below one block there is nothing to steal from.
    TooShort,
    /// IEEE 1619 allows 2^20 blocks in a data unit.
    TooLong,
}

impl fmt::Display for XtsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooShort => "an XTS data unit has at least 16 bytes",
            Self::TooLong => "an XTS data unit has at most 2^20 blocks",
        })
    }
}

impl std::error::Error for XtsError {}

/// How the tweak of a block leads to that of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    /// IEEE 1619 §5.2: the first byte is the lowest, and the highest bit of each byte too.
    Ieee,
    /// GB/T 17964-2021: the other way round, as in GHASH.
    Gb,
}

impl Standard {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ieee, Self::Gb];

    /// OpenSSL's name.
    pub const fn name(self) -> &'static CStr {
        match self {
            Self::Ieee => c"IEEE",
            Self::Gb => c"GB",
        }
    }

    /// What OpenSSL takes for a cipher where it is told nothing.
    pub const fn usual(cipher: BlockCipher) -> Self {
        if matches!(cipher, BlockCipher::Sm4) { Self::Gb } else { Self::Ieee }
    }

    /// The tweak of the next block, in constant time.
    #[inline]
    fn next(self, mut tweak: Block) -> Block {
        self.write(&mut tweak, &mut [[0; 16]]);
        tweak
    }

    /// Writes the tweaks of the next blocks, and moves on.
    fn write(self, tweak: &mut Block, to: &mut [Block]) {
        match self {
            Self::Ieee => {
                let mut next = u128::from_le_bytes(*tweak);
                for place in to {
                    *place = next.to_le_bytes();
                    next = next_tweak(next);
                }
                *tweak = next.to_le_bytes();
            }
            Self::Gb => {
                let mut next = u128::from_be_bytes(*tweak);
                for place in to {
                    *place = next.to_be_bytes();
                    next = (next >> 1) ^ ((next & 1).wrapping_neg() & (0xe1 << 120));
                }
                *tweak = next.to_be_bytes();
            }
        }
    }
}

/// A data unit or its end, from the tweak of its first block, which moves on, where there is nothing but ECB: `ecb` in one
/// direction, which is not always that in which blocks are stolen from.
pub fn xts_by_ecb(
    ecb: EcbFn,
    key: &Schedule,
    steals: Direction,
    standard: Standard,
    tweak: &mut Block,
    data: InOut<'_>,
) {
    match data.len() {
        0..16 => {}
        // To clear and to wipe much room is a good part of a short unit.
        16..512 => in_chunks::<32>(ecb, key, steals, standard, tweak, data),
        _ => in_chunks::<128>(ecb, key, steals, standard, tweak, data),
    }
}

/// The same, for at least a block, with so many blocks at once.
fn in_chunks<const CHUNK: usize>(
    ecb: EcbFn,
    key: &Schedule,
    steals: Direction,
    standard: Standard,
    tweak: &mut Block,
    data: InOut<'_>,
) {
    /// Aligned: PadLock wants that.
    #[repr(C, align(64))]
    struct Room<const CHUNK: usize>([Block; CHUNK]);
    let (mut room, mut tweaks) = (Room([[0; 16]; CHUNK]), [[0; 16]; CHUNK]);
    let mut whiten = |mut data: InOut<'_>, tweak: &mut Block| {
        let blocks = data.len() / 16;
        let (work, tweaks) = (&mut room.0[..blocks], &mut tweaks[..blocks]);
        standard.write(tweak, tweaks);
        let (input, _) = data.input().as_chunks();
        for ((to, tweak), from) in work.iter_mut().zip(&*tweaks).zip(input) {
            *to = add(from, tweak);
        }
        ecb(key, InOut::in_place(work.as_flattened_mut()));
        for (block, tweak) in work.iter_mut().zip(tweaks) {
            *block = add(block, tweak);
        }
        data.overwrite(work.as_flattened());
    };
    // With a partial block at the end, the last whole one is part of the stealing.
    let stolen = data.len() % 16;
    let whole = (data.len() - stolen) - if stolen == 0 { 0 } else { 16 };
    let (mut blocks, mut end) = data.split_at(whole);
    while !blocks.is_empty() {
        let bytes = blocks.len().min(16 * CHUNK);
        let (chunk, rest) = blocks.split_at(bytes);
        whiten(chunk, tweak);
        blocks = rest;
    }
    if !end.is_empty() {
        // IEEE 1619 §5.3.2, §5.4.2: the two last tweaks change places when decrypting.
        let mut tweaks = [*tweak, standard.next(*tweak)];
        *tweak = tweaks[1];
        if steals == Direction::Decrypt {
            tweaks.reverse();
        }
        let mut bytes = [0; 32];
        let bytes = &mut bytes[..end.len()];
        end.save(bytes);
        let (block, rest) = bytes.split_at_mut(16);
        whiten(InOut::in_place(block), &mut tweaks[0]);
        block[..rest.len()].swap_with_slice(rest);
        whiten(InOut::in_place(block), &mut tweaks[1]);
        end.overwrite(bytes);
        wipe(bytes);
        wipe(&mut tweaks);
    }
    wipe(&mut room.0);
    wipe(&mut tweaks);
}

fn add(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

/// The two keys of XTS and the encrypted tweak of the current data unit, in which no cache line ends.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Xts {
    tweak: Block,
    data_key: BlockKey,
    tweak_key: BlockKey,
    /// The direction of the data key.
    direction: Direction,
    standard: Standard,
}

impl Xts {
    const MAX_BYTES: usize = 16 << 20;

    /// No key yet.
    pub const fn new(kernels: &'static BlockKernels) -> Self {
        Self {
            data_key: BlockKey::empty(kernels),
            tweak_key: BlockKey::empty(kernels),
            tweak: [0; 16],
            direction: Direction::Encrypt,
            standard: Standard::usual(kernels.cipher),
        }
    }

    /// By another standard than OpenSSL's usual one, from the next unit on.
    pub const fn set_standard(&mut self, standard: Standard) {
        self.standard = standard;
    }

    /// The direction of the key.
    #[inline]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// By which standard.
    pub const fn standard(&self) -> Standard {
        self.standard
    }

    /// Takes both keys, the data key first.
    ///
    /// # Panics
    /// If `keys` is not twice the kernels' key size.
    pub fn set_key(&mut self, keys: &[u8], direction: Direction) {
        let (data, tweak) = keys.split_at(keys.len() / 2);
        self.data_key.set(data, direction);
        self.direction = direction;
        self.tweak_key.set(tweak, Direction::Encrypt);
    }

    /// The same, to be expanded as [`BlockKey::keep`] says.
    pub fn keep_key(&mut self, keys: &[u8], direction: Direction) {
        let (data, tweak) = keys.split_at(keys.len() / 2);
        self.data_key.keep(data, direction);
        self.direction = direction;
        self.tweak_key.keep(tweak, Direction::Encrypt);
    }

    /// Takes another route for the data from the next call on. Its kernels must be for the same cipher.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        self.data_key.reroute(kernels);
    }

    /// Takes another route for tweaks.
    #[inline]
    pub fn reroute_tweaks(&mut self, kernels: &'static BlockKernels) {
        self.tweak_key.reroute(kernels);
    }

    /// The encrypted tweak of the unit's first block.
    #[inline]
    pub const fn tweak(&self) -> &Block {
        &self.tweak
    }

    /// A part of a data unit, from the tweak of its first block, which moves on: whole blocks, or the
    /// end of the unit from its last whole block or before.
    pub fn part(&self, direction: Direction, tweak: &mut Block, data: InOut<'_>) {
        let blocks = data.len() / 16;
        if self.has_kernels(direction) {
            self.by_kernels(direction, tweak, data);
            for _ in 0..blocks {
                *tweak = self.standard.next(*tweak);
            }
        } else {
            self.by_ecb(direction, tweak, data);
        }
    }

    /// Whether there are kernels for that: of one standard, and in the direction of the key.
    #[inline]
    fn has_kernels(&self, direction: Direction) -> bool {
        self.standard == Standard::Ieee && direction == self.direction
    }

    #[inline]
    fn by_kernels(&self, direction: Direction, tweak: &Block, data: InOut<'_>) {
        let run = self.data_key.kernels().xts[direction as usize];
        run(self.data_key.schedule(), tweak, data);
    }

    /// The key decides what becomes of blocks, the direction how the last ones are put together.
    fn by_ecb(&self, direction: Direction, tweak: &mut Block, data: InOut<'_>) {
        let ecb = self.data_key.kernels().ecb[self.direction as usize];
        xts_by_ecb(ecb, self.data_key.schedule(), direction, self.standard, tweak, data);
    }

    /// Names the data unit: encrypts its number.
    #[inline]
    pub fn start(&mut self, iv: &Block) {
        self.tweak = *iv;
        let kernels = self.tweak_key.kernels();
        (kernels.ecb[0])(self.tweak_key.schedule(), InOut::in_place(&mut self.tweak));
    }

    /// Whether a data unit may have so many bytes.
    #[inline]
    pub const fn check(bytes: usize) -> Result<(), XtsError> {
        match bytes {
            0..16 => Err(XtsError::TooShort),
            16..=Self::MAX_BYTES => Ok(()),
            _ => Err(XtsError::TooLong),
        }
    }

    /// One whole data unit. Every call starts again at the same tweak, as OpenSSL's updates do.
    #[inline]
    pub fn unit(&self, direction: Direction, data: InOut<'_>) -> Result<(), XtsError> {
        Self::check(data.len())?;
        if self.has_kernels(direction) {
            self.by_kernels(direction, &self.tweak, data);
        } else {
            let mut tweak = self.tweak;
            self.by_ecb(direction, &mut tweak, data);
            wipe(&mut tweak);
        }
        Ok(())
    }
}

/// IEEE 1619 §5.2: the tweak of the next block, multiplied by alpha, in constant time. The first byte is the
/// lowest.
pub const fn next_tweak(tweak: u128) -> u128 {
    (tweak << 1) ^ ((tweak >> 127) * 0x87)
}

impl Drop for Xts {
    fn drop(&mut self) {
        wipe(&mut self.tweak);
    }
}
