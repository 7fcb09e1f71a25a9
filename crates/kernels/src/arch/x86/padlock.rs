//! The route of VIA's and Zhaoxin's PadLock: whole modes in the CPU's own instructions.

use std::marker::PhantomData;
use std::slice;

use wirespeed_cipher::{
    Block, BlockCipher, BlockKernels, Chain, Compression, Direction, GcmKey, GcmState, HashKernels,
    InOut, Route, Schedule,
};
use wirespeed_cpu::{Ace, Ace2, Ccs, Features, Phe, Phe2, Token};
use wirespeed_kernels_core::Absent;
use wirespeed_kernels_core::engine::{self, Engine, Galois, after};
use wirespeed_padlock::hash::Blocks;
use wirespeed_padlock::{Cipher, KeySize};

use crate::proof::portable;

/// The kernels of PadLock.
pub(crate) fn kernels(
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    let aes = |size: usize| {
        Ace::probe(features).map_err(Absent::Missing)?;
        Ok(&AES[usize::from(Ace2::probe(features).is_ok())][size])
    };
    match cipher {
        BlockCipher::Aes128 => aes(0),
        BlockCipher::Aes192 => aes(1),
        BlockCipher::Aes256 => aes(2),
        BlockCipher::Sm4 => Ccs::probe(features).map(|_| &SM4).map_err(Absent::Missing),
        _ => Err(Absent::Without(cipher)),
    }
}

/// PadLock's compression functions. A C7 has SHA-1 and SHA-256 for whole messages only.
pub(crate) fn hash(
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    match compression {
        Compression::Sha1 | Compression::Sha256 => {
            let phe = Phe::probe(features).map_err(Absent::Missing)?;
            Blocks::sha(phe, compression).ok_or(Absent::WithoutHash(compression))?;
        }
        Compression::Sha512 => _ = Phe2::probe(features).map_err(Absent::Missing)?,
        Compression::Sm3 => _ = Ccs::probe(features).map_err(Absent::Missing)?,
        _ => return Err(Absent::WithoutHash(compression)),
    }
    let hash = HASHES.iter().find(|kernels| kernels.compression == compression);
    hash.ok_or(Absent::WithoutHash(compression))
}

/// AES without ACE2 and with it, by key size.
static AES: [[BlockKernels; 3]; 2] = [
    [
        engine::table::<By<Xcrypt<0, false>>>(),
        engine::table::<By<Xcrypt<1, false>>>(),
        engine::table::<By<Xcrypt<2, false>>>(),
    ],
    [
        engine::table::<By<Xcrypt<0, true>>>(),
        engine::table::<By<Xcrypt<1, true>>>(),
        engine::table::<By<Xcrypt<2, true>>>(),
    ],
];

/// SM4.
static SM4: BlockKernels = engine::table::<By<Sm4>>();

/// The compression functions.
static HASHES: [HashKernels; 4] = [
    hashing::<{ Compression::Sha1 as usize }>(),
    hashing::<{ Compression::Sha256 as usize }>(),
    hashing::<{ Compression::Sha512 as usize }>(),
    hashing::<{ Compression::Sm3 as usize }>(),
];

const fn hashing<const INDEX: usize>() -> HashKernels {
    fn blocks<const INDEX: usize>(chain: &mut Chain, data: &[u8]) {
        let words = chain.first_chunk_mut().expect("eight words");
        // SAFETY: `hash` gives each of these to those only whose features have its unit.
        let unit = unsafe {
            match Compression::ALL[INDEX] {
                Compression::Sha512 => Some(Blocks::sha512(Phe2::reclaim())),
                Compression::Sm3 => Some(Blocks::sm3(Ccs::reclaim())),
                sha => Blocks::sha(Phe::reclaim(), sha),
            }
        };
        unit.expect("`hash` found it").run(words, data);
    }
    let compression = Compression::ALL[INDEX];
    HashKernels { route: Route::PadLock, compression, blocks: blocks::<INDEX> }
}

/// ACE with one of the key sizes.
struct Xcrypt<const SIZE: usize, const ACE2: bool>;

/// CCS.
struct Sm4;

/// A cipher with a schedule for this direction.
trait Hardware {
    const CIPHER: BlockCipher;

    fn cipher(schedule: &Schedule, direction: Direction) -> Cipher<'_>;

