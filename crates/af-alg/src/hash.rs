//! Hash functions, with a key or without.

use std::io;
use std::os::fd::RawFd;

use crate::socket::{Open, Purpose, Socket};
use crate::transform::Kind;
use crate::wire;
use crate::{Error, Permission, Transform};

/// A hash function of the kernel's: one socket, which no fork shares.
///
/// What it has taken in is in the kernel, and nobody can get it out again. So a message whose `update`
/// failed is lost, and so is one that a forked child has inherited: every further call fails until
/// [`reset`](Self::reset), and whoever can must begin the message again elsewhere.
#[derive(Debug)]
pub struct Hash {
    socket: Socket,
    message: Message,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Message {
    /// Nothing was taken in.
    Empty,
    Begun,
    /// A part of it was taken in, and that is gone.
    Lost,
}

/// Bytes in one call: Linux cuts longer ones at 2 GiB, and none should hold a CPU for long.
const CALL: usize = 1 << 24;

impl Hash {
    /// The longest digest of any transform here.
    pub const LONGEST: usize = 64;

    /// Opens a socket for the generic name, or for the driver of that name, and gives it the key.
    ///
    /// # Panics
    /// If the transform is no hash function, or takes a key and is given none, or the other way round.
    pub fn open(
        transform: &'static Transform,
        driver: Option<&str>,
        key: Option<&[u8]>,
        permission: Permission,
    ) -> Result<Self, Error> {
        let Kind::Hash { bytes, keyed } = transform.kind else {
            panic!("{} is no hash function", transform.name)
        };
        assert_eq!(key.is_some(), keyed, "{}: a key or none", transform.name);
        let purpose = Purpose::new(transform, driver, key.unwrap_or_default(), permission);
        Ok(Self { socket: Socket::new(purpose, 0)?, message: Message::Empty, bytes })
    }

    /// What it computes.
    pub const fn transform(&self) -> &'static Transform {
        self.socket.purpose.transform
    }

    /// How many system calls its messages took so far; opening is not counted.
    pub const fn system_calls(&self) -> u64 {
        self.socket.calls
    }

    /// Takes in more of the message.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        if data.is_empty() {
            return self.sound();
        }
        let descriptor = self.ready()?;
        self.send(descriptor, data)
    }

    /// Ends the message and begins the next.
    ///
    /// # Panics
    /// If `digest` has another length than the transform's.
    pub fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        let descriptor = self.ready()?;
        self.receive(descriptor, digest)
    }

    /// A whole message at once, checking the socket but once; one that was begun is forgotten.
    ///
    /// # Panics
    /// If `digest` has another length than the transform's.
    pub fn digest(&mut self, message: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.reset();
        let descriptor = self.ready()?;
        if !message.is_empty() {
            self.send(descriptor, message)?;
        }
        self.receive(descriptor, digest)
    }

    /// Forgets the message.
    pub fn reset(&mut self) {
        if self.message == Message::Begun {
            // The end of a message is what makes the kernel begin another.
            let mut digest = [0; Self::LONGEST];
            let bytes = self.bytes;
            let ended = self.ready().and_then(|socket| self.receive(socket, &mut digest[..bytes]));
            if ended.is_err() {
                self.socket.discard();
            }
        }
        self.message = Message::Empty;
    }

    /// Another that has taken in the same.
    pub fn try_clone(&mut self) -> Result<Self, Error> {
        let descriptor = self.ready()?;
        self.socket.calls += 1;
        let purpose = self.socket.purpose.clone();
        let accepted = wire::accept(descriptor).and_then(Open::new);
        let open = accepted.map_err(|refusal| Error::of_operation(refusal.error))?;
        let socket = Socket::of(purpose, open, 0)?;
        Ok(Self { socket, message: self.message, bytes: self.bytes })
    }

    /// The descriptor, if what it has taken in is all of the message so far.
    fn ready(&mut self) -> Result<RawFd, Error> {
        self.sound()?;
        let begun = self.message == Message::Begun;
        if begun && (!self.socket.area.is_ours() || !self.socket.is_open()) {
            self.message = Message::Lost;
            return Err(lost());
        }
        self.socket.ready().inspect_err(|_| {
            if begun {
                self.message = Message::Lost;
            }
        })
    }

    fn sound(&self) -> Result<(), Error> {
        match self.message {
            Message::Empty | Message::Begun => Ok(()),
            Message::Lost => Err(lost()),
        }
    }

    fn send(&mut self, descriptor: RawFd, mut data: &[u8]) -> Result<(), Error> {
        while !data.is_empty() {
            let count = data.len().min(CALL);
            let part = libc::iovec { iov_base: data.as_ptr().cast_mut().cast(), iov_len: count };
            self.socket.calls += 1;
            // SAFETY: the part is a piece of `data`.
            let sent = unsafe { wire::send(descriptor, &[], &[part], libc::MSG_MORE) };
            match sent.and_then(some) {
                Ok(sent) => data = &data[sent.min(count)..],
                Err(error) => return Err(self.lose(error)),
            }
            self.message = Message::Begun;
        }
        Ok(())
    }

    fn receive(&mut self, descriptor: RawFd, digest: &mut [u8]) -> Result<(), Error> {
        assert_eq!(digest.len(), self.bytes, "{} digest", self.transform().name);
        // What the kernel writes before it fails is not to be seen.
        let mut output = [0; Self::LONGEST];
        self.socket.calls += 1;
        // SAFETY: there is room for the longest digest.
        let received = unsafe { wire::receive(descriptor, output.as_mut_ptr(), self.bytes) };
        match received {
            Ok(received) if received == self.bytes => {
                digest.copy_from_slice(&output[..received]);
                self.message = Message::Empty;
                Ok(())
            }
            Ok(_) => Err(self.lose(io::ErrorKind::UnexpectedEof.into())),
            Err(error) => Err(self.lose(error)),
        }
    }

    fn lose(&mut self, error: io::Error) -> Error {
        self.socket.discard();
        if self.message == Message::Begun {
            self.message = Message::Lost;
        }
        Error::of_operation(error)
    }
}

fn lost() -> Error {
    Error::busy("the message was begun in a socket that is gone, or by the parent of this process")
}

/// More than nothing: a kernel that takes nothing would be asked for ever.
fn some(count: usize) -> io::Result<usize> {
    if count == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(count) }
}
