//! A program's address space as /proc/PID/maps tells it.

use std::fs;
use std::io;
use std::ops::Range;

use super::thread::Thread;

/// One mapping.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) addresses: Range<u64>,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) executable: bool,
    /// Where in its file it begins.
    pub(crate) offset: u64,
    /// The file's path, or what the kernel calls it; empty for anonymous memory. Paths need not be UTF-8.
    pub(crate) name: Vec<u8>,
}

impl Mapping {
    fn parse(line: &[u8]) -> Option<Self> {
        // Addresses, protection, offset, device, inode and, behind blanks, a name that may hold more.
        let mut words = line.splitn(6, |byte| *byte == b' ');
        let mut word = || words.next().and_then(|word| str::from_utf8(word).ok());
        let (start, end) = word()?.split_once('-')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        let allowed = word()?;
        let offset = number(word()?)?;
        let name = words.nth(2).unwrap_or_default().trim_ascii_start();
        Some(Self {
            addresses: number(start)?..number(end)?,
            readable: allowed.contains('r'),
            writable: allowed.contains('w'),
            executable: allowed.contains('x'),
            offset,
            name: name.to_owned(),
        })
    }

    /// Whether the kernel made it: `[vdso]`, `[vsyscall]`. Its code is nobody's to change.
    pub(crate) fn is_the_kernels(&self) -> bool {
        self.name.starts_with(b"[v")
    }
}

/// All mappings of a thread's program.
pub(crate) fn of(thread: Thread) -> io::Result<Vec<Mapping>> {
    let text = fs::read(format!("/proc/{}/maps", thread.0))?;
    Ok(text.split(|byte| *byte == b'\n').filter_map(Mapping::parse).collect())
}

/// The file that is mapped at an address, and where the object begins that it is part of: a file may be mapped
/// several times, and each time begins with its own first byte.
pub(crate) fn object(mappings: &[Mapping], address: u64) -> Option<(&[u8], u64)> {
    let at = mappings.iter().position(|it| it.addresses.contains(&address))?;
    let name = &mappings[at].name;
    let mut before = mappings[..=at].iter().rev().filter(|it| it.name == *name);
    let first = before.find(|it| it.offset == 0).unwrap_or(&mappings[at]);
    (!name.is_empty()).then(|| (&name[..], first.addresses.start.wrapping_sub(first.offset)))
}

/// The mapping of one address.
pub(crate) fn at(thread: Thread, address: u64) -> io::Result<Option<Mapping>> {
    Ok(of(thread)?.into_iter().find(|mapping| mapping.addresses.contains(&address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let code =
            b"7f10a000-7f10b000 r-xp 00001000 fe:00 1234                    /usr/lib/a b\xff.so";
        let code = Mapping::parse(code).unwrap();
        assert_eq!(code.addresses, 0x7f10_a000..0x7f10_b000);
        assert!(code.readable && !code.writable && code.executable && !code.is_the_kernels());
        assert_eq!(code.name, b"/usr/lib/a b\xff.so");
        let kernels = b"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]";
        assert!(Mapping::parse(kernels).unwrap().is_the_kernels());
        let stack = b"7ffd0000-7ffd1000 rw-p 00000000 00:00 0    [stack]";
        assert!(!Mapping::parse(stack).unwrap().is_the_kernels());
        assert_eq!(Mapping::parse(b"nonsense"), None);
    }

    #[test]
    fn an_object_begins_where_it_was_mapped_last() {
        let mappings: Vec<_> = [
            "10000-14000 r--p 00000000 fe:00 7 /a",
            "400000-401000 r--p 00000000 fe:00 7 /a",
            "401000-403000 r-xp 00001000 fe:00 7 /a",
            "500000-501000 r-xp 00003000 fe:00 8 /b",
            "600000-601000 rw-p 00000000 00:00 0",
        ]
        .iter()
        .filter_map(|line| Mapping::parse(line.as_bytes()))
        .collect();
        assert_eq!(object(&mappings, 0x10008), Some((&b"/a"[..], 0x10000)));
        assert_eq!(object(&mappings, 0x401234), Some((&b"/a"[..], 0x400000)));
        // Only a part of the file is mapped.
        assert_eq!(object(&mappings, 0x500010), Some((&b"/b"[..], 0x4fd000)));
        assert_eq!(object(&mappings, 0x600010), None);
        assert_eq!(object(&mappings, 0x700000), None);
    }
}
