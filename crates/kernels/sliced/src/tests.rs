//! Every route of byte slices against independent implementations, block by block and mode by mode.

use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use wirespeed_cipher::modes::Feedback;
use wirespeed_cipher::{Block, BlockCipher, BlockKernels, BlockKey, Direction, InOut, Mode, Route};
use wirespeed_cpu::Features;

use crate::kernels;

const CIPHERS: [BlockCipher; 7] = [
    BlockCipher::Sm4,
    BlockCipher::Camellia128,
    BlockCipher::Camellia192,
    BlockCipher::Camellia256,
    BlockCipher::Aria128,
    BlockCipher::Aria192,
    BlockCipher::Aria256,
];

/// All of them; for Miri one, which has all that is unsafe.
fn ciphers() -> impl Iterator<Item = BlockCipher> {
    CIPHERS.into_iter().filter(|it| !cfg!(miri) || *it == BlockCipher::Camellia128)
}

/// What the crate makes of one block.
fn crates(it: BlockCipher, key: &[u8], direction: Direction, block: Block) -> Block {
    fn of<C: KeyInit + BlockCipherEncrypt + BlockCipherDecrypt>(
        key: &[u8],
        direction: Direction,
        block: Block,
    ) -> Block {
        let it = C::new_from_slice(key).expect("a key of the cipher's length");
        let mut result = cipher::Block::<C>::default();
        result.copy_from_slice(&block);
        match direction {
            Direction::Encrypt => it.encrypt_block(&mut result),
            Direction::Decrypt => it.decrypt_block(&mut result),
        }
        (*result).try_into().expect("sixteen bytes")
    }
    match it {
        BlockCipher::Camellia128 => of::<camellia::Camellia128>(key, direction, block),
        BlockCipher::Camellia192 => of::<camellia::Camellia192>(key, direction, block),
        BlockCipher::Camellia256 => of::<camellia::Camellia256>(key, direction, block),
        BlockCipher::Aria128 => of::<aria::Aria128>(key, direction, block),
        BlockCipher::Aria192 => of::<aria::Aria192>(key, direction, block),
        BlockCipher::Aria256 => of::<aria::Aria256>(key, direction, block),
        _ => of::<sm4::Sm4>(key, direction, block),
    }
}

/// The routes that are here; Miri has no CPU to ask.
fn tables(cipher: BlockCipher) -> Vec<&'static BlockKernels> {
    let features = if cfg!(miri) { Features::NONE } else { Features::detect() };
    let here = Route::ALL.into_iter().filter_map(|route| kernels(route, cipher, features).ok());
    let mut tables: Vec<_> = here.collect();
    tables.extend(crate::arch::more_tables(cipher, features));
    tables
}

/// Numbers of blocks around every border of waves, in one wave and in several.
fn lengths() -> impl Iterator<Item = usize> {
    let few = if cfg!(miri) { 0..2 } else { 0..70 };
    let many = if cfg!(miri) { [65..66, 0..0] } else { [127..131, 254..260] };
    few.chain(many.into_iter().flatten())
}

fn bytes(count: usize, seed: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + i / 251 + seed * 31) as u8).collect()
}

fn add(a: Block, b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// A mode as SP 800-38A defines it, over the crate's block cipher.
fn expected(
    it: BlockCipher,
    key: &[u8],
    mode: Mode,
    direction: Direction,
    iv: Block,
    data: &[u8],
) -> Vec<u8> {
    let encrypt = |block| crates(it, key, Direction::Encrypt, block);
    let decrypt = |block| crates(it, key, Direction::Decrypt, block);
    let mut chain = iv;
    let mut result = Vec::new();
    for part in data.chunks(16) {
        let block: Option<Block> = part.try_into().ok();
        let whole = || block.expect("whole blocks");
        let output = match (mode, direction) {
            (Mode::Ecb, _) => crates(it, key, direction, whole()).to_vec(),
            (Mode::Cbc, Direction::Encrypt) => {
                encrypt(add(chain, part).try_into().expect("a block")).to_vec()
            }
            (Mode::Cbc, Direction::Decrypt) => add(decrypt(whole()), &chain),
            _ => add(encrypt(chain), part),
        };
        let ciphertext = if direction == Direction::Encrypt { &output[..] } else { part };
        match mode {
            Mode::Ctr => chain = u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes(),
            Mode::Ofb => chain = encrypt(chain),
            _ => chain[..part.len()].copy_from_slice(ciphertext),
        }
        result.extend(output);
    }
    result
}

/// The same by one table, in place or from one place to another.
fn found(
    table: &'static BlockKernels,
    key: &[u8],
    mode: Mode,
    direction: Direction,
    mut iv: Block,
    data: &[u8],
    in_place: bool,
) -> Vec<u8> {
    let feedback = !matches!(mode, Mode::Ecb | Mode::Cbc);
    let mut block_key = BlockKey::empty(table);
    block_key.set(key, if feedback { Direction::Encrypt } else { direction });
    let mut result = if in_place { data.to_vec() } else { vec![0; data.len()] };
    let data = match in_place {
        true => InOut::in_place(&mut result),
        false => InOut::between(data, &mut result),
    };
    match mode {
        Mode::Ecb => (table.ecb[direction as usize])(block_key.schedule(), data),
        Mode::Cbc => (table.cbc[direction as usize])(block_key.schedule(), &mut iv, data),
        _ => {
            let mut stream = Feedback::default();
            stream.start(&iv);
            stream.update(mode, direction, &block_key, data);
        }
    }
    result
}

#[test]
fn every_length_of_every_mode_is_as_the_crates_have_it() {
    for it in ciphers() {
        for (n, count) in lengths().enumerate() {
            let key = bytes(usize::from(it.key_bits()) / 8, n + 1);
            let data = bytes(16 * count, n);
            // Counters carry into the bytes before the last, at another place each time.
            let mut iv = [0xff; 16];
            iv[15] = (n * 37) as u8;
            iv[13 - n % 3] = 0x7f;
            for mode in [Mode::Ecb, Mode::Cbc, Mode::Cfb, Mode::Ofb, Mode::Ctr] {
                for direction in Direction::BOTH {
                    // Serial modes are as long as their number of blocks; a few lengths are enough.
                    let serial = mode == Mode::Ofb
                        || direction == Direction::Encrypt && matches!(mode, Mode::Cbc | Mode::Cfb);
                    if serial && if cfg!(miri) { count != 1 } else { n % 16 != 3 } {
                        continue;
                    }
                    let cut = if mode.takes_partial_blocks() { n % 16 } else { 0 };
                    let data = &data[..(16 * count).saturating_sub(cut)];
                    let right = expected(it, &key, mode, direction, iv, data);
                    for table in tables(it) {
                        let in_place = n % 2 == 0;
                        let got = found(table, &key, mode, direction, iv, data, in_place);
                        assert!(
                            got == right,
                            "{} {it} {mode:?} {direction}, {} bytes",
                            table.route,
                            data.len()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn all_routes_make_the_same_round_keys() {
    for it in ciphers() {
        let key = bytes(usize::from(it.key_bits()) / 8, 9);
        for direction in Direction::BOTH {
            let schedules = tables(it).into_iter().map(|table| {
                let mut block_key = BlockKey::empty(table);
                block_key.set(&key, direction);
                block_key.schedule().round_keys
            });
            let mut schedules = schedules.collect::<Vec<_>>();
            schedules.dedup();
            assert_eq!(schedules.len(), 1, "{it} {direction}");
        }
    }
}
