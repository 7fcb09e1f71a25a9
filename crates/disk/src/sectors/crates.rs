//! The block ciphers that other people keep, and those of the past.

use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use rc4::{Rc4, StreamCipher};
use wirespeed_cipher::Block;
use wirespeed_comparison::{Anubis, Khazad, Tea, Tnepres, Xeta};

use super::iv::{Ivs, essiv_key};
use super::modes::Mode;
use super::order::Order;
use super::{Named, SectorCipher};
use crate::{Cipher, Iv};

/// The crate's word in tables.
const fn route(cipher: Cipher) -> Option<&'static str> {
    Some(match cipher {
        Cipher::Arc4 => "crate rc4",
        Cipher::Aria => "crate aria",
        Cipher::Blowfish => "crate blowfish",
        Cipher::Camellia => "crate camellia",
        Cipher::Cast5 => "crate cast5",
        Cipher::Cast6 => "crate cast6",
        Cipher::Serpent => "crate serpent",
        Cipher::Twofish => "crate twofish",
        Cipher::Xtea => "crate xtea",
        Cipher::Anubis | Cipher::Khazad | Cipher::Tea | Cipher::Tnepres | Cipher::Xeta => {
            "comparison"
        }
        _ => return None,
    })
}

/// The cipher by its crate, if there is one.
pub(super) fn build(order: Order<'_>) -> Option<Named> {
    let cipher = match order.cipher {
        Cipher::Arc4 => order.sectors(Ivs::plain(Iv::None), Arc4(order.key.into())),
        cipher => with(cipher, order.data_key().len(), Whole(order))?,
    };
    Some((route(order.cipher)?, cipher))
}

/// What is done with a type of cipher once that is known.
trait Use {
    type Made;
    fn with<C>(self) -> Self::Made
    where
        C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + Sync + 'static;
}

/// The one list of types.
fn with<U: Use>(cipher: Cipher, key_bytes: usize, user: U) -> Option<U::Made> {
    Some(match (cipher, key_bytes) {
        (Cipher::Anubis, _) => user.with::<Anubis>(),
        (Cipher::Aria, 16) => user.with::<aria::Aria128>(),
        (Cipher::Aria, 24) => user.with::<aria::Aria192>(),
        (Cipher::Aria, 32) => user.with::<aria::Aria256>(),
        (Cipher::Blowfish, _) => user.with::<blowfish::Blowfish>(),
        (Cipher::Camellia, 16) => user.with::<camellia::Camellia128>(),
        (Cipher::Camellia, 24) => user.with::<camellia::Camellia192>(),
        (Cipher::Camellia, 32) => user.with::<camellia::Camellia256>(),
        (Cipher::Cast5, _) => user.with::<cast5::Cast5>(),
        (Cipher::Cast6, _) => user.with::<cast6::Cast6>(),
        (Cipher::Khazad, _) => user.with::<Khazad>(),
        (Cipher::Serpent, _) => user.with::<serpent::Serpent>(),
        (Cipher::Tea, _) => user.with::<Tea>(),
        (Cipher::Tnepres, _) => user.with::<Tnepres>(),
        (Cipher::Twofish, _) => user.with::<twofish::Twofish>(),
        (Cipher::Xeta, _) => user.with::<Xeta>(),
        (Cipher::Xtea, _) => user.with::<xtea::Xtea>(),
        _ => return None,
    })
}

fn keyed<C: KeyInit>(key: &[u8]) -> C {
    C::new_from_slice(key).expect("a length that the cipher's specification has")
}

struct Whole<'a>(Order<'a>);

impl Use for Whole<'_> {
    type Made = Box<dyn SectorCipher>;

    fn with<C>(self) -> Self::Made
    where
        C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + Sync + 'static,
    {
        let Self(order) = self;
        let ivs = match order.iv {
            Iv::EssivSha256 => {
                let key = essiv_key(order.key);
                with(order.cipher, key.len(), Salted(&key)).expect("a cipher with 256 bits of key")
            }
            kind => Ivs::plain(kind),
        };
        order.by(ivs, keyed::<C>)
    }
}

struct Salted<'a>(&'a [u8]);

impl Use for Salted<'_> {
    type Made = Ivs;

    fn with<C>(self) -> Self::Made
    where
        C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + Sync + 'static,
    {
        Ivs::essiv(keyed::<C>(self.0))
    }
}

/// ARC4's key stream, begun anew with every sector, as Linux's `ecb(arc4)` does since 6.7. Before, its state went
/// on from one request to the next whatever the sector (`crypto_arc4_crypt`, `crypto/arc4.c`), so that what was
/// written could not be read again.
struct Arc4(Box<[u8]>);

impl Arc4 {
    /// The crate's state cannot be copied, so every sector pays for its key.
    fn add_stream(&self, from: &[u8], to: &mut [u8]) {
        to.copy_from_slice(from);
        keyed::<Rc4>(&self.0).apply_keystream(to);
    }
}

impl Mode for Arc4 {
    fn encrypt(&self, _iv: &Block, plain: &[u8], sector: &mut [u8]) {
        self.add_stream(plain, sector);
    }

    fn decrypt(&self, _iv: &Block, sector: &[u8], plain: &mut [u8]) {
        self.add_stream(sector, plain);
    }
}
