//! An end of a tunnel through EVP, call for call as a VPN daemon does it: contexts and keys are kept, each
//! packet brings a new IV.

use subtle::ConstantTimeEq;
use wirespeed_cipher::Direction;
use wirespeed_libcrypto::{self as libcrypto, CipherContext, Context, MacContext, Param, Value};

use crate::end::{End, Frames, Keys, Refused};
use crate::packet::{Packet, Parts};
use crate::suite::{Protection, Suite};

/// One end, one packet at a time.
pub(crate) struct Evp {
    frames: Frames,
    cipher: CipherContext,
    mac: Option<MacContext>,
}

impl Evp {
    pub(crate) fn new(
        context: &Context,
        suite: Suite,
        direction: Direction,
        keys: &Keys,
    ) -> Result<Self, libcrypto::Error> {
        let mut cipher = context.fetch(suite.cipher, None)?.context()?;
        let mac =
            suite.digest().map(|digest| context.hmac(digest.name(), &keys.mac)).transpose()?;
        let frames = Frames::new(suite, direction, keys);
        let (way, key) = (way(direction), Some(&*keys.cipher));
        match suite.protection {
            Protection::Aead { .. } => cipher.init(way, key, None, &[])?,
            Protection::Hmac(_) => cipher.init(way, key, None, &[Param::uint(c"padding", 0)])?,
            Protection::Ccm { salt_bytes } => {
                // EVP_EncryptInit(3), "CCM mode": both lengths before the key.
                let lengths = [
                    Param::size(c"ivlen", salt_bytes + suite.iv_bytes),
                    Param { key: c"tag", value: Value::NoOctets(suite.icv_bytes) },
                ];
                cipher.init(way, None, None, &lengths)?;
                cipher.init(way, key, None, &[])?;
            }
        }
        Ok(Self { frames, cipher, mac })
    }

    #[inline]
    fn packet(&mut self, packet: &mut Packet) -> Result<(), Refused> {
        let parts = self.frames.begin(packet)?;
        match (self.mac.is_some(), self.frames.direction) {
            (false, _) => self.aead(packet, &parts)?,
            (true, Direction::Encrypt) => {
                self.crypt(packet, &parts)?;
                self.mac(packet, &parts)?;
            }
            (true, Direction::Decrypt) => {
                self.mac(packet, &parts)?;
                self.crypt(packet, &parts)?;
            }
        }
        self.frames.end(packet, &parts)
    }

    /// The cipher alone, in one call over all that is encrypted: gives how many bytes came.
    #[inline]
    fn update(&mut self, packet: &mut Packet, parts: &Parts) -> Result<usize, libcrypto::Error> {
        let (front, bytes) = (parts.front(), parts.ciphertext_bytes());
        match self.frames.direction {
            Direction::Encrypt => {
                self.cipher.update(&packet.inner[..bytes], &mut packet.wire[front..])
            }
            Direction::Decrypt => {
                self.cipher.update(&packet.wire[front..parts.covered()], &mut packet.inner)
            }
        }
    }

    #[inline]
    fn aead(&mut self, packet: &mut Packet, parts: &Parts) -> Result<(), Refused> {
        let Frames { suite, direction, .. } = self.frames;
        let is_ccm = matches!(suite.protection, Protection::Ccm { .. });
        let icv = parts.covered()..parts.end();
        let nonce = self.frames.nonce(&packet.wire, parts);
        self.cipher.init(way(direction), None, Some(nonce.bytes()), &[])?;
        if direction == Direction::Decrypt {
            self.cipher.set_tag(&packet.wire[icv.clone()])?;
        }
        if is_ccm {
            self.cipher.message_length(parts.ciphertext_bytes())?;
        }
        match self.frames.associated_bytes() {
            0 => {}
            bytes => self.cipher.aad(&packet.wire[..bytes])?,
        }
        let updated = self.update(packet, parts);
        if direction == Direction::Encrypt {
            updated?;
            self.cipher.finish(&mut [])?;
            self.cipher.tag(&mut packet.wire[icv])?;
            return Ok(());
        }
        // CCM tells with the data, the others at the end.
        let told = updated.and_then(|_| self.cipher.finish(&mut []));
        told.map(|_| ()).map_err(|_| Refused::Forged)
    }

