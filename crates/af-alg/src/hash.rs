//! Hash functions, with a key or without.

use std::io;

use crate::held::{Exchange, Purpose, whole};
use crate::reach::Messages;
use crate::transform::Kind;
use crate::{Error, Interface, Permission, Transform};

/// A hash function of the kernel's: one descriptor, which no fork shares.
///
/// What it has taken in is in the kernel, and nobody can get it out again. So a message whose `update`
/// failed is lost, and so is one that a forked child has inherited: every further call fails until
/// [`reset`](Self::reset), and whoever can must begin the message again elsewhere.
#[derive(Debug)]
pub struct Hash {
    transform: &'static Transform,
    messages: Box<dyn Messages>,
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
        Self::through(Interface::AfAlg, transform, driver, key, permission)
    }

    /// The same through any interface.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    pub fn through(
        interface: Interface,
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
        let messages = interface.hash(purpose)?;
        Ok(Self { transform, messages, message: Message::Empty, bytes })
    }

    /// What it computes.
    pub const fn transform(&self) -> &'static Transform {
        self.transform
    }

    /// How many system calls its messages took so far; opening is not counted.
    pub fn system_calls(&self) -> u64 {
        self.messages.calls()
    }

    /// Takes in more of the message.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Error> {
        if data.is_empty() {
            return self.sound();
        }
        self.ready()?;
        self.send(data)
    }

    /// Ends the message and begins the next.
    ///
    /// # Panics
    /// If `digest` has another length than the transform's.
    pub fn finish(&mut self, digest: &mut [u8]) -> Result<(), Error> {
        self.ready()?;
        let begun = self.message == Message::Begun;
        self.receive(digest, |messages, output| messages.squeeze(output, begun))
    }

    /// A whole message at once, checking the descriptor but once; one that was begun is forgotten.
    ///
    /// # Panics
    /// If `digest` has another length than the transform's.
    pub fn digest(&mut self, message: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.reset();
        self.ready()?;
        let mut output = [0; Self::LONGEST];
        if let Some(ended) = self.messages.at_once(message, &mut output[..self.bytes]) {
            return self.receive(digest, |_, to| {
                to.copy_from_slice(&output[..to.len()]);
                ended
            });
        }
        self.send(message)?;
        let begun = self.message == Message::Begun;
        self.receive(digest, |messages, output| messages.squeeze(output, begun))
    }

    /// Forgets the message.
    pub fn reset(&mut self) {
        if self.message == Message::Begun {
            let forgotten = self.messages.is_open() && self.messages.forget(self.bytes).is_ok();
            if !forgotten {
                self.messages.discard();
            }
        }
        self.message = Message::Empty;
    }

    /// Another that has taken in the same. It takes a descriptor that is open.
    pub fn try_clone(&self) -> Result<Self, Error> {
        self.sound()?;
        let messages = self.messages.copy()?;
        Ok(Self { messages, ..*self })
    }

    /// Readies the descriptor, if what it has taken in is all of the message so far.
    fn ready(&mut self) -> Result<(), Error> {
        self.sound()?;
        let begun = self.message == Message::Begun;
        if begun && !self.messages.is_open() {
            self.message = Message::Lost;
            return Err(lost());
        }
        self.messages.ready().inspect_err(|_| {
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

    fn send(&mut self, mut data: &[u8]) -> Result<(), Error> {
        while !data.is_empty() {
            let begun = self.message == Message::Begun;
            match self.messages.absorb(data, begun).and_then(some) {
                Ok(taken) => data = &data[taken..],
                Err(exchange) => return Err(self.lose(exchange)),
            }
            self.message = Message::Begun;
        }
        Ok(())
    }

    fn receive(
        &mut self,
        digest: &mut [u8],
        end: impl FnOnce(&mut dyn Messages, &mut [u8]) -> Result<usize, Exchange>,
    ) -> Result<(), Error> {
        assert_eq!(digest.len(), self.bytes, "{} digest", self.transform.name);
        // What the kernel writes before it fails is not to be seen.
        let mut output = [0; Self::LONGEST];
        let output = &mut output[..self.bytes];
        let ended = end(&mut *self.messages, output)
            .and_then(|received| whole(received, self.bytes).map_err(Exchange::Failed));
        ended.map_err(|exchange| self.lose(exchange))?;
        digest.copy_from_slice(output);
        self.message = Message::Empty;
        Ok(())
    }

    fn lose(&mut self, exchange: Exchange) -> Error {
        self.messages.discard();
        if self.message == Message::Begun {
            self.message = Message::Lost;
        }
        exchange.into()
    }
}

fn lost() -> Error {
    Error::busy(
        "the message was begun in a descriptor that is gone, or by the parent of this process",
    )
}

/// More than nothing: a kernel that takes nothing would be asked for ever.
fn some(count: usize) -> Result<usize, Exchange> {
    if count == 0 { Err(Exchange::Failed(io::ErrorKind::WriteZero.into())) } else { Ok(count) }
}
