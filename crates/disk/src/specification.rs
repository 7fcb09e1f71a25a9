//! A cipher for sectors, as cryptsetup and dm-crypt spell it: `aes-xts-plain64`.

use std::fmt;
use std::str::FromStr;

use wirespeed_cipher::nearest;

/// A block cipher (or, with ARC4, a stream cipher; or a whole construction), by the kernel's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "their names are all there is to say; docs/disk.md tells what each is"
)]
pub enum Cipher {
    Aes,
    Anubis,
    Arc4,
    Aria,
    Blowfish,
    Camellia,
    Cast5,
    Cast6,
    Khazad,
    Serpent,
    Sm4,
    Tea,
    Tnepres,
    Twofish,
    Xeta,
    Xtea,
    /// Adiantum: XChaCha with 12 rounds, AES, NH and Poly1305.
    Xchacha12Aes,
    /// Adiantum with 20 rounds.
    Xchacha20Aes,
    Aegis128,
}

/// How a sector is made of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Every block by itself; for ARC4 the key stream, begun anew with every sector.
    Ecb,
    /// Cipher block chaining, begun anew with every sector.
    Cbc,
    /// IEEE 1619, one sector a data unit.
    Xts,
    /// A sector as one wide block.
    Adiantum,
    /// Authenticated: a tag for each sector.
    Gcm,
    /// The cipher is a mode by itself and authenticates: AEGIS.
    Aead,
}

/// Where a sector's initialisation vector comes from (the kernel's
/// Documentation/admin-guide/device-mapper/dm-crypt.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Iv {
    /// There is none: ECB.
    None,
    /// Always zero.
    Null,
    /// The low 32 bits of the number of the sector, little-endian.
    Plain,
    /// The number of the sector, 64 bits, little-endian.
    Plain64,
    /// The number of the sector, encrypted with the SHA-256 of the key.
    EssivSha256,
    /// A new one for every write, kept beside the sector: with integrity only.
    Random,
}

/// A cipher, a mode and an IV; or no encryption at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Specification {
    /// `none`: what all others are compared with.
    Plain,
    /// A cipher for sectors.
    Encrypted(Cipher, Mode, Iv),
}

impl Cipher {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::Aes,
        Self::Anubis,
        Self::Arc4,
        Self::Aria,
        Self::Blowfish,
        Self::Camellia,
        Self::Cast5,
        Self::Cast6,
        Self::Khazad,
        Self::Serpent,
        Self::Sm4,
        Self::Tea,
        Self::Tnepres,
        Self::Twofish,
        Self::Xeta,
        Self::Xtea,
        Self::Xchacha12Aes,
        Self::Xchacha20Aes,
        Self::Aegis128,
    ];

    /// The kernel's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes => "aes",
            Self::Anubis => "anubis",
            Self::Arc4 => "arc4",
            Self::Aria => "aria",
            Self::Blowfish => "blowfish",
            Self::Camellia => "camellia",
            Self::Cast5 => "cast5",
            Self::Cast6 => "cast6",
            Self::Khazad => "khazad",
            Self::Serpent => "serpent",
            Self::Sm4 => "sm4",
            Self::Tea => "tea",
            Self::Tnepres => "tnepres",
            Self::Twofish => "twofish",
            Self::Xeta => "xeta",
            Self::Xtea => "xtea",
            Self::Xchacha12Aes => "xchacha12,aes",
            Self::Xchacha20Aes => "xchacha20,aes",
            Self::Aegis128 => "aegis128",
        }
    }

    /// Bytes in a block; 1 for what has none.
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::Blowfish | Self::Cast5 | Self::Khazad | Self::Tea | Self::Xeta | Self::Xtea => 8,
            Self::Arc4 | Self::Xchacha12Aes | Self::Xchacha20Aes => 1,
            _ => 16,
        }
    }

    /// The sizes of its keys in bits, the first the usual one.
    pub const fn key_bits(self) -> &'static [u32] {
        match self {
            Self::Aes
            | Self::Aria
            | Self::Camellia
            | Self::Cast6
            | Self::Serpent
            | Self::Tnepres
            | Self::Twofish
            | Self::Anubis => &[128, 192, 256],
            Self::Blowfish => &[128, 192, 256, 448],
            Self::Arc4 | Self::Cast5 | Self::Khazad | Self::Sm4 | Self::Tea => &[128],
            Self::Xeta | Self::Xtea | Self::Aegis128 => &[128],
            Self::Xchacha12Aes | Self::Xchacha20Aes => &[256],
        }
    }
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Ecb, Self::Cbc, Self::Xts, Self::Adiantum, Self::Gcm, Self::Aead];

    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Ecb => Some("ecb"),
            Self::Cbc => Some("cbc"),
            Self::Xts => Some("xts"),
            Self::Adiantum => Some("adiantum"),
            Self::Gcm => Some("gcm"),
            Self::Aead => None,
        }
    }

    /// Whether this can be a mode of the cipher.
    const fn suits(self, cipher: Cipher) -> bool {
        match cipher {
            Cipher::Xchacha12Aes | Cipher::Xchacha20Aes => matches!(self, Self::Adiantum),
            Cipher::Aegis128 => matches!(self, Self::Aead),
            Cipher::Arc4 => matches!(self, Self::Ecb),
            _ => match self {
                Self::Ecb | Self::Cbc => true,
                Self::Xts => cipher.block_bytes() == 16,
                Self::Gcm => matches!(cipher, Cipher::Aes),
                Self::Adiantum | Self::Aead => false,
            },
        }
    }
}

impl Iv {
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Null => Some("null"),
            Self::Plain => Some("plain"),
            Self::Plain64 => Some("plain64"),
            Self::EssivSha256 => Some("essiv:sha256"),
            Self::Random => Some("random"),
        }
    }
}

