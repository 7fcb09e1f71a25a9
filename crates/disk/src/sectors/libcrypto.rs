//! The host's OpenSSL for sectors: its own CBC, its own XTS of AES, and its ECB below our XTS of other ciphers.

use std::sync::OnceLock;

use wirespeed_cipher::{Block, Route};
use wirespeed_libcrypto::{CipherContext, Context, Direction, Error, Library, Param};

use super::blocks::Blocks;
use super::iv::Ivs;
use super::modes::{Mode, each};
use super::order::Order;
use super::pool::Pool;
use super::{Named, SectorCipher};
use crate::{Cipher, Mode as Name};

/// The cipher by the host's OpenSSL, if there is one and it has the cipher.
pub(super) fn build(order: Order<'_>) -> Option<Named> {
    let cipher = match order.cipher.block_bytes() {
        8 => in_blocks::<8>(order),
        16 => in_blocks::<16>(order),
        _ => None,
    };
    Some((Route::Libcrypto.name(), cipher?))
}

fn in_blocks<const BYTES: usize>(order: Order<'_>) -> Option<Box<dyn SectorCipher>> {
    let keyed = |mode, key: &[u8]| Key::<BYTES>::new(order.cipher, mode, key);
    let ivs = order.ivs(|salt| Some(Ivs::essiv(Ecb(keyed("ECB", salt)?))))?;
    Some(match order.mode {
        Name::Cbc => order.sectors(ivs, Whole(keyed("CBC", order.key)?)),
        // SM4's XTS of OpenSSL 3.2 is by default that of GB/T 17964, which counts the tweaks otherwise.
        Name::Xts if order.cipher == Cipher::Aes => {
            order.sectors(ivs, Whole(keyed("XTS", order.key)?))
        }
        _ => return order.by(ivs, |key| keyed("ECB", key).map(Ecb)),
    })
}

/// The default provider, and the legacy one with the ciphers of the past.
fn providers() -> Option<&'static Context> {
    static CONTEXT: OnceLock<Option<Context>> = OnceLock::new();
    let open = || {
        let context = Context::new(Library::host().ok()?).ok()?;
        context.load("default").ok()?;
        // A module of its own, which need not be there.
        let _ = context.load("legacy");
        Some(context)
    };
    CONTEXT.get_or_init(open).as_ref()
}

/// OpenSSL's name.
fn name(cipher: Cipher, mode: &str, key_bytes: usize) -> Option<String> {
    let bits = key_bytes * if mode == "XTS" { 4 } else { 8 };
    Some(match cipher {
        Cipher::Aes => format!("AES-{bits}-{mode}"),
        Cipher::Aria => format!("ARIA-{bits}-{mode}"),
        Cipher::Blowfish => format!("BF-{mode}"),
        Cipher::Camellia => format!("CAMELLIA-{bits}-{mode}"),
        Cipher::Cast5 => format!("CAST5-{mode}"),
        Cipher::Sm4 => format!("SM4-{mode}"),
        _ => return None,
    })
}

/// Why no call fails: its lengths are the cipher's, and the key has been taken.
const SOUND: &str = "whole blocks under a key that libcrypto took";

/// A key in a mode of libcrypto's. Its contexts are one caller's at a time.
struct Key<const BYTES: usize> {
    contexts: [Pool<CipherContext>; 2],
}

impl<const BYTES: usize> Key<BYTES> {
    fn new(cipher: Cipher, mode: &str, key: &[u8]) -> Option<Self> {
        let cipher = providers()?.fetch(&name(cipher, mode, key.len())?, None).ok()?;
        let keyed = |direction| -> Result<_, Error> {
            let mut context = cipher.context()?;
            context.init(direction, None, None, &[])?;
            if cipher.key_bytes() != key.len() {
                context.set(&[Param::size(c"keylen", key.len())])?;
            }
            context.init(direction, Some(key), None, &[])?;
            context.set_padding(false)?;
            Ok(Pool::new(context, |context| context.duplicate().expect("memory for a context")))
        };
        Some(Self { contexts: [keyed(Direction::Encrypt).ok()?, keyed(Direction::Decrypt).ok()?] })
    }

    fn with(&self, direction: Direction, run: impl FnOnce(&mut CipherContext)) {
        let [encryption, decryption] = &self.contexts;
        let pool = if direction == Direction::Encrypt { encryption } else { decryption };
        pool.with(run);
    }
}

/// Whole blocks from one place to another. An update asks for room for one block more than it writes here, where
/// padding is off; so the last block goes by itself.
fn update<const BYTES: usize>(context: &mut CipherContext, from: &[u8], to: &mut [u8]) {
    let (most, last) = from.split_at(from.len() - BYTES);
    if !most.is_empty() {
        context.update(most, to).expect(SOUND);
    }
    let mut room = [0; 32];
    context.update(last, &mut room).expect(SOUND);
    to[most.len()..].copy_from_slice(&room[..BYTES]);
}

/// libcrypto's ECB.
struct Ecb<const BYTES: usize>(Key<BYTES>);

impl<const BYTES: usize> Ecb<BYTES> {
    fn run(&self, direction: Direction, blocks: &mut [u8]) {
        self.0.with(direction, |context| {
            let most = blocks.len() - BYTES;
            let mut room = [0; 32];
            room[..BYTES].copy_from_slice(&blocks[most..]);
            if most > 0 {
                context.update_in_place(blocks, most).expect(SOUND);
            }
            context.update_in_place(&mut room, BYTES).expect(SOUND);
            blocks[most..].copy_from_slice(&room[..BYTES]);
        });
    }
}

impl<const BYTES: usize> Blocks for Ecb<BYTES> {
    const BYTES: usize = BYTES;

    fn encrypt(&self, blocks: &mut [u8]) {
        self.run(Direction::Encrypt, blocks);
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.run(Direction::Decrypt, blocks);
    }
}

/// A mode of libcrypto's that takes an IV for each sector.
struct Whole<const BYTES: usize>(Key<BYTES>);

impl<const BYTES: usize> Whole<BYTES> {
    fn run(&self, direction: Direction, ivs: &[Block], from: &[u8], to: &mut [u8]) {
        self.0.with(direction, |context| {
            each(ivs, from, to, |iv, from, to| {
                context.init(direction, None, Some(&iv[..BYTES]), &[]).expect(SOUND);
                // XTS takes any number of bytes, but all of them in one call.
                match context.cipher().block_bytes() {
                    1 => drop(context.update(from, to).expect(SOUND)),
                    _ => update::<BYTES>(context, from, to),
                }
            });
        });
    }
}

impl<const BYTES: usize> Mode for Whole<BYTES> {
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        self.run(Direction::Encrypt, ivs, plain, sectors);
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        self.run(Direction::Decrypt, ivs, sectors, plain);
    }
}
