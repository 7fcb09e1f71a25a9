//! How packets run: one after another by the route's own GCM, whose next packet the CPU begins by itself while
//! the one before ends. Making the keystream of several together, and hashing them apart from that, was
//! measured and was slower at every size from 64 bytes on: it parts what the kernels stitch.

use std::mem::ManuallyDrop;
use std::ptr;

use wirespeed_cipher::{Block, BlockKernels, Direction, GcmEnd, GcmKey, GcmState};
use zeroize::optimization_barrier;

use super::{Packet, PacketKey};

/// Packets going one way.
struct Run<'k> {
    kernels: &'static BlockKernels,
    direction: Direction,
    key: &'k PacketKey,
    room: Room,
}

/// Room for secrets, wiped.
struct Room {
    state: ManuallyDrop<GcmState>,
    /// The hash key in use: kernels want one that they may add powers to.
    hash_key: ManuallyDrop<GcmKey>,
}

impl Drop for Room {
    fn drop(&mut self) {
        // All at once: their own drops wipe byte by byte.
        let GcmState { counter, hash, mask, keystream, pending, end: _ } = &mut *self.state;
        for block in [counter, hash, mask, keystream, pending] {
            *block = [0; 16];
        }
        self.hash_key.memory.fill([0; 16]);
        self.hash_key.first = [0; 16];
        optimization_barrier(self);
    }
}

/// Runs all packets, and calls `forged` with the index of each whose tag is wrong.
pub(super) fn run(
    kernels: &'static BlockKernels,
    direction: Direction,
    packets: &mut [Packet<'_>],
    mut forged: impl FnMut(usize),
) {
    let Some(first) = packets.first() else { return };
    let room = Room {
        state: ManuallyDrop::new(GcmState::EMPTY),
        hash_key: ManuallyDrop::new(first.key.hash_key.clone()),
    };
    let mut run = Run { kernels, direction, key: first.key, room };
    for (index, packet) in packets.iter_mut().enumerate() {
        run.take_key(packet.key);
        let tag = run.crypt(packet);
        if !settle(direction, packet, &tag) {
            packet.data.clear();
            forged(index);
        }
    }
}

impl<'k> Run<'k> {
    fn take_key(&mut self, key: &'k PacketKey) {
        if !ptr::eq(self.key, key) {
            self.key = key;
            // In place: `Clone` would wipe the one before byte by byte.
            let (to, from) = (&mut *self.room.hash_key, &key.hash_key);
            (to.memory, to.first, to.form) = (from.memory, from.first, from.form);
        }
    }

    /// Encrypts or decrypts a packet; gives its tag.
    fn crypt(&mut self, packet: &mut Packet<'_>) -> Block {
        let Self { kernels, direction, key, room } = self;
        let Room { state, hash_key } = room;
        let first = match packet.iv.first_chunk::<12>() {
            Some(nonce) if packet.iv.len() == 12 => {
                let mut first = [0; 16];
                first[..12].copy_from_slice(nonce);
                first[15] = 1;
                u128::from_le_bytes(first)
            }
            // SP 800-38D §7.1 step 2.
            _ => {
                let mut hash = [0; 16];
                hash_padded(kernels, hash_key, &mut hash, packet.iv);
                let length = u128::from(packet.iv.len() as u64 * 8);
                (kernels.ghash)(hash_key, &mut hash, &length.to_be_bytes());
                u128::from_be_bytes(hash)
            }
        };
        (kernels.gcm_start)(&key.schedule, state, first);
        hash_padded(kernels, hash_key, &mut state.hash, packet.aad);
        let length = packet.data.len();
        let bits = [packet.aad.len() as u64 * 8, length as u64 * 8];
        state.end = GcmEnd::Lengths(bits);
        if length != 0 {
            let crypt = kernels.gcm[*direction as usize];
            crypt(&key.schedule, hash_key, state, packet.data.reborrow());
        }
        // See `GcmCryptFn`: what is left to be hashed.
        let pending = length != 0 && (length <= 16 || !length.is_multiple_of(16));
        let mut tag = [0; 16];
        (kernels.gcm_tag)(hash_key, state, pending, bits, &mut tag);
        tag
    }
}

/// GHASH over bytes, padded with zeros to whole blocks.
fn hash_padded(kernels: &BlockKernels, key: &mut GcmKey, hash: &mut Block, bytes: &[u8]) {
    let (blocks, rest) = bytes.split_at(bytes.len() & !15);
    if !blocks.is_empty() {
        (kernels.ghash)(key, hash, blocks);
    }
    if !rest.is_empty() {
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        (kernels.ghash)(key, hash, &last);
    }
}

/// Writes the tag, or compares it: whether all is well.
fn settle(direction: Direction, packet: &mut Packet<'_>, tag: &Block) -> bool {
    if direction == Direction::Encrypt {
        match <&mut Block>::try_from(&mut *packet.tag) {
            // No call for what is two instructions.
            Ok(whole) => *whole = *tag,
            Err(_) => packet.tag.copy_from_slice(&tag[..packet.tag.len()]),
        }
        return true;
    }
    // In a time that does not tell where they differ.
    let difference = tag.iter().zip(&*packet.tag).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{BlockCipher, InOut, Route};
    use wirespeed_cpu::Features;

    use crate::{GcmLanes, Packet, PacketKey, open_all, seal_all};

    fn packet<'a>(
        (key, iv, aad): (&'a PacketKey, &'a [u8], &'a [u8]),
        data: &'a mut [u8],
        tag: &'a mut [u8],
    ) -> [Packet<'a>; 1] {
        [Packet { key, iv, aad, data: InOut::in_place(data), tag }]
    }

    /// McGrew and Viega, "The Galois/Counter Mode of Operation", test case 4; Miri interprets it too.
    #[test]
    fn a_known_packet_is_sealed_opened_and_found_forged() {
        let number = |text: &str| -> Vec<u8> {
            let digit = |i: usize| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex");
            (0..text.len() / 2).map(digit).collect()
        };
        let lanes = GcmLanes::new(Route::Portable, BlockCipher::Aes128, Features::NONE);
        let lanes = lanes.expect("for any machine");
        let key = PacketKey::new(&lanes, &number("feffe9928665731c6d6a8f9467308308"));
        let iv = number("cafebabefacedbaddecaf888");
        let aad = number("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        let plain = number(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
             1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        );
        let sealed = number(
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        );
        let (mut data, mut tag) = (plain.clone(), [0; 16]);
        let beside = (&key, &*iv, &*aad);
        seal_all(&lanes, &mut packet(beside, &mut data, &mut tag)).expect("short");
        assert_eq!(data, sealed);
        assert_eq!(tag.to_vec(), number("5bc94fbc3221a5db94fae95ae7121a47"));
        open_all(&lanes, &mut packet(beside, &mut data, &mut tag), |_| panic!("genuine"))
            .expect("short");
        assert_eq!(data, plain);
        let mut forged = 0;
        data.clone_from(&sealed);
        tag[15] ^= 1;
        open_all(&lanes, &mut packet(beside, &mut data, &mut tag), |_| forged += 1).expect("short");
        assert_eq!((forged, data), (1, vec![0; 60]));
    }
}
