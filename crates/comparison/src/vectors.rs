//! Published vectors: NESSIE's, and those by which Linux tests its own implementations (`crypto/testmgr.h`; for
//! Tnepres as it stood in 5.11).

use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

use crate::{Anubis, Khazad, Tea, Tnepres, Twofish, Xeta};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// Key, plaintext of one block or more, ciphertext.
type Vector = (&'static str, &'static str, &'static str);

fn check<C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit>(vectors: &[Vector]) {
    for (key, plain, encrypted) in vectors {
        let cipher = C::new_from_slice(&bytes(key)).expect("a length that there is");
        let mut data = bytes(plain);
        let blocks = cipher::array::Array::slice_as_chunks_mut(&mut data);
        assert!(blocks.1.is_empty());
        cipher.encrypt_blocks(blocks.0);
        assert_eq!(data, bytes(encrypted), "key {key}");
        cipher.decrypt_blocks(cipher::array::Array::slice_as_chunks_mut(&mut data).0);
        assert_eq!(data, bytes(plain), "key {key}");
    }
}

const ZEROS: &str = "00000000000000000000000000000000";

#[test]
fn anubis() {
    let all = |byte: &'static str, count| byte.repeat(count).leak() as &'static str;
    check::<Anubis>(&[
        (all("fe", 16), all("fe", 16), "6dc5daa2267d626f08b7528e6e6e8690"),
        (all("03", 20), all("03", 16), "dbf142f4d18ac74987416f820a9864ae"),
        (all("24", 28), all("24", 16), "fd1b4ae3bff0ad3d06d36127fd139ede"),
        (all("25", 32), all("25", 16), "1a91fb2bb7786bc417d9ff403b0ee5fe"),
        (all("35", 40), all("35", 16), "a52c856f9cbaa0979ec6840f172107ee"),
    ]);
}

#[test]
fn khazad() {
    let all = |byte: &'static str, count| byte.repeat(count).leak() as &'static str;
    check::<Khazad>(&[
        ("80000000000000000000000000000000", "0000000000000000", "49a4ce32ac190e3f"),
        (all("38", 16), all("38", 8), "7e8212a1d95be4f9"),
        (all("a2", 16), all("a2", 8), "aabec195c5941a9c"),
        (all("2f", 16), all("2f", 16), "0474f5705016d3b80474f5705016d3b8"),
    ]);
}

#[test]
fn tea() {
    check::<Tea>(&[
        (ZEROS, "0000000000000000", "0a3aea4140a9ba94"),
        ("2b02056806144976775d0e266c287843", "74657374206d652e", "775d2a6af6ce9209"),
        (
            "0965431166443925513a16100a08126e",
            "6c6f6e6765725f746573745f76656374",
            "be7abb81952d1f1edd89a1250421df95",
        ),
        (
            "4d763217053f752c5d0416361572632f",
            "54656120697320676f6f6420666f7220796f75212121207265616c6c79212121",
            "e04d5d3cb78c364794189591a9fc49f844d12dc299b8082a078973c24592c690",
        ),
    ]);
}

#[test]
fn xeta() {
    check::<Xeta>(&[
        (ZEROS, "0000000000000000", "aa2296e56c61f345"),
        ("2b02056806144976775d0e266c287843", "74657374206d652e", "823eeb35dcddd9c3"),
        (
            "0965431166443925513a16100a08126e",
            "6c6f6e6765725f746573745f76656374",
            "e204dbf289859eea6135aaedb5cb712c",
        ),
        (
            "4d763217053f752c5d0416361572632f",
            "54656120697320676f6f6420666f7220796f75212121207265616c6c79212121",
            "0b03cd8abe95fdb1c144910ba5c91bb4a9da1e9eb13e2a8feaa56a85d1f4a8a5",
        ),
    ]);
}

/// Those with one bit of key are also in Serpent's submission to the AES contest (`ecb_vk.txt`).
#[test]
fn tnepres() {
    check::<Tnepres>(&[
        ("80000000000000000000000000000000", ZEROS, "49afbfad9d5a34052cd8ffa5986bd2dd"),
        (
            "000102030405060708090a0b0c0d0e0f",
            "000102030405060708090a0b0c0d0e0f",
            "eaf4d7fcd801344781450bfa0cd6ad6e",
        ),
        ("00000000000000000000000000000080", ZEROS, "3ddabfc006daab06462af4ef81544e26"),
        (
            "800000000000000000000000000000000000000000000000",
            ZEROS,
            "e78e5402c7195568ac3678f7a3f60c66",
        ),
        (
            "1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100",
            "0f0e0d0c0b0a09080706050403020100",
            "5ce71c70d2882e5bb832e433f89f26de",
        ),
        (
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "000102030405060708090a0b0c0d0e0f",
            "64a91a37ed9fe749a84e76d6f50d78ee",
        ),
    ]);
}

#[test]
fn other_lengths_of_keys_are_refused() {
    for length in [0, 15, 18, 33, 44, 64] {
        let key = vec![0; length];
        assert!(Anubis::new_from_slice(&key).is_err(), "Anubis takes no {length} bytes");
        assert!(Khazad::new_from_slice(&key).is_err(), "Khazad takes no {length} bytes");
        assert!(Tea::new_from_slice(&key).is_err(), "TEA takes no {length} bytes");
        assert!(Xeta::new_from_slice(&key).is_err(), "XETA takes no {length} bytes");
    }
    for length in [0, 15, 33] {
        assert!(Tnepres::new_from_slice(&vec![0; length]).is_err(), "{length} bytes");
    }
}

/// Those of the submission to the AES contest, appendix B, and its tables (`ecb_tbl.txt`).
#[test]
fn twofish() {
    check::<Twofish>(&[
        (ZEROS, ZEROS, "9f589f5cf6122c32b6bfec2f2ae8c35a"),
        (
            "0123456789abcdeffedcba98765432100011223344556677",
            ZEROS,
            "cfd1d2e5a9be9cdf501f13b892bd2248",
        ),
        (
            "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff",
            ZEROS,
            "37527be0052334b89f0cfccae87cfa20",
        ),
        (
            "d43bb7556ea32e46f2a282b7d45b4e0d57ff739d4dc92c1bd7fc01700cc8216f",
            "90afe91bb288544f2c32dc239b2635e6",
            "6cb4561c40bf0a9705931cb6d408e7fa",
        ),
    ]);
}

/// Keys and blocks of every kind against the crate that computes without tables.
#[test]
fn twofish_without_tables() {
    for seed in 0..40u8 {
        for length in [16, 24, 32] {
            let key: Vec<u8> =
                (0..length).map(|i: u8| i.wrapping_mul(37) ^ seed.wrapping_mul(29)).collect();
            let ours = Twofish::new_from_slice(&key).expect("a length that there is");
            let theirs = twofish::Twofish::new_from_slice(&key).expect("a length that there is");
            let mut block = [seed; 16].into();
            let mut other = block;
            ours.encrypt_block(&mut block);
            theirs.encrypt_block(&mut other);
            assert_eq!(block, other);
            ours.decrypt_block(&mut block);
            assert_eq!(block, [seed; 16]);
        }
    }
    assert!(Twofish::new_from_slice(&[0; 20]).is_err());
}
