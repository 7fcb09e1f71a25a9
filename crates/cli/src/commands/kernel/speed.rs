//! One driver of the kernel's at work: a cipher, an AEAD or a hash function, through a socket of its own.

use wirespeed_af_alg::{Aead, Cipher, Error, Hash, Kind, Permission, Transform};
use wirespeed_cipher::{Direction, InOut};
use wirespeed_measure::Contestant;

/// A keyed socket for one driver.
enum Socket {
    Cipher(Cipher, Vec<u8>),
    Aead(Box<Aead>, Vec<u8>, Vec<u8>),
    Hash(Hash, Vec<u8>),
}

/// A driver that does the same work over and over, until it fails.
pub(super) struct Runner {
    socket: Socket,
    direction: Direction,
    data: Vec<u8>,
    sealed: Vec<u8>,
    failure: Option<String>,
}

impl Runner {
    /// Opens a socket for a driver, or for the one that serves, for messages of so many bytes.
    pub(super) fn open(
        transform: &'static Transform,
        driver: Option<&str>,
        direction: Direction,
        bytes: usize,
    ) -> Result<Self, Error> {
        // The owner asked for it by the command; who is confined gets the kernel's answer.
        const PERMISSION: Permission = Permission::Unconfined;
        // No two halves alike: in FIPS mode XTS wants that.
        let key = |length: usize| (1..=length as u8).collect::<Vec<u8>>();
        let data = vec![0x5a; bytes];
        let mut sealed = Vec::new();
        let socket = match transform.kind {
            Kind::Cipher { key_bytes, iv_bytes, .. } => {
                let cipher = Cipher::open(transform, driver, &key(key_bytes), PERMISSION)?;
                Socket::Cipher(cipher, vec![0; iv_bytes])
            }
            Kind::Aead { key_bytes, iv_bytes, tag_bytes } => {
                let mut aead = Aead::open(transform, driver, &key(key_bytes), PERMISSION)?;
                let (iv, mut tag) = (vec![0; iv_bytes], vec![0; tag_bytes]);
                // What is unsealed must have been sealed.
                sealed.resize(bytes, 0);
                aead.seal(&iv, &[], InOut::between(&data, &mut sealed), &mut tag)?;
                Socket::Aead(Box::new(aead), iv, tag)
            }
            Kind::Hash { bytes, keyed } => {
                let key = keyed.then(|| key(bytes));
                let hash = Hash::open(transform, driver, key.as_deref(), PERMISSION)?;
                Socket::Hash(hash, vec![0; bytes])
            }
        };
        let mut opened = Self { socket, direction, data, sealed, failure: None };
        // A driver may take a key and fail at once.
        opened.work()?;
        Ok(opened)
    }

    fn work(&mut self) -> Result<(), Error> {
        let Self { socket, direction, data, sealed, .. } = self;
        match (socket, *direction) {
            (Socket::Cipher(cipher, iv), direction) => {
                cipher.crypt(direction, iv, InOut::in_place(data))
            }
            (Socket::Aead(aead, iv, tag), Direction::Encrypt) => {
                aead.seal(iv, &[], InOut::between(data, sealed), tag)
            }
            (Socket::Aead(aead, iv, tag), Direction::Decrypt) => {
                aead.unseal(iv, &[], InOut::between(sealed, data), tag).map(drop)
            }
            (Socket::Hash(hash, digest), _) => hash.digest(data, digest),
        }
    }
}

impl Contestant for Runner {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            if self.failure.is_some() {
                return;
            }
            self.failure = self.work().err().map(|error| error.to_string());
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn bytes(&self) -> u64 {
        self.data.len() as u64
    }
}
