//! Who brings PadLock into a program: the preload library, or only a tracer.

use core::ffi::CStr;

use crate::{HEAD, Image, Text};

/// How often a script's interpreter may be a script, fs/exec.c of Linux.
const DEPTH: usize = 5;

/// Who brings PadLock into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The preload library.
    Preload,
    /// A tracer, for the library cannot enter: the program is static, 32-bit, or has privileges of its own.
    Trace,
    /// Nobody knows: the file cannot be read, or is none of the programs that every kernel executes.
    Unknown,
}

/// A file as it was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// How many bytes of its head there are.
    pub length: usize,
    /// Its mode, owner and group, as stat(2) has them.
    pub mode: u32,
    /// See `mode`.
    pub owner: u32,
    /// See `mode`.
    pub group: u32,
    /// Whether it gives capabilities to whom executes it.
    pub has_capabilities: bool,
}

impl Entry {
    /// Who brings PadLock into a program that this user of this group executes.
    ///
    /// `look` reads the head of the program's file or, if a name is given, of a script's interpreter.
    pub fn of(
        (user, group): (u32, u32),
        mut look: impl FnMut(Option<&CStr>, &mut [u8; HEAD]) -> Option<Seen>,
    ) -> Self {
        let mut interpreter: Option<Text<{ HEAD + 1 }>> = None;
        for _ in 0..DEPTH {
            let name = interpreter.as_ref().map(Text::as_bytes);
            let name = name.and_then(|name| CStr::from_bytes_until_nul(name).ok());
            let mut head = [0; HEAD];
            let Some(seen) = look(name, &mut head) else { return Self::Unknown };
            let head = head.get(..seen.length).unwrap_or_default();
            match Image::parse(head) {
                Image::Dynamic64 if seen.gains_privileges(user, group) => return Self::Trace,
                Image::Dynamic64 => return Self::Preload,
                Image::Other if head.starts_with(b"\x7fELF") => return Self::Trace,
                Image::Other => return Self::Unknown,
                Image::Script(name) => {
                    let text = interpreter.insert(Text::new());
                    text.push(name);
                    text.push(b"\0");
                }
            }
        }
        Self::Unknown
    }
}

impl Seen {
    /// Whether the file's owner gave its program rights that its user lacks. Then ld.so lets no strangers in.
    const fn gains_privileges(&self, user: u32, group: u32) -> bool {
        let as_user = self.mode & libc::S_ISUID != 0 && self.owner != user;
        let as_group = self.mode & libc::S_ISGID != 0 && self.group != group;
        as_user || as_group || user != 0 && self.has_capabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::tests::elf;

    const USER: (u32, u32) = (1000, 100);

    /// A file with this head, owned by root.
    fn seen(into: &mut [u8; HEAD], head: &[u8], mode: u32, has_capabilities: bool) -> Option<Seen> {
        into[..head.len()].copy_from_slice(head);
        Some(Seen { length: head.len(), mode, owner: 0, group: 0, has_capabilities })
    }

    fn entry(ids: (u32, u32), head: &[u8], mode: u32, has_capabilities: bool) -> Entry {
        Entry::of(ids, |_, into| seen(into, head, mode, has_capabilities))
    }

    #[test]
    fn the_library_enters_dynamic_programs() {
        assert_eq!(entry(USER, &elf(2, 62, &[3]), 0o755, false), Entry::Preload);
        for foreign in [elf(2, 62, &[1]), elf(1, 3, &[3])] {
            assert_eq!(entry(USER, &foreign, 0o755, false), Entry::Trace);
        }
        assert_eq!(entry(USER, b"text", 0o755, false), Entry::Unknown);
        assert_eq!(Entry::of(USER, |_, _| None), Entry::Unknown);
    }

    #[test]
    fn it_is_kept_out_of_privileged_ones() {
        let program = elf(2, 62, &[3]);
        for (mode, has_capabilities) in [(0o4755, false), (0o2755, false), (0o755, true)] {
            assert_eq!(entry(USER, &program, mode, has_capabilities), Entry::Trace);
            // Whose they are, or who has them all, gains nothing.
            assert_eq!(entry((0, 0), &program, mode, has_capabilities), Entry::Preload);
        }
    }

    #[test]
    fn a_script_is_its_interpreter() {
        let look = |name: Option<&CStr>, into: &mut [u8; HEAD]| match name {
            None => seen(into, b"#!/bin/second -x\n", 0o4755, false),
            Some(name) if name == c"/bin/second" => seen(into, b"#! /bin/sh", 0o755, false),
            Some(name) => {
                assert_eq!(name, c"/bin/sh");
                seen(into, &elf(2, 62, &[3]), 0o755, false)
            }
        };
        assert_eq!(Entry::of(USER, look), Entry::Preload);
        assert_eq!(entry(USER, b"#!/itself", 0o755, false), Entry::Unknown);
    }
}
