//! Block ciphers that come as whole functions rather than as rounds: everything that such an engine does
//! not do itself follows from its ECB.

use wirespeed_cipher::modes::{Standard, xts_by_ecb};
use wirespeed_cipher::{
    Block, BlockCipher, BlockKernels, Direction, GcmKey, GcmState, GcmTagFn, InOut, OcbKey,
    OcbState, Route, Schedule,
};
use zeroize::Zeroize;

use crate::Wiped;

/// Blocks that are worked on at a time where a mode needs room of its own.
const CHUNK: usize = 64;

/// Room for a chunk; PadLock wants it aligned.
type Room = Wiped<[Block; CHUNK]>;

impl Room {
    const fn new() -> Self {
        Self([[0; 16]; CHUNK])
    }

    fn bytes(&mut self, count: usize) -> &mut [u8] {
        &mut self.0.as_flattened_mut()[..count]
    }
}

/// GCM's hash, which is the same for every cipher (SP 800-38D §6.4), and GCM-SIV's (RFC 8452 §3), on some unit.
pub struct Galois {
    /// Sets the key from the hash key, SP 800-38D's H.
    pub set_key: fn(Block, &mut GcmKey),
    /// See [`BlockKernels::ghash`].
    pub ghash: fn(&mut GcmKey, &mut Block, &[u8]),
    /// See [`BlockKernels::gcm_tag`].
    pub tag: GcmTagFn,
    /// See [`BlockKernels::polyval_key`].
    pub polyval_key: fn(Block, &mut GcmKey),
    /// See [`BlockKernels::polyval`].
    pub polyval: fn(&mut GcmKey, &mut Block, &[u8]),
}

/// A block cipher as one route's engine.
pub trait Engine {
    /// The route.
    const ROUTE: Route;
    /// The cipher.
    const CIPHER: BlockCipher;
    /// How GCM hashes.
    const GALOIS: Galois;

    /// The key schedule.
    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule);

    /// ECB over whole blocks.
    fn ecb<const DECRYPT: bool>(key: &Schedule, data: InOut<'_>);

    /// CBC over whole blocks.
    fn cbc<const DECRYPT: bool>(key: &Schedule, chain: &mut Block, data: InOut<'_>) {
        cbc::<Self, DECRYPT>(key, chain, data);
    }

    /// CFB with 128-bit segments.
    fn cfb<const DECRYPT: bool>(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        cfb::<Self, DECRYPT>(key, register, data);
    }

    /// OFB.
    fn ofb(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        ofb::<Self>(key, register, data);
    }

    /// Counter mode over whole blocks; the last `BITS` bits of the counter wrap.
    fn count<const BITS: u32>(key: &Schedule, counter: &mut Block, data: InOut<'_>) {
        add_keystream::<Self>(key, counter, data, |counter| after(counter, BITS, 1));
    }

    /// CTR; see [`CtrFn`](wirespeed_cipher::CtrFn).
    fn ctr(key: &Schedule, counter: &mut Block, keystream: &mut Block, data: InOut<'_>) {
        let whole = data.len() & !15;
        let (blocks, mut rest) = data.split_at(whole);
        Self::count::<128>(key, counter, blocks);
        if !rest.is_empty() {
            *keystream = *counter;
            Self::ecb::<false>(key, InOut::in_place(keystream));
            *counter = after(counter, 128, 1);
            let stream = u128::from_le_bytes(*keystream);
            rest.replace(|input| input ^ stream);
        }
    }

    /// GCM-SIV's counter mode; see [`LittleCtrFn`](wirespeed_cipher::LittleCtrFn).
    fn little_ctr(key: &Schedule, first: &Block, data: InOut<'_>) {
        let mut counter = *first;
        let whole = data.len() & !15;
        let (blocks, mut rest) = data.split_at(whole);
        add_keystream::<Self>(key, &mut counter, blocks, after_little);
        if !rest.is_empty() {
            Self::ecb::<false>(key, InOut::in_place(&mut counter));
            rest.replace(|input| input ^ u128::from_le_bytes(counter));
            counter.zeroize();
        }
    }

    /// XTS; see [`XtsFn`](wirespeed_cipher::XtsFn).
    fn xts<const DECRYPT: bool>(key: &Schedule, tweak: &Block, data: InOut<'_>) {
        let (mut tweak, steals) = (*tweak, Direction::BOTH[usize::from(DECRYPT)]);
        let ecb = |data: InOut<'_>| Self::ecb::<DECRYPT>(key, data);
        xts_by_ecb(ecb, steals, Standard::Ieee, &mut tweak, data);
        tweak.zeroize();
    }

    /// GCM's hash key.
    fn gcm_key(schedule: &Schedule, key: &mut GcmKey) {
        let mut hash_key = [0; 16];
        Self::ecb::<false>(schedule, InOut::in_place(&mut hash_key));
        (Self::GALOIS.set_key)(hash_key, key);
    }

    /// The start of a GCM message; see [`GcmStartFn`](wirespeed_cipher::GcmStartFn).
    fn gcm_start(schedule: &Schedule, state: &mut GcmState, first: u128) {
        state.mask = first.to_le_bytes();
        state.counter = after(&state.mask, 32, 1);
        Self::ecb::<false>(schedule, InOut::in_place(&mut state.mask));
        state.hash = [0; 16];
        state.pending = [0; 16];
    }

    /// GCM's data; see [`GcmCryptFn`](wirespeed_cipher::GcmCryptFn).
    fn gcm<const DECRYPT: bool>(
        schedule: &Schedule,
        key: &mut GcmKey,
        state: &mut GcmState,
        data: InOut<'_>,
    ) {
        let whole = if data.len() <= 16 { 0 } else { data.len() & !15 };
        let (blocks, mut rest) = data.split_at(whole);
        for_each(blocks, CHUNK, |mut data| {
            let mut room = Room::new();
            let ciphertext = room.bytes(data.len());
            if DECRYPT {
                data.save(ciphertext);
            }
            Self::count::<32>(schedule, &mut state.counter, data.reborrow());
            if !DECRYPT {
                data.written(ciphertext);
            }
            (Self::GALOIS.ghash)(key, &mut state.hash, ciphertext);
        });
        if rest.is_empty() {
            return;
        }
        state.keystream = state.counter;
        state.counter = after(&state.counter, 32, 1);
        Self::ecb::<false>(schedule, InOut::in_place(&mut state.keystream));
        let (mut input, length) = ([0; 16], rest.len());
        let mut output = state.keystream;
        rest.save(&mut input[..length]);
        add(&mut output, &input);
        rest.overwrite(&output[..length]);
        state.pending = [0; 16];
        let ciphertext = if DECRYPT { &input } else { &output };
        state.pending[..length].copy_from_slice(&ciphertext[..length]);
    }

    /// OCB's whole blocks; see [`OcbFn`](wirespeed_cipher::OcbFn).
    fn ocb<const DECRYPT: bool>(
        schedule: &Schedule,
        key: &OcbKey,
        state: &mut OcbState,
        data: InOut<'_>,
    ) {
        for_each(data, CHUNK, |mut data| {
            let mut room = [Room::new(), Room::new()];
            let [first, second] = &mut room;
            let offsets = offsets(key, state, first, data.len());
            let work = second.bytes(data.len());
            data.save(work);
            if !DECRYPT {
                add_all(&mut state.checksum, work);
            }
            add(work, offsets);
            Self::ecb::<DECRYPT>(schedule, InOut::in_place(work));
            add(work, offsets);
            if DECRYPT {
                add_all(&mut state.checksum, work);
            }
            data.overwrite(work);
        });
    }

    /// OCB's associated data; see [`OcbHashFn`](wirespeed_cipher::OcbHashFn).
    fn ocb_hash(schedule: &Schedule, key: &OcbKey, state: &mut OcbState, data: &[u8]) {
        for data in data.chunks(16 * CHUNK) {
            let mut room = Room::new();
            let work = offsets(key, state, &mut room, data.len());
            add(work, data);
            Self::ecb::<false>(schedule, InOut::in_place(work));
            add_all(&mut state.checksum, work);
        }
    }
}

