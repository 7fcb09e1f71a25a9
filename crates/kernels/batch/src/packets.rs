//! Many packets by GCM, each a message of its own: IV, associated data, data and tag in one go.

mod proof;
mod run;

use wirespeed_cipher::modes::GcmError;
use wirespeed_cipher::{BlockCipher, BlockKernels, Direction, GcmKey, InOut, Route, Schedule};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;

/// Bytes of the longest packet, SP 800-38D §5.2.1.1.
const LONGEST: u64 = (1 << 36) - 32;

/// GCM of a cipher by one route: a proof that the CPU has what it takes.
#[derive(Clone, Copy)]
pub struct GcmLanes {
    kernels: &'static BlockKernels,
}

impl GcmLanes {
    /// The routes of this crate, the fastest on paper first.
    pub const ROUTES: [Route; 12] = crate::CipherLanes::ROUTES;

    /// A cipher by `route`, if `features` allow it.
    pub fn new(route: Route, cipher: BlockCipher, features: Features) -> Result<Self, Absent> {
        if !Self::ROUTES.contains(&route) {
            return Err(Absent::NotNative);
        }
        Ok(Self { kernels: wirespeed_kernels::kernels(route, cipher, features)? })
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
    schedule: Schedule,
    hash_key: GcmKey,
}

impl PacketKey {
    /// Expands a key.
    ///
    /// # Panics
    /// If `key` is not as long as the cipher's keys.
    pub fn new(lanes: &GcmLanes, key: &[u8]) -> Self {
        let (cipher, kernels) = (lanes.cipher(), lanes.kernels);
        assert_eq!(key.len() * 8, usize::from(cipher.key_bits()), "{cipher} key");
        let mut made = Self { cipher, schedule: Schedule::EMPTY, hash_key: GcmKey::EMPTY };
        (kernels.expand[0])(key, &mut made.schedule);
        (kernels.gcm_key)(&made.schedule, &mut made.hash_key);
        // A run of as many blocks as there are powers makes all of them, here and not packet by packet.
        (kernels.ghash)(&mut made.hash_key, &mut [0; 16], &[0; 16 * 32]);
        made
    }

    /// The cipher that it is a key of.
    pub const fn cipher(&self) -> BlockCipher {
        self.cipher
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
    run::run(lanes.kernels, Direction::Encrypt, packets, |_| ());
    Ok(())
}

/// Decrypts every packet, and calls `forged` with the index of each whose tag is wrong, in their order: the
/// output for it is zeros.
///
/// # Errors
/// If a packet is longer than GCM allows. No packet is touched then.
///
/// # Panics
/// If a key is of another cipher, or a tag has not 4 to 16 bytes.
pub fn open_all(
    lanes: &GcmLanes,
    packets: &mut [Packet<'_>],
    forged: impl FnMut(usize),
) -> Result<(), GcmError> {
    check(lanes, packets)?;
    run::run(lanes.kernels, Direction::Decrypt, packets, forged);
    Ok(())
}

/// Whether every packet can be done.
fn check(lanes: &GcmLanes, packets: &[Packet<'_>]) -> Result<(), GcmError> {
    for packet in packets {
        assert!(packet.key.cipher == lanes.cipher(), "a key of another cipher");
        assert!((4..=16).contains(&packet.tag.len()), "a tag has 4 to 16 bytes");
        if packet.data.len() as u64 > LONGEST {
            return Err(GcmError::TooLong);
        }
    }
    Ok(())
}
