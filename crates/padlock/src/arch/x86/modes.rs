//! The modes as instructions over a message of any length at any address, for AES and SM4 alike.

use wirespeed_cipher::{Block, Direction, InOut, Mode};

use crate::arch::x86::area::{Area, Iv};
use crate::arch::x86::plan::{AREA_BYTES, Message, Step};
use crate::arch::x86::unit::Unit;

/// The last block of a step: what went in, a partial block with zeros behind it, and what came out.
#[derive(Clone, Copy)]
pub(crate) struct Last {
    pub(crate) input: Block,
    pub(crate) output: Block,
}

impl Last {
    /// What was added to the input.
    pub(crate) fn keystream(&self) -> Block {
        std::array::from_fn(|i| self.input[i] ^ self.output[i])
    }
}

/// Runs the unit over the message and moves the chaining value on, as [`FeedbackFn`] and [`CtrFn`] say. Gives
/// the last block, if there is any.
///
/// Units differ in where they leave the chaining value (in memory, or an address in RAX), so it is never
/// read back: the last block tells it.
///
/// [`FeedbackFn`]: wirespeed_cipher::FeedbackFn
/// [`CtrFn`]: wirespeed_cipher::CtrFn
pub(crate) fn run(
    unit: &mut Unit<'_>,
    direction: Direction,
    chain: &mut Block,
    mut data: InOut<'_>,
) -> Option<Last> {
    let mode = unit.mode();
    let mut last = None;
    let mut iv = Iv(*chain);
    while !data.is_empty() {
        let message = Message {
            source: data.source().addr(),
            destination: data.destination().addr(),
            bytes: data.len(),
            any_address: unit.takes_any_address(),
            fetch: unit.fetch(),
            most: if mode == Mode::Ctr { blocks_until_carry(chain) } else { usize::MAX },
        };
        let step = message.step();
        let (now, rest) = data.split_at(step.bytes());
        iv.0 = *chain;
        let end = match step {
            Step::Direct(_) => run_direct(unit, &mut iv, now),
            Step::Copied(_) => run_copied(unit, &mut iv, now),
        };
        match (mode, direction) {
            (Mode::Cbc | Mode::Cfb, Direction::Encrypt) => *chain = end.output,
            (Mode::Cbc, Direction::Decrypt) => *chain = end.input,
            (Mode::Cfb, Direction::Decrypt) => *chain = shifted_in(&end, step.bytes()),
            (Mode::Ofb, _) => *chain = end.keystream(),
            (Mode::Ctr, _) => *chain = advanced(chain, step.bytes().div_ceil(16)),
            _ => {}
        }
        last = Some(end);
        data = rest;
    }
    last
}

/// CFB's shift register after decryption: the ciphertext, and behind a partial one the keystream.
fn shifted_in(end: &Last, bytes: usize) -> Block {
    let used = if bytes.is_multiple_of(16) { 16 } else { bytes % 16 };
    std::array::from_fn(|i| if i < used { end.input[i] } else { end.output[i] })
}

/// Blocks until the unit's counter wraps: it counts in the last 16 bits and carries nowhere (OpenSSL
/// `padlock_ctr32_encrypt`, Zhaoxin's drivers).
fn blocks_until_carry(counter: &Block) -> usize {
    0x1_0000 - usize::from(u16::from_be_bytes([counter[14], counter[15]]))
}

/// The counter so many blocks later.
fn advanced(counter: &Block, blocks: usize) -> Block {
    u128::from_be_bytes(*counter).wrapping_add(blocks as u128).to_be_bytes()
}

/// One instruction over whole blocks where they lie.
fn run_direct(unit: &mut Unit<'_>, iv: &mut Iv, data: InOut<'_>) -> Last {
    let (source, destination) = (data.source(), data.destination());
    let end = data.len() - 16;
    // SAFETY: these are whole blocks, at least one, at addresses that the plan found good; what is fetched
    // behind them lies in the pages of the message. In place the last input is read before it is replaced.
    unsafe {
        let input = source.add(end).cast::<Block>().read();
        unit.run(iv, source, destination, data.len() / 16);
        Last { input, output: destination.add(end).cast::<Block>().read() }
    }
}

/// One instruction over what fits the aligned area.
#[inline(never)]
fn run_copied(unit: &mut Unit<'_>, iv: &mut Iv, mut data: InOut<'_>) -> Last {
    let mut area = Area::new();
    let blocks = area.fill(&data);
    let input = *blocks.last().expect("a step is not empty");
    let start = blocks.as_mut_ptr().cast::<u8>();
    // SAFETY: the area is aligned, holds these blocks, and has room for what is fetched behind them.
    unsafe { unit.run(iv, start, start, blocks.len()) };
    data.overwrite(&blocks.as_flattened()[..data.len()]);
    Last { input, output: *blocks.last().expect("a step is not empty") }
}

/// CTR by a unit that has only ECB: the counters are encrypted in the aligned area. Gives the last
/// keystream block, if there is any.
#[inline(never)]
pub(crate) fn count_and_encrypt(
    ecb: &mut Unit<'_>,
    counter: &mut Block,
    mut data: InOut<'_>,
) -> Option<Block> {
    let mut area = Area::new();
    let mut last = None;
    while !data.is_empty() {
        let bytes = data.len().min(AREA_BYTES);
        let (now, rest) = data.split_at(bytes);
        let keystream = area.bytes(bytes.next_multiple_of(16)).as_chunks_mut::<16>().0;
        for block in keystream.iter_mut() {
            *block = *counter;
            *counter = advanced(counter, 1);
        }
        let start = keystream.as_mut_ptr().cast::<u8>();
        // SAFETY: as in `run_copied`.
        unsafe { ecb.run(&mut Iv([0; 16]), start, start, keystream.len()) };
        last = keystream.last().copied();
        add(keystream.as_flattened(), &now);
        data = rest;
    }
    last
}

/// Adds the keystream to as many bytes.
fn add(keystream: &[u8], data: &InOut<'_>) {
    let (source, destination) = (data.source(), data.destination());
    for (i, key) in keystream[..data.len()].iter().enumerate() {
        // SAFETY: `i` is within the message, and a byte is read before its place is written.
        unsafe { destination.add(i).write(source.add(i).read() ^ key) };
    }
}
