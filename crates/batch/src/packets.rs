//! Many packets by GCM, each a message of its own: IV, associated data, data and tag in one go.

use wirespeed_cipher::modes::{Gcm, GcmError};
use wirespeed_cipher::{Block, BlockCipher, BlockKernels, Direction, InOut, Route};
use wirespeed_cpu::Features;
use wirespeed_native::Absent;

/// GCM of a cipher by one route: a proof that the CPU has what it takes.
#[derive(Clone, Copy)]
pub struct GcmLanes {
    kernels: &'static BlockKernels,
}

impl GcmLanes {
    /// The routes of this crate, the fastest on paper first.
    pub const ROUTES: [Route; 6] = crate::CipherLanes::ROUTES;

    /// A cipher by `route`, if `features` allow it.
    pub fn new(route: Route, cipher: BlockCipher, features: Features) -> Result<Self, Absent> {
        if !Self::ROUTES.contains(&route) {
            return Err(Absent::NotNative);
        }
        Ok(Self { kernels: wirespeed_native::kernels(route, cipher, features)? })
    }

    /// A cipher by the best route here.
    pub fn best(cipher: BlockCipher, features: Features) -> Self {
        let mut here =
            Self::ROUTES.into_iter().filter_map(|it| Self::new(it, cipher, features).ok());
        here.next().expect("the portable route is always here")
    }

    /// The cipher.
    pub const fn cipher(&self) -> BlockCipher {
        self.kernels.cipher
    }

    /// The route.
    pub const fn route(&self) -> Route {
        self.kernels.route
    }
}

/// A key for packets, with all that follows from it; wiped when dropped.
#[derive(Clone)]
pub struct PacketKey {
    cipher: BlockCipher,
    gcm: Gcm,
}

impl PacketKey {
    /// Expands a key.
    ///
    /// # Panics
    /// If `key` is not as long as the cipher's keys.
    pub fn new(lanes: &GcmLanes, key: &[u8]) -> Self {
        let mut gcm = Gcm::new(lanes.kernels);
        gcm.set_key(key);
        Self { cipher: lanes.cipher(), gcm }
    }
}

/// A message to be sealed or opened.
pub struct Packet<'a> {
    /// Its key; packets may share one, or each have its own.
    pub key: &'a PacketKey,
    /// The IV, never to be used again under the same key. 12 bytes are the fast ones.
    pub iv: &'a [u8],
    /// What is authenticated beside the data.
    pub aad: &'a [u8],
    /// What is encrypted or decrypted.
    pub data: InOut<'a>,
    /// The tag, 4 to 16 bytes: written by [`seal_all`], compared by [`open_all`].
    pub tag: &'a mut [u8],
}

/// Encrypts every packet, and writes its tag.
///
/// # Errors
/// If a packet is longer than GCM allows. No packet is touched then.
///
/// # Panics
/// If a key is of another cipher, or a tag has not 4 to 16 bytes.
pub fn seal_all(lanes: &GcmLanes, packets: &mut [Packet<'_>]) -> Result<(), GcmError> {
    check(lanes, packets)?;
    for packet in packets {
        let tag = run(lanes, Direction::Encrypt, packet);
        packet.tag.copy_from_slice(&tag[..packet.tag.len()]);
    }
    Ok(())
}

/// Decrypts every packet, and calls `forged` with the index of each whose tag is wrong: the output for it is
/// zeros.
///
/// # Errors
/// If a packet is longer than GCM allows. No packet is touched then.
///
/// # Panics
/// If a key is of another cipher, or a tag has not 4 to 16 bytes.
pub fn open_all(
    lanes: &GcmLanes,
    packets: &mut [Packet<'_>],
    mut forged: impl FnMut(usize),
) -> Result<(), GcmError> {
    check(lanes, packets)?;
    for (index, packet) in packets.iter_mut().enumerate() {
        let tag = run(lanes, Direction::Decrypt, packet);
        if !same(&tag, packet.tag) {
            clear(packet.data.reborrow());
            forged(index);
        }
    }
    Ok(())
}

fn check(lanes: &GcmLanes, packets: &[Packet<'_>]) -> Result<(), GcmError> {
    for packet in packets {
        assert!(packet.key.cipher == lanes.cipher(), "a key of another cipher");
        assert!((4..=16).contains(&packet.tag.len()), "a tag has 4 to 16 bytes");
        if !packet.key.gcm.has_room(packet.data.len()) {
            return Err(GcmError::TooLong);
        }
    }
    Ok(())
}

/// One packet; gives its tag.
fn run(lanes: &GcmLanes, direction: Direction, packet: &mut Packet<'_>) -> Block {
    let mut gcm = packet.key.gcm.clone();
    gcm.reroute(lanes.kernels);
    gcm.start(packet.iv);
    let fits = gcm.aad(packet.aad).and_then(|()| gcm.crypt(direction, packet.data.reborrow()));
    fits.expect("the lengths were checked");
    gcm.tag()
}

/// Whether both begin alike, in a time that does not tell where they differ.
fn same(tag: &Block, given: &[u8]) -> bool {
    let difference = tag.iter().zip(given).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(difference) == 0
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
