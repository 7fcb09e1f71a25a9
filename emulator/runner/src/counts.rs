//! How many instructions trapped and how many blocks they processed: the line of `--stats`.

use core::fmt::Write;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use padlock_emulator::Operation;

use crate::Text;

/// The counts of one process, kept by all its threads and signal handlers together.
#[derive(Debug)]
pub struct Counts {
    operations: [Count; Operation::ALL.len()],
    cpuid: AtomicUsize,
}

#[derive(Debug)]
struct Count {
    traps: AtomicUsize,
    blocks: AtomicUsize,
}

impl Counts {
    /// Nothing counted.
    pub const fn new() -> Self {
        Self {
            operations: [const { Count { traps: AtomicUsize::new(0), blocks: AtomicUsize::new(0) } };
                Operation::ALL.len()],
            cpuid: AtomicUsize::new(0),
        }
    }

    /// An instruction of PadLock trapped and processed so many blocks.
    pub fn count(&self, operation: Operation, blocks: u64) {
        let mut counts = Operation::ALL.iter().zip(&self.operations);
        if let Some((_, count)) = counts.find(|(known, _)| **known == operation) {
            count.traps.fetch_add(1, Relaxed);
            count.blocks.fetch_add(blocks as usize, Relaxed);
        }
    }

    /// A CPUID trapped.
    pub fn count_cpuid(&self) {
        self.cpuid.fetch_add(1, Relaxed);
    }

    /// Whether anything was counted.
    pub fn is_empty(&self) -> bool {
        let none = |count: &Count| count.traps.load(Relaxed) == 0;
        self.operations.iter().all(none) && self.cpuid.load(Relaxed) == 0
    }

    /// Starts again from zero: a forked child has done nothing yet.
    pub fn clear(&self) {
        for count in &self.operations {
            count.traps.store(0, Relaxed);
            count.blocks.store(0, Relaxed);
        }
        self.cpuid.store(0, Relaxed);
    }

    /// The line of `--stats`: `padlock-run: PID NAME xcryptcbc=TRAPS/BLOCKS … cpuid=TRAPS`, without
    /// what is zero.
    ///
    /// `name` is the process's name in the kernel (`/proc/PID/comm`); bytes that would split the
    /// line in another way show as `_`.
    pub fn line(&self, process: u32, name: &[u8]) -> Text<1024> {
        let mut line = Text::new();
        let _ = write!(line, "padlock-run: {process} ");
        for byte in name {
            line.push(&[if byte.is_ascii_graphic() { *byte } else { b'_' }]);
        }
        for (operation, count) in Operation::ALL.iter().zip(&self.operations) {
            let traps = count.traps.load(Relaxed);
            if traps != 0 {
                let blocks = count.blocks.load(Relaxed);
                let _ = write!(line, " {}={traps}/{blocks}", operation.name());
            }
        }
        let cpuid = self.cpuid.load(Relaxed);
        if cpuid != 0 {
            let _ = write!(line, " cpuid={cpuid}");
        }
        line.push(b"\n");
        line
    }
}

impl Default for Counts {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_trapped_and_nothing_else() {
        let counts = Counts::new();
        assert!(counts.is_empty());
        assert_eq!(counts.line(7, b"true").as_bytes(), b"padlock-run: 7 true\n");
        counts.count(Operation::XcryptCbc, 32);
        counts.count(Operation::XcryptCbc, 1);
        counts.count(Operation::Xsha1, 4);
        counts.count_cpuid();
        let line = counts.line(12, b"a name\n");
        let expected = b"padlock-run: 12 a_name_ xcryptcbc=2/33 xsha1=1/4 cpuid=1\n";
        assert_eq!(line.as_bytes(), expected);
        assert!(!counts.is_empty());
        counts.clear();
        assert!(counts.is_empty());
    }
}
