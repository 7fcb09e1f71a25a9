//! CFB with segments of 8 bits, SP 800-38A §6.3: a block of the cipher for each byte.

use crate::{Block, BlockKey, Direction, InOut, wipe};

/// Bytes that are decrypted together: what goes into the register is there already.
const TOGETHER: usize = 64;

/// Runs over bytes; the register moves on.
pub(super) fn crypt(
    direction: Direction,
    key: &BlockKey,
    register: &mut Block,
    mut data: InOut<'_>,
) {
    let mut bytes = [0; TOGETHER];
    while !data.is_empty() {
        let count = data.len().min(TOGETHER);
        let (mut piece, rest) = data.split_at(count);
        let bytes = &mut bytes[..count];
        piece.save(bytes);
        match direction {
            Direction::Encrypt => encrypt(key, register, bytes),
            Direction::Decrypt => decrypt(key, register, bytes),
        }
        piece.overwrite(bytes);
        data = rest;
    }
    wipe(&mut bytes);
}

/// One after another.
fn encrypt(key: &BlockKey, register: &mut Block, bytes: &mut [u8]) {
    for byte in bytes {
        let mut block = *register;
        run(key, &mut block);
        *byte ^= block[0];
        *register = (u128::from_be_bytes(*register) << 8 | u128::from(*byte)).to_be_bytes();
    }
}

/// All together.
fn decrypt(key: &BlockKey, register: &mut Block, bytes: &mut [u8]) {
    let mut stream = [0; size_of::<Block>() + TOGETHER];
    let (before, ciphertext) = stream.split_at_mut(size_of::<Block>());
    before.copy_from_slice(register);
    ciphertext[..bytes.len()].copy_from_slice(bytes);
    let mut blocks = [Block::default(); TOGETHER];
    let blocks = &mut blocks[..bytes.len()];
    for (block, window) in blocks.iter_mut().zip(stream.windows(size_of::<Block>())) {
        block.copy_from_slice(window);
    }
    run(key, blocks.as_flattened_mut());
    for (byte, block) in bytes.iter_mut().zip(&*blocks) {
        *byte ^= block[0];
    }
    register.copy_from_slice(&stream[bytes.len()..][..size_of::<Block>()]);
    wipe(blocks);
}

fn run(key: &BlockKey, blocks: &mut [u8]) {
    (key.kernels().ecb[0])(key.schedule(), InOut::in_place(blocks));
}
