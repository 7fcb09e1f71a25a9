//! The block ciphers that other people keep, and those of the past.

use chacha20::{XChaCha12, XChaCha20};
use cipher::consts::{U24, U32};
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use rc4::Rc4;
use wirespeed_cipher::Block;
use wirespeed_comparison::{Anubis, Khazad, Tea, Tnepres, Twofish, Xeta};

use super::adiantum::Adiantum;
use super::aead::Sealed;
use super::aegis::Aegis128;
use super::iv::Ivs;
use super::modes::{Mode, each};
use super::order::Order;
use super::{Named, SectorCipher, native};
use crate::{Cipher, Variant};

/// The crate's word in tables.
const fn route(cipher: Cipher) -> Option<&'static str> {
    Some(match cipher {
        Cipher::Aegis128 => "crate aes",
        Cipher::Arc4 => "crate rc4",
        Cipher::Aria => "crate aria",
        Cipher::Blowfish => "crate blowfish",
        Cipher::Camellia => "crate camellia",
        Cipher::Cast5 => "crate cast5",
        Cipher::Cast6 => "crate cast6",
        Cipher::Serpent => "crate serpent",
        Cipher::Xchacha12Aes | Cipher::Xchacha20Aes => "crate chacha20",
        Cipher::Xtea => "crate xtea",
        Cipher::Anubis
        | Cipher::Khazad
        | Cipher::Tea
        | Cipher::Tnepres
        | Cipher::Twofish
        | Cipher::Xeta => "comparison",
        _ => return None,
    })
}

/// The cipher by its crate, if there is one.
pub(super) fn build(order: Order<'_>, variant: Variant) -> Option<Named> {
    let cipher = match order.cipher {
        Cipher::Aegis128 => {
            let key = order.key.try_into().expect("128 bits");
            Box::new(Sealed::new(Aegis128(key), order.sector_bytes))
        }
        Cipher::Arc4 => order.sectors(Ivs::plain(order.iv)?, Arc4(order.key.into())),
        Cipher::Xchacha12Aes => adiantum::<XChaCha12>(order, variant)?,
        Cipher::Xchacha20Aes => adiantum::<XChaCha20>(order, variant)?,
        cipher => with(cipher, order.data_key().len(), Whole(order))??,
    };
    Some((route(order.cipher)?, cipher))
}

/// Adiantum, with AES by a route of ours.
fn adiantum<S>(order: Order<'_>, variant: Variant) -> Option<Box<dyn SectorCipher>>
where
    S: KeyIvInit<KeySize = U32, IvSize = U24> + StreamCipher + 'static,
{
    let key = order.key.try_into().ok()?;
    let aes = |key: &[u8]| native::first(variant, Cipher::Aes, key).expect("a portable route");
    Some(order.sectors(Ivs::plain(order.iv)?, Adiantum::<S, _>::new(key, aes)))
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
        (Cipher::Twofish, _) => user.with::<Twofish>(),
        (Cipher::Xeta, _) => user.with::<Xeta>(),
        (Cipher::Xtea, _) => user.with::<xtea::Xtea>(),
        _ => return None,
    })
}

fn keyed<C: KeyInit>(key: &[u8]) -> Option<C> {
    C::new_from_slice(key).ok()
}

struct Whole<'a>(Order<'a>);

impl Use for Whole<'_> {
    type Made = Option<Box<dyn SectorCipher>>;

    fn with<C>(self) -> Self::Made
    where
        C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + Sync + 'static,
    {
        let Self(order) = self;
        let ivs = order.ivs(|salt| with(order.cipher, salt.len(), Salted(salt))?)?;
        order.by(ivs, keyed::<C>)
    }
}

struct Salted<'a>(&'a [u8]);

impl Use for Salted<'_> {
    type Made = Option<Ivs>;

    fn with<C>(self) -> Self::Made
    where
        C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + Sync + 'static,
    {
        keyed::<C>(self.0).map(Ivs::essiv)
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
        keyed::<Rc4>(&self.0).expect("ARC4 takes 1 to 256 bytes").apply_keystream(to);
    }
}

impl Mode for Arc4 {
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        each(ivs, plain, sectors, |_, plain, sector| self.add_stream(plain, sector));
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        each(ivs, sectors, plain, |_, sector, plain| self.add_stream(sector, plain));
    }
}
