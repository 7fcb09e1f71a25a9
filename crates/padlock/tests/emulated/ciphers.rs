//! AES and SM4 against implementations in software, at every length and place.

use aes::cipher::{Block as BlockOf, BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use sm4::Sm4;
use wirespeed_cipher::{Block, Direction, InOut, Mode};
use wirespeed_cpu::{Ace, Ace2, Ccs, Features, Token};
use wirespeed_padlock::{Cipher, Key, Sm4Key};

use crate::checks::{longest, message};
use crate::place::Place;

/// Lengths around every border: blocks, the aligned area, and what is fetched at a time.
const LENGTHS: [usize; 17] =
    [0, 1, 15, 16, 17, 31, 32, 48, 127, 128, 144, 255, 1420, 4095, 4096, 4113, 8208];

/// Bytes between the end of the data and the end of the page.
const ENDS: [usize; 5] = [0, 1, 16, 40, 128];

const MODES: [Mode; 5] = [Mode::Ecb, Mode::Cbc, Mode::Cfb, Mode::Ofb, Mode::Ctr];

/// A block cipher in software.
trait Software {
    fn one(&self, direction: Direction, block: &mut Block);
}

impl<C: BlockEncrypt + BlockDecrypt> Software for C {
    fn one(&self, direction: Direction, block: &mut Block) {
        let mut bytes = BlockOf::<C>::clone_from_slice(block);
        match direction {
            Direction::Encrypt => self.encrypt_block(&mut bytes),
            Direction::Decrypt => self.decrypt_block(&mut bytes),
        }
        block.copy_from_slice(&bytes);
    }
}

/// A mode as SP 800-38A has it, in place. The chaining value moves on as the kernels' does.
fn expected(
    cipher: &dyn Software,
    mode: Mode,
    direction: Direction,
    chain: &mut Block,
    data: &mut [u8],
) {
    let forward = |mut block: Block| {
        cipher.one(Direction::Encrypt, &mut block);
        block
    };
    for bytes in data.chunks_mut(16) {
        let mut input = [0; 16];
        input[..bytes.len()].copy_from_slice(bytes);
        let sum = |a: &Block, b: &Block| -> Block { std::array::from_fn(|i| a[i] ^ b[i]) };
        let whole = bytes.len() == 16;
        let output = match (mode, direction) {
            (Mode::Ecb | Mode::Cbc, _) if !whole => return,
            (Mode::Ecb, _) => {
                let mut block = input;
                cipher.one(direction, &mut block);
                block
            }
            (Mode::Cbc, Direction::Encrypt) => {
                *chain = forward(sum(chain, &input));
                *chain
            }
            (Mode::Cbc, Direction::Decrypt) => {
                let mut block = input;
                cipher.one(Direction::Decrypt, &mut block);
                sum(&block, &std::mem::replace(chain, input))
            }
            (Mode::Ctr, _) => {
                let stream = forward(*chain);
                *chain = u128::from_be_bytes(*chain).wrapping_add(1).to_be_bytes();
                sum(&stream, &input)
            }
            _ => {
                let stream = forward(*chain);
                let output = sum(&stream, &input);
                *chain = match (mode, direction) {
                    (Mode::Ofb, _) => stream,
                    (_, Direction::Encrypt) => output,
                    // The ciphertext, and the keystream behind a partial one.
                    _ => {
                        std::array::from_fn(|i| if i < bytes.len() { input[i] } else { stream[i] })
                    }
                };
                output
            }
        };
        bytes.copy_from_slice(&output[..bytes.len()]);
    }
}

/// Runs a cipher's mode.
fn run(cipher: &Cipher<'_>, mode: Mode, direction: Direction, chain: &mut Block, data: InOut<'_>) {
    match mode {
        Mode::Ecb => cipher.ecb(data),
        Mode::Cbc => cipher.cbc(chain, data),
        Mode::Cfb => cipher.cfb(direction, chain, data),
        Mode::Ofb => cipher.ofb(chain, data),
        _ => _ = cipher.ctr(chain, data),
    }
}

/// The direction that the key is needed for.
fn key_direction(mode: Mode, direction: Direction) -> Direction {
    if matches!(mode, Mode::Ecb | Mode::Cbc) { direction } else { Direction::Encrypt }
}

/// Compares every mode at every length and place; `cipher` makes one for a direction of its key.
fn compare<'k>(name: &str, software: &dyn Software, cipher: impl Fn(Direction) -> Cipher<'k>) {
    let mut places = [Place::new(8500), Place::new(8500)];
    // The last 16 bits of the counter wrap after two blocks, and so do all 128.
    let mut iv = [0xff; 16];
    iv[15] = 0xfe;
    for mode in MODES {
        for direction in Direction::BOTH {
            let cipher = cipher(key_direction(mode, direction));
            for bytes in LENGTHS.into_iter().filter(|bytes| *bytes <= longest()) {
                let input = message(bytes);
                let (mut right, mut right_chain) = (input.clone(), iv);
                expected(software, mode, direction, &mut right_chain, &mut right);
                for (i, end) in ENDS.into_iter().enumerate() {
                    let what = format!("{name} {mode:?} {direction} {bytes} bytes, {end} before");
                    let mut chain = iv;
                    let [source, destination] = &mut places;
                    let (from, to) =
                        (source.at(bytes, end), destination.at(bytes, ENDS[(i + 2) % ENDS.len()]));
                    from.copy_from_slice(&input);
                    to.copy_from_slice(&input);
                    run(&cipher, mode, direction, &mut chain, InOut::between(from, to));
                    assert!(*to == right && chain == right_chain, "{what}");
                    let mut chain = iv;
                    run(&cipher, mode, direction, &mut chain, InOut::in_place(from));
                    assert!(*from == right && chain == right_chain, "{what}, in place");
                }
            }
        }
    }
}

