//! Messages, duplicates and parameters of a context, by the host's libcrypto.

use super::*;
use crate::{Context, Library};

fn start(name: &str) -> CipherContext {
    let context = Context::new(Library::host().expect("these tests need libcrypto")).unwrap();
    context.load("default").unwrap();
    context.fetch(name, None).unwrap().context().unwrap()
}

/// FIPS 197 appendix C.1.
#[test]
fn one_block_by_the_standard() {
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    let plain: [u8; 16] = std::array::from_fn(|i| i as u8 * 0x11);
    let mut work = start("AES-128-ECB");
    work.init(Direction::Encrypt, Some(&key), None, &[Param::uint(c"padding", 0)]).unwrap();
    let mut output = [0; 32];
    assert_eq!(work.update(&plain, &mut output).unwrap(), 16);
    assert_eq!(output[..4], [0x69, 0xc4, 0xe0, 0xd8]);
    assert_eq!(work.finish(&mut output[16..]).unwrap(), 0);
}

#[test]
fn a_message_and_its_tag() {
    let mut work = start("AES-256-GCM");
    work.init(Direction::Encrypt, Some(&[1; 32]), Some(&[2; 12]), &[]).unwrap();
    work.aad(b"header").unwrap();
    let (mut cipher, mut tag) = ([0; 7], [0; 16]);
    work.update(b"message", &mut cipher).unwrap();
    work.finish(&mut []).unwrap();
    work.tag(&mut tag).unwrap();

    work.init(Direction::Decrypt, None, Some(&[2; 12]), &[]).unwrap();
    work.aad(b"header").unwrap();
    let mut data = cipher;
    work.update_in_place(&mut data, 7).unwrap();
    assert_eq!(&data, b"message");
    work.set_tag(&tag).unwrap();
    work.finish(&mut []).unwrap();

    tag[0] ^= 1;
    work.init(Direction::Decrypt, None, Some(&[2; 12]), &[]).unwrap();
    work.aad(b"header").unwrap();
    work.update(&cipher, &mut data).unwrap();
    work.set_tag(&tag).unwrap();
    assert_eq!(work.finish(&mut []).unwrap_err().call, "EVP_CipherFinal_ex");
}

/// RFC 3610, packet vector 1, with the data of which it is made.
#[test]
fn ccm_is_told_its_length_and_nobody_else_is() {
    let mut work = start("AES-128-CCM");
    let key: [u8; 16] = std::array::from_fn(|i| 0xc0 + i as u8);
    let nonce = [0, 0, 0, 3, 2, 1, 0, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5];
    let lengths = [Param::size(c"ivlen", 13), Param { key: c"tag", value: Value::NoOctets(8) }];
    work.init(Direction::Encrypt, None, None, &lengths).unwrap();
    work.init(Direction::Encrypt, Some(&key), Some(&nonce), &[]).unwrap();
    let packet: [u8; 31] = std::array::from_fn(|i| i as u8);
    let (mut cipher, mut tag) = ([0; 23], [0; 8]);
    work.message_length(23).unwrap();
    work.aad(&packet[..8]).unwrap();
    work.update(&packet[8..], &mut cipher).unwrap();
    work.finish(&mut []).unwrap();
    work.tag(&mut tag).unwrap();
    assert_eq!(cipher[..4], [0x58, 0x8c, 0x97, 0x9a]);
    assert_eq!(tag, [0x17, 0xe8, 0xd1, 0x2c, 0xfd, 0xf9, 0x26, 0xe0]);
    assert!(start("AES-128-GCM").message_length(23).is_err());
}

