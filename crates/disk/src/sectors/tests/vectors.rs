//! Vectors that others have published, through sectors.
//!
//! Those of single blocks are in RFC 2144 (CAST5), RFC 2612 (CAST6), RFC 3713 (Camellia), RFC 5794 (ARIA), FIPS 197,
//! GB/T 32907 (SM4), Schneier's (Blowfish, Twofish), NESSIE's (Serpent, Anubis, Khazad), and for TEA, XTEA and XETA
//! those by which the Linux kernel tests its own (`crypto/testmgr.h`).

use super::super::adiantum::Adiantum;
use super::super::aead::Seal;
use super::super::aegis::Aegis128;
use super::super::native;
use super::{Order, every};
use crate::{Cipher, Iv, Mode, Specification, Variant};
use chacha20::{XChaCha12, XChaCha20};
use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{BlockCipher, Direction};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// A sector that one route after the other must encrypt and decrypt.
fn check(specification: Specification, key: &[u8], number: u64, plain: &[u8], encrypted: &[u8]) {
    let Specification::Encrypted(cipher, mode, iv) = specification else { unreachable!() };
    let order = Order { cipher, mode, iv, key, sector_bytes: plain.len() };
    let mut routes = every(order, Variant::Best);
    routes.extend(every(order, Variant::Generic));
    assert!(!routes.is_empty());
    for (route, cipher) in routes {
        let (mut out, mut back) = (vec![0; plain.len()], vec![0; plain.len()]);
        cipher.encrypt(number, plain, &mut out, &mut []);
        assert!(out == encrypted, "{specification} by {route}");
        cipher.decrypt(number, encrypted, &mut back, &[]).expect("no tag to be wrong");
        assert!(back == plain, "{specification} by {route}");
    }
}

