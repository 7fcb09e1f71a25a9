//! CBC records of SSL 3.0 to TLS 1.2 and DTLS: padding and MAC, removed in constant time.
//!
//! In these protocols the MAC is inside the encryption, so how long a decrypted record's padding is,
//! and whether it is right, must not show: not in time, not in memory access, not in the answer
//! (Lucky Thirteen, AlFardan and Paterson 2013). A record with bad padding yields a MAC that cannot
//! be right, and the caller's comparison refuses it like any forged record.
//!
//! Record lengths, MAC lengths and versions are public; everything read from the record is secret.

use std::hint::black_box;

/// The longest MAC: HMAC-SHA-512.
pub(super) const LONGEST_MAC: usize = 64;
/// The most padding a record can have, with the byte that tells its length.
const MOST_PADDING: usize = 256;
const BLOCK: usize = 16;

/// The protocol, as far as padding goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// RFC 6101 §5.2.3.2: minimal padding of any bytes.
    Ssl3,
    /// RFC 2246 §6.2.3.2: every padding byte tells the length.
    Tls10,
    /// RFC 4346 and 5246 §6.2.3.2, RFC 4347 and 6347: the same behind an explicit IV.
    Tls11,
}

impl Protocol {
    /// By the number of openssl/prov_ssl.h, if CBC records are known there.
    pub(super) const fn numbered(version: u32) -> Option<Self> {
        match version {
            0x0300 => Some(Self::Ssl3),
            0x0301 => Some(Self::Tls10),
            // TLS 1.1 and 1.2, DTLS 1.0 and 1.2, and Cisco's DTLS.
            0x0302 | 0x0303 | 0xfeff | 0xfefd | 0x0100 => Some(Self::Tls11),
            _ => None,
        }
    }

    const fn explicit_iv(self) -> usize {
        if matches!(self, Self::Tls11) { BLOCK } else { 0 }
    }
}

/// How many bytes of padding follow `length` bytes of data and MAC.
pub(super) const fn padding_of(length: usize) -> usize {
    BLOCK - length % BLOCK
}

/// Writes the padding: the last [`padding_of`] bytes of a record.
///
/// Any version but SSL 3.0 gets TLS's padding, known or not, as from the default provider.
pub(super) fn pad(version: u32, padding: &mut [u8]) {
    let value = padding.len() as u8 - 1;
    padding.fill(if version == 0x0300 { 0 } else { value });
    if let Some(last) = padding.last_mut() {
        *last = value;
    }
}

/// Takes explicit IV, padding and MAC off a decrypted record.
///
/// Answers the bytes of data, and leaves the MAC in `mac`, or as much of `substitute` if the padding
/// is bad. Without a MAC in the record (encrypt-then-MAC) bad padding is no secret, and gives
/// nothing, as does a record that is too short whatever it holds.
pub(super) fn unpad(
    protocol: Protocol,
    record: &[u8],
    mac: &mut [u8],
    substitute: &[u8; LONGEST_MAC],
) -> Option<usize> {
    let record = record.get(protocol.explicit_iv()..)?;
    let total = record.len();
    let overhead = 1 + mac.len();
    if mac.len() > LONGEST_MAC || total < overhead {
        return None;
    }
    let padding = usize::from(record[total - 1]);
    let mut good = at_least(total, padding + overhead);
    if protocol == Protocol::Ssl3 {
        good &= at_least(BLOCK, padding + 1);
    } else {
        // As many bytes as padding can have are looked at, however many there are.
        let mut wrong = 0;
        for (i, byte) in record.iter().rev().take(MOST_PADDING).enumerate() {
            wrong |= at_least(padding, i) & (padding ^ usize::from(*byte));
        }
        good &= equal(wrong, 0);
    }
    let end = total - (good & (padding + 1));
    if mac.is_empty() {
        return (good != 0).then_some(end);
    }
    copy_mac(record, end, mac);
    for (byte, other) in mac.iter_mut().zip(substitute) {
        *byte = select(good, *byte, *other);
    }
    Some(end - mac.len())
}

/// Copies the MAC that ends at the secret index `end`.
fn copy_mac(record: &[u8], end: usize, mac: &mut [u8]) {
    let size = mac.len();
    let start = end - size;
    let first = record.len().saturating_sub(size + MOST_PADDING);
    // Byte by byte into a ring of `size` bytes; the ring then begins at a secret `offset`.
    let mut ring = [0; LONGEST_MAC];
    let mut inside = 0;
    let mut offset = 0;
    let mut place = 0;
    for (i, byte) in record.iter().enumerate().skip(first) {
        let begins = equal(i, start);
        inside = (inside | begins) & below(i, end);
        offset |= place & begins;
        ring[place] |= byte & inside as u8;
        place = if place + 1 == size { 0 } else { place + 1 };
    }
    // Turn the ring by the bits of `offset`, all of them every time.
    let mut turn = 1;
    while turn < size {
        let wanted = equal(offset & turn, turn);
        let old = ring;
        for (i, byte) in ring[..size].iter_mut().enumerate() {
            *byte = select(wanted, old[(i + turn) % size], old[i]);
        }
        turn *= 2;
    }
    mac.copy_from_slice(&ring[..size]);
}

