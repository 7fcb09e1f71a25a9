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

impl Trace<'_> {
    /// `PID TID SIGNAL ADDRESS OBJECT+OFFSET OPERATION BLOCKS SOURCE DESTINATION`, separated by
    /// tabs; `-` where the object is not known, and for operands that CPUID does not have.
    pub fn line(&self) -> Text<4608> {
        let mut line = Text::new();
        let Self { process, thread, signal, address, object, operation, blocks, operands } = *self;
        let _ = write!(line, "{process}\t{thread}\t{signal}\t{address:#x}\t");
        match object {
            Some((name, start)) => {
                line.push(name);
                let _ = write!(line, "+{:#x}", address.wrapping_sub(start));
            }
            None => line.push(b"-"),
        }
        let _ = match operands {
            Some([source, destination]) => {
                writeln!(line, "\t{operation}\t{blocks}\t{source:#x}\t{destination:#x}")
            }
            None => writeln!(line, "\t{operation}\t{blocks}\t-\t-"),
        };
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(trace.line().as_bytes(), expected.as_bytes());
        trace.object = None;
        trace.operands = None;
        let expected = b"1\t2\tSIGILL\t0x7f0000001234\t-\txcryptcbc\t32\t-\t-\n";
        assert_eq!(trace.line().as_bytes(), expected);
    }
}