/// Cipher, key, plaintext, ciphertext.
#[rustfmt::skip]
const BLOCKS: [(Cipher, &str, &str, &str); 36] = [
    (Cipher::Aes, "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    (Cipher::Aes, "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191"),
    (Cipher::Aes, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"),
    (Cipher::Anubis, "fefefefefefefefefefefefefefefefe", "fefefefefefefefefefefefefefefefe", "6dc5daa2267d626f08b7528e6e6e8690"),
    (Cipher::Anubis, "2525252525252525252525252525252525252525252525252525252525252525", "25252525252525252525252525252525", "1a91fb2bb7786bc417d9ff403b0ee5fe"),
    (Cipher::Aria, "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "d718fbd6ab644c739da95f3be6451778"),
    (Cipher::Aria, "000102030405060708090a0b0c0d0e0f1011121314151617", "00112233445566778899aabbccddeeff", "26449c1805dbe7aa25a468ce263a9e79"),
    (Cipher::Aria, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "00112233445566778899aabbccddeeff", "f92bd7c79fb72e2f2b8f80c1972d24fc"),
    (Cipher::Blowfish, "f0e1d2c3b4a5968778695a4b3c2d1e0f", "fedcba9876543210", "93142887ee3be15c"),
    (Cipher::Blowfish, "f0e1d2c3b4a5968778695a4b3c2d1e0f001122334455667704689104c2fd3b2f584023641aba61761f1f1f1f0e0e0e0effffffffffffffff", "fedcba9876543210", "c04504012e4e1f53"),
    (Cipher::Camellia, "0123456789abcdeffedcba9876543210", "0123456789abcdeffedcba9876543210", "67673138549669730857065648eabe43"),
    (Cipher::Camellia, "0123456789abcdeffedcba98765432100011223344556677", "0123456789abcdeffedcba9876543210", "b4993401b3e996f84ee5cee7d79b09b9"),
    (Cipher::Camellia, "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff", "0123456789abcdeffedcba9876543210", "9acc237dff16d76c20ef7c919e3a7509"),
    (Cipher::Cast5, "0123456712345678234567893456789a", "0123456789abcdef", "238b4fe5847e44b2"),
    (Cipher::Cast6, "2342bb9efa38542c0af75647f29f615d", "00000000000000000000000000000000", "c842a08972b43d20836c91d1b7530f6b"),
    (Cipher::Cast6, "2342bb9efa38542cbed0ac83940ac298bac77a7717942863", "00000000000000000000000000000000", "1b386c0210dcadcbdd0e41aa08a7a7e8"),
    (Cipher::Cast6, "2342bb9efa38542cbed0ac83940ac2988d7c47ce264908461cc1b5137ae6b604", "00000000000000000000000000000000", "4f6a2038286897b9c9870136553317fa"),
    (Cipher::Khazad, "80000000000000000000000000000000", "0000000000000000", "49a4ce32ac190e3f"),
    (Cipher::Khazad, "38383838383838383838383838383838", "3838383838383838", "7e8212a1d95be4f9"),
    (Cipher::Khazad, "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2", "a2a2a2a2a2a2a2a2", "aabec195c5941a9c"),
    (Cipher::Khazad, "2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f", "2f2f2f2f2f2f2f2f", "0474f5705016d3b8"),
    (Cipher::Serpent, "000102030405060708090a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f", "4c7d8a328072a22c823e4a1f3acda16d"),
    (Cipher::Serpent, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "000102030405060708090a0b0c0d0e0f", "de269ff833e432b85b2e88d2701ce75c"),
    (Cipher::Sm4, "0123456789abcdeffedcba9876543210", "0123456789abcdeffedcba9876543210", "681edf34d206965e86b3e94f536e4246"),
    (Cipher::Tea, "00000000000000000000000000000000", "0000000000000000", "0a3aea4140a9ba94"),
    (Cipher::Tea, "2b02056806144976775d0e266c287843", "74657374206d652e", "775d2a6af6ce9209"),
    (Cipher::Tea, "0965431166443925513a16100a08126e", "6c6f6e6765725f746573745f76656374", "be7abb81952d1f1edd89a1250421df95"),
    (Cipher::Twofish, "00000000000000000000000000000000", "00000000000000000000000000000000", "9f589f5cf6122c32b6bfec2f2ae8c35a"),
    (Cipher::Twofish, "0123456789abcdeffedcba98765432100011223344556677", "00000000000000000000000000000000", "cfd1d2e5a9be9cdf501f13b892bd2248"),
    (Cipher::Twofish, "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff", "00000000000000000000000000000000", "37527be0052334b89f0cfccae87cfa20"),
    (Cipher::Xeta, "00000000000000000000000000000000", "0000000000000000", "aa2296e56c61f345"),
    (Cipher::Xeta, "2b02056806144976775d0e266c287843", "74657374206d652e", "823eeb35dcddd9c3"),
    (Cipher::Xeta, "0965431166443925513a16100a08126e", "6c6f6e6765725f746573745f76656374", "e204dbf289859eea6135aaedb5cb712c"),
    (Cipher::Xtea, "00000000000000000000000000000000", "0000000000000000", "d8d4e9ded91e13f7"),
    (Cipher::Xtea, "2b02056806144976775d0e266c287843", "74657374206d652e", "94ebc896846a49a8"),
    (Cipher::Xtea, "0965431166443925513a16100a08126e", "6c6f6e6765725f746573745f76656374", "3eceae226056a89d774dd4b48724e39a"),
];

#[test]
fn blocks_that_were_published() {
    for (cipher, key, plain, encrypted) in BLOCKS {
        let specification = Specification::Encrypted(cipher, Mode::Ecb, Iv::None);
        let sector = |block: &str| bytes(block).repeat(512 / bytes(block).len());
        check(specification, &bytes(key), 7, &sector(plain), &sector(encrypted));
    }
}

/// The words of the lines that begin an entry, and the bytes in the lines that are indented behind it.
fn entries(text: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    let mut entries: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix(' ') {
            Some(more) => entries.last_mut().expect("a first line").1.push(more.trim()),
            None => entries.push((line.split(' ').collect(), Vec::new())),
        }
    }
    entries
}

#[test]
fn sectors_of_xts_that_were_published() {
    let plain: Vec<u8> = (0..512).map(|i| i as u8).collect();
    let all = entries(include_str!("xts.txt"));
    assert_eq!(all.len(), 9);
    for (head, lines) in all {
        let [specification, number, key] = head[..] else { panic!("{head:?}") };
        let specification = specification.parse().expect("a specification");
        let number = number.parse().expect("a number");
        check(specification, &bytes(key), number, &plain, &bytes(&lines.concat()));
    }
}

#[test]
fn adiantum_that_was_published() {
    let all = entries(include_str!("adiantum.txt"));
    assert_eq!(all.len(), 9);
    for (head, lines) in all {
        let [stream, key, tweak] = head[..] else { panic!("{head:?}") };
        let [plain, encrypted] = ['<', '>'].map(|mark| {
            let lines = lines.iter().filter_map(|line| line.strip_prefix(mark));
            bytes(&lines.collect::<String>())
        });
        let key = bytes(key).try_into().expect("a key");
        let tweak = bytes(tweak).try_into().expect("a tweak");
        let aes = |key: &[u8]| native::first(Variant::Generic, Cipher::Aes, key).expect("AES");
        let run = |direction, from: &[u8]| {
            let mut to = vec![0; from.len()];
            if stream == "xchacha12" {
                Adiantum::<XChaCha12, _>::new(&key, aes).run(direction, &tweak, from, &mut to);
            } else {
                Adiantum::<XChaCha20, _>::new(&key, aes).run(direction, &tweak, from, &mut to);
            }
            to
        };
        assert!(run(Direction::Encrypt, &plain) == encrypted, "{stream}, {} bytes", plain.len());
        assert!(run(Direction::Decrypt, &encrypted) == plain, "{stream}, {} bytes", plain.len());
    }
}

/// Key, IV, associated data, plaintext, ciphertext, tag.
type Message = [&'static str; 6];

fn check_seal(mut seal: impl Seal, [_, iv, associated, plain, encrypted, tag]: Message) {
    let [iv, associated, plain, encrypted] = [iv, associated, plain, encrypted].map(bytes);
    let mut out = vec![0; plain.len()];
    let made = seal.run(Direction::Encrypt, &iv, &associated, &plain, &mut out);
    assert_eq!((out, made.to_vec()), (encrypted.clone(), bytes(tag)));
    let mut back = vec![0; plain.len()];
    let made = seal.run(Direction::Decrypt, &iv, &associated, &encrypted, &mut back);
    assert_eq!((back, made.to_vec()), (plain, bytes(tag)));
}

/// Those of the Linux kernel (`crypto/testmgr.h`), made by the authors' reference code.
#[rustfmt::skip]
const AEGIS: [Message; 4] = [
    ["0fc98e67449eaa8620362c24fec93081", "1e921ccf883d540d406d5948fc926103", "", "", "", "07a511f29d40b86ddab812344c53d972"],
    ["5ecbb61e2562e40c2d25e918aac6d5d8", "6d94448669008f934d5b153ca88f065a", "7c5dd3eead9f391a6d924261a75837", "8b266155f13ee3a18dc86e85a52167", "1878c26ee1f7e68aca0e6200a821b5", "213d36dbf7cc31949c98bd717aefa4fa"],
    ["8d82d63b76cc3097b16863ef8c7ca3f7", "9c4b65a2ba6bdb1ed19e90138a45d379", "ab14f30afe0a85a5f2d5bc38890e04fb847d653425d847faeb8331f15454890d9d", "bade827242a92f2c120be95c87d7357c4f2ee855668027001b8f68e70a6c71c32178559d9c657bcd0a3497ff4737b02a800d199833a97ae32e4cc6f38c884201bd", "84c521abe1ebbb6daa2aafeb3b3b69e72c47ef9db75336b7b6f5e5a8c99e02d78388c2bd2ff910c0f5a16ed3976482a3fbda2cb194a15832e8d439fc9e26f9f161", "e6ae07f2e0a74496283bee6bc616313f"],
    ["c9a710da8648d9b33242158085a165fe", "d8709f42cae6833a527942a5846a967f", "e8392daa0e852dc172af6ec98233c701af4070b82a78c914acb110ca2eb328e4acfa587fe573098c1d40878cd975c055a2da07d1c2a9d1bb094f7762882df26854", "f702bb115224d84893e69bee81fcf78279f0f3d96c20a91adcbc47c0e4cb10992f", "8f2347fbf2ac23837709ac74efd256ae207b7bca458ec8c250bdc7441c5498d81f", "d09a79aaf9e1b3b4985a9be44dbf4e39"],
];

/// McGrew, Viega, "The Galois/Counter Mode of Operation", test cases 4 and 16.
#[rustfmt::skip]
const GCM: [Message; 2] = [
    ["feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39", "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091", "5bc94fbc3221a5db94fae95ae7121a47"],
    ["feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39", "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662", "76fc6ece0f4e1768cddf8853bb2d551b"],
];

#[test]
fn sealed_messages_that_were_published() {
    for message in AEGIS {
        check_seal(Aegis128(bytes(message[0]).try_into().expect("a key")), message);
    }
    for message in GCM {
        let cipher = if message[0].len() == 32 { BlockCipher::Aes128 } else { BlockCipher::Aes256 };
        for &route in wirespeed_kernels::ROUTES {
            let Ok(kernels) =
                wirespeed_kernels::kernels(route, cipher, wirespeed_cpu::Features::detect())
            else {
                continue;
            };
            let mut gcm = Gcm::new(kernels);
            gcm.set_key(&bytes(message[0]));
            check_seal(gcm, message);
        }
    }
}

/// By hand, with the programs `sha256sum` and `openssl enc`: the SHA-256 of the key is ESSIV's key, AES-256 of the
/// sector's number under that the IV.
#[test]
fn essiv_by_hand() {
    let key = bytes("000102030405060708090a0b0c0d0e0f");
    let order = Order {
        cipher: Cipher::Aes,
        mode: Mode::Cbc,
        iv: Iv::EssivSha256,
        key: &key,
        sector_bytes: 512,
    };
    for (route, cipher) in every(order, Variant::Best) {
        let mut sector = [0; 512];
        cipher.encrypt(7, &[0; 512], &mut sector, &mut []);
        assert_eq!(sector[..16], bytes("97cb4c2d1a8db6986d9cb45dcdc073bc"), "{route}");
        assert_eq!(sector[496..], bytes("b406f7ff233da5f3c213a3567134747d"), "{route}");
    }
}

/// `plain` keeps 32 bits of the number, `plain64` all, `null` none.
#[test]
fn ivs_are_numbers() {
    let key = [9; 16];
    let first = |iv, number| {
        let order =
            Order { cipher: Cipher::Aes, mode: Mode::Cbc, iv, key: &key, sector_bytes: 512 };
        let mut sector = [0; 512];
        every(order, Variant::Generic)[0].1.encrypt(number, &[0; 512], &mut sector, &mut []);
        sector
    };
    let (low, high) = (5, 5 + (1 << 32));
    assert_eq!(first(Iv::Plain, low), first(Iv::Plain, high));
    assert_eq!(first(Iv::Plain, low), first(Iv::Plain64, low));
    assert_ne!(first(Iv::Plain64, low), first(Iv::Plain64, high));
    assert_eq!(first(Iv::Null, low), first(Iv::Null, high));
    assert_eq!(first(Iv::Null, low), first(Iv::Plain, 0));
}
