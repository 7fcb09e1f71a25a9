//! Questions and answers as bytes.

use std::{fmt, io};

use crate::drivers::{Driver, hardware};

/// Message types (linux/netlink.h, linux/cryptouser.h).
const ERROR: u16 = 2;
const DONE: u16 = 3;
const UPDATE: u16 = 0x12;
const GET: u16 = 0x13;

/// Flags of a request (linux/netlink.h).
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const DUMP: u16 = 0x300;

/// `struct nlmsghdr`: length, type, flags, sequence number, port.
const HEADER: usize = 16;

/// `struct crypto_user_alg`: three names, then type, mask, references and flags.
const NAME: usize = 64;
const DESCRIPTION: usize = 3 * NAME + 16;
const FLAGS_AT: usize = 3 * NAME + 12;

/// `CRYPTOCFGA_PRIORITY_VAL`; every attribute beyond it describes one kind, whose name it begins with.
const PRIORITY: u16 = 1;
const FIRST_REPORT: u16 = 2;

/// `CRYPTO_ALG_…` of include/linux/crypto.h.
const LARVAL: u32 = 0x10;
const ASYNCHRONOUS: u32 = 0x80;
const TESTED: u32 = 0x400;
const KERNEL_ONLY: u32 = 0x1000;
const INTERNAL: u32 = 0x2000;

/// What the kernel said.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// One of the list.
    Driver(Driver),
    /// The end of the list.
    End,
    /// How a request ended: 0, or an error number.
    Result(i32),
    /// To another question, or of another kind.
    Other,
}

/// Bytes that are no answer of the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer that is cut off or malformed")
    }
}

impl std::error::Error for Malformed {}

impl From<Malformed> for io::Error {
    fn from(malformed: Malformed) -> Self {
        Self::new(io::ErrorKind::InvalidData, malformed)
    }
}

