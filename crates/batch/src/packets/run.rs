//! How packets run: short ones under one key share their first counter blocks' and keystream's encryption,
//! long ones run by the route's own GCM.

use std::mem::ManuallyDrop;
use std::ptr;

use wirespeed_cipher::{Block, BlockKernels, Direction, GcmKey, GcmState, InOut};
use zeroize::optimization_barrier;

use super::{Packet, PacketKey};

/// Blocks of keystream that are made together.
const ROOM: usize = 128;

/// The longest data and associated data of a short packet.
const SHORT: usize = 512;
const SHORT_AAD: usize = 64;

/// What GHASH takes of a short packet: both, padded, and their lengths.
const TEXT: usize = SHORT + SHORT_AAD + 16;

/// Packets going one way.
pub(super) struct Run<'k> {
    kernels: &'static BlockKernels,
    direction: Direction,
    key: &'k PacketKey,
    room: Room,
}

/// Room for secrets, wiped.
#[repr(C, align(64))]
struct Room {
    keystream: [Block; ROOM],
    text: [u8; TEXT],
    state: ManuallyDrop<GcmState>,
    /// The hash key in use: kernels may add powers to it.
    hash_key: ManuallyDrop<GcmKey>,
}

impl Drop for Room {
    fn drop(&mut self) {
        self.keystream.fill([0; 16]);
        self.text.fill(0);
        // Field by field, at once: their own drops wipe byte by byte.
        let GcmState { counter, hash, mask, keystream, pending } = &mut *self.state;
        for block in [counter, hash, mask, keystream, pending] {
            *block = [0; 16];
        }
        self.hash_key.powers.fill([0; 16]);
        self.hash_key.sums.fill([0; 16]);
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
    let key = first.key;
    let mut order: Vec<usize> = (0..packets.len()).collect();
    if packets.iter().any(|packet| !ptr::eq(packet.key, key)) {
        order.sort_unstable_by_key(|i| (ptr::from_ref(packets[*i].key).addr(), *i));
    }
    let room = Room {
        keystream: [[0; 16]; ROOM],
        text: [0; TEXT],
        state: ManuallyDrop::new(GcmState::EMPTY),
        hash_key: ManuallyDrop::new(key.hash_key.clone()),
    };
    let mut run = Run { kernels, direction, key, room };
    let mut rest = order.as_slice();
    while let Some(&next) = rest.first() {
        run.take_key(packets[next].key);
        let count = run.together(packets, rest);
        let (now, then) = rest.split_at(count.max(1));
        match count {
            0 => run.long(&mut packets[next], || forged(next)),
            _ => run.short(packets, now, &mut forged),
        }
        rest = then;
    }
}

impl<'k> Run<'k> {
    fn take_key(&mut self, key: &'k PacketKey) {
        if !ptr::eq(self.key, key) {
            self.key = key;
            // At once: `Clone` would wipe the one before byte by byte.
            let (to, from) = (&mut *self.room.hash_key, &key.hash_key);
            (to.powers, to.sums, to.ready) = (from.powers, from.sums, from.ready);
        }
    }

