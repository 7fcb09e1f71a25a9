//! What is compared: the rows of the article of 2007, and what is used today.

use std::fmt;

use crate::{Cipher, Iv, Mode, Specification};

/// Which implementation is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The fastest there is: by measurement in this process, by priority in the kernel.
    Best,
    /// Plain code that needs no instruction of the CPU's: the route `portable`, the kernel's `aes-generic`.
    Generic,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The cipher.
    pub specification: Specification,
    /// Bits of its key, both halves with XTS; 0 for none.
    pub key_bits: u32,
    /// Whose implementation.
    pub variant: Variant,
}

impl Variant {
    /// Its word in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Generic => "generic",
        }
    }
}

impl Candidate {
    /// All rows of the article, then those of today.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::of(Specification::Plain, 0)];
        let cbc = |cipher| Specification::Encrypted(cipher, Mode::Cbc, Iv::Plain64);
        let xts = |cipher| Specification::Encrypted(cipher, Mode::Xts, Iv::Plain64);
        all.push(Self { variant: Variant::Generic, ..Self::of(cbc(Cipher::Aes), 128) });
        for cipher in [
            Cipher::Aes,
            Cipher::Anubis,
            Cipher::Arc4,
            Cipher::Blowfish,
            Cipher::Camellia,
            Cipher::Cast5,
            Cipher::Cast6,
            Cipher::Khazad,
            Cipher::Serpent,
            Cipher::Tea,
            Cipher::Tnepres,
            Cipher::Twofish,
            Cipher::Xeta,
            Cipher::Xtea,
        ] {
            let specification = match cipher {
                // A stream cipher has no blocks to chain.
                Cipher::Arc4 => Specification::Encrypted(cipher, Mode::Ecb, Iv::None),
                _ => cbc(cipher),
            };
            all.push(Self::of(specification, 128));
        }
        for (specification, key_bits) in [
            (xts(Cipher::Aes), 256),
            (xts(Cipher::Aes), 512),
            (Specification::Encrypted(Cipher::Xchacha12Aes, Mode::Adiantum, Iv::Plain64), 256),
            (xts(Cipher::Serpent), 512),
            (xts(Cipher::Twofish), 512),
            (xts(Cipher::Camellia), 512),
            (xts(Cipher::Sm4), 256),
            (xts(Cipher::Aria), 512),
            (Specification::Encrypted(Cipher::Aes, Mode::Gcm, Iv::Random), 256),
            (Specification::Encrypted(Cipher::Aegis128, Mode::Aead, Iv::Random), 128),
        ] {
            all.push(Self::of(specification, key_bits));
        }
        all
    }

    /// By the best implementation.
    pub const fn of(specification: Specification, key_bits: u32) -> Self {
        Self { specification, key_bits, variant: Variant::Best }
    }

    /// Whether there is a cipher at all.
    pub const fn is_encrypted(self) -> bool {
        !matches!(self.specification, Specification::Plain)
    }

    /// Bytes of the key.
    pub const fn key_bytes(self) -> usize {
        self.key_bits as usize / 8
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.specification.fmt(f)?;
        if self.variant == Variant::Generic {
            f.write_str(" (generic)")?;
        }
        Ok(())
    }
}