fn request(kind: u16, flags: u16, sequence: u32, driver: &[u8], attributes: &[u8]) -> Vec<u8> {
    let length = (HEADER + DESCRIPTION + attributes.len()) as u32;
    let mut bytes = Vec::with_capacity(length as usize);
    bytes.extend(length.to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend((REQUEST | flags).to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend([0; NAME]);
    bytes.extend(driver);
    bytes.resize(HEADER + DESCRIPTION, 0);
    bytes.extend(attributes);
    bytes
}

/// Asks for every driver.
pub(super) fn list(sequence: u32) -> Vec<u8> {
    request(GET, DUMP, sequence, &[], &[])
}

/// Asks for another priority of a driver; none if no driver can have that name.
pub(super) fn set_priority(sequence: u32, driver: &str, priority: u32) -> Option<Vec<u8>> {
    let fits = !driver.is_empty() && driver.len() < NAME && !driver.as_bytes().contains(&0);
    let mut attribute = Vec::with_capacity(8);
    attribute.extend(8_u16.to_ne_bytes());
    attribute.extend(PRIORITY.to_ne_bytes());
    attribute.extend(priority.to_ne_bytes());
    fits.then(|| request(UPDATE, ACKNOWLEDGE, sequence, driver.as_bytes(), &attribute))
}

/// Reads a datagram: messages, of which those to the question `sequence` count.
pub fn answers(mut datagram: &[u8], sequence: u32) -> Result<Vec<Answer>, Malformed> {
    let mut answers = Vec::new();
    while !datagram.is_empty() {
        let length = u32_at(datagram, 0)? as usize;
        let message = datagram.get(..length).filter(|_| length >= HEADER).ok_or(Malformed)?;
        let body = &message[HEADER..];
        answers.push(match u16_at(message, 4)? {
            _ if u32_at(message, 8)? != sequence => Answer::Other,
            // A negative error number; 0 acknowledges.
            ERROR => Answer::Result((u32_at(body, 0)? as i32).wrapping_neg()),
            DONE => Answer::End,
            GET => driver(body)?.map_or(Answer::Other, Answer::Driver),
            _ => Answer::Other,
        });
        datagram = datagram.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(answers)
}

/// One driver; nothing for an algorithm that is still being looked for.
fn driver(body: &[u8]) -> Result<Option<Driver>, Malformed> {
    let flags = u32_at(body, FLAGS_AT)?;
    if flags & LARVAL != 0 {
        return Ok(None);
    }
    let (mut priority, mut kind) = (0, String::new());
    let mut attributes = body.get(DESCRIPTION..).ok_or(Malformed)?;
    while !attributes.is_empty() {
        let length = usize::from(u16_at(attributes, 0)?);
        let value = attributes.get(4..length).ok_or(Malformed)?;
        match u16_at(attributes, 2)? {
            PRIORITY => priority = u32_at(value, 0)? as i32,
            FIRST_REPORT.. => kind = text(value.get(..NAME).ok_or(Malformed)?),
            _ => {}
        }
        attributes = attributes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    let [algorithm, driver, module] =
        [0, 1, 2].map(|number| text(&body[number * NAME..(number + 1) * NAME]));
    Ok(Some(Driver {
        algorithm,
        module: Some(module).filter(|module| module != "kernel"),
        priority,
        self_test_passed: flags & TESTED != 0,
        internal: flags & INTERNAL != 0,
        kind,
        asynchronous: flags & ASYNCHRONOUS != 0,
        kernel_only: Some(flags & KERNEL_ONLY != 0),
        serves: false,
        hardware: hardware::behind(&driver),
        driver,
    }))
}

/// A name, up to its zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Malformed> {
    let four = bytes.get(at..at + 4).ok_or(Malformed)?;
    Ok(u32::from_ne_bytes(four.try_into().expect("four bytes")))
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Malformed> {
    let two = bytes.get(at..at + 2).ok_or(Malformed)?;
    Ok(u16::from_ne_bytes(two.try_into().expect("two bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message as the kernel sends it.
    fn message(kind: u16, sequence: u32, body: &[u8]) -> Vec<u8> {
        let mut bytes = ((HEADER + body.len()) as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([2, 0]);
        bytes.extend(sequence.to_ne_bytes());
        bytes.extend([9; 4]);
        bytes.extend(body);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// The body of a message about `virtio_crypto_aes_cbc`.
    fn virtio(flags: u32) -> Vec<u8> {
        let mut body = Vec::new();
        for (number, name) in
            ["cbc(aes)", "virtio_crypto_aes_cbc", "virtio_crypto"].iter().enumerate()
        {
            body.extend(name.as_bytes());
            body.resize((number + 1) * NAME, 0);
        }
        body.extend([0; 12]);
        body.extend(flags.to_ne_bytes());
        for (kind, value) in [
            (PRIORITY, 150_u32.to_ne_bytes().to_vec()),
            (4, {
                let mut report = b"skcipher".to_vec();
                report.resize(NAME + 20, 0);
                report
            }),
        ] {
            body.extend(((4 + value.len()) as u16).to_ne_bytes());
            body.extend(kind.to_ne_bytes());
            body.extend(value);
        }
        body
    }

    #[test]
    fn a_device_is_understood() {
        let flags = 5 | ASYNCHRONOUS | TESTED | KERNEL_ONLY;
        let datagram = [message(GET, 7, &virtio(flags)), message(DONE, 7, &[0; 4])].concat();
        let expected = Driver {
            algorithm: "cbc(aes)".to_owned(),
            driver: "virtio_crypto_aes_cbc".to_owned(),
            module: Some("virtio_crypto".to_owned()),
            priority: 150,
            self_test_passed: true,
            internal: false,
            kind: "skcipher".to_owned(),
            asynchronous: true,
            kernel_only: Some(true),
            serves: false,
            hardware: Some("virtio device"),
        };
        assert_eq!(answers(&datagram, 7), Ok(vec![Answer::Driver(expected), Answer::End]));
        // To an earlier question.
        assert_eq!(answers(&datagram, 8), Ok(vec![Answer::Other, Answer::Other]));
        let larval = message(GET, 7, &virtio(LARVAL));
        assert_eq!(answers(&larval, 7), Ok(vec![Answer::Other]));
    }

    #[test]
    fn results_are_error_numbers() {
        for (number, sent) in [(0, 0), (libc::EPERM, -libc::EPERM), (libc::ENOENT, -libc::ENOENT)] {
            let body = [sent.to_ne_bytes().to_vec(), vec![0; 16]].concat();
            assert_eq!(answers(&message(ERROR, 1, &body), 1), Ok(vec![Answer::Result(number)]));
        }
    }

    #[test]
    fn what_is_cut_off_is_no_answer() {
        let whole = message(GET, 1, &virtio(TESTED));
        for length in 1..whole.len() {
            assert_eq!(answers(&whole[..length], 1), Err(Malformed), "{length} bytes");
            // The same with a header that agrees; attributes may end anywhere but within one.
            let mut cut = whole[..length].to_vec();
            if length >= HEADER {
                cut[..4].copy_from_slice(&(length as u32).to_ne_bytes());
                let ends = [DESCRIPTION, DESCRIPTION + 8, DESCRIPTION + 8 + 4 + NAME + 20];
                let is_whole = ends.contains(&(length - HEADER));
                assert_eq!(answers(&cut, 1).is_ok(), is_whole, "{length} bytes");
            }
        }
        assert_eq!(answers(&[], 1), Ok(vec![]));
    }

    #[test]
    fn requests_are_as_the_kernel_reads_them() {
        let dump = list(3);
        assert_eq!(dump.len(), HEADER + DESCRIPTION);
        assert_eq!(u16_at(&dump, 6), Ok(REQUEST | DUMP));
        let change = set_priority(4, "aes-generic", 9000).expect("a name");
        assert_eq!(u32_at(&change, 0), Ok(change.len() as u32));
        assert_eq!(text(&change[HEADER + NAME..HEADER + 2 * NAME]), "aes-generic");
        assert_eq!(change[HEADER + DESCRIPTION..], [8, 0, 1, 0, 0x28, 0x23, 0, 0]);
        for name in ["", "with\0zero", &"long".repeat(16)] {
            assert_eq!(set_priority(5, name, 1), None);
        }
    }
}