/// AES with each key size, expanded here and by the unit.
fn compare_aes(ace: Ace, ace2: Option<Ace2>) {
    let key = message(32);
    let all: [&dyn Software; 3] = [
        &Aes128::new_from_slice(&key[..16]).expect("16 bytes"),
        &Aes192::new_from_slice(&key[..24]).expect("24 bytes"),
        &Aes256::new_from_slice(&key).expect("32 bytes"),
    ];
    type Make = fn(&[u8], Direction) -> Result<Key, wirespeed_padlock::WrongKeyLength>;
    let makers: [(&str, Make); 2] = [
        ("expanded by software", Key::with_software_expansion),
        ("expanded by hardware", Key::for_hardware_expansion),
    ];
    for (software, bytes) in all.into_iter().zip([16, 24, 32]) {
        for (maker, make) in makers {
            let keys = Direction::BOTH.map(|it| make(&key[..bytes], it).expect("a key size"));
            let name = format!("AES-{} {maker}", 8 * bytes);
            compare(&name, software, |it| Cipher::aes(ace, ace2, &keys[it as usize]));
        }
    }
}

/// FIPS 197 appendix C, ECB both ways; then everything without ACE2.
pub(crate) fn check_aes(features: Features) {
    let ace = Ace::probe(features).expect("ACE");
    let plaintext = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
    let ciphertexts = [
        0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128,
        0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191,
        0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089,
    ];
    for (bytes, ciphertext) in [16_u8, 24, 32].into_iter().zip(ciphertexts) {
        let key: Vec<u8> = (0..bytes).collect();
        let mut block = plaintext;
        for (direction, result) in
            Direction::BOTH.into_iter().zip([ciphertext.to_be_bytes(), plaintext])
        {
            let key = Key::new(&key, direction).expect("a key size");
            Cipher::aes(ace, None, &key).ecb(InOut::in_place(&mut block));
            assert_eq!(block, result, "AES-{} {direction}", 8 * u32::from(bytes));
        }
    }
    compare_aes(ace, None);
    check_reload(ace);
}

/// The same with counter mode and unaligned data.
pub(crate) fn check_ace2(features: Features) {
    compare_aes(Ace::probe(features).expect("ACE"), Ace2::probe(features).ok());
}

/// Keys that take turns, and one that changes where it lies.
fn check_reload(ace: Ace) {
    let encrypt = |key: &Key| {
        let mut block = [0; 16];
        Cipher::aes(ace, None, key).ecb(InOut::in_place(&mut block));
        block
    };
    let keys = [1, 2].map(|byte| Key::new(&[byte; 16], Direction::Encrypt).expect("16 bytes"));
    let first = keys.each_ref().map(encrypt);
    assert_ne!(first[0], first[1]);
    assert_eq!(keys.each_ref().map(encrypt), first);
    let mut changing = keys[0].clone();
    assert_eq!(encrypt(&changing), first[0]);
    changing.clone_from(&keys[1]);
    assert_eq!(encrypt(&changing), first[1]);
}

/// GB/T 32907 appendix A.1, then every mode.
pub(crate) fn check_sm4(features: Features) {
    let ccs = Ccs::probe(features).expect("CCS");
    let block = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128.to_be_bytes();
    let key = Sm4Key::new(&block);
    let mut data = block;
    Cipher::sm4(ccs, &key, Direction::Encrypt).ecb(InOut::in_place(&mut data));
    assert_eq!(u128::from_be_bytes(data), 0x681e_df34_d206_965e_86b3_e94f_536e_4246);
    let software = Sm4::new_from_slice(&block).expect("16 bytes");
    compare("SM4", &software, |direction| Cipher::sm4(ccs, &key, direction));
}
