//! A case on a socket of the kernel's, without OpenSSL.

use std::sync::Arc;

use wirespeed_af_alg::{
    self as kernel, Aead, Cipher, Error, Hash, Interface, Kind, Permission, Transform,
};
use wirespeed_cipher::{Direction, InOut, Subject, Use};

use crate::candidate::Absent;
use crate::case::Case;
use crate::form::{LONGEST_HASH, TAG_BYTES};
use crate::lanes::Lanes;
use crate::material::{Buffer, Material};
use crate::offload::{Offload, Socket};
use crate::worker::{Message, WRONG_TAG, Worker};

/// The kernel that this program runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThisKernel;

/// A sandbox that would end this program for a socket is an absence.
const PERMISSION: Permission = Permission::Unconfined;

fn transform(subject: Subject) -> Result<&'static Transform, Absent> {
    let none = || Absent(format!("the kernel has no {subject}"));
    Transform::named(subject.name()).ok_or_else(none)
}

impl Offload for ThisKernel {
    fn presence(&self, interface: Interface) -> Result<(), Absent> {
        interface.presence(PERMISSION)
    }

    fn presence_of(&self, socket: Socket, subject: Subject) -> Result<(), Absent> {
        socket.interface.presence_of(transform(subject)?, socket.driver, PERMISSION)
    }

    fn prove(&self, socket: Socket, subject: Subject) -> Result<usize, String> {
        let transform = transform(subject).map_err(|why| why.to_string())?;
        kernel::prove(socket.interface, transform, socket.driver)
    }

    fn worker(
        &self,
        socket: Socket,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Box<dyn Worker>, Absent> {
        let transform = transform(case.subject)?;
        if let Kind::Cipher { block_bytes, .. } = transform.kind
            && !case.size.is_multiple_of(block_bytes)
        {
            // CFB and OFB, whose streams our own routes and OpenSSL end within a block.
            return Err(Absent(format!("the kernel has whole blocks of {} only", case.subject)));
        }
        let failed = |why: Error| Absent(why.to_string());
        if socket.lanes > 1 {
            let lanes = Lanes::new(transform, socket.lanes, PERMISSION, case, material);
            return Ok(Box::new(lanes.map_err(failed)?));
        }
        let opening = Opening { transform, socket };
        Ok(Box::new(Sockets::new(opening, case, material).map_err(failed)?))
    }
}

/// What sockets are opened for.
#[derive(Clone, Copy, Debug)]
struct Opening {
    transform: &'static Transform,
    socket: Socket,
}

impl Opening {
    fn keyed(self, key: &[u8]) -> Result<Keyed, Error> {
        let Self { transform, socket: Socket { interface, driver, .. } } = self;
        match transform.kind {
            Kind::Cipher { .. } => {
                Cipher::through(interface, transform, driver, key, PERMISSION).map(Keyed::Cipher)
            }
            Kind::Aead { .. } => Aead::open(transform, driver, key, PERMISSION).map(Keyed::Aead),
            Kind::Hash { keyed, .. } => {
                let key = keyed.then_some(key);
                Hash::through(interface, transform, driver, key, PERMISSION).map(Keyed::Hash)
            }
        }
    }
}

/// A socket with a key, if it takes one.
enum Keyed {
    Cipher(Cipher),
    Aead(Aead),
    Hash(Hash),
}

/// A case on one socket at a time.
struct Sockets {
    opening: Opening,
    case: Case,
    material: Arc<Material>,
    keyed: Keyed,
    iv: Vec<u8>,
    /// The bytes of the message, or its hash.
    output: Buffer,
    tag: [u8; TAG_BYTES],
}

impl Sockets {
    fn new(opening: Opening, case: Case, material: Arc<Material>) -> Result<Self, Error> {
        let keyed = opening.keyed(&material.key)?;
        let output = match opening.transform.kind {
            Kind::Hash { bytes, .. } => Buffer::new(bytes, 0),
            Kind::Cipher { .. } | Kind::Aead { .. } => Buffer::new(case.size, 0),
        };
        let (iv, tag) = (material.iv.clone(), material.tag);
        Ok(Self { opening, case, material, keyed, iv, output, tag })
    }

    /// One more call of a stream.
    #[inline]
    fn update(&mut self) -> Result<(), Error> {
        let input = self.material.input.bytes();
        match &mut self.keyed {
            Keyed::Cipher(cipher) => {
                let data = InOut::between(input, self.output.bytes_mut());
                cipher.crypt(self.case.direction, &mut self.iv, data)
            }
            Keyed::Hash(hash) => hash.update(input),
            Keyed::Aead(_) => unreachable!("an AEAD has no stream"),
        }
    }

    /// Whether its tag is right.
    #[inline]
    fn message(&mut self) -> Result<bool, Error> {
        let input = self.material.input.bytes();
        match &mut self.keyed {
            Keyed::Cipher(_) => {
                self.iv.copy_from_slice(&self.material.iv);
                self.update().map(|()| true)
            }
            Keyed::Hash(hash) => hash.digest(input, self.output.bytes_mut()).map(|()| true),
            Keyed::Aead(aead) => {
                let data = InOut::between(input, self.output.bytes_mut());
                match self.case.direction {
                    Direction::Encrypt => {
                        aead.seal(&self.material.iv, &[], data, &mut self.tag).map(|()| true)
                    }
                    Direction::Decrypt => {
                        aead.unseal(&self.material.iv, &[], data, &self.material.tag)
                    }
                }
            }
        }
    }
}

impl Worker for Sockets {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        for _ in 0..calls {
            let result = match self.case.usage {
                Use::Stream => self.update().map(|()| true),
                Use::Message => self.message(),
                // As the provider does it: a socket has one key for life.
                Use::Rekey => self.opening.keyed(&self.material.key).and_then(|keyed| {
                    self.keyed = keyed;
                    self.message()
                }),
            };
            if !result.map_err(|why| Absent(why.to_string()))? {
                return Err(Absent(WRONG_TAG.to_owned()));
            }
        }
        Ok(())
    }

    fn result(&mut self) -> Result<Message, Absent> {
        let is_right = self.message().map_err(|why| Absent(why.to_string()))?;
        let tag = if is_right { self.tag } else { self.tag.map(|byte| !byte) };
        // A hash is as long as EVP's longest there, and all of the rest zeros.
        let mut bytes = self.output.bytes().to_vec();
        if matches!(self.keyed, Keyed::Hash(_)) {
            bytes.resize(LONGEST_HASH, 0);
        }
        Ok((bytes, tag))
    }

    fn system_calls(&self) -> Option<u64> {
        // Another key is another socket, and another count.
        (self.case.usage != Use::Rekey).then_some(match &self.keyed {
            Keyed::Cipher(cipher) => cipher.system_calls(),
            Keyed::Aead(aead) => aead.system_calls(),
            Keyed::Hash(hash) => hash.system_calls(),
        })
    }
}
