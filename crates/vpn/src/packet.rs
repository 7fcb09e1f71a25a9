//! One packet, inside the tunnel and outside, and everything but its cryptography.

use crate::end::Refused;
use crate::suite::{Framing, Suite};

/// A packet as a gateway has it: what comes in lies in one buffer, what goes out in another.
#[derive(Clone, Debug)]
pub struct Packet {
    /// The IP packet, and room for padding behind it.
    pub(crate) inner: Vec<u8>,
    /// Bytes of the IP packet.
    length: usize,
    /// The sealed packet, and room behind it.
    pub(crate) wire: Vec<u8>,
    /// Bytes of the sealed packet.
    sealed: usize,
}

/// The next header of RFC 4303 §2.6 for a tunnel of IPv4.
const IPV4: u8 = 4;

/// The type of WireGuard's transport data messages.
const TRANSPORT_DATA: u8 = 4;

/// The security parameters index of ESP, or the receiver's index of WireGuard: what tells tunnels apart.
pub(crate) type Index = [u8; 4];

impl Packet {
    /// More than any padding, check value and cipher's block need behind an IP packet.
    const ROOM: usize = 128;

    /// An IPv4 packet of so many bytes, nothing sealed yet.
    ///
    /// # Panics
    /// If that is less than an IPv4 header, or more than its length can say.
    pub fn new(length: usize) -> Self {
        let total = u16::try_from(length).expect("as long as IPv4 allows");
        let mut inner = vec![0; length + Self::ROOM];
        // A cycle of 251, a prime: swapped or repeated blocks never look alike.
        inner[..length].iter_mut().zip((0..251u8).cycle()).for_each(|(byte, i)| *byte = i);
        // RFC 791 §3.1: version 4, five words of header, and the length.
        inner[0] = 0x45;
        inner[2..4].copy_from_slice(&total.to_be_bytes());
        Self { inner, length, wire: vec![0; length + Self::ROOM], sealed: 0 }
    }

    /// The IP packet.
    pub fn inner(&self) -> &[u8] {
        &self.inner[..self.length]
    }

    /// The sealed packet; empty before it is sealed.
    pub fn sealed(&self) -> &[u8] {
        &self.wire[..self.sealed]
    }

    /// Puts something in the place of the sealed packet, as a network may.
    ///
    /// # Panics
    /// If it is longer than any packet of that length comes to be.
    pub fn receive(&mut self, sealed: &[u8]) {
        self.wire[..sealed.len()].copy_from_slice(sealed);
        self.sealed = sealed.len();
    }

    /// Forgets the IP packet, so that opening must bring it back.
    pub fn forget(&mut self) {
        self.inner.fill(0);
        self.length = 0;
    }

    /// Writes what goes around the packet, before and behind: for the packet of this number.
    pub(crate) fn frame(&mut self, suite: &Suite, index: Index, number: u64) -> Parts {
        let parts = Parts::of(suite, suite.ciphertext_bytes(self.length));
        let front = &mut self.wire[..parts.ciphertext.0];
        let padding = &mut self.inner[self.length..parts.ciphertext_bytes()];
        match suite.framing {
            Framing::Esp => {
                front[..4].copy_from_slice(&index);
                // RFC 4303 §2.2: 32 bits travel.
                front[4..8].copy_from_slice(&(number as u32).to_be_bytes());
                write_iv(suite, number, &mut front[8..]);
                // RFC 4303 §2.4: 1, 2, 3, …, their number, the next header.
                let count = padding.len() - 2;
                padding[..count].iter_mut().zip(1..).for_each(|(byte, i)| *byte = i);
                padding[count..].copy_from_slice(&[count as u8, IPV4]);
            }
            Framing::WireGuard => {
                front[..4].copy_from_slice(&[TRANSPORT_DATA, 0, 0, 0]);
                front[4..8].copy_from_slice(&index);
                front[8..].copy_from_slice(&number.to_le_bytes());
                padding.fill(0);
            }
        }
        self.sealed = parts.end();
        parts
    }

    /// Where things lie in what was received, if it can be a packet of this tunnel.
    pub(crate) fn parts(&self, suite: &Suite, index: Index) -> Result<Parts, Refused> {
        let around = suite.front_bytes() + suite.icv_bytes;
        let ciphertext = self.sealed.checked_sub(around).ok_or(Refused::Malformed)?;
        let least = suite.framing.trailer_bytes().max(1);
        if ciphertext < least || !ciphertext.is_multiple_of(suite.align) {
            return Err(Refused::Malformed);
        }
        let is_ours = match suite.framing {
            Framing::Esp => self.wire[..4] == index,
            Framing::WireGuard => {
                self.wire[..4] == [TRANSPORT_DATA, 0, 0, 0] && self.wire[4..8] == index
            }
        };
        if is_ours { Ok(Parts::of(suite, ciphertext)) } else { Err(Refused::Malformed) }
    }

