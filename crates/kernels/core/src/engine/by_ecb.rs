//! What follows from a cipher's ECB: every mode that an engine does not have itself.
//!
//! Each takes the engine's ECB as a pointer. So it is compiled once, not for every engine.

use wirespeed_cipher::modes::{Standard, xts_by_ecb};
use wirespeed_cipher::{
    Block, Direction, EcbFn, GcmKey, GcmState, InOut, OcbKey, OcbState, Schedule,
};
use zeroize::Zeroize;

use super::{CountFn, Galois, after};
use crate::Wiped;

/// Blocks that are worked on at a time where a mode needs room of its own.
const CHUNK: usize = 64;

/// The same in GCM's long messages: what planes of 128 bits hold.
const LONG_CHUNK: usize = 128;

/// Room for a chunk; PadLock wants it aligned.
type Room<const BLOCKS: usize> = Wiped<[Block; BLOCKS]>;

impl<const BLOCKS: usize> Room<BLOCKS> {
    const fn new() -> Self {
        Self([[0; 16]; BLOCKS])
    }

    fn bytes(&mut self, count: usize) -> &mut [u8] {
        &mut self.0.as_flattened_mut()[..count]
    }
}

/// Encryption in CBC over whole blocks.
pub fn cbc_encrypt(ecb: EcbFn, key: &Schedule, chain: &mut Block, data: InOut<'_>) {
    for_each(data, 1, |mut data| {
        let mut input = Wiped([0; 16]);
        data.save(&mut input.0);
        add(chain, &input.0);
        ecb(key, InOut::in_place(chain));
        data.overwrite(chain);
    });
}

/// Decryption in CBC over whole blocks, by an ECB that decrypts.
pub fn cbc_decrypt(ecb: EcbFn, key: &Schedule, chain: &mut Block, data: InOut<'_>) {
    for_each(data, CHUNK, |mut data| {
        let mut room = [Room::<CHUNK>::new(), Room::<CHUNK>::new()];
        let [input, output] = room.each_mut().map(|room| room.bytes(data.len()));
        data.save(input);
        ecb(key, InOut::between(input, output));
        let (first, rest) = output.split_at_mut(16);
        add(first, chain);
        add(rest, input);
        chain.copy_from_slice(&input[input.len() - 16..]);
        data.overwrite(output);
    });
}