    fn forward(schedule: &Schedule) -> Cipher<'_> {
        Self::cipher(schedule, Direction::Encrypt)
    }

    /// GCM's counter mode over any length: the last 32 bits of the counter wrap. Gives the keystream of a
    /// last block that is not whole, or that is all there is.
    fn count_to_the_end(
        schedule: &Schedule,
        counter: &mut Block,
        data: InOut<'_>,
    ) -> Option<Block> {
        let open = data.len() <= 16 || !data.len().is_multiple_of(16);
        let start = u128::from_be_bytes(*counter);
        let until_wrap = 16 * ((1 << 32) - u64::from(start as u32));
        let head = data.len().min(usize::try_from(until_wrap).unwrap_or(usize::MAX));
        let end = after(counter, 32, data.len().div_ceil(16) as u128);
        let mut wrapped = (start >> 32 << 32).to_be_bytes();
        let (head, rest) = data.split_at(head);
        let cipher = Self::forward(schedule);
        let last = cipher.ctr(counter, head);
        let last = cipher.ctr(&mut wrapped, rest).or(last);
        *counter = end;
        last.filter(|_| open)
    }
}

impl<const SIZE: usize, const ACE2: bool> Hardware for Xcrypt<SIZE, ACE2> {
    const CIPHER: BlockCipher = BlockCipher::AES[SIZE];

    fn cipher(schedule: &Schedule, direction: Direction) -> Cipher<'_> {
        // SAFETY: `kernels` gives a table to those only whose features have ACE, and one with ACE2 to
        // those that have it.
        let (ace, ace2) = unsafe { (Ace::reclaim(), ACE2.then(|| Ace2::reclaim())) };
        Cipher::aes_with_schedule(ace, ace2, KeySize::ALL[SIZE], schedule, direction)
    }
}

impl Hardware for Sm4 {
    const CIPHER: BlockCipher = BlockCipher::Sm4;

    fn cipher(schedule: &Schedule, direction: Direction) -> Cipher<'_> {
        // SAFETY: `kernels` gives this table to those only whose features have CCS.
        let ccs = unsafe { Ccs::reclaim() };
        Cipher::sm4_with_schedule(ccs, schedule, direction)
    }
}

/// In which direction a kernel's key schedule goes.
const fn direction(decrypt: bool) -> Direction {
    if decrypt { Direction::Decrypt } else { Direction::Encrypt }
}

/// Hardware as an engine.
struct By<H>(PhantomData<H>);

impl<H: Hardware> Engine for By<H> {
    const ROUTE: Route = Route::PadLock;
    const CIPHER: BlockCipher = H::CIPHER;
    const GALOIS: Galois = wirespeed_aes::portable::GALOIS;

    /// In software: other routes want the round keys too, and the unit does not give them out.
    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
        (portable(H::CIPHER).expand[usize::from(DECRYPT)])(key, out);
    }

    fn ecb<const DECRYPT: bool>(key: &Schedule, data: InOut<'_>) {
        H::cipher(key, direction(DECRYPT)).ecb(data);
    }

    fn cbc<const DECRYPT: bool>(key: &Schedule, chain: &mut Block, data: InOut<'_>) {
        H::cipher(key, direction(DECRYPT)).cbc(chain, data);
    }

    fn cfb<const DECRYPT: bool>(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        H::forward(key).cfb(direction(DECRYPT), register, data);
    }

    fn ofb(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        H::forward(key).ofb(register, data);
    }

    fn ctr(key: &Schedule, counter: &mut Block, keystream: &mut Block, data: InOut<'_>) {
        let partial = !data.len().is_multiple_of(16);
        if let Some(last) = H::forward(key).ctr(counter, data)
            && partial
        {
            *keystream = last;
        }
    }

    /// The whole message is one call of counter mode, and hashed before or after.
    fn gcm<const DECRYPT: bool>(
        schedule: &Schedule,
        key: &mut GcmKey,
        state: &mut GcmState,
        mut data: InOut<'_>,
    ) {
        // A block that is all there is stays pending: see `GcmCryptFn`.
        let whole = if data.len() <= 16 { 0 } else { data.len() & !15 };
        let rest = data.len() - whole;
        let (source, destination) = (data.source(), data.destination().cast_const());
        let mut hash = |ciphertext: *const u8| {
            // SAFETY: as many bytes are in the message and initialised, and nothing writes to them meanwhile.
            let ciphertext = unsafe { slice::from_raw_parts(ciphertext, whole) };
            (Self::GALOIS.ghash)(key, &mut state.hash, ciphertext);
        };
        let mut pending = [0; 16];
        if DECRYPT {
            hash(source);
            data.reborrow().split_at(whole).1.save(&mut pending[..rest]);
        }
        let keystream = H::count_to_the_end(schedule, &mut state.counter, data.reborrow());
        if !DECRYPT {
            hash(destination);
            data.split_at(whole).1.written(&mut pending[..rest]);
        }
        if let Some(keystream) = keystream {
            state.keystream = keystream;
            state.pending = pending;
        }
    }
}