    /// Takes the padding off what was decrypted.
    pub(crate) fn unframe(&mut self, suite: &Suite, parts: &Parts) -> Result<(), Refused> {
        let decrypted = &self.inner[..parts.ciphertext_bytes()];
        let length = match (suite.framing, decrypted) {
            (Framing::Esp, [rest @ .., count, next]) => {
                let length = rest.len().checked_sub(usize::from(*count));
                let length = length.filter(|_| *next == IPV4).ok_or(Refused::Padding)?;
                // RFC 4303 §2.4: a receiver should look at it.
                let is_counted = rest[length..].iter().zip(1..).all(|(byte, i)| *byte == i);
                is_counted.then_some(length)
            }
            // The packet itself says how long it is.
            (Framing::WireGuard, [_, _, high, low, ..]) => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                Some(length).filter(|length| *length <= decrypted.len())
            }
            _ => None,
        };
        self.length = length.ok_or(Refused::Padding)?;
        Ok(())
    }
}

/// Where the ciphertext and the check value of a sealed packet lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// The first byte of the ciphertext, and that behind the last.
    ciphertext: (usize, usize),
    icv_bytes: usize,
}

impl Parts {
    const fn of(suite: &Suite, ciphertext_bytes: usize) -> Self {
        let front = suite.front_bytes();
        Self { ciphertext: (front, front + ciphertext_bytes), icv_bytes: suite.icv_bytes }
    }

    /// Bytes before the ciphertext.
    pub(crate) const fn front(&self) -> usize {
        self.ciphertext.0
    }

    /// Bytes before the check value: what a MAC covers.
    pub(crate) const fn covered(&self) -> usize {
        self.ciphertext.1
    }

    /// Bytes of ciphertext.
    pub(crate) const fn ciphertext_bytes(&self) -> usize {
        self.ciphertext.1 - self.ciphertext.0
    }

    /// Bytes in all.
    pub(crate) const fn end(&self) -> usize {
        self.ciphertext.1 + self.icv_bytes
    }
}

/// The IV of a packet. For a counter mode its number (RFC 4106 §3.1); for CBC something that nobody can foretell
/// (RFC 3602 §3), for which splitmix64 stands in here: a gateway's generator is another program's business.
fn write_iv(suite: &Suite, number: u64, iv: &mut [u8]) {
    if suite.digest().is_none() {
        iv.copy_from_slice(&number.to_be_bytes());
        return;
    }
    for (place, word) in iv.chunks_exact_mut(8).enumerate() {
        let mut mixed = (2 * number + place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word.copy_from_slice(&(mixed ^ (mixed >> 31)).to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(keyword: &str, length: usize) -> (Packet, Parts) {
        let suite = keyword.parse().expect("a suite");
        let mut packet = Packet::new(length);
        let parts = packet.frame(&suite, *b"abcd", 0x0102_0304);
        (packet, parts)
    }

    #[test]
    fn an_ip_packet_says_how_long_it_is() {
        let packet = Packet::new(1420);
        assert_eq!(packet.inner().len(), 1420);
        assert_eq!(packet.inner()[..4], [0x45, 1, 0x05, 0x8c]);
        assert!(packet.sealed().is_empty());
    }

    /// RFC 4303 figures 1 and 2, RFC 4106 §3.
    #[test]
    fn esp_by_the_standard() {
        let (packet, parts) = framed("aes128gcm16", 61);
        assert_eq!(packet.sealed()[..16], *b"abcd\x01\x02\x03\x04\0\0\0\0\x01\x02\x03\x04");
        // One byte of padding, its length, the next header.
        assert_eq!(packet.inner[61..64], [1, 1, 4]);
        assert_eq!((parts.front(), parts.covered(), parts.end()), (16, 16 + 64, 16 + 64 + 16));
        let (packet, parts) = framed("aes128-sha256", 49);
        assert_eq!(packet.inner[49..64], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13, 4]);
        assert_eq!((parts.front(), parts.end()), (24, 24 + 64 + 16));
        let (other, _) = framed("aes128-sha256", 64);
        assert_eq!(other.sealed().len(), 24 + 80 + 16, "two bytes more need a block");
    }

    /// WireGuard's paper, §5.4.6.
    #[test]
    fn wireguard_by_its_paper() {
        let (packet, parts) = framed("wireguard", 60);
        assert_eq!(packet.sealed()[..16], *b"\x04\0\0\0abcd\x04\x03\x02\x01\0\0\0\0");
        assert_eq!(packet.inner[60..64], [0; 4]);
        assert_eq!((parts.front(), parts.end()), (16, 16 + 64 + 16));
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        let suite: Suite = "aes128-sha1".parse().expect("a suite");
        let (packet, parts) = framed("aes128-sha1", 100);
        let right = packet.sealed().to_vec();
        let tried = |sealed: &[u8], index| {
            let mut packet = packet.clone();
            packet.receive(sealed);
            packet.parts(&suite, index).map(|parts| parts.end())
        };
        assert_eq!(tried(&right, *b"abcd"), Ok(parts.end()));
        assert_eq!(tried(&right, *b"abce"), Err(Refused::Malformed));
        for length in 0..right.len() {
            let is_whole = length >= 24 + 16 + 12 && (length - 24 - 12) % 16 == 0;
            assert_eq!(tried(&right[..length], *b"abcd").is_ok(), is_whole, "{length} bytes");
        }
    }
}
