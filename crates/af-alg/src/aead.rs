//! Authenticated encryption, a whole message at a time.

use wirespeed_cipher::{Direction, InOut};
use zeroize::Zeroize;

use crate::held::{Exchange, Purpose};
use crate::iv::Block;
use crate::socket::Socket;
use crate::staging::Staging;
use crate::transform::Kind;
use crate::wire::Control;
use crate::{Error, Permission, Transform};

/// A keyed AEAD of the kernel's: one socket, which no fork shares.
///
/// The kernel writes associated data, text and tag in one piece, and the text before it knows whether the
/// tag is right. So its output waits in memory of ours, and nobody sees a text that is not authentic.
#[derive(Debug)]
pub struct Aead {
    socket: Socket,
    control: Control,
    nonce: Nonce,
    sizes: Sizes,
}

/// What the kernel takes for a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nonce {
    /// Its bytes.
    Plain,
    /// CCM's first counter block (RFC 3610 §2.3): how many bytes the counter has, less one; the nonce;
    /// zeros (`crypto_ccm_init_crypt` in crypto/ccm.c).
    CounterBlock,
}

#[derive(Clone, Copy, Debug)]
struct Sizes {
    iv: usize,
    tag: usize,
}

impl Aead {
    /// The most bytes of associated data, text and tag together that need no memory beyond the socket's.
    pub const REQUEST: usize = 65536 + 4096;

    /// Opens a socket for the generic name, or for the driver of that name, and gives it the key.
    ///
    /// # Panics
    /// If the transform is no AEAD.
    pub fn open(
        transform: &'static Transform,
        driver: Option<&str>,
        key: &[u8],
        permission: Permission,
    ) -> Result<Self, Error> {
        let Kind::Aead { iv_bytes, tag_bytes, .. } = transform.kind else {
            panic!("{} is no AEAD", transform.name)
        };
        let purpose = Purpose::new(transform, driver, key, permission);
        let socket = Socket::new(purpose, Self::REQUEST)?;
        let (nonce, kernels) = if transform.kernel.starts_with("ccm(") {
            (Nonce::CounterBlock, Control::LONGEST_IV)
        } else {
            (Nonce::Plain, iv_bytes)
        };
        let sizes = Sizes { iv: iv_bytes, tag: tag_bytes };
        Ok(Self { socket, control: Control::new(kernels, true), nonce, sizes })
    }

    /// What it computes.
    pub const fn transform(&self) -> &'static Transform {
        self.socket.purpose.transform
    }

    /// How many system calls its messages took so far; opening is not counted.
    pub const fn system_calls(&self) -> u64 {
        self.socket.calls
    }

    /// Encrypts a message and makes its tag. On an error nothing has changed.
    ///
    /// # Panics
    /// If `iv` or `tag` have other lengths than the transform's.
    pub fn seal(
        &mut self,
        iv: &[u8],
        associated: &[u8],
        mut data: InOut<'_>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.measure(iv, tag);
        let text = associated.len()..associated.len() + data.len();
        let mut staging = Staging::new(&self.socket.area, text.end + tag.len())?;
        let sent = [slice(associated), whole(&data)];
        self.set(Direction::Encrypt, iv, associated);
        self.run(&sent, &mut staging, text.end + tag.len())?;
        let output = staging.bytes(&mut self.socket.area);
        data.overwrite(&output[text.clone()]);
        tag.copy_from_slice(&output[text.end..]);
        Ok(())
    }

    /// Decrypts a message if its tag is right; false if it is not. Then, and on an error, nothing has
    /// changed.
    ///
    /// # Panics
    /// If `iv` or `tag` have other lengths than the transform's.
    pub fn unseal(
        &mut self,
        iv: &[u8],
        associated: &[u8],
        mut data: InOut<'_>,
        tag: &[u8],
    ) -> Result<bool, Error> {
        self.measure(iv, tag);
        let text = associated.len()..associated.len() + data.len();
        // Received into no room at all, nothing would be checked.
        let mut staging = Staging::new(&self.socket.area, text.end.max(1))?;
        let sent = [slice(associated), whole(&data), slice(tag)];
        self.set(Direction::Decrypt, iv, associated);
        match self.run(&sent, &mut staging, text.end) {
            Ok(()) => {
                data.overwrite(&staging.bytes(&mut self.socket.area)[text]);
                Ok(true)
            }
            Err(Exchange::Failed(error)) if error.raw_os_error() == Some(libc::EBADMSG) => {
                staging.bytes(&mut self.socket.area).zeroize();
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn measure(&self, iv: &[u8], tag: &[u8]) {
        assert_eq!(iv.len(), self.sizes.iv, "{} IV", self.transform().name);
        assert_eq!(tag.len(), self.sizes.tag, "{} tag", self.transform().name);
    }

    fn set(&mut self, direction: Direction, iv: &[u8], associated: &[u8]) {
        match self.nonce {
            Nonce::Plain => self.control.set(direction, iv),
            Nonce::CounterBlock => {
                let mut block = Block::default();
                block[0] = (block.len() - 1 - iv.len() - 1) as u8;
                block[1..=iv.len()].copy_from_slice(iv);
                self.control.set(direction, &block);
            }
        }
        self.control.set_associated(associated.len());
    }

    /// Sends the parts, which are as long as they say, and receives `received` bytes of output.
    fn run(
        &mut self,
        sent: &[libc::iovec],
        staging: &mut Staging,
        received: usize,
    ) -> Result<(), Exchange> {
        let output = staging.bytes(&mut self.socket.area);
        let (to, room) = (output.as_mut_ptr(), output.len());
        let bytes = sent.iter().map(|part| part.iov_len).sum::<usize>().max(received);
        if bytes > self.socket.capacity(bytes).map_err(Exchange::Refused)? {
            return Err(Exchange::Refused(Error::busy(
                "the kernel takes no message of that length",
            )));
        }
        // SAFETY: the parts are slices and an `InOut` that the callers have; the output is the staging's.
        unsafe { self.socket.exchange(self.control.as_slice(), sent, to, room, received) }
    }
}

fn slice(bytes: &[u8]) -> libc::iovec {
    libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() }
}

fn whole(data: &InOut<'_>) -> libc::iovec {
    libc::iovec { iov_base: data.source().cast_mut().cast(), iov_len: data.len() }
}
