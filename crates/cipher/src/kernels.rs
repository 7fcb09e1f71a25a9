//! The functions that a route offers for a block cipher or a hash function.

use crate::{Block, BlockCipher, Chain, Compression, InOut, Mode, Route, Schedule, wipe};

/// ECB over whole blocks.
pub type EcbFn = fn(&Schedule, InOut<'_>);
/// CBC over whole blocks; the chaining value moves on.
pub type CbcFn = fn(&Schedule, chain: &mut Block, InOut<'_>);
/// CFB or OFB over any length; the shift register moves on. After a last partial block it holds the
/// keystream of that block; with CFB its first bytes are the ciphertext instead.
pub type FeedbackFn = fn(&Schedule, register: &mut Block, InOut<'_>);
/// CTR over any length: the counter moves on by every block begun, and a last partial block leaves
/// its whole keystream block behind.
pub type CtrFn = fn(&Schedule, counter: &mut Block, keystream: &mut Block, InOut<'_>);
/// XTS over one data unit of at least 16 bytes, from its encrypted tweak. Below that it does nothing.
pub type XtsFn = fn(&Schedule, tweak: &Block, InOut<'_>);
/// The start of a GCM message at its first counter block (SP 800-38D's J0, its bytes in memory order):
/// everything in the state is set.
pub type GcmStartFn = fn(&Schedule, &mut GcmState, first: u128);
/// GCM over any length: counter and GHASH move on. A last partial block, and a block that is all there
/// is, are not hashed: they are left pending in the state, with their keystream. Unless the state tells the
/// message's lengths: then a kernel may hash all that is left to hash.
pub type GcmCryptFn = fn(&Schedule, &mut GcmKey, &mut GcmState, InOut<'_>);
/// Writes the tag, from the state, whether the pending block is to be hashed, and the lengths in bits of the
/// associated data and the data. Neither counts if they have been hashed.
pub type GcmTagFn = fn(&mut GcmKey, &GcmState, pending: bool, lengths: [u64; 2], tag: &mut Block);

/// CTR from a counter block whose first 32 bits count, little-endian, and wrap (RFC 8452 §4), over any length.
pub type LittleCtrFn = fn(&Schedule, first: &Block, InOut<'_>);

/// OCB over whole blocks; offset, checksum and count move on. Decryption takes the inverse schedule.
pub type OcbFn = fn(&Schedule, &OcbKey, &mut OcbState, InOut<'_>);
/// OCB's hash of associated data over whole blocks (RFC 7253 §4.1); the checksum's place holds the sum.
pub type OcbHashFn = fn(&Schedule, &OcbKey, &mut OcbState, &[u8]);

/// One route's block cipher: pure functions over (key, state, data).
///
/// Pairs are indexed by [`Direction`](crate::Direction). Functions over whole blocks ignore a
/// partial block at the end.
#[derive(Clone, Copy)]
pub struct BlockKernels {
    /// The route.
    pub route: Route,
    /// The block cipher and its key size.
    pub cipher: BlockCipher,
    /// The key schedules that encrypt and decrypt; see [`Schedule`].
    pub expand: [fn(&[u8], &mut Schedule); 2],
    /// ECB; decryption takes the inverse schedule.
    pub ecb: [EcbFn; 2],
    /// CBC; decryption takes the inverse schedule.
    pub cbc: [CbcFn; 2],
    /// CFB with 128-bit segments.
    pub cfb: [FeedbackFn; 2],
    /// OFB.
    pub ofb: FeedbackFn,
    /// CTR with a 128-bit counter.
    pub ctr: CtrFn,
    /// XTS; decryption takes the inverse schedule.
    pub xts: [XtsFn; 2],
    /// The hash key and what it needs: SP 800-38D's H.
    pub gcm_key: fn(&Schedule, &mut GcmKey),
    /// GHASH over whole blocks; the hash is in the kernels' own form, as in [`GcmState`].
    pub ghash: fn(&mut GcmKey, &mut Block, &[u8]),
    /// The start of a GCM message.
    pub gcm_start: GcmStartFn,
    /// GCM's data.
    pub gcm: [GcmCryptFn; 2],
    /// The end of a GCM message.
    pub gcm_tag: GcmTagFn,
    /// The key of POLYVAL, RFC 8452 §3.
    pub polyval_key: fn(Block, &mut GcmKey),
    /// POLYVAL over whole blocks, from the value so far.
    pub polyval: fn(&mut GcmKey, &mut Block, &[u8]),
    /// GCM-SIV's counter mode.
    pub little_ctr: LittleCtrFn,
    /// OCB's whole blocks; decryption takes the inverse schedule.
    pub ocb: [OcbFn; 2],
    /// OCB's associated data.
    pub ocb_hash: OcbHashFn,
}

impl BlockKernels {
    /// Whether these kernels serve every length of a mode well: the unit has the cipher's own rounds, or makes them of
    /// so few steps that a block after another takes no longer than by OpenSSL's tables (`wirespeed bench ARIA-128-CBC
    /// --routes gfni512,libcrypto`). Of more steps many blocks together are fast, and one after another is not: such kernels
    /// are for calls that a measurement gives them.
    pub fn suits_every_call(&self, mode: Mode) -> bool {
        match self.route {
            Route::PadLock | Route::Gfni512 | Route::Sm4Ce => true,
            // OpenSSL has nothing that wide for a CPU without AES, and short calls of these modes go through its tables
            // (crypto/aes/asm/bsaes-x86_64.pl: less than eight blocks). 1.04x to 4.4x of it on Zen 4.
            Route::Avx2 => {
                cfg!(target_pointer_width = "64")
                    && BlockCipher::AES.contains(&self.cipher)
                    && matches!(mode, Mode::Ctr | Mode::Xts | Mode::Ocb)
            }
            // Whether they beat OpenSSL's code, which takes the same instructions, is for a measurement to say.
            Route::Ssse3 | Route::Sse2 | Route::Neon => false,
            Route::Gfni256 => !matches!(
                self.cipher,
                BlockCipher::Camellia128 | BlockCipher::Camellia192 | BlockCipher::Camellia256
            ),
            // In 32-bit code there are eight registers, and OpenSSL's order of the same instructions is often the faster one.
            _ => cfg!(target_pointer_width = "64") && BlockCipher::AES.contains(&self.cipher),
        }
    }
}

/// One route's compression function: a pure function over (chaining value, blocks).
pub struct HashKernels {
    /// The route.
    pub route: Route,
    /// The compression function.
    pub compression: Compression,
    /// Takes the chaining value over whole blocks, one or more.
    pub blocks: fn(chain: &mut Chain, blocks: &[u8]),
}

impl HashKernels {
    /// Whether the unit has the function's own rounds, and so beats the host's code for messages of any length.
    /// What runs on a CPU's general instructions competes with the host's assembler on the same ones: who gains
    /// by it is for a measurement to say.
    pub const fn suits_every_call(&self) -> bool {
        match self.route {
            // Most CPUs take the steps of SHA-3 one at a time, and as many more on integers in less time: Apple's do not.
            Route::ShaCe => !self.compression.is_sponge(),
            Route::ShaNi | Route::Sm4Ce | Route::PadLock => true,
            _ => false,
        }
    }
}

/// The hash key of GCM or of GCM-SIV, and what kernels made of it so far.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct GcmKey {
    /// See [`form`](Self::form).
    pub memory: [Block; 70],
    /// H in the kernels' own form, the same for every route; without a key it is 0.
    pub first: Block,
    /// What is in the memory.
    pub form: GcmForm,
}

/// What kernels make of a hash key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GcmForm {
    /// Nothing yet.
    First,
    /// Block 32 - n is H^n, for 1 to so many. 35 blocks further are its two halves added, in both halves.
    Powers(usize),
    /// Tables of H^2 and H, by turns: for each byte of a product one for the low half of a byte, one for the high.
    Tables,
}

impl GcmKey {
    /// No key yet.
    pub const EMPTY: Self = Self { memory: [[0; 16]; 70], first: [0; 16], form: GcmForm::First };
}

impl Drop for GcmKey {
    fn drop(&mut self) {
        wipe(&mut self.memory);
        wipe(&mut self.first);
    }
}

/// What moves on as GCM runs over a message.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct GcmState {
    /// The next counter block, big-endian; its last 32 bits wrap.
    pub counter: Block,
    /// GHASH so far, its bytes reversed.
    pub hash: Block,
    /// The encrypted first counter block, which masks the tag.
    pub mask: Block,
    /// The keystream of the last block, if that is still open.
    pub keystream: Block,
    /// Input to GHASH that is not hashed yet, up to a block; zeros behind it.
    pub pending: Block,
    /// What is known of the message's end.
    pub end: GcmEnd,
}

/// The end of a GCM message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GcmEnd {
    /// Nobody knows.
    Open,
    /// All data, if there are any, come in the next call: the lengths in bits of the associated data and the data.
    Lengths([u64; 2]),
    /// Lengths and data have been hashed.
    Hashed,
}

impl GcmState {
    /// No message yet.
    pub const EMPTY: Self = Self {
        counter: [0; 16],
        hash: [0; 16],
        mask: [0; 16],
        keystream: [0; 16],
        pending: [0; 16],
        end: GcmEnd::Open,
    };
}

impl Drop for GcmState {
    fn drop(&mut self) {
        for block in [
            &mut self.counter,
            &mut self.hash,
            &mut self.mask,
            &mut self.keystream,
            &mut self.pending,
        ] {
            wipe(block);
        }
    }
}

/// What OCB adds to blocks under one key: RFC 7253 §4.1's L, and sums of them.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct OcbKey {
    /// L_*.
    pub star: Block,
    /// L_$.
    pub dollar: Block,
    /// L_0, L_1 and so on, as far as they are often needed: so many that the first step is at the beginning of a vector.
    pub doubled: [Block; 13],
    /// What leads from the offset of a block whose number is a multiple of 64 to its own and those of the 32 after it: a
    /// Gray code's sums of L. Three more follow, so that a vector load at any of them stays inside.
    pub steps: [Block; 36],
}

impl OcbKey {
    /// No key yet.
    pub const EMPTY: Self =
        Self { star: [0; 16], dollar: [0; 16], doubled: [[0; 16]; 13], steps: [[0; 16]; 36] };

    /// From the encrypted block of zeros as a big-endian number.
    pub(crate) fn set(&mut self, star: u128) {
        self.star = star.to_be_bytes();
        let mut next = double(star);
        self.dollar = next.to_be_bytes();
        for place in &mut self.doubled {
            next = double(next);
            *place = next.to_be_bytes();
        }
        let mut step = 0;
        for number in 1..self.steps.len() {
            step ^= u128::from_ne_bytes(self.doubled[number.trailing_zeros() as usize]);
            self.steps[number] = step.to_ne_bytes();
        }
    }

    /// What leads from the offset before to that of block `number`, which begins with 1: L_ntz(number). The time tells
    /// the number, which is no secret.
    #[inline(always)]
    pub fn step_to(&self, number: u64) -> Block {
        let zeros = number.trailing_zeros() as usize;
        match self.doubled.get(zeros) {
            Some(block) => *block,
            None => self.step_far(zeros),
        }
    }

    #[cold]
    #[inline(never)]
    fn step_far(&self, zeros: usize) -> Block {
        let last = self.doubled.len() - 1;
        let last_number = u128::from_be_bytes(self.doubled[last]);
        (last..zeros).fold(last_number, |number, _| double(number)).to_be_bytes()
    }
}

/// Times x in GF(2^128), in constant time (RFC 7253 §2).
const fn double(number: u128) -> u128 {
    (number << 1) ^ ((number >> 127) * 0x87)
}

impl Drop for OcbKey {
    fn drop(&mut self) {
        wipe(&mut self.steps);
        wipe(&mut self.doubled);
        wipe(&mut self.star);
        wipe(&mut self.dollar);
    }
}

/// What moves on as OCB runs over data, or over associated data.
#[derive(Clone, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct OcbState {
    /// The last block's offset.
    pub offset: Block,
    /// The sum of the plaintext, or of the encrypted associated data.
    pub checksum: Block,
    /// Whole blocks so far.
    pub blocks: u64,
}

impl OcbState {
    /// No message yet.
    pub const EMPTY: Self = Self { offset: [0; 16], checksum: [0; 16], blocks: 0 };
}

impl Drop for OcbState {
    fn drop(&mut self) {
        wipe(&mut self.offset);
        wipe(&mut self.checksum);
    }
}
