//! An end of a tunnel that takes many packets at once, through the multi-buffer kernels.

use wirespeed_batch::{
    ChainMode, CipherJob, CipherLanes, GcmLanes, HmacKey, Lanes, PacketKey, encrypt_all, hmac_all,
    open_all, seal_all,
};
use wirespeed_cipher::{Block, BlockKey, Direction, InOut, Mode, Subject};
use wirespeed_cpu::Features;

use crate::end::{End, Frames, Keys, Nonce, Refused};
use crate::evp::settle;
use crate::packet::{Packet, Parts};
use crate::suite::Suite;

/// One end, with packets side by side where the kernels have them so.
pub(crate) struct Many {
    frames: Frames,
    kernels: Kernels,
    /// Of the packets at hand.
    begun: Vec<(Parts, Nonce)>,
}

enum Kernels {
    Gcm { lanes: GcmLanes, key: Box<PacketKey> },
    Cbc { chains: CipherLanes, key: Box<BlockKey>, hashes: Lanes, mac: Box<HmacKey> },
}

impl Many {
    /// An end, or nothing where no kernels take many packets of the suite.
    pub(crate) fn new(suite: Suite, direction: Direction, features: Features) -> Option<Self> {
        let keys = Keys::of(&suite);
        let Subject::Cipher(algorithm) = suite.subject() else { return None };
        let cipher = algorithm.block_cipher()?;
        let kernels = match (algorithm.mode(), suite.digest()) {
            (Mode::Gcm, None) => {
                let lanes = GcmLanes::best(cipher, features);
                Kernels::Gcm { lanes, key: Box::new(PacketKey::new(&lanes, &keys.cipher)) }
            }
            (Mode::Cbc, Some(digest)) => {
                let chains = CipherLanes::best(cipher, ChainMode::Cbc, features);
                let mut key = Box::new(BlockKey::empty(chains.kernels()));
                key.set(&keys.cipher, direction);
                let hashes = Lanes::best(digest, features);
                let mac = Box::new(HmacKey::new(&hashes, &keys.mac));
                Kernels::Cbc { chains, key, hashes, mac }
            }
            _ => return None,
        };
        let frames = Frames::new(suite, direction, &keys);
        Some(Self { frames, kernels, begun: Vec::with_capacity(crate::IN_FLIGHT) })
    }

    /// The routes at work: the cipher's, and the hash function's.
    pub(crate) fn route(&self) -> String {
        match &self.kernels {
            Kernels::Gcm { lanes, .. } => lanes.route().name().to_owned(),
            Kernels::Cbc { chains, hashes, .. } => {
                format!("{}+{}", chains.route().name(), hashes.route().name())
            }
        }
    }
}

impl End for Many {
    fn take(&mut self, packets: &mut [Packet]) -> Result<(), Refused> {
        let Self { frames, kernels, begun } = self;
        begun.clear();
        for packet in &mut *packets {
            let parts = frames.begin(packet)?;
            begun.push((parts, frames.nonce(&packet.wire, &parts)));
        }
        match (kernels, frames.direction) {
            (Kernels::Gcm { lanes, key }, direction) => {
                gcm(lanes, key, direction, frames.associated_bytes(), packets, begun)?;
            }
            (Kernels::Cbc { chains, key, hashes, mac }, Direction::Encrypt) => {
                encrypt(chains, key, packets, begun);
                macs(hashes, mac, Direction::Encrypt, packets, begun)?;
            }
            (Kernels::Cbc { key, hashes, mac, .. }, Direction::Decrypt) => {
                macs(hashes, mac, Direction::Decrypt, packets, begun)?;
                decrypt(key, packets, begun);
            }
        }
        packets.iter_mut().zip(begun).try_for_each(|(packet, (parts, _))| frames.end(packet, parts))
    }
}

/// Seals or opens by GCM.
fn gcm(
    lanes: &GcmLanes,
    key: &PacketKey,
    direction: Direction,
    associated_bytes: usize,
    packets: &mut [Packet],
    begun: &[(Parts, Nonce)],
) -> Result<(), Refused> {
    let lot = packets.iter_mut().zip(begun).map(|(packet, (parts, nonce))| {
        let (front, rest) = packet.wire.split_at_mut(parts.front());
        let (ciphertext, rest) = rest.split_at_mut(parts.ciphertext_bytes());
        let inner = &mut packet.inner[..parts.ciphertext_bytes()];
        wirespeed_batch::Packet {
            key,
            iv: nonce.bytes(),
            aad: &front[..associated_bytes],
            data: match direction {
                Direction::Encrypt => InOut::between(inner, ciphertext),
                Direction::Decrypt => InOut::between(ciphertext, inner),
            },
            tag: &mut rest[..parts.end() - parts.covered()],
        }
    });
    let mut lot: Vec<_> = lot.collect();
    let mut is_forged = false;
    let done = match direction {
        Direction::Encrypt => seal_all(lanes, &mut lot),
        Direction::Decrypt => open_all(lanes, &mut lot, |_| is_forged = true),
    };
    done.map_err(|why| Refused::Failed(format!("{why:?}")))?;
    if is_forged { Err(Refused::Forged) } else { Ok(()) }
}

/// CBC, a stream in each lane.
fn encrypt(chains: &CipherLanes, key: &BlockKey, packets: &mut [Packet], begun: &[(Parts, Nonce)]) {
    let mut ivs: Vec<Block> = begun.iter().map(|(_, nonce)| block(nonce)).collect();
    let jobs = packets.iter_mut().zip(begun).zip(&mut ivs).map(|((packet, (parts, _)), iv)| {
        let ciphertext = &mut packet.wire[parts.front()..parts.covered()];
        let data = InOut::between(&packet.inner[..parts.ciphertext_bytes()], ciphertext);
        CipherJob { key: key.schedule(), iv, data }
    });
    encrypt_all(chains, &mut jobs.collect::<Vec<_>>());
}

/// CBC, whose blocks do not wait for one another here: one packet after another fills the unit.
fn decrypt(key: &BlockKey, packets: &mut [Packet], begun: &[(Parts, Nonce)]) {
    let kernel = key.kernels().cbc[Direction::Decrypt as usize];
    for (packet, (parts, nonce)) in packets.iter_mut().zip(begun) {
        let ciphertext = &packet.wire[parts.front()..parts.covered()];
        let data = InOut::between(ciphertext, &mut packet.inner[..parts.ciphertext_bytes()]);
        kernel(key.schedule(), &mut block(nonce), data);
    }
}

/// Writes all check values, or compares them.
fn macs(
    hashes: &Lanes,
    key: &HmacKey,
    direction: Direction,
    packets: &mut [Packet],
    begun: &[(Parts, Nonce)],
) -> Result<(), Refused> {
    let covered = packets.iter().zip(begun).map(|(it, (parts, _))| &it.wire[..parts.covered()]);
    let found = hmac_all(hashes, &covered.map(|message| (key, message)).collect::<Vec<_>>());
    packets.iter_mut().zip(begun).zip(found).try_for_each(|((packet, (parts, _)), hash)| {
        settle(direction, hash.as_ref(), &mut packet.wire[parts.covered()..parts.end()])
    })
}

fn block(nonce: &Nonce) -> Block {
    *nonce.bytes().first_chunk().expect("an IV of CBC is a block of 16")
}
