//! One end of a tunnel: it seals packets or opens them, with the keys that it keeps.

use std::fmt;

use wirespeed_cipher::{Digest, Direction};

use crate::packet::{Index, Packet, Parts};
use crate::suite::{Framing, Suite};

/// Seals packets, or opens them.
pub trait End: Send {
    /// Does so with all of these, in their order. Whoever opens stops at the first that it refuses.
    fn take(&mut self, packets: &mut [Packet]) -> Result<(), Refused>;
}

/// Why a packet is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is no packet of this tunnel, or cut short.
    Malformed,
    /// The check value is another packet's.
    Forged,
    /// What was decrypted does not end as it must.
    Padding,
    /// The library failed.
    Failed(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("no packet of this tunnel"),
            Self::Forged => f.write_str("a wrong integrity check value"),
            Self::Padding => f.write_str("wrong padding"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refused {}

impl From<wirespeed_libcrypto::Error> for Refused {
    fn from(error: wirespeed_libcrypto::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What both ends of a tunnel agreed on, the same for all who compete.
pub(crate) struct Keys {
    pub(crate) index: Index,
    pub(crate) cipher: Vec<u8>,
    pub(crate) salt: Vec<u8>,
    pub(crate) mac: Vec<u8>,
}

impl Keys {
    pub(crate) fn of(suite: &Suite) -> Self {
        let bytes = |count: usize, step: usize| (0..count).map(|i| (i * step + 3) as u8).collect();
        let salt = match suite.framing {
            Framing::Esp => bytes(suite.salt_bytes(), 11),
            Framing::WireGuard => vec![0; suite.salt_bytes()],
        };
        // RFC 4868 §2.1.1: as long as the hash.
        let mac = suite.digest().map_or(0, Digest::bytes);
        let cipher = bytes(suite.key_bytes, 7);
        Self { index: *b"wire", cipher, salt, mac: bytes(mac, 5) }
    }
}

/// The longest nonce: a block.
const LONGEST_NONCE: usize = 16;

/// What every end does besides its cryptography: numbers, headers, padding, nonces.
pub(crate) struct Frames {
    pub(crate) suite: Suite,
    pub(crate) direction: Direction,
    index: Index,
    salt: Vec<u8>,
    /// The number of the packet that was sealed last.
    number: u64,
}

/// The nonce of a packet, or its IV.
pub(crate) struct Nonce {
    bytes: [u8; LONGEST_NONCE],
    length: usize,
}

impl Nonce {
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Frames {
    pub(crate) fn new(suite: Suite, direction: Direction, keys: &Keys) -> Self {
        Self { suite, direction, index: keys.index, salt: keys.salt.clone(), number: 0 }
    }

    /// Frames a packet that shall be sealed, or finds the parts of one that shall be opened.
    #[inline]
    pub(crate) fn begin(&mut self, packet: &mut Packet) -> Result<Parts, Refused> {
        match self.direction {
            Direction::Encrypt => {
                self.number += 1;
                Ok(packet.frame(&self.suite, self.index, self.number))
            }
            Direction::Decrypt => packet.parts(&self.suite, self.index),
        }
    }

    /// Ends a packet that was opened.
    #[inline]
    pub(crate) fn end(&self, packet: &mut Packet, parts: &Parts) -> Result<(), Refused> {
        match self.direction {
            Direction::Encrypt => Ok(()),
            Direction::Decrypt => packet.unframe(&self.suite, parts),
        }
    }

    /// The salt and the IV that stands before the ciphertext; in WireGuard the counter stands there.
    #[inline]
    pub(crate) fn nonce(&self, wire: &[u8], parts: &Parts) -> Nonce {
        let iv_bytes = match self.suite.framing {
            Framing::Esp => self.suite.iv_bytes,
            Framing::WireGuard => 8,
        };
        let iv = &wire[parts.front() - iv_bytes..parts.front()];
        let mut nonce = Nonce { bytes: [0; LONGEST_NONCE], length: self.salt.len() + iv_bytes };
        nonce.bytes[..self.salt.len()].copy_from_slice(&self.salt);
        nonce.bytes[self.salt.len()..nonce.length].copy_from_slice(iv);
        nonce
    }

    /// Bytes at the beginning of a packet that are authenticated and not encrypted: SPI and sequence number (RFC
    /// 4106 §5); WireGuard's header is bound by the nonce alone.
    #[inline]
    pub(crate) const fn associated_bytes(&self) -> usize {
        match self.suite.framing {
            Framing::Esp => 8,
            Framing::WireGuard => 0,
        }
    }
}
