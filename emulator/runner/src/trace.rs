//! The lines of `--trace FILE`: one for each instruction that trapped, written at once, so that
//! processes can share the file.

use core::fmt::Write;

use crate::Text;

/// An instruction that trapped.
#[derive(Clone, Copy, Debug)]
pub struct Trace<'name> {
    /// The process.
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// The signal that brought it: SIGILL, SIGTRAP (a site patched to `int3`) or SIGSEGV.
    pub signal: &'name str,
    /// Where it stands.
    pub address: u64,
    /// The object (a file) that holds it, and where in memory that object begins.
    pub object: Option<(&'name [u8], u64)>,
    /// An operation's name, or `cpuid`.
    pub operation: &'name str,
    /// How many blocks it processed.
    pub blocks: u64,
    /// RSI and RDI as it began: source and destination. CPUID has none.
    pub operands: Option<[u64; 2]>,
}

impl<'name> Trace<'name> {
    /// `PID TID SIGNAL ADDRESS OBJECT+OFFSET OPERATION BLOCKS SOURCE DESTINATION`, separated by
    /// tabs; `-` where the object is not known, and for operands that CPUID does not have.
    ///
    /// Three pieces, to be written with one system call: a signal's stack has no room for a path.
    pub fn line(&self) -> (Text<64>, &'name [u8], Text<96>) {
        let (mut before, mut behind) = (Text::new(), Text::new());
        let Self { process, thread, signal, address, object, operation, blocks, operands } = *self;
        let _ = write!(before, "{process}\t{thread}\t{signal}\t{address:#x}\t");
        if let Some((_, start)) = object {
            let _ = write!(behind, "+{:#x}", address.wrapping_sub(start));
        }
        let _ = match operands {
            Some([source, destination]) => {
                writeln!(behind, "\t{operation}\t{blocks}\t{source:#x}\t{destination:#x}")
            }
            None => writeln!(behind, "\t{operation}\t{blocks}\t-\t-"),
        };
        (before, object.map_or(b"-", |object| object.0), behind)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    fn line(trace: &Trace<'_>) -> Vec<u8> {
        let (before, object, behind) = trace.line();
        [before.as_bytes(), object, behind.as_bytes()].concat()
    }

    #[test]
    fn a_line_says_what_trapped_and_where() {
        let mut trace = Trace {
            process: 1,
            thread: 2,
            signal: "SIGILL",
            address: 0x7f00_0000_1234,
            object: Some((b"/usr/lib/engines-3/padlock.so", 0x7f00_0000_0000)),
            operation: "xcryptcbc",
            blocks: 32,
            operands: Some([0x1000, 0x2000]),
        };
        let expected = "1\t2\tSIGILL\t0x7f0000001234\t/usr/lib/engines-3/padlock.so+0x1234\t\
                        xcryptcbc\t32\t0x1000\t0x2000\n";
        assert_eq!(line(&trace), expected.as_bytes());
        trace.object = None;
        trace.operands = None;
        let expected = b"1\t2\tSIGILL\t0x7f0000001234\t-\txcryptcbc\t32\t-\t-\n";
        assert_eq!(line(&trace), expected);
    }

    #[test]
    fn the_longest_numbers_fit() {
        let trace = Trace {
            process: u32::MAX,
            thread: u32::MAX,
            signal: "SIGSEGV",
            address: u64::MAX,
            object: Some((b"object", 0)),
            operation: "xcryptctr",
            blocks: u64::MAX,
            operands: Some([u64::MAX; 2]),
        };
        let (before, _, behind) = trace.line();
        assert!(before.as_bytes().ends_with(b"\t0xffffffffffffffff\t"));
        assert!(behind.as_bytes().ends_with(b"\t0xffffffffffffffff\n"));
    }
}