/// All ones if `a < b`, else 0. `black_box` keeps the compiler from making branches of masks.
fn below(a: usize, b: usize) -> usize {
    let borrow = a ^ ((a ^ b) | (a.wrapping_sub(b) ^ b));
    black_box(0_usize.wrapping_sub(borrow >> (usize::BITS - 1)))
}

/// All ones if `a >= b`, else 0.
fn at_least(a: usize, b: usize) -> usize {
    !below(a, b)
}

/// All ones if `a == b`, else 0.
fn equal(a: usize, b: usize) -> usize {
    let difference = a ^ b;
    let zero = !difference & difference.wrapping_sub(1);
    black_box(0_usize.wrapping_sub(zero >> (usize::BITS - 1)))
}

/// `a` where the mask is all ones, `b` where it is 0.
fn select(mask: usize, a: u8, b: u8) -> u8 {
    let mask = mask as u8;
    a & mask | b & !mask
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBSTITUTE: [u8; LONGEST_MAC] = [0xee; LONGEST_MAC];
    const MACS: [usize; 7] = [0, 1, 16, 20, 32, 48, 64];

    /// The same by the letter of the RFCs, with branches.
    fn reference(protocol: Protocol, record: &[u8], mac: usize) -> Option<(usize, Vec<u8>)> {
        let record = record.get(protocol.explicit_iv()..)?;
        if record.len() < mac + 1 {
            return None;
        }
        let padding = usize::from(*record.last().unwrap());
        let fits = padding + 1 + mac <= record.len();
        let good = fits
            && match protocol {
                Protocol::Ssl3 => padding < 16,
                _ => record[record.len() - padding - 1..]
                    .iter()
                    .all(|byte| usize::from(*byte) == padding),
            };
        if !good {
            return (mac > 0).then(|| (record.len() - mac, SUBSTITUTE[..mac].to_vec()));
        }
        let (data, found) =
            record[..record.len() - padding - 1].split_at(record.len() - padding - 1 - mac);
        Some((data.len(), found.to_vec()))
    }

    fn check(protocol: Protocol, record: &[u8], mac: usize) {
        let mut found = vec![0; mac];
        let length = unpad(protocol, record, &mut found, &SUBSTITUTE);
        let expected = reference(protocol, record, mac);
        assert_eq!(length.map(|n| (n, found)), expected, "{protocol:?} {} {mac}", record.len());
    }

    #[test]
    fn agrees_with_the_reference_at_every_length_and_padding() {
        for protocol in [Protocol::Ssl3, Protocol::Tls10, Protocol::Tls11] {
            for mac in MACS {
                for length in 0..=700_usize {
                    // Every value of the last byte at some lengths, and the edges at all.
                    let paddings: Vec<u8> = if length % 97 < 2 {
                        (0..=255).collect()
                    } else {
                        vec![0, 1, 15, 16, (length % 251) as u8, 254, 255]
                    };
                    for padding in paddings {
                        let mut record: Vec<u8> = (0..length).map(|i| (i * 7 + 3) as u8).collect();
                        let from = length.saturating_sub(usize::from(padding) + 1);
                        record[from..].fill(padding);
                        check(protocol, &record, mac);
                        // One wrong byte anywhere in the padding.
                        if from < length {
                            let place = from + (length * 31) % (length - from);
                            record[place] ^= 0x40;
                            check(protocol, &record, mac);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_padded_is_unpadded() {
        for version in [0x0300, 0x0301, 0x0303, 0xfefd] {
            let protocol = Protocol::numbered(version).unwrap();
            for length in 16..200 {
                let mut record: Vec<u8> = (0..length).map(|i| i as u8).collect();
                record.resize(length + padding_of(length), 0xaa);
                pad(version, &mut record[length..]);
                assert_eq!(record.len() % 16, 0);
                let mut mac = [0; 16];
                let kept = unpad(protocol, &record, &mut mac, &SUBSTITUTE);
                let iv = protocol.explicit_iv();
                if length >= iv + 16 {
                    assert_eq!(kept, Some(length - iv - 16));
                    assert_eq!(mac, record[length - 16..length]);
                }
            }
        }
    }

    #[test]
    fn masks_are_all_ones_or_zero() {
        let values = [0, 1, 2, 255, 256, usize::MAX / 2, usize::MAX / 2 + 1, usize::MAX];
        for a in values {
            for b in values {
                assert_eq!(below(a, b), if a < b { usize::MAX } else { 0 });
                assert_eq!(at_least(a, b), if a >= b { usize::MAX } else { 0 });
                assert_eq!(equal(a, b), if a == b { usize::MAX } else { 0 });
            }
        }
    }

    #[test]
    fn only_versions_with_cbc_records_are_known() {
        assert_eq!(Protocol::numbered(0x0304), None);
        assert_eq!(Protocol::numbered(0), None);
        assert_eq!(Protocol::numbered(0xfeff), Some(Protocol::Tls11));
    }
}
