//! The same ciphers and hashes by the RustCrypto project.

use aes::hazmat::{cipher_round, inv_mix_columns};
use aes::{Aes128, Aes192, Aes256, Block};
use cipher::generic_array::GenericArray;
use cipher::{BlockDecrypt, BlockDecryptMut, BlockEncrypt, BlockEncryptMut};
use cipher::{KeyInit, KeyIvInit, StreamCipher};
use padlock_emulator::Operation;
use sm4::Sm4;

/// What a call of xcrypt or SM4 must give.
pub(crate) fn cipher(
    operation: Operation,
    is_sm4: bool,
    decrypt: bool,
    key: &[u8],
    vector: &[u8; 16],
    data: &[u8],
) -> Vec<u8> {
    /// The modes over one block cipher.
    macro_rules! modes {
        ($cipher:ty) => {{
            let mut data = data.to_vec();
            macro_rules! blocks {
                ($state:expr, $function:ident) => {{
                    let mut state = $state;
                    let _ = &mut state;
                    for block in data.chunks_exact_mut(16) {
                        state.$function(GenericArray::from_mut_slice(block));
                    }
                }};
            }
            let bare = <$cipher>::new_from_slice(key).unwrap();
            match (operation, decrypt) {
                (Operation::XcryptEcb, false) => blocks!(bare, encrypt_block),
                (Operation::XcryptEcb, true) => blocks!(bare, decrypt_block),
                (Operation::XcryptCbc, false) => blocks!(
                    cbc::Encryptor::<$cipher>::new_from_slices(key, vector).unwrap(),
                    encrypt_block_mut
                ),
                (Operation::XcryptCbc, true) => blocks!(
                    cbc::Decryptor::<$cipher>::new_from_slices(key, vector).unwrap(),
                    decrypt_block_mut
                ),
                (Operation::XcryptCfb, false) => blocks!(
                    cfb_mode::Encryptor::<$cipher>::new_from_slices(key, vector).unwrap(),
                    encrypt_block_mut
                ),
                (Operation::XcryptCfb, true) => blocks!(
                    cfb_mode::Decryptor::<$cipher>::new_from_slices(key, vector).unwrap(),
                    decrypt_block_mut
                ),
                (Operation::XcryptOfb, _) => ofb::Ofb::<$cipher>::new_from_slices(key, vector)
                    .unwrap()
                    .apply_keystream(&mut data),
                (Operation::XcryptCtr, _) => ctr::Ctr128BE::<$cipher>::new_from_slices(key, vector)
                    .unwrap()
                    .apply_keystream(&mut data),
                _ => panic!("{operation:?} is no cipher"),
            }
            data
        }};
    }
    match (is_sm4, key.len()) {
        (true, _) => modes!(Sm4),
        (false, 16) => modes!(Aes128),
        (false, 24) => modes!(Aes192),
        (false, _) => modes!(Aes256),
    }
}

/// The chaining value that is left for the next call.
pub(crate) fn chain(
    operation: Operation,
    decrypt: bool,
    vector: &[u8; 16],
    input: &[u8],
    output: &[u8],
) -> [u8; 16] {
    let last = |data: &[u8]| data.last_chunk().copied().expect("a block");
    match operation {
        Operation::XcryptCbc | Operation::XcryptCfb => last(if decrypt { input } else { output }),
        Operation::XcryptOfb => {
            let (input, output): ([u8; 16], [u8; 16]) = (last(input), last(output));
            core::array::from_fn(|at| input[at] ^ output[at])
        }
        Operation::XcryptCtr => {
            let mut counter = *vector;
            let count = u16::from_be_bytes([vector[14], vector[15]]);
            let next = count.wrapping_add((input.len() / 16) as u16);
            counter[14..].copy_from_slice(&next.to_be_bytes());
            counter
        }
        _ => *vector,
    }
}

/// All round keys, in the order in which xcrypt uses them: AES's key expansion (FIPS 197, section 5.2)
/// made of single rounds.
pub(crate) fn schedule(key: &[u8], for_decryption: bool) -> Vec<u8> {
    let key_words = key.len() / 4;
    let rounds = key_words + 6;
    let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut constant = 1_u8;
    for at in key_words..4 * (rounds + 1) {
        let mut word = words[at - 1];
        if at % key_words == 0 {
            word.rotate_left(1);
            word = substitute(word);
            word[0] ^= constant;
            constant = constant << 1 ^ if constant & 0x80 == 0 { 0 } else { 0x1b };
        } else if key_words > 6 && at % key_words == 4 {
            word = substitute(word);
        }
        let earlier = words[at - key_words];
        words.push(core::array::from_fn(|byte| word[byte] ^ earlier[byte]));
    }
    let mut keys: Vec<Block> =
        words.as_flattened().chunks(16).map(|key| *Block::from_slice(key)).collect();
    if for_decryption {
        keys.reverse();
        keys[1..rounds].iter_mut().for_each(inv_mix_columns);
    }
    keys.concat()
}

/// SubWord: with four equal columns a round does nothing else but mix them.
fn substitute(word: [u8; 4]) -> [u8; 4] {
    let mut block = *Block::from_slice([word; 4].as_flattened());
    cipher_round(&mut block, &Block::default());
    inv_mix_columns(&mut block);
    block[..4].try_into().expect("four bytes")
}
