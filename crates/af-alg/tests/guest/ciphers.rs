//! Ciphers against OpenSSL: every length at a border, in place and apart, at any alignment.

use std::fs;

use wirespeed_af_alg::{Cipher, Error, Interface, Kind, Permission, Transform};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, cipher, lengths, same};
use crate::oracle;

/// Where data stand: offsets of source and destination from a page, or in place.
const PLACES: [(usize, Option<usize>); 4] = [(0, None), (3, None), (0, Some(0)), (1, Some(7))];

/// What the vocabulary calls whole blocks, or for XTS a data unit.
fn fits(transform: &Transform, length: usize) -> bool {
    let Kind::Cipher { block_bytes, .. } = transform.kind else { return false };
    length.is_multiple_of(block_bytes) && (length == 0 || !is_xts(transform) || length >= 16)
}

fn is_xts(transform: &Transform) -> bool {
    transform.name.ends_with("XTS")
}

/// The IV after `data`, from OpenSSL's: encrypting as many zeros as come next shows it.
fn next_iv(transform: &Transform, key: &[u8], iv: &[u8], input: &[u8], output: &[u8]) -> Vec<u8> {
    let end = input.len() - input.len() % 16;
    match transform.kernel.split('(').next() {
        Some("ctr") => {
            let number = u128::from_be_bytes(iv.try_into().expect("16 bytes"));
            number.wrapping_add(input.len().div_ceil(16) as u128).to_be_bytes().to_vec()
        }
        Some("chacha20") => {
            let (number, nonce) = iv.split_at(8);
            let number = u64::from_le_bytes(number.try_into().expect("8 bytes"));
            let number = number.wrapping_add(input.len().div_ceil(64) as u64);
            [&number.to_le_bytes(), nonce].concat()
        }
        Some("cbc" | "cfb") => output[output.len() - iv.len()..].to_vec(),
        Some("ofb") => {
            let zeros = vec![0; end];
            let keystream = oracle::crypt(transform.name, Direction::Encrypt, key, iv, &zeros);
            keystream[end - 16..].to_vec()
        }
        _ => iv.to_vec(),
    }
}

/// A place in memory at an offset from the start of a page.
struct Memory {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Memory {
    fn new(offset: usize, data: &[u8]) -> Self {
        let mut bytes = vec![0xa5; data.len() + 2 * 4096];
        let start = bytes.as_ptr().align_offset(4096) + offset;
        bytes[start..start + data.len()].copy_from_slice(data);
        Self { bytes, start, length: data.len() }
    }

    fn data(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }

