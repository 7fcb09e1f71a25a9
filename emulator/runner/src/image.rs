//! What kind of program a file holds, from its first bytes: which runner can bring PadLock into it.

/// As many first bytes of a file as [`Image::parse`] may want to see: program headers follow the ELF header.
pub const HEAD: usize = 4096;

/// A file that can be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image<'head> {
    /// For x86-64, started by a dynamic linker, which also loads the preload library.
    Dynamic64,
    /// Any other program: static, 32-bit, for another machine.
    Other,
    /// A script, and its interpreter, which is what is executed.
    Script(&'head [u8]),
}

impl<'head> Image<'head> {
    /// The kind of the file that begins with these bytes.
    pub fn parse(head: &'head [u8]) -> Self {
        match head {
            [b'#', b'!', line @ ..] => Self::Script(interpreter(line)),
            [0x7f, b'E', b'L', b'F', ..] if is_dynamic_64(head) == Some(true) => Self::Dynamic64,
            _ => Self::Other,
        }
    }
}

/// The first word of a script's first line, as fs/binfmt_script.c of Linux finds it.
fn interpreter(line: &[u8]) -> &[u8] {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t' | 0));
    words.find(|word| !word.is_empty()).unwrap_or_default()
}

/// Whether an ELF file (elf(5)) is for x86-64 and names a dynamic linker.
fn is_dynamic_64(head: &[u8]) -> Option<bool> {
    const CLASS_64: u8 = 2;
    const LITTLE_ENDIAN: u8 = 1;
    const X86_64: usize = 62;
    /// PT_INTERP.
    const INTERPRETER: usize = 3;
    // A little-endian number of so many bytes.
    let number = |at: usize, length: usize| -> Option<usize> {
        let bytes = head.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    };
    if head.get(4..6)? != [CLASS_64, LITTLE_ENDIAN] || number(18, 2)? != X86_64 {
        return Some(false);
    }
    let (table, size, entries) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut kinds = (0..entries).map(|entry| number(table.checked_add(entry * size)?, 4));
    Some(kinds.any(|kind| kind == Some(INTERPRETER)))
}

#[cfg(test)]
pub(crate) mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    /// An ELF file of this class and machine with these program headers.
    pub(crate) fn elf(class: u8, machine: u8, headers: &[u8]) -> Vec<u8> {
        let mut file = [0; 64].to_vec();
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1]);
        file[18] = machine;
        file[32] = 64;
        file[54] = 56;
        file[56] = headers.len() as u8;
        for header in headers {
            file.push(*header);
            file.extend([0; 55]);
        }
        file
    }

    #[test]
    fn programs() {
        assert_eq!(Image::parse(&elf(2, 62, &[6, 3, 1])), Image::Dynamic64);
        assert_eq!(Image::parse(&elf(2, 62, &[6, 1])), Image::Other);
        assert_eq!(Image::parse(&elf(1, 3, &[6, 3, 1])), Image::Other);
        assert_eq!(Image::parse(&elf(2, 183, &[6, 3, 1])), Image::Other);
        assert_eq!(Image::parse(b"MZ"), Image::Other);
        assert_eq!(Image::parse(b""), Image::Other);
    }

    #[test]
    fn headers_that_lie_elsewhere_are_not_followed() {
        let mut file = elf(2, 62, &[6, 3]);
        file[32..40].fill(0xff);
        assert_eq!(Image::parse(&file), Image::Other);
        for length in 0..64 {
            assert_ne!(Image::parse(&elf(2, 62, &[3])[..length]), Image::Dynamic64);
        }
    }

    #[test]
    fn scripts() {
        assert_eq!(Image::parse(b"#!/bin/sh\necho"), Image::Script(b"/bin/sh"));
        assert_eq!(Image::parse(b"#! \t/usr/bin/env python3 -u\n"), Image::Script(b"/usr/bin/env"));
        assert_eq!(Image::parse(b"#!\n/bin/sh"), Image::Script(b""));
    }
}
