//! What is to be built.

use sha2::{Digest, Sha256};

use super::SectorCipher;
use super::blocks::Blocks;
use super::iv::Ivs;
use super::modes::{Cbc, Ecb, Mode, Sectors, Xts};
use crate::{Cipher, Iv, Mode as Name};

/// A specification with its key and the size of its sectors.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) cipher: Cipher,
    pub(super) mode: Name,
    pub(super) iv: Iv,
    pub(super) key: &'a [u8],
    pub(super) sector_bytes: usize,
}

impl<'a> Order<'a> {
    /// The cipher's own key: of XTS's the first half, the second is for the tweaks.
    pub(super) fn data_key(self) -> &'a [u8] {
        match self.mode {
            Name::Xts => self.halves().0,
            _ => self.key,
        }
    }

    /// XTS's two keys.
    pub(super) fn halves(self) -> (&'a [u8], &'a [u8]) {
        self.key.split_at(self.key.len() / 2)
    }

    /// The IVs; `essiv` makes those with a key of their own, which it is given.
    pub(super) fn ivs(self, essiv: impl FnOnce(&[u8]) -> Option<Ivs>) -> Option<Ivs> {
        match self.iv {
            Iv::EssivSha256 => essiv(&Sha256::digest(self.key)),
            kind => Ivs::plain(kind),
        }
    }

    /// A mode for sectors of the size.
    pub(super) fn sectors(self, ivs: Ivs, mode: impl Mode + 'static) -> Box<dyn SectorCipher> {
        Box::new(Sectors { mode, ivs, sector_bytes: self.sector_bytes })
    }

    /// The mode by any block cipher, which `keyed` gives a key; none if it takes none.
    pub(super) fn by<B: Blocks>(
        self,
        ivs: Ivs,
        keyed: impl Fn(&[u8]) -> Option<B>,
    ) -> Option<Box<dyn SectorCipher>> {
        Some(match self.mode {
            Name::Ecb => self.sectors(ivs, Ecb(keyed(self.key)?)),
            Name::Cbc => self.sectors(ivs, Cbc(keyed(self.key)?)),
            Name::Xts => {
                let (data, tweaks) = self.halves();
                self.sectors(ivs, Xts::new(keyed(data)?, keyed(tweaks)?))
            }
            Name::Adiantum | Name::Gcm | Name::Aead => return None,
        })
    }
}