#[test]
fn lengths_are_held_to() {
    let mut work = start("AES-128-GCM");
    let long = [3; 20];
    assert!(work.init(Direction::Encrypt, Some(&[1; 17]), None, &[]).is_err());
    assert!(work.init(Direction::Encrypt, Some(&[1; 16]), Some(&long), &[]).is_err());
    let ivlen = [Param::size(c"ivlen", 20)];
    work.init(Direction::Encrypt, Some(&[1; 16]), Some(&long), &ivlen).unwrap();
    work.init(Direction::Encrypt, None, Some(&long), &[]).unwrap();
    assert!(work.init(Direction::Encrypt, None, Some(&[3; 12]), &[]).is_err());
    assert_eq!(work.number(c"ivlen").unwrap(), Some(20));
    work.set(&[Param::size(c"ivlen", 8)]).unwrap();
    work.init(Direction::Encrypt, None, Some(&[3; 8]), &[]).unwrap();
}

/// libcrypto takes the first of several, and understands numbers of any width: either would let it read behind the IV.
#[test]
fn a_length_that_could_be_another_is_refused() {
    let long = 20_u64.to_ne_bytes();
    let raw = |key| Param { key, value: Value::Raw(Kind::Unsigned, &long) };
    for params in [
        [Param::size(c"ivlen", 20), Param::size(c"ivlen", 12)],
        [Param::size(c"ivlen", 12), Param::size(c"ivlen", 12)],
        [raw(c"ivlen"), Param::size(c"padding", 0)],
        [Param::size(c"keylen", 32), Param::size(c"keylen", 16)],
        [raw(c"keylen"), Param::size(c"padding", 0)],
    ] {
        let mut work = start("AES-128-GCM");
        let refused = work.init(Direction::Encrypt, Some(&[1; 16]), Some(&[2; 12]), &params);
        assert!(refused.is_err_and(|why| why.to_string().contains("a length")), "{params:?}");
        work.init(Direction::Encrypt, Some(&[1; 16]), Some(&[2; 12]), &[]).unwrap();
    }
}

#[test]
fn a_duplicate_goes_on_alone() {
    let mut one = start("AES-192-CTR");
    one.init(Direction::Encrypt, Some(&[1; 24]), Some(&[2; 16]), &[]).unwrap();
    let mut first = [0; 5];
    one.update(&[0; 5], &mut first).unwrap();
    let mut other = one.duplicate().unwrap();
    let (mut a, mut b) = ([0; 40], [0; 40]);
    one.update(&[0; 40], &mut a).unwrap();
    drop(one);
    other.update(&[0; 40], &mut b).unwrap();
    assert_eq!(a, b);
}

#[test]
fn parameters_of_a_context() {
    let mut work = start("AES-128-CBC");
    work.init(Direction::Encrypt, Some(&[1; 16]), Some(&[2; 16]), &[]).unwrap();
    let mut iv = [0; 16];
    assert_eq!(work.parameter(c"iv", Kind::Octets, Some(&mut iv)).unwrap(), Some(16));
    assert_eq!(iv, [2; 16]);
    assert_eq!(work.number(c"padding").unwrap(), Some(1));
    work.set_padding(false).unwrap();
    assert_eq!(work.number(c"padding").unwrap(), Some(0));
    assert_eq!(work.number(c"no-such-thing").unwrap(), None);
    assert!(work.pointed(c"updated-iv").unwrap().is_some());
    assert!(work.aad(b"header").is_err());
    work.reset().unwrap();
    work.init(Direction::Decrypt, Some(&[1; 16]), Some(&[2; 16]), &[]).unwrap();
}

/// With `tls-version` an update grows by more than a block, so more room is asked for.
#[test]
#[should_panic(expected = "room for the output")]
fn a_record_needs_room_for_its_padding() {
    let mut work = start("AES-128-CBC");
    let records = [Param::uint(c"tls-version", 0x0303)];
    work.init(Direction::Encrypt, Some(&[1; 16]), Some(&[2; 16]), &records).unwrap();
    let _ = work.update(&[0; 32], &mut [0; 48]);
}

#[test]
#[should_panic(expected = "a pointer is not a value")]
fn a_pointer_is_not_written_into_bytes() {
    let mut work = start("AES-128-CBC");
    let _ = work.parameter(c"tls-mac", Kind::OctetPointer, Some(&mut [0; 4]));
}