/// Adds the encrypted counters to whole blocks.
fn add_keystream<E: Engine + ?Sized>(
    key: &Schedule,
    counter: &mut Block,
    data: InOut<'_>,
    next: impl Fn(&Block) -> Block,
) {
    for_each(data, CHUNK, |mut data| {
        let mut room = [Room::new(), Room::new()];
        let [input, keystream] = room.each_mut().map(|room| room.bytes(data.len()));
        for block in keystream.chunks_exact_mut(16) {
            block.copy_from_slice(counter);
            *counter = next(counter);
        }
        E::ecb::<false>(key, InOut::in_place(keystream));
        data.save(input);
        add(keystream, input);
        data.overwrite(keystream);
    });
}

/// The offsets of the next blocks.
fn offsets<'r>(
    key: &OcbKey,
    state: &mut OcbState,
    room: &'r mut Room,
    bytes: usize,
) -> &'r mut [u8] {
    let offsets = room.bytes(bytes);
    for offset in offsets.chunks_exact_mut(16) {
        state.blocks += 1;
        add(&mut state.offset, &key.step_to(state.blocks));
        offset.copy_from_slice(&state.offset);
    }
    offsets
}

/// The sum of whole blocks, added.
#[inline]
fn add_all(sum: &mut Block, blocks: &[u8]) {
    blocks.chunks_exact(16).for_each(|block| add(sum, block));
}

/// CBC over whole blocks, as it follows from ECB.
pub fn cbc<E: Engine + ?Sized, const DECRYPT: bool>(
    key: &Schedule,
    chain: &mut Block,
    data: InOut<'_>,
) {
    if !DECRYPT {
        return for_each(data, 1, |mut data| {
            let mut input = Wiped([0; 16]);
            data.save(&mut input.0);
            add(chain, &input.0);
            E::ecb::<false>(key, InOut::in_place(chain));
            data.overwrite(chain);
        });
    }
    for_each(data, CHUNK, |mut data| {
        let mut room = [Room::new(), Room::new()];
        let [input, output] = room.each_mut().map(|room| room.bytes(data.len()));
        data.save(input);
        E::ecb::<true>(key, InOut::between(input, output));
        let (first, rest) = output.split_at_mut(16);
        add(first, chain);
        add(rest, input);
        chain.copy_from_slice(&input[input.len() - 16..]);
        data.overwrite(output);
    });
}

