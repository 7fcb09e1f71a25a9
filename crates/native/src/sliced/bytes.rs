//! S-boxes on the sixteen bytes of a key, in constant time.

use wirespeed_cipher::Block;

use super::field::BOXES;
use crate::portable::bitslice;

/// The S-box of each byte, by its number in [`BOXES`].
pub(crate) fn substitute(mut block: Block, boxes: [usize; 16]) -> Block {
    for (byte, number) in block.iter_mut().zip(boxes) {
        *byte = BOXES[number].before.apply(*byte);
    }
    let mut planes = bitslice::pack(&[block, [0; 16], [0; 16], [0; 16]]);
    bitslice::sub_bytes(&mut planes);
    [block, ..] = bitslice::unpack(&planes);
    for (byte, number) in block.iter_mut().zip(boxes) {
        *byte = AFTER[number].apply(*byte);
    }
    block
}

/// What follows AES's S-box.
const AFTER: [super::field::Affine; BOXES.len()] = {
    let mut all = [super::field::Affine::IDENTITY; BOXES.len()];
    let mut number = 0;
    while number < BOXES.len() {
        all[number] = BOXES[number].after_aes();
        number += 1;
    }
    all
};