    #[inline]
    fn crypt(&mut self, packet: &mut Packet, parts: &Parts) -> Result<(), Refused> {
        let nonce = self.frames.nonce(&packet.wire, parts);
        self.cipher.init(way(self.frames.direction), None, Some(nonce.bytes()), &[])?;
        let written = self.update(packet, parts)?;
        let rest = match self.frames.direction {
            Direction::Encrypt => &mut packet.wire[parts.front() + written..],
            Direction::Decrypt => &mut packet.inner[written..],
        };
        self.cipher.finish(rest)?;
        Ok(())
    }

    /// Writes the check value, or compares it.
    #[inline]
    fn mac(&mut self, packet: &mut Packet, parts: &Parts) -> Result<(), Refused> {
        let Some(mac) = &mut self.mac else { return Ok(()) };
        let mut hash = [0; 64];
        mac.init()?;
        mac.update(&packet.wire[..parts.covered()])?;
        mac.finish(&mut hash)?;
        let icv = &mut packet.wire[parts.covered()..parts.end()];
        settle(self.frames.direction, &hash, icv)
    }
}

/// Writes a check value from the beginning of a hash, or compares it in constant time.
#[inline]
pub(crate) fn settle(direction: Direction, hash: &[u8], icv: &mut [u8]) -> Result<(), Refused> {
    let right = &hash[..icv.len()];
    match direction {
        Direction::Encrypt => {
            icv.copy_from_slice(right);
            Ok(())
        }
        Direction::Decrypt if bool::from(right.ct_eq(icv)) => Ok(()),
        Direction::Decrypt => Err(Refused::Forged),
    }
}

const fn way(direction: Direction) -> libcrypto::Direction {
    match direction {
        Direction::Encrypt => libcrypto::Direction::Encrypt,
        Direction::Decrypt => libcrypto::Direction::Decrypt,
    }
}