impl Specification {
    /// The cipher and its key: half of XTS's key is for the tweaks.
    pub fn key_bits(self) -> Vec<u32> {
        match self {
            Self::Plain => vec![0],
            Self::Encrypted(cipher, Mode::Xts, _) => {
                cipher.key_bits().iter().map(|bits| bits * 2).collect()
            }
            Self::Encrypted(cipher, ..) => cipher.key_bits().to_vec(),
        }
    }

    /// Bytes that are kept beside each sector: the tag, then the IV.
    pub const fn tag_bytes(self) -> usize {
        match self {
            Self::Encrypted(_, Mode::Gcm, _) => 12 + 16,
            Self::Encrypted(_, Mode::Aead, _) => 16 + 16,
            _ => 0,
        }
    }
}

impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Encrypted(cipher, mode, iv) = self else { return f.write_str("none") };
        f.write_str(cipher.name())?;
        for part in [mode.name(), iv.name()].into_iter().flatten() {
            write!(f, "-{part}")?;
        }
        Ok(())
    }
}

/// Why a text is no cipher for sectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unknown {}

/// Every cipher in every mode with every IV that suits.
pub(crate) fn known() -> impl Iterator<Item = Specification> {
    Cipher::ALL.into_iter().flat_map(|cipher| {
        let of_mode = move |mode: Mode| {
            let ivs: &[Iv] = match mode {
                Mode::Ecb => &[Iv::None],
                Mode::Gcm | Mode::Aead => &[Iv::Random],
                // ESSIV's key is a hash of 256 bits, which not every cipher takes.
                _ if cipher.key_bits().contains(&256) && mode == Mode::Cbc => {
                    &[Iv::Null, Iv::Plain, Iv::Plain64, Iv::EssivSha256]
                }
                _ => &[Iv::Null, Iv::Plain, Iv::Plain64],
            };
            ivs.iter().map(move |iv| Specification::Encrypted(cipher, mode, *iv))
        };
        Mode::ALL.into_iter().filter(move |mode| mode.suits(cipher)).flat_map(of_mode)
    })
}

impl FromStr for Specification {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Self::meant(text).map(|(specification, _)| specification)
    }
}

impl Specification {
    /// What is meant by cryptsetup's name, by the kernel's (`xts(aes)`) or by OpenSSL's (`AES-256-XTS`); and the bits of
    /// the key that the name tells. A name without an IV means `plain64`.
    pub fn meant(text: &str) -> Result<(Self, Option<u32>), Unknown> {
        let small = text.to_ascii_lowercase();
        if small == "none" {
            return Ok((Self::Plain, None));
        }
        let named = |name: &str| known().find(|it| it.to_string() == name);
        if let Some(found) = named(&small) {
            return Ok((found, None));
        }
        let of_the_kernel = small.strip_suffix(')').and_then(|it| it.split_once('('));
        let spelled = of_the_kernel.map(|(mode, cipher)| format!("{cipher}-{mode}"));
        let spelled = spelled.unwrap_or_else(|| small.clone());
        let (numbers, words): (Vec<&str>, Vec<&str>) =
            spelled.split('-').partition(|part| part.parse::<u32>().is_ok());
        let bits = numbers.first().and_then(|bits| bits.parse().ok());
        let bare = words.join("-");
        let ivs = ["", "-plain64", "-random"];
        let found = ivs.iter().find_map(|iv| named(&format!("{bare}{iv}")));
        let found = found.filter(|_| numbers.len() <= 1).ok_or_else(|| Unknown(unknown(text)))?;
        // OpenSSL counts one of XTS's two keys.
        let is_xts = matches!(found, Self::Encrypted(_, Mode::Xts, _));
        Ok((found, bits.map(|bits: u32| if is_xts { bits.saturating_mul(2) } else { bits })))
    }
}

/// One line that says what was meant, perhaps.
fn unknown(text: &str) -> String {
    let names: Vec<String> = known().map(|it| it.to_string()).collect();
    match nearest(&text.to_ascii_lowercase(), names.iter().map(String::as_str)) {
        Some(name) => format!(
            "unknown cipher '{text}': did you mean {name}? wirespeed disk --help lists the ciphers"
        ),
        None => format!(
            "unknown cipher '{text}': a name is cipher-mode-iv as in aes-xts-plain64; wirespeed disk \
             --help lists the ciphers"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_as_people_type_them() {
        for (given, name, key_bits) in [
            ("aes-xts-plain64", "aes-xts-plain64", None),
            ("AES-XTS-plain64", "aes-xts-plain64", None),
            ("aes-xts", "aes-xts-plain64", None),
            ("xts(aes)", "aes-xts-plain64", None),
            ("AES-256-XTS", "aes-xts-plain64", Some(512)),
            ("camellia-256-cbc", "camellia-cbc-plain64", Some(256)),
            ("AES-128-GCM", "aes-gcm-random", Some(128)),
            ("ecb(arc4)", "arc4-ecb", None),
            ("none", "none", None),
        ] {
            let meant = Specification::meant(given).map(|(it, bits)| (it.to_string(), bits));
            assert_eq!(meant, Ok((name.to_owned(), key_bits)), "{given}");
        }
        for specification in known() {
            assert_eq!(specification.to_string().parse(), Ok(specification));
        }
        let said = Specification::meant("aes-xts-plain65").expect_err("no such IV").to_string();
        assert!(said.contains("did you mean aes-xts-plain64?"), "{said}");
        for nothing in ["", "rot13", "aes-128-256-cbc", "128"] {
            assert!(Specification::meant(nothing).is_err(), "{nothing}");
        }
    }
}
