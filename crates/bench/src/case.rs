//! What is done: an algorithm in one direction, a use and a size.

use std::fmt;

use wirespeed_cipher::{Direction, Subject, Use};

use crate::form::{Form, Kind};

/// One line of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The cipher or hash function.
    pub subject: Subject,
    /// The direction; a hash goes one way, which is [`Direction::Encrypt`] here.
    pub direction: Direction,
    /// How messages and keys follow one another.
    pub usage: Use,
    /// Bytes in one call.
    pub size: usize,
}

impl Case {
    /// The case, or why there is none.
    ///
    /// Modes over whole blocks are measured without padding, as disks and TLS use them: their size
    /// is rounded down, so 1420 becomes 1408.
    pub fn new(
        subject: impl Into<Subject>,
        direction: Direction,
        usage: Use,
        size: usize,
    ) -> Result<Self, &'static str> {
        let subject = subject.into();
        let form = Form::of(subject);
        let size = size - size % form.block_bytes;
        if size == 0 {
            return Err("less than one block");
        }
        match (form.kind, usage) {
            (Kind::Unit, _) if size < 16 => {
                return Err("a data unit, or what is stolen from, has at least 16 bytes");
            }
            (Kind::Unit, Use::Stream) => {
                return Err("a call is a whole data unit or message: there is no stream");
            }
            (_, Use::Stream) if form.has_tag() => {
                return Err("an AEAD gives a tag per message: there is no stream");
            }
            (Kind::Hash, Use::Rekey) => return Err("a hash has no key"),
            _ => {}
        }
        let direction = if subject.is_hash() { Direction::Encrypt } else { direction };
        Ok(Self { subject, direction, usage, size })
    }

    /// The algorithm, and the direction where both differ: "AES-128-CBC dec".
    pub fn title(&self) -> String {
        match self.subject.is_symmetric() {
            true => self.subject.to_string(),
            false => format!("{} {}", self.subject, self.direction),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} B", self.title(), self.usage, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, usage: Use, size: usize) -> Result<Case, &'static str> {
        let subject: Subject = name.parse().expect("known");
        Case::new(subject, Direction::Decrypt, usage, size)
    }

    #[test]
    fn block_modes_take_whole_blocks() {
        assert_eq!(case("AES-128-CBC", Use::Message, 1420).expect("a case").size, 1408);
        assert_eq!(case("AES-128-GCM", Use::Message, 1420).expect("a case").size, 1420);
        assert_eq!(case("DES-EDE3-CBC", Use::Message, 1420).expect("a case").size, 1416);
        assert_eq!(case("CAMELLIA-128-CTR", Use::Message, 1420).expect("a case").size, 1420);
        assert!(case("AES-128-ECB", Use::Message, 15).is_err());
        assert!(case("AES-128-XTS", Use::Message, 15).is_err());
    }

    #[test]
    fn what_has_no_stream_says_why() {
        assert!(case("AES-128-GCM", Use::Stream, 64).expect_err("no stream").contains("tag"));
        assert!(case("AES-128-XTS", Use::Stream, 64).expect_err("no stream").contains("unit"));
        assert!(case("AES-128-CTR", Use::Stream, 64).is_ok());
        assert!(case("AES-128-CCM", Use::Stream, 64).expect_err("no stream").contains("tag"));
        assert!(case("SHA2-256", Use::Rekey, 64).expect_err("no key").contains("key"));
        assert!(case("MD5", Use::Rekey, 64).expect_err("no key").contains("key"));
        let mac = case("HMAC-SHA1", Use::Rekey, 64).expect("a key");
        assert_eq!(mac.direction, Direction::Encrypt);
    }

    #[test]
    fn titles() {
        assert_eq!(case("AES-128-CTR", Use::Rekey, 64).expect("a case").title(), "AES-128-CTR");
        let cbc = case("AES-128-CBC", Use::Rekey, 64).expect("a case");
        assert_eq!(cbc.to_string(), "AES-128-CBC dec rekey 64 B");
    }
}
