//! The control word: what `xcrypt` is told besides key, IV and data.

use std::fmt;

use wirespeed_cipher::Direction;

/// An AES key size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySize {
    /// 128 bits, 10 rounds.
    Bits128,
    /// 192 bits, 12 rounds.
    Bits192,
    /// 256 bits, 14 rounds.
    Bits256,
}

impl KeySize {
    /// Every key size.
    pub const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// The size of a key of so many bytes.
    pub(crate) const fn of_bytes(bytes: usize) -> Option<Self> {
        match bytes {
            16 => Some(Self::Bits128),
            24 => Some(Self::Bits192),
            32 => Some(Self::Bits256),
            _ => None,
        }
    }

    /// Bytes in the key.
    pub const fn bytes(self) -> usize {
        16 + 8 * self as usize
    }

    /// Rounds of the cipher (FIPS 197 §5).
    pub const fn rounds(self) -> usize {
        10 + 2 * self as usize
    }
}

/// A control word: 128 bits at a 16-aligned address, of which the lowest 12 are defined.
///
/// | bits | VIA's name | meaning |
/// |---|---|---|
/// | 3:0 | ROUND | rounds: 10, 12 or 14 |
/// | 4 | DGEST | MAC: only the last block of a CBC is wanted; not on a C3 |
/// | 5 | ALIGN | data may lie at any address; not on a C3 |
/// | 6 | CIPHR | the cipher, 0 for AES |
/// | 7 | KEYGN | the key area holds all round keys, instead of a key that the unit expands |
/// | 8 | INTER | the state after ROUND rounds instead of a ciphertext |
/// | 9 | CRYPT | decrypt |
/// | 11:10 | KSIZE | key size: 0, 1 or 2 for 128, 192 or 256 bits |
///
/// Sources: libgcrypt `cipher/rijndael-padlock.c`, Linux `drivers/crypto/padlock-aes.c` (`struct cword`),
/// NetBSD `sys/crypto/aes/arch/x86/aes_via.c`, OpenSSL `engines/e_padlock.c`. None of them sets DGEST,
/// CIPHR or INTER.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct ControlWord([u32; 4]);

impl ControlWord {
    const ALIGN: u32 = 1 << 5;
    const KEYGN: u32 = 1 << 7;
    const INTERMEDIATE: u32 = 1 << 8;
    const CRYPT: u32 = 1 << 9;

    /// Encryption with a key of this size that the unit expands by itself.
    pub(crate) const fn new(size: KeySize) -> Self {
        Self([size.rounds() as u32 | (size as u32) << 10, 0, 0, 0])
    }

    /// The same, but the key area holds all round keys in the order of use.
    #[must_use]
    pub(crate) const fn with_round_keys(self) -> Self {
        self.with(Self::KEYGN, true)
    }

    /// The same in this direction.
    #[must_use]
    pub(crate) const fn with_direction(self, direction: Direction) -> Self {
        self.with(Self::CRYPT, matches!(direction, Direction::Decrypt))
    }

    /// The same for data at any address, or for aligned data only.
    #[must_use]
    pub(crate) const fn with_unaligned_data(self, unaligned: bool) -> Self {
        self.with(Self::ALIGN, unaligned)
    }

    /// The same, giving the state after `rounds` rounds. No program is known to use it, and nobody here
    /// has seen what hardware does then.
    ///
    /// # Panics
    /// If the key size has not so many rounds.
    #[must_use]
    pub(crate) const fn with_intermediate_result(self, rounds: usize) -> Self {
        let all = (self.0[0] & 0xf) as usize;
        assert!(0 < rounds && rounds <= all, "rounds of the cipher");
        let mut word = self.with(Self::INTERMEDIATE, true);
        word.0[0] = word.0[0] & !0xf | rounds as u32;
        word
    }

    const fn with(self, bit: u32, set: bool) -> Self {
        let Self([word, ..]) = self;
        Self([if set { word | bit } else { word & !bit }, 0, 0, 0])
    }

    /// The 32 bits that mean something.
    pub(crate) const fn bits(&self) -> u32 {
        self.0[0]
    }
}

impl fmt::Debug for ControlWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ControlWord({:#05x})", self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_words_are_those_of_other_programs() {
        // NetBSD's aes_via.c: what it writes for each key size and direction, with its own round keys.
        let ours = |size, direction| {
            ControlWord::new(size).with_round_keys().with_direction(direction).bits()
        };
        assert_eq!(ours(KeySize::Bits128, Direction::Encrypt), 0x08a);
        assert_eq!(ours(KeySize::Bits192, Direction::Encrypt), 0x48c);
        assert_eq!(ours(KeySize::Bits192, Direction::Decrypt), 0x68c);
        assert_eq!(ours(KeySize::Bits256, Direction::Decrypt), 0xa8e);
        let raw = ControlWord::new(KeySize::Bits128);
        assert_eq!(raw.bits(), 0x00a);
        assert_eq!(raw.with_direction(Direction::Decrypt).bits(), 0x20a);
        assert_eq!(raw.with_unaligned_data(true).bits(), 0x02a);
        assert_eq!(raw.with_unaligned_data(true).with_unaligned_data(false), raw);
        assert_eq!(raw.with_intermediate_result(3).bits(), 0x103);
        assert_eq!((align_of_val(&raw), size_of_val(&raw)), (16, 16));
    }

    #[test]
    fn key_sizes_are_those_of_fips_197() {
        for size in KeySize::ALL {
            assert_eq!(KeySize::of_bytes(size.bytes()), Some(size));
            assert_eq!(size.rounds(), 6 + size.bytes() / 4);
        }
        assert_eq!(KeySize::of_bytes(20), None);
    }
}