    /// How many of the next packets are short, under this key, and fit the room.
    fn together(&self, packets: &[Packet<'_>], order: &[usize]) -> usize {
        let mut free = ROOM;
        let fits = |i: &&usize| {
            let packet = &packets[**i];
            let short = packet.data.len() <= SHORT
                && packet.aad.len() <= SHORT_AAD
                && packet.iv.len() == 12
                && ptr::eq(packet.key, self.key);
            let blocks = 1 + packet.data.len().div_ceil(16);
            let fits = short && blocks <= free;
            free -= if fits { blocks } else { 0 };
            fits
        };
        order.iter().take_while(fits).count()
    }

    /// Short packets together.
    fn short(
        &mut self,
        packets: &mut [Packet<'_>],
        order: &[usize],
        forged: &mut impl FnMut(usize),
    ) {
        let Self { kernels, direction, key, room } = self;
        let Room { keystream, text, hash_key, .. } = room;
        let mut place = 0;
        for &i in order {
            let packet = &packets[i];
            let mut nonce = [0; 16];
            nonce[..12].copy_from_slice(packet.iv);
            let nonce = u128::from_le_bytes(nonce);
            let blocks = 1 + packet.data.len().div_ceil(16);
            for (block, counter) in keystream[place..place + blocks].iter_mut().zip(1u32..) {
                *block = (nonce | u128::from(counter.swap_bytes()) << 96).to_le_bytes();
            }
            place += blocks;
        }
        let blocks = keystream[..place].as_flattened_mut();
        (kernels.ecb[0])(&key.schedule, InOut::in_place(blocks));
        let mut keystream = keystream[..place].iter().as_slice();
        for &i in order {
            let packet = &mut packets[i];
            let (length, aad) = (packet.data.len(), packet.aad);
            let (now, then) = keystream.split_at(1 + length.div_ceil(16));
            let (mask, stream) = (&now[0], now[1..].as_flattened());
            keystream = then;
            // Associated data and ciphertext, each padded with zeros, and their lengths.
            let start = aad.len().next_multiple_of(16);
            let end = start + length.next_multiple_of(16);
            text[..aad.len()].copy_from_slice(aad);
            text[aad.len()..start].fill(0);
            packet.data.save(&mut text[start..start + length]);
            text[start + length..end].fill(0);
            if *direction == Direction::Encrypt {
                add(&mut text[start..start + length], stream);
                packet.data.overwrite(&text[start..start + length]);
            }
            text[end..end + 16].copy_from_slice(&lengths(aad.len(), length));
            let mut hash = [0; 16];
            (kernels.ghash)(hash_key, &mut hash, &text[..end + 16]);
            let tag = u128::from_be_bytes(hash) ^ u128::from_le_bytes(*mask);
            if settle(*direction, packet, &tag.to_le_bytes()) {
                if *direction == Direction::Decrypt {
                    add(&mut text[start..start + length], stream);
                    packet.data.overwrite(&text[start..start + length]);
                }
            } else {
                clear(packet.data.reborrow());
                forged(i);
            }
        }
    }

    /// A packet of any length.
    fn long(&mut self, packet: &mut Packet<'_>, forged: impl FnOnce()) {
        let Self { kernels, direction, key, room } = self;
        let Room { state, hash_key, .. } = room;
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
                (kernels.ghash)(hash_key, &mut hash, &lengths(0, packet.iv.len()));
                u128::from_be_bytes(hash)
            }
        };
        (kernels.gcm_start)(&key.schedule, state, first);
        hash_padded(kernels, hash_key, &mut state.hash, packet.aad);
        let length = packet.data.len();
        if length != 0 {
            let crypt = kernels.gcm[*direction as usize];
            crypt(&key.schedule, hash_key, state, packet.data.reborrow());
        }
        // See `GcmCryptFn`: what is left to be hashed.
        let pending = length != 0 && (length <= 16 || !length.is_multiple_of(16));
        let bits = [packet.aad.len() as u64 * 8, length as u64 * 8];
        let tag = (kernels.gcm_tag)(hash_key, state, pending, bits);
        if !settle(*direction, packet, &tag) {
            clear(packet.data.reborrow());
            forged();
        }
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

/// The last block that GHASH takes, SP 800-38D §6.4.
fn lengths(aad: usize, data: usize) -> Block {
    (u128::from(aad as u64 * 8) << 64 | u128::from(data as u64 * 8)).to_be_bytes()
}

/// Writes the tag, or compares it: whether all is well.
fn settle(direction: Direction, packet: &mut Packet<'_>, tag: &Block) -> bool {
    if direction == Direction::Encrypt {
        packet.tag.copy_from_slice(&tag[..packet.tag.len()]);
        return true;
    }
    // In a time that does not tell where they differ.
    let difference = tag.iter().zip(&*packet.tag).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(difference) == 0
}

/// Adds keystream.
fn add(bytes: &mut [u8], keystream: &[u8]) {
    for (byte, other) in bytes.iter_mut().zip(keystream) {
        *byte ^= other;
    }
}

/// Zeros for what nobody may see.
fn clear(mut data: InOut<'_>) {
    const ZEROS: [u8; 256] = [0; 256];
    while !data.is_empty() {
        let count = data.len().min(ZEROS.len());
        let (mut now, then) = data.split_at(count);
        now.overwrite(&ZEROS[..count]);
        data = then;
    }
}