/// CFB as it follows from ECB.
pub fn cfb<E: Engine + ?Sized, const DECRYPT: bool>(
    key: &Schedule,
    register: &mut Block,
    data: InOut<'_>,
) {
    for_each_to_the_end(data, if DECRYPT { CHUNK } else { 1 }, |mut data| {
        if data.len() <= 16 {
            let mut input = Wiped([0; 16]);
            let input = &mut input.0[..data.len()];
            data.save(input);
            E::ecb::<false>(key, InOut::in_place(register));
            if DECRYPT {
                let mut output = Wiped(*register);
                let output = &mut output.0[..input.len()];
                add(output, input);
                register[..input.len()].copy_from_slice(input);
                data.overwrite(output);
            } else {
                add(register, input);
                data.overwrite(&register[..input.len()]);
            }
            return;
        }
        let mut room = [Room::new(), Room::new()];
        let [input, keystream] = room.each_mut().map(|room| room.bytes(data.len()));
        data.save(input);
        let (first, rest) = keystream.split_at_mut(16);
        first.copy_from_slice(register);
        rest.copy_from_slice(&input[..rest.len()]);
        E::ecb::<false>(key, InOut::in_place(keystream));
        register.copy_from_slice(&input[input.len() - 16..]);
        add(keystream, input);
        data.overwrite(keystream);
    });
}

/// OFB as it follows from ECB.
pub fn ofb<E: Engine + ?Sized>(key: &Schedule, register: &mut Block, data: InOut<'_>) {
    for_each_to_the_end(data, 1, |mut data| {
        let mut output = Wiped([0; 16]);
        let output = &mut output.0[..data.len()];
        data.save(output);
        E::ecb::<false>(key, InOut::in_place(register));
        add(output, register);
        data.overwrite(output);
    });
}

/// The table of an engine.
pub const fn table<E: Engine>() -> BlockKernels {
    BlockKernels {
        route: E::ROUTE,
        cipher: E::CIPHER,
        expand: [E::expand::<false>, E::expand::<true>],
        ecb: [E::ecb::<false>, E::ecb::<true>],
        cbc: [E::cbc::<false>, E::cbc::<true>],
        cfb: [E::cfb::<false>, E::cfb::<true>],
        ofb: E::ofb,
        ctr: E::ctr,
        xts: [E::xts::<false>, E::xts::<true>],
        gcm_key: E::gcm_key,
        ghash: E::GALOIS.ghash,
        gcm_start: E::gcm_start,
        gcm: [E::gcm::<false>, E::gcm::<true>],
        gcm_tag: E::GALOIS.tag,
        polyval_key: E::GALOIS.polyval_key,
        polyval: E::GALOIS.polyval,
        little_ctr: E::little_ctr,
        ocb: [E::ocb::<false>, E::ocb::<true>],
        ocb_hash: E::ocb_hash,
    }
}

/// Runs over whole blocks, so many at a time; a partial block at the end is ignored.
fn for_each(data: InOut<'_>, blocks: usize, run: impl FnMut(InOut<'_>)) {
    let whole = data.len() & !15;
    for_each_to_the_end(data.split_at(whole).0, blocks, run);
}

/// Runs over all bytes; a partial block comes by itself.
fn for_each_to_the_end(mut data: InOut<'_>, blocks: usize, mut run: impl FnMut(InOut<'_>)) {
    while !data.is_empty() {
        let whole = data.len() & !15;
        let count = if whole == 0 { data.len() } else { whole.min(16 * blocks) };
        let (now, then) = data.split_at(count);
        run(now);
        data = then;
    }
}

/// Adds bytes to bytes, as far as both go.
#[inline]
fn add(bytes: &mut [u8], others: &[u8]) {
    for (byte, other) in bytes.iter_mut().zip(others) {
        *byte ^= other;
    }
}

/// The counter `count` blocks on; its last `bits` bits wrap.
#[inline]
pub const fn after(counter: &Block, bits: u32, count: u128) -> Block {
    let value = u128::from_be_bytes(*counter);
    let mask = u128::MAX >> (128 - bits);
    (value & !mask | value.wrapping_add(count) & mask).to_be_bytes()
}

/// The next counter of GCM-SIV: its first 32 bits wrap, little-endian.
#[inline]
const fn after_little(counter: &Block) -> Block {
    let value = u128::from_le_bytes(*counter);
    (value >> 32 << 32 | (value as u32).wrapping_add(1) as u128).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_where_they_are_told() {
        let full = [0xff; 16];
        assert_eq!(after(&full, 128, 1), [0; 16]);
        let mut wrapped = full;
        wrapped[12..].fill(0);
        assert_eq!(after(&full, 32, 1), wrapped);
        assert_eq!(after(&full, 16, 2)[13..], [0xff, 0, 1]);
    }
}
