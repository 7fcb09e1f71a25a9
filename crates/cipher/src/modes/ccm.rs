//! CCM, SP 800-38C and RFC 3610: CBC-MAC over the lengths, the associated data and the plaintext, and counter mode.

use std::fmt;

use crate::{Block, BlockKernels, BlockKey, Direction, InOut, wipe};

/// What a message is cut into, so that the second pass finds it in the first-level cache.
const PIECE: usize = 2048;

/// The flag of the first block that there is associated data (SP 800-38C appendix A.2.1).
const HAS_AAD: u8 = 0x40;

/// A message is not as long as was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength;

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message of another length than was announced")
    }
}

impl std::error::Error for WrongLength {}

/// Messages under one key. The lengths of tag and message must be known before the data, which come in one call.
#[derive(Clone)]
pub struct Ccm {
    key: BlockKey,
    /// What moves on with a message.
    pub state: CcmState,
}

/// Where a message stands.
#[derive(Clone, PartialEq, Eq)]
pub struct CcmState {
    /// SP 800-38C's B0: flags, nonce, length of the message. Behind the data, the same without the length.
    first: Block,
    /// The CBC-MAC so far; behind the data, the tag.
    mac: Block,
}

impl CcmState {
    /// Bytes of the tag.
    pub const fn tag_bytes(&self) -> usize {
        2 * (self.first[0] >> 3 & 7) as usize + 2
    }

    /// Bytes in which the length of the message is told, and the blocks of the message are counted.
    const fn length_bytes(&self) -> usize {
        (self.first[0] & 7) as usize + 1
    }

    /// Bytes of the nonce.
    pub const fn nonce_bytes(&self) -> usize {
        15 - self.length_bytes()
    }

    /// The nonce of the message that was announced.
    pub fn nonce(&self) -> &[u8] {
        &self.first[1..=self.nonce_bytes()]
    }

    /// Whether a message of so many bytes was announced.
    pub const fn expects(&self, bytes: u64) -> bool {
        self.announced() == bytes
    }

    const fn announced(&self) -> u64 {
        let last = u128::from_be_bytes(self.first) as u64;
        last & u64::MAX >> (64 - 8 * self.length_bytes())
    }

    /// The tag, behind the data: as many bytes as it has, and then what is no part of it.
    pub const fn tag(&self) -> Block {
        self.mac
    }

    /// The message has been through somebody else's hands, who came to this tag.
    pub fn end_with(&mut self, tag: Block) {
        self.mac = tag;
        let length_bytes = self.length_bytes();
        self.first[16 - length_bytes..].fill(0);
    }
}

impl Drop for CcmState {
    fn drop(&mut self) {
        wipe(&mut self.first);
        wipe(&mut self.mac);
    }
}

impl Ccm {
    /// No key yet.
    pub const fn new(kernels: &'static BlockKernels) -> Self {
        Self { key: BlockKey::empty(kernels), state: CcmState { first: [0; 16], mac: [0; 16] } }
    }

    /// Takes a key, for messages with tags of `tag_bytes` and nonces of `nonce_bytes`: 4, 6 and so on to 16, and 7 to 13.
    ///
    /// # Panics
    /// If `key` is not as long as the kernels' key size, or a length is another.
    pub fn set_key(&mut self, key: &[u8], tag_bytes: usize, nonce_bytes: usize) {
        assert!((4..=16).contains(&tag_bytes) && tag_bytes.is_multiple_of(2), "no length of a tag");
        assert!((7..=13).contains(&nonce_bytes), "no length of a nonce");
        self.key.set(key, Direction::Encrypt);
        self.state.first = [0; 16];
        self.state.first[0] = (14 - nonce_bytes) as u8 | (((tag_bytes - 2) / 2) << 3) as u8;
    }