/// CFB with 128-bit segments.
pub fn cfb(ecb: EcbFn, decrypt: bool, key: &Schedule, register: &mut Block, data: InOut<'_>) {
    for_each_to_the_end(data, if decrypt { CHUNK } else { 1 }, |mut data| {
        if data.len() <= 16 {
            let mut input = Wiped([0; 16]);
            let input = &mut input.0[..data.len()];
            data.save(input);
            ecb(key, InOut::in_place(register));
            if decrypt {
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
        let mut room = [Room::<CHUNK>::new(), Room::<CHUNK>::new()];
        let [input, keystream] = room.each_mut().map(|room| room.bytes(data.len()));
        data.save(input);
        let (first, rest) = keystream.split_at_mut(16);
        first.copy_from_slice(register);
        rest.copy_from_slice(&input[..rest.len()]);
        ecb(key, InOut::in_place(keystream));
        register.copy_from_slice(&input[input.len() - 16..]);
        add(keystream, input);
        data.overwrite(keystream);
    });
}

/// OFB.
pub fn ofb(ecb: EcbFn, key: &Schedule, register: &mut Block, data: InOut<'_>) {
    for_each_to_the_end(data, 1, |mut data| {
        let mut output = Wiped([0; 16]);
        let output = &mut output.0[..data.len()];
        data.save(output);
        ecb(key, InOut::in_place(register));
        add(output, register);
        data.overwrite(output);
    });
}

/// Counter mode over whole blocks; the last `bits` bits of the counter wrap.
pub(super) fn count(ecb: EcbFn, bits: u32, key: &Schedule, counter: &mut Block, data: InOut<'_>) {
    add_keystream(ecb, key, counter, data, |counter| after(counter, bits, 1));
}

/// CTR; see [`CtrFn`](wirespeed_cipher::CtrFn).
pub(super) fn ctr(
    ecb: EcbFn,
    count: CountFn,
    key: &Schedule,
    counter: &mut Block,
    keystream: &mut Block,
    data: InOut<'_>,
) {
    let whole = data.len() & !15;
    let (blocks, mut rest) = data.split_at(whole);
    count(key, counter, blocks);
    if !rest.is_empty() {
        *keystream = *counter;
        ecb(key, InOut::in_place(keystream));
        *counter = after(counter, 128, 1);
        let stream = u128::from_le_bytes(*keystream);
        rest.replace(|input| input ^ stream);
    }
}

/// GCM-SIV's counter mode; see [`LittleCtrFn`](wirespeed_cipher::LittleCtrFn).
pub(super) fn little_ctr(ecb: EcbFn, key: &Schedule, first: &Block, data: InOut<'_>) {
    let mut counter = *first;
    let whole = data.len() & !15;
    let (blocks, mut rest) = data.split_at(whole);
    add_keystream(ecb, key, &mut counter, blocks, after_little);
    if !rest.is_empty() {
        ecb(key, InOut::in_place(&mut counter));
        rest.replace(|input| input ^ u128::from_le_bytes(counter));
        counter.zeroize();
    }
}

/// XTS by an ECB of that direction; see [`XtsFn`](wirespeed_cipher::XtsFn).
pub(super) fn xts(
    ecb: EcbFn,
    direction: Direction,
    key: &Schedule,
    tweak: &Block,
    data: InOut<'_>,
) {
    let mut tweak = *tweak;
    xts_by_ecb(ecb, key, direction, Standard::Ieee, &mut tweak, data);
    tweak.zeroize();
}

/// GCM's data; see [`GcmCryptFn`](wirespeed_cipher::GcmCryptFn).
pub(super) fn gcm(
    (ecb, count, galois): (EcbFn, CountFn, &Galois),
    decrypt: bool,
    schedule: &Schedule,
    key: &mut GcmKey,
    state: &mut GcmState,
    data: InOut<'_>,
) {
    let whole = if data.len() <= 16 { 0 } else { data.len() & !15 };
    let (blocks, mut rest) = data.split_at(whole);
    let run =
        if blocks.len() > 16 * CHUNK { gcm_blocks::<LONG_CHUNK> } else { gcm_blocks::<CHUNK> };
    run((count, galois), decrypt, schedule, key, state, blocks);
    if rest.is_empty() {
        return;
    }
    state.keystream = state.counter;
    state.counter = after(&state.counter, 32, 1);
    ecb(schedule, InOut::in_place(&mut state.keystream));
    let (mut input, length) = (Wiped([0; 16]), rest.len());
    let mut output = Wiped(state.keystream);
    rest.save(&mut input.0[..length]);
    add(&mut output.0, &input.0);
    rest.overwrite(&output.0[..length]);
    state.pending = [0; 16];
    let ciphertext = if decrypt { &input.0 } else { &output.0 };
    state.pending[..length].copy_from_slice(&ciphertext[..length]);
}

/// The whole blocks of GCM's data.
fn gcm_blocks<const BLOCKS: usize>(
    (count, galois): (CountFn, &Galois),
    decrypt: bool,
    schedule: &Schedule,
    key: &mut GcmKey,
    state: &mut GcmState,
    blocks: InOut<'_>,
) {
    for_each(blocks, BLOCKS, |mut data| {
        let mut room = Room::<BLOCKS>::new();
        let ciphertext = room.bytes(data.len());
        if decrypt {
            data.save(ciphertext);
        }
        count(schedule, &mut state.counter, data.reborrow());
        if !decrypt {
            data.written(ciphertext);
        }
        (galois.ghash)(key, &mut state.hash, ciphertext);
    });
}

/// OCB's whole blocks, by an ECB of that direction; see [`OcbFn`](wirespeed_cipher::OcbFn).
pub(super) fn ocb(
    ecb: EcbFn,
    decrypt: bool,
    schedule: &Schedule,
    key: &OcbKey,
    state: &mut OcbState,
    data: InOut<'_>,
) {
    for_each(data, CHUNK, |mut data| {
        let mut room = [Room::<CHUNK>::new(), Room::<CHUNK>::new()];
        let [first, second] = &mut room;
        let offsets = offsets(key, state, first, data.len());
        let work = second.bytes(data.len());
        data.save(work);
        if !decrypt {
            add_all(&mut state.checksum, work);
        }
        add(work, offsets);
        ecb(schedule, InOut::in_place(work));
        add(work, offsets);
        if decrypt {
            add_all(&mut state.checksum, work);
        }
        data.overwrite(work);
    });
}

/// OCB's associated data; see [`OcbHashFn`](wirespeed_cipher::OcbHashFn).
pub(super) fn ocb_hash(
    ecb: EcbFn,
    schedule: &Schedule,
    key: &OcbKey,
    state: &mut OcbState,
    data: &[u8],
) {
    for data in data.chunks(16 * CHUNK) {
        let mut room = Room::<CHUNK>::new();
        let work = offsets(key, state, &mut room, data.len());
        add(work, data);
        ecb(schedule, InOut::in_place(work));
        add_all(&mut state.checksum, work);
    }
}

/// Adds the encrypted counters to whole blocks.
fn add_keystream(
    ecb: EcbFn,
    key: &Schedule,
    counter: &mut Block,
    data: InOut<'_>,
    next: impl Fn(&Block) -> Block,
) {
    for_each(data, CHUNK, |mut data| {
        let mut room = [Room::<CHUNK>::new(), Room::<CHUNK>::new()];
        let [input, keystream] = room.each_mut().map(|room| room.bytes(data.len()));
        for block in keystream.chunks_exact_mut(16) {
            block.copy_from_slice(counter);
            *counter = next(counter);
        }
        ecb(key, InOut::in_place(keystream));
        data.save(input);
        add(keystream, input);
        data.overwrite(keystream);
    });
}

/// The offsets of the next blocks.
fn offsets<'r>(
    key: &OcbKey,
    state: &mut OcbState,
    room: &'r mut Room<CHUNK>,
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

/// The next counter of GCM-SIV: its first 32 bits wrap, little-endian.
#[inline]
const fn after_little(counter: &Block) -> Block {
    let value = u128::from_le_bytes(*counter);
    (value >> 32 << 32 | (value as u32).wrapping_add(1) as u128).to_le_bytes()
}
