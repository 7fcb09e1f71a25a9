//! Keys as round keys, wiped when dropped.

use crate::{BlockCipher, BlockKernels, Direction, wipe};

/// The longest key, in bytes.
pub(crate) const LONGEST_KEY: usize = 32;

/// One block.
pub type Block = [u8; 16];

/// A key as the routes want it.
///
/// For AES its round keys, first used first, 11, 13 or 15 of them (FIPS 197 §5.2); for decryption those
/// of the equivalent inverse cipher. For Camellia its subkeys in pairs, kw1 and kw2 first, 13 or 17 of them
/// (RFC 3713 §2.2, §2.3.2); for ARIA its round keys, 13, 15 or 17 (RFC 5794 §2.2, §2.3). For SM4 the key
/// itself, and in the eight blocks behind it the round keys as big-endian words, first used first. The
/// bytes mean the same to every route, so a stream may change its route at any call.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct Schedule {
    /// The round keys.
    pub round_keys: [Block; 17],
    /// AES: how many rounds there are, 10, 12 or 14.
    pub rounds: u8,
}

impl Schedule {
    /// No key yet.
    pub const EMPTY: Self = Self { round_keys: [[0; 16]; 17], rounds: 10 };

    /// How many pairs of subkeys Camellia has.
    pub const fn camellia_pairs(key_bits: u16) -> usize {
        if key_bits == 128 { 13 } else { 17 }
    }

    /// From one direction of Camellia to the other (RFC 3713 §2.3.2): all in reverse, but the two that whiten stay in
    /// order.
    pub fn turn_camellia(&mut self, key_bits: u16) {
        let pairs = Self::camellia_pairs(key_bits);
        let round_keys = &mut self.round_keys[..pairs];
        round_keys.reverse();
        for pair in &mut round_keys[1..pairs - 1] {
            pair.rotate_left(8);
        }
    }
}

impl Drop for Schedule {
    fn drop(&mut self) {
        wipe(&mut self.round_keys);
    }
}

/// A key ready for one direction of the block cipher, and the kernels of its size.
#[derive(Clone)]
pub struct BlockKey {
    kernels: &'static BlockKernels,
    schedule: Schedule,
    /// Where the schedule begins with a key that is still to be expanded: for which direction.
    kept: Option<Direction>,
}

impl BlockKey {
    /// No key yet; encrypting with it is defined and useless.
    pub const fn empty(kernels: &'static BlockKernels) -> Self {
        Self { kernels, schedule: Schedule::EMPTY, kept: None }
    }

    /// Expands `key` for the block cipher's `direction`. Counter and feedback modes need
    /// [`Direction::Encrypt`] both ways.
    ///
    /// # Panics
    /// If `key` is not as long as the kernels' key size.
    #[inline]
    pub fn set(&mut self, key: &[u8], direction: Direction) {
        self.check(key);
        (self.kernels.expand[direction as usize])(key, &mut self.schedule);
        self.kept = None;
    }

    /// Takes a key as [`Self::set`] does, and expands it at the next [`Self::reroute`]: nobody pays for that whose calls all
    /// go elsewhere.
    ///
    /// # Panics
    /// If `key` is not as long as the kernels' key size.
    #[inline]
    pub fn keep(&mut self, key: &[u8], direction: Direction) {
        self.check(key);
        self.schedule.round_keys.as_flattened_mut()[..key.len()].copy_from_slice(key);
        self.kept = Some(direction);
    }

    #[inline]
    fn check(&self, key: &[u8]) {
        assert!(key.len() == self.key_bytes(), "a key has another length");
    }

    #[cold]
    fn expand(&mut self, direction: Direction) {
        let mut key = [0; LONGEST_KEY];
        let bytes = self.key_bytes();
        let key = &mut key[..bytes];
        key.copy_from_slice(&self.schedule.round_keys.as_flattened()[..bytes]);
        self.set(key, direction);
        wipe(key);
    }

    /// Bytes of a key.
    pub(crate) fn key_bytes(&self) -> usize {
        usize::from(self.kernels.cipher.key_bits()) / 8
    }

    /// Turns the key around, if the round keys of one direction are those of the other in another order and the host's
    /// OpenSSL makes use of that: Camellia.
    pub fn turn(&mut self) {
        use BlockCipher::{Camellia128, Camellia192, Camellia256};
        let it = self.kernels.cipher;
        if !matches!(it, Camellia128 | Camellia192 | Camellia256) {
            return;
        }
        match &mut self.kept {
            Some(direction) => *direction = direction.opposite(),
            None => self.schedule.turn_camellia(it.key_bits()),
        }
    }

    /// The kernels in use.
    #[inline]
    pub const fn kernels(&self) -> &'static BlockKernels {
        self.kernels
    }

    /// The round keys.
    #[inline]
    pub const fn schedule(&self) -> &Schedule {
        debug_assert!(self.kept.is_none(), "the key is expanded");
        &self.schedule
    }

    /// Takes another route from the next call on. Its kernels must be for the same cipher. Tells whether a key that was only
    /// kept has been expanded.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) -> bool {
        debug_assert_eq!(kernels.cipher, self.kernels.cipher);
        self.kernels = kernels;
        if let Some(direction) = self.kept {
            self.expand(direction);
            return true;
        }
        false
    }
}