    /// Takes another route from the next call on. Its kernels must be for the same cipher.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        self.key.reroute(kernels);
    }

    /// Begins a message of so many bytes. Of a nonce that is too long the first bytes count.
    ///
    /// # Panics
    /// If the nonce is shorter than those the key was taken for.
    pub fn start(&mut self, nonce: &[u8], bytes: u64) {
        let first = &mut self.state.first;
        let flags = first[0] & !HAS_AAD;
        let nonce_bytes = 14 - usize::from(flags & 7);
        *first = u128::from(bytes).to_be_bytes();
        first[0] = flags;
        first[1..=nonce_bytes].copy_from_slice(&nonce[..nonce_bytes]);
    }

    /// The associated data, all of them at once. Of none nothing is told.
    pub fn aad(&mut self, aad: &[u8]) {
        if aad.is_empty() {
            return;
        }
        self.state.first[0] |= HAS_AAD;
        self.begin_mac();
        // SP 800-38C appendix A.2.2.
        let length = (aad.len() as u64).to_be_bytes();
        let (prefix, length): (&[u8], &[u8]) = match aad.len() {
            ..0xff00 => (&[], &length[6..]),
            0xff00..=0xffff_ffff => (&[0xff, 0xfe], &length[4..]),
            _ => (&[0xff, 0xff], &length),
        };
        let mut block = [0; 16];
        let (told, room) = block.split_at_mut(prefix.len() + length.len());
        let (first, second) = told.split_at_mut(prefix.len());
        first.copy_from_slice(prefix);
        second.copy_from_slice(length);
        let (head, rest) = aad.split_at(aad.len().min(room.len()));
        room[..head.len()].copy_from_slice(head);
        self.absorb(&block);
        self.absorb(rest);
    }

    /// The data of a message, all of it at once: then there is its tag. Decryption is right only if that is the one that
    /// came with the message.
    ///
    /// # Errors
    /// If it has another length than was announced. The message is lost then.
    pub fn crypt(&mut self, direction: Direction, data: InOut<'_>) -> Result<(), WrongLength> {
        let (flags, is_expected) = (self.state.first[0], self.state.expects(data.len() as u64));
        if flags & HAS_AAD == 0 {
            self.begin_mac();
        }
        // From here on it is the counter: block 0 masks the tag, the message begins with block 1.
        let counter_from = 16 - self.state.length_bytes();
        let first = &mut self.state.first;
        first[0] = flags & 7;
        first[counter_from..].fill(0);
        let mut counter = *first;
        counter[15] = 1;
        if !is_expected {
            *first = counter;
            return Err(WrongLength);
        }
        let mut rest = data;
        while !rest.is_empty() {
            let bytes = PIECE.min(rest.len());
            let (mut piece, behind) = rest.split_at(bytes);
            rest = behind;
            if direction == Direction::Encrypt {
                self.absorb(piece.input());
            }
            let (kernels, mut keystream) = (self.key.kernels(), [0; 16]);
            (kernels.ctr)(self.key.schedule(), &mut counter, &mut keystream, piece.reborrow());
            wipe(&mut keystream);
            if direction == Direction::Decrypt {
                self.absorb(piece.output());
            }
        }
        let mut mask = self.state.first;
        self.encrypt(&mut mask);
        self.state.mac =
            (u128::from_ne_bytes(self.state.mac) ^ u128::from_ne_bytes(mask)).to_ne_bytes();
        self.state.first[0] = flags;
        wipe(&mut mask);
        Ok(())
    }

    /// The first block of the CBC-MAC.
    fn begin_mac(&mut self) {
        let mut mac = self.state.first;
        self.encrypt(&mut mac);
        self.state.mac = mac;
    }

    fn encrypt(&self, block: &mut Block) {
        (self.key.kernels().ecb[0])(self.key.schedule(), InOut::in_place(block));
    }

    /// Goes on with the CBC-MAC, over zeros where a block is not full. It is CBC without its ciphertext.
    fn absorb(&mut self, bytes: &[u8]) {
        /// Little, because much of what comes is little, and clearing and wiping room takes time; a chain has no use for more.
        const PIECE: usize = 256;
        let cbc = self.key.kernels().cbc[0];
        let mut ciphertext = [0; PIECE];
        let (blocks, last) = bytes.split_at(bytes.len() & !15);
        for piece in blocks.chunks(PIECE) {
            let to = &mut ciphertext[..piece.len()];
            cbc(self.key.schedule(), &mut self.state.mac, InOut::between(piece, to));
        }
        wipe(&mut ciphertext[..blocks.len().min(PIECE)]);
        if !last.is_empty() {
            let mut block = [0; 16];
            block[..last.len()].copy_from_slice(last);
            cbc(self.key.schedule(), &mut self.state.mac, InOut::in_place(&mut block));
            wipe(&mut block);
        }
    }
}
