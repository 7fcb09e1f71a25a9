//! Keys as the units read them.

use std::fmt;

use wirespeed_cipher::{Block, Direction, Schedule};
use zeroize::Zeroize;

use crate::arch::x86::control::{ControlWord, KeySize};
use crate::arch::x86::expansion::expand;

/// An AES key in the area that the unit reads, wiped when dropped.
///
/// The area is a multiple of 16 in address and has 256 bytes, because the unit reads so many whatever the
/// key size (Linux `drivers/crypto/padlock-aes.c`, at `struct aes_ctx`).
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Key {
    area: [Block; 16],
    size: KeySize,
    direction: Direction,
    expanded: bool,
}

/// A key that is not 16, 24 or 32 bytes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongKeyLength {
    /// Its length.
    pub bytes: usize,
}

impl fmt::Display for WrongKeyLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an AES key has 16, 24 or 32 bytes, not {}", self.bytes)
    }
}

impl std::error::Error for WrongKeyLength {}

impl Key {
    /// A key for this direction of ECB and CBC. The other modes need [`Direction::Encrypt`] both ways.
    ///
    /// The unit expands 128-bit keys by itself. Longer ones are expanded here, because some CPUs get them
    /// wrong ("stepping 8" of the C3: Linux `aes_hw_extkey_available`).
    pub fn new(key: &[u8], direction: Direction) -> Result<Self, WrongKeyLength> {
        match KeySize::of_bytes(key.len()) {
            Some(KeySize::Bits128) => Self::for_hardware_expansion(key, direction),
            _ => Self::with_software_expansion(key, direction),
        }
    }

    /// A key of any size that the unit is to expand by itself, as strongSwan does it.
    pub fn for_hardware_expansion(
        key: &[u8],
        direction: Direction,
    ) -> Result<Self, WrongKeyLength> {
        let mut new = Self::empty(key, direction, false)?;
        new.area.as_flattened_mut()[..key.len()].copy_from_slice(key);
        Ok(new)
    }

    /// A key of any size expanded here.
    pub fn with_software_expansion(
        key: &[u8],
        direction: Direction,
    ) -> Result<Self, WrongKeyLength> {
        let mut new = Self::empty(key, direction, true)?;
        expand(new.size, key, direction, &mut new.area);
        Ok(new)
    }

    fn empty(key: &[u8], direction: Direction, expanded: bool) -> Result<Self, WrongKeyLength> {
        let size = KeySize::of_bytes(key.len()).ok_or(WrongKeyLength { bytes: key.len() })?;
        Ok(Self { area: [[0; 16]; 16], size, direction, expanded })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.area.zeroize();
    }
}

/// An SM4 key, aligned as the unit may want it, wiped when dropped.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Sm4Key(pub(crate) Block);

impl Sm4Key {
    /// A key, which the unit expands by itself.
    pub const fn new(key: &Block) -> Self {
        Self(*key)
    }
}

impl Drop for Sm4Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Where a unit finds its key, and what it is to be told about it.
#[derive(Clone, Copy)]
pub(crate) struct KeyArea<'k> {
    /// The first of 256 bytes at a multiple of 16.
    pub(crate) start: &'k Block,
    /// Key size, and who expands.
    pub(crate) control: ControlWord,
    pub(crate) direction: Direction,
}

impl<'k> From<&'k Key> for KeyArea<'k> {
    fn from(key: &'k Key) -> Self {
        let control = ControlWord::new(key.size);
        Self {
            start: &key.area[0],
            control: if key.expanded { control.with_round_keys() } else { control },
            direction: key.direction,
        }
    }
}

impl<'k> KeyArea<'k> {
    /// A key that is expanded already, as every route has it.
    ///
    /// Round keys are in the order of use with their bytes as FIPS 197 prints them, which is what the unit
    /// reads (OpenSSL swaps its words to get there: `padlock_key_bswap`). The first of an encryption's is
    /// the key itself when that has 128 bits, so the unit can expand it.
    pub(crate) fn of_schedule(size: KeySize, schedule: &'k Schedule, direction: Direction) -> Self {
        const { assert!(size_of::<Schedule>() >= 256 && align_of::<Schedule>() >= 16) };
        let control = ControlWord::new(size);
        let raw = size == KeySize::Bits128 && direction == Direction::Encrypt;
        Self {
            start: &schedule.round_keys[0],
            control: if raw { control } else { control.with_round_keys() },
            direction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_keys_are_left_to_the_unit() {
        let control = |bytes: usize| {
            let key = Key::new(&[7; 32][..bytes], Direction::Encrypt).expect("a key size");
            KeyArea::from(&key).control.bits()
        };
        assert_eq!((control(16), control(24), control(32)), (0x00a, 0x48c, 0x88e));
        let error = Key::new(&[0; 17], Direction::Encrypt).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "an AES key has 16, 24 or 32 bytes, not 17");
    }

    #[test]
    fn the_area_is_what_the_unit_reads() {
        let key = Key::new(&[1; 16], Direction::Decrypt).expect("a key size");
        let area = KeyArea::from(&key);
        assert!(area.start.as_ptr().addr().is_multiple_of(16));
        assert!(size_of::<Key>() >= 256);
        assert_eq!(area.start, &[1; 16], "the key itself");
        let schedule = Schedule::EMPTY;
        let of =
            |direction| KeyArea::of_schedule(KeySize::Bits128, &schedule, direction).control.bits();
        assert_eq!((of(Direction::Encrypt), of(Direction::Decrypt)), (0x00a, 0x08a));
    }
}
