//! A candidate at work on a case, whatever it is made of.

use crate::candidate::Absent;

/// What is said of a candidate that refuses a message as it is.
pub(crate) const WRONG_TAG: &str = "it makes another tag of a message";

/// The bytes of a message and its tag; zeros where there is none.
pub type Message = (Vec<u8>, [u8; 16]);

/// Does everything twenty times, as microcode does that emulates an instruction.
#[cfg(debug_assertions)]
pub(crate) struct Slowed(pub(crate) Box<dyn Worker>);

#[cfg(debug_assertions)]
impl Worker for Slowed {
    fn run(&mut self, calls: u64) -> Result<(), Absent> {
        self.0.run(20 * calls)
    }

    fn result(&mut self) -> Result<Message, Absent> {
        self.0.result()
    }
}

/// Does the same work over and over.
pub(crate) trait Worker: Send {
    /// Does it `calls` times. It may fail where others work: a device may go away.
    fn run(&mut self, calls: u64) -> Result<(), Absent>;

    /// The bytes and the tag of one message, for comparing candidates.
    fn result(&mut self) -> Result<Message, Absent>;

    /// How many calls run at once.
    fn at_once(&self) -> u64 {
        1
    }

    /// System calls made for messages so far; nothing where nobody counts them.
    fn system_calls(&self) -> Option<u64> {
        None
    }
}