impl End for Evp {
    fn take(&mut self, packets: &mut [Packet]) -> Result<(), Refused> {
        packets.iter_mut().try_for_each(|packet| self.packet(packet))
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_libcrypto::Library;

    use super::*;

    fn host() -> Context {
        let context = Context::new(Library::host().expect("these tests need libcrypto")).unwrap();
        context.load("default").unwrap();
        context
    }

    fn bytes(hexadecimal: &str) -> Vec<u8> {
        let digits: Vec<u32> = hexadecimal.chars().filter_map(|digit| digit.to_digit(16)).collect();
        digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
    }

    /// Opens a packet as it was published.
    fn opened(suite: &str, keys: &Keys, sealed: &[u8]) -> Result<Vec<u8>, Refused> {
        let suite = suite.parse().expect("a suite");
        let mut end = Evp::new(&host(), suite, Direction::Decrypt, keys).unwrap();
        let mut packets = [Packet::new(sealed.len())];
        packets[0].receive(sealed);
        packets[0].forget();
        end.take(&mut packets).map(|()| packets[0].inner().to_vec())
    }

    /// RFC 7634 appendix A: a packet of a tunnel, from the header to the check value.
    #[test]
    fn chacha20_poly1305_by_the_standard() {
        let keys = Keys {
            index: [1, 2, 3, 4],
            cipher: (0x80..0xa0).collect(),
            salt: vec![0xa0, 0xa1, 0xa2, 0xa3],
            mac: Vec::new(),
        };
        let sealed = bytes(
            "01020304 00000005 1011121314151617
             24039428b97f417e3c13753a4f05087b67c352e6a7fab1b982d466ef407ae5c614ee8099d52844eb61aa95df
             ab4c02f72aa71e7c4c4f64c9befe2facc638e8f3cbec163fac469b502773f6fb94e664da9165b82829f641e0
             76aaa8266b7fb0f7b11b369907e1ad43",
        );
        let inner = bytes(
            "45000054a6f200004001e778c6336405c000020508005b7a3a080000553bec100007362708090a0b0c0d0e0f
             101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353637",
        );
        assert_eq!(opened("chacha20poly1305", &keys, &sealed), Ok(inner));
        let others = Keys { index: *b"else", ..keys };
        assert_eq!(opened("chacha20poly1305", &others, &sealed), Err(Refused::Malformed));
    }

    /// RFC 3602 §4, cases 7 and 8: packets of a tunnel without authentication; the check value is added here.
    #[test]
    fn aes_cbc_by_the_standard() {
        let keys = Keys {
            index: [0, 0, 0x87, 0x65],
            cipher: bytes("0123456789abcdef0123456789abcdef"),
            salt: Vec::new(),
            mac: vec![7; 20],
        };
        for (sealed, inner) in [
            (
                "00008765 00000002 f4e765244f6407adf13dc1380f673f37
                 773b5241a4c449225e4f3ce5ed611b0c237ca96cf74a93013c1b0ea1a0cf70f8e4ecaec78ac53aad7a0f022b
                 859243c647752e94a859352b8a4d4d2decd136e5c177f132ad3fbfb2201ac9904c74ee0a109e0ca1e4dfe9d5
                 a100b842f1c22f0d",
                "45000054090400004001f988c0a87b03c0a87bc808009f76a90a0100b49c083d02a2040008090a0b0c0d0e0f
                 101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353637",
            ),
            (
                "00008765 00000005 85d47224b5f3dd5d2101d4ea8dffab22
                 15b92683819596a8047232cc00f7048fe45318e11f8a0f62ede3c3fc61203bb50f980a08c9843fd3a1b06d5c
                 07ff9639b7eb7dfb3512e5de435e7207ed971ef3d2726d9b5ef6affc6d17a0decbb13892",
                "45000044090c00004001f990c0a87b03c0a87bc80800d63caa0a0200c69c083da3de0300ffffffffffffffff
                 ffffffffffffffffffffffffffffffffffffffffffffffff",
            ),
        ] {
            let mut sealed = bytes(sealed);
            let mut hash = [0; 64];
            let mut mac = host().hmac("SHA1", &keys.mac).unwrap();
            mac.update(&sealed).unwrap();
            mac.finish(&mut hash).unwrap();
            sealed.extend_from_slice(&hash[..12]);
            assert_eq!(opened("aes128-sha1", &keys, &sealed), Ok(bytes(inner)));
        }
    }

    /// A packet that is authentic and yet does not end as RFC 4303 wants it.
    #[test]
    fn wrong_padding_is_refused() {
        let suite: Suite = "aes128gcm16".parse().expect("a suite");
        let keys = Keys::of(&suite);
        for (last, refusal) in
            [([0, 4], Ok(())), ([0, 6], Err(Refused::Padding)), ([15, 4], Err(Refused::Padding))]
        {
            let mut sealed = [&b"wire"[..], &[0; 12], &[0x45; 18], &last, &[0; 16]].concat();
            let mut cipher = host().fetch(suite.cipher, None).unwrap().context().unwrap();
            let nonce = [&keys.salt[..], &[0; 8]].concat();
            let way = way(Direction::Encrypt);
            cipher.init(way, Some(&keys.cipher), Some(&nonce), &[]).unwrap();
            cipher.aad(&sealed[..8]).unwrap();
            cipher.update_in_place(&mut sealed[16..36], 20).unwrap();
            cipher.finish(&mut []).unwrap();
            cipher.tag(&mut sealed[36..]).unwrap();
            assert_eq!(opened(suite.keyword, &keys, &sealed).map(|_| ()), refusal);
        }
    }
}