    /// Nothing beside the data has changed.
    fn borders_are_whole(&self) -> bool {
        let (before, rest) = self.bytes.split_at(self.start);
        before.iter().chain(&rest[self.length..]).all(|byte| *byte == 0xa5)
    }
}

/// One operation at one place, checked.
fn check(
    cipher: &mut Cipher,
    direction: Direction,
    (at, to): (usize, Option<usize>),
    [iv, after]: [&[u8]; 2],
    [input, expected]: [&[u8]; 2],
) -> Result<(), String> {
    let what = format!("{direction}, {} bytes at {at} to {to:?}", input.len());
    let mut source = Memory::new(at, input);
    let mut moving = iv.to_vec();
    let run = |cipher: &mut Cipher, iv: &mut Vec<u8>, data| {
        cipher.crypt(direction, iv, data).map_err(|error| format!("{what}: {error}"))
    };
    match to {
        None => {
            run(cipher, &mut moving, InOut::in_place(source.data()))?;
            same(&what, source.data(), expected)?;
        }
        Some(to) => {
            let mut destination = Memory::new(to, &vec![0xee; input.len()]);
            run(cipher, &mut moving, InOut::between(source.data(), destination.data()))?;
            same(&what, destination.data(), expected)?;
            same(&format!("{what}: the source"), source.data(), input)?;
            if !destination.borders_are_whole() {
                return Err(format!("{what}: wrote beside the destination"));
            }
        }
    }
    if !source.borders_are_whole() {
        return Err(format!("{what}: wrote beside the data"));
    }
    same(&format!("{what}: the IV"), &moving, after)
}

/// All lengths, directions and places of one cipher.
pub(crate) fn differs(interface: Interface, transform: &'static Transform) -> Result<(), String> {
    let Kind::Cipher { key_bytes, iv_bytes, .. } = transform.kind else { unreachable!("a cipher") };
    let (key, iv) = (bytes(key_bytes, 1), bytes(iv_bytes, 2));
    let open = Cipher::through(interface, transform, None, &key, Permission::Unconfined);
    let mut cipher = open.map_err(|error| error.to_string())?;
    for length in lengths().into_iter().filter(|length| fits(transform, *length)) {
        let plain = bytes(length, length as u64 + 3);
        let sealed = oracle::crypt(transform.name, Direction::Encrypt, &key, &iv, &plain);
        let after = match length {
            0 => iv.clone(),
            _ => next_iv(transform, &key, &iv, &plain, &sealed),
        };
        // Slow algorithms in a guest that is emulated: long messages have been everywhere in `long`.
        let step = if length > 8192 { 3 } else { 1 };
        for place in PLACES.into_iter().step_by(step) {
            let ivs = [&iv[..], &after];
            check(&mut cipher, Direction::Encrypt, place, ivs, [&plain, &sealed])?;
            check(&mut cipher, Direction::Decrypt, place, ivs, [&sealed, &plain])?;
        }
    }
    Ok(())
}

/// Counters at every border of a word, and longer than any buffer of the kernel's.
pub(crate) fn long(interface: Interface) -> Result<(), String> {
    for name in ["AES-128-CBC", "AES-256-CTR", "AES-192-ECB"] {
        let (mut cipher, key) = cipher(interface, name);
        let transform = cipher.transform();
        let Kind::Cipher { iv_bytes, .. } = transform.kind else { unreachable!("a cipher") };
        let iv = &[0xff; 16][..iv_bytes];
        let length = 1_000_000 / 16 * 16;
        let plain = bytes(length, 9);
        let sealed = oracle::crypt(name, Direction::Encrypt, &key, iv, &plain);
        let after = next_iv(transform, &key, iv, &plain, &sealed);
        for place in PLACES {
            let ivs = [iv, &after];
            check(&mut cipher, Direction::Encrypt, place, ivs, [&plain, &sealed])?;
            check(&mut cipher, Direction::Decrypt, place, ivs, [&sealed, &plain])?;
        }
    }
    let (mut counter, key) = cipher(interface, "AES-128-CTR");
    for border in [32, 64, 96, 128] {
        for before in 1..=4_u128 {
            let first = (u128::MAX >> (128 - border)) - before + 1;
            let (iv, plain) = (first.to_be_bytes(), bytes(100, 4));
            let sealed = oracle::crypt("AES-128-CTR", Direction::Encrypt, &key, &iv, &plain);
            let after = first.wrapping_add(7).to_be_bytes();
            check(&mut counter, Direction::Encrypt, (0, None), [&iv, &after], [&plain, &sealed])?;
        }
    }
    Ok(())
}

/// A block number that carries into the nonce, within a request.
pub(crate) fn block_numbers() -> Result<(), String> {
    let (mut stream, key) = cipher(Interface::AfAlg, "ChaCha20");
    for before in 1..=4_u128 {
        let first = (7 << 64 | 1_u128 << 32) - before;
        let (iv, plain) = (first.to_le_bytes(), bytes(300, 4));
        let sealed = oracle::crypt("ChaCha20", Direction::Encrypt, &key, &iv, &plain);
        let after = (first + 5).to_le_bytes();
        for place in PLACES {
            check(&mut stream, Direction::Encrypt, place, [&iv, &after], [&plain, &sealed])?;
        }
    }
    Ok(())
}

/// A data unit cannot be cut: it is served whole or not at all.
pub(crate) fn units() -> Result<(), String> {
    let (mut xts, key) = cipher(Interface::AfAlg, "AES-128-XTS");
    let iv = bytes(16, 5);
    for length in [65_552, 131_077, 200_000, 212_992] {
        let plain = bytes(length, 6);
        let sealed = oracle::crypt("AES-128-XTS", Direction::Encrypt, &key, &iv, &plain);
        check(&mut xts, Direction::Encrypt, (1, None), [&iv, &iv], [&plain, &sealed])?;
        check(&mut xts, Direction::Decrypt, (0, Some(1)), [&iv, &iv], [&sealed, &plain])?;
    }
    let plain = bytes(1 << 20, 7);
    let (mut data, mut moving) = (plain.clone(), iv.clone());
    match xts.crypt(Direction::Encrypt, &mut moving, InOut::in_place(&mut data)) {
        Err(Error::TooLong(_)) => same("a unit that was refused", &data, &plain)?,
        other => return Err(format!("a unit of a MiB: {other:?}")),
    }
    // Shorter ones go on.
    let after = next_iv(xts.transform(), &key, &iv, &plain[..16], &plain[..16]);
    let sealed = oracle::crypt("AES-128-XTS", Direction::Encrypt, &key, &iv, &plain[..16]);
    check(&mut xts, Direction::Encrypt, (1, None), [&iv, &after], [&plain[..16], &sealed])
}

/// The least buffers that Linux can be told to give a socket.
pub(crate) fn small_buffers() -> Result<(), String> {
    const SETTINGS: [&str; 2] =
        ["/proc/sys/net/core/wmem_default", "/proc/sys/net/core/rmem_default"];
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let write =
        |path: &str, text: &str| fs::write(path, text).map_err(|error| format!("{path}: {error}"));
    let before = SETTINGS.map(read);
    let least = SETTINGS.iter().try_for_each(|path| write(path, "4608"));
    let checked = least.and_then(|()| {
        for name in ["AES-128-CBC", "AES-128-XTS", "AES-128-CTR"] {
            differs_below(name, if name.ends_with("XTS") { 4096 } else { 70_000 })?;
        }
        Ok(())
    });
    for (path, before) in SETTINGS.iter().zip(before) {
        write(path, before?.trim())?;
    }
    checked
}

fn differs_below(name: &str, longest: usize) -> Result<(), String> {
    let (mut cipher, key) = cipher(Interface::AfAlg, name);
    let transform = cipher.transform();
    let iv = bytes(16, 8);
    for length in [4080, 4096, 4112, 8192, 12_304, 65_536, 69_632] {
        let plain = bytes(length, 9);
        let sealed = oracle::crypt(name, Direction::Encrypt, &key, &iv, &plain);
        let after = next_iv(transform, &key, &iv, &plain, &sealed);
        if length <= longest {
            for place in PLACES {
                check(&mut cipher, Direction::Encrypt, place, [&iv, &after], [&plain, &sealed])?;
            }
        } else {
            let mut data = plain.clone();
            let refused =
                cipher.crypt(Direction::Encrypt, &mut iv.clone(), InOut::in_place(&mut data));
            if !matches!(refused, Err(Error::TooLong(_))) {
                return Err(format!("{name}: {length} bytes: {refused:?}"));
            }
            same("a unit that was refused", &data, &plain)?;
        }
    }
    Ok(())
}

/// A message in pieces, each from the IV that the one before has left.
pub(crate) fn streams(interface: Interface) -> Result<(), String> {
    for name in ["AES-128-CBC", "AES-256-CBC", "AES-128-CTR", "DES-EDE3-CBC"] {
        let (mut cipher, key) = cipher(interface, name);
        let Kind::Cipher { iv_bytes, .. } = cipher.transform().kind else {
            unreachable!("a cipher")
        };
        let iv = bytes(iv_bytes, 10);
        let plain = bytes(70_000 / 16 * 16, 11);
        let sealed = oracle::crypt(name, Direction::Encrypt, &key, &iv, &plain);
        for (direction, input, expected) in
            [(Direction::Encrypt, &plain, &sealed), (Direction::Decrypt, &sealed, &plain)]
        {
            let (mut moving, mut data) = (iv.clone(), input.clone());
            let mut rest = &mut data[..];
            for size in [16, 32, 4096, 48, 65_536, 16].iter().cycle() {
                let (piece, others) = rest.split_at_mut(rest.len().min(*size));
                let crypted = cipher.crypt(direction, &mut moving, InOut::in_place(piece));
                crypted.map_err(|error| error.to_string())?;
                rest = others;
                if rest.is_empty() {
                    break;
                }
            }
            same(&format!("{name} {direction} in pieces"), &data, expected)?;
        }
    }
    Ok(())
}
