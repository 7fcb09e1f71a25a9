//! A traced program's memory for the time of one instruction, fetched and brought back page by page.

use std::mem;
use std::ops::Range;

use padlock_emulator::{Memory, PageFault};

use super::thread::Thread;

const PAGE: usize = 4096;

/// How many pages are at hand: montmul's six operands, and what of them lies across borders.
const AT_HAND: usize = 12;

/// The memory of a stopped thread's program.
///
/// What is written to a page after the first success waits there. [`finish`](Self::finish) brings it back.
pub(crate) struct Pages {
    thread: Thread,
    /// The one that was fetched last is the last.
    fetched: Vec<Page>,
}

/// A page as it is or will be.
struct Page {
    base: u64,
    bytes: Box<[u8; PAGE]>,
    /// What was written, one piece: it has taken a byte before.
    waiting: Range<usize>,
}

impl Page {
    /// Writes what still waits.
    fn finish(&mut self, thread: Thread) {
        let waiting = mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            // Another thread may have taken the page away meanwhile, and with it the right to see the bytes.
            thread.write(self.base + waiting.start as u64, &self.bytes[waiting]);
        }
    }

    /// Writes inside it; whether it took that. What was never written between two pieces is not to be, either:
    /// another thread may do so.
    fn write(&mut self, thread: Thread, place: Range<usize>, bytes: &[u8]) -> bool {
        let Range { start, end } = self.waiting;
        if self.waiting.is_empty() || place.start > end || place.end < start {
            self.finish(thread);
            if thread.write(self.base + place.start as u64, bytes) != bytes.len() {
                return false;
            }
            self.waiting = place.clone();
        } else {
            self.waiting = start.min(place.start)..end.max(place.end);
        }
        self.bytes[place].copy_from_slice(bytes);
        true
    }
}

impl Pages {
    pub(crate) const fn new(thread: Thread) -> Self {
        Self { thread, fetched: Vec::new() }
    }

    /// Writes what still waits.
    pub(crate) fn finish(&mut self) {
        for page in &mut self.fetched {
            page.finish(self.thread);
        }
    }

    /// The page that begins at `base`.
    fn page(&mut self, base: u64) -> Option<&mut Page> {
        if let Some(at) = self.fetched.iter().position(|page| page.base == base) {
            return self.fetched.get_mut(at);
        }
        let mut bytes = match self.fetched.len() {
            AT_HAND => {
                let mut oldest = self.fetched.remove(0);
                oldest.finish(self.thread);
                oldest.bytes
            }
            _ => Box::new([0; PAGE]),
        };
        if self.thread.read(base, &mut bytes[..]) != PAGE {
            return None;
        }
        self.fetched.push(Page { base, bytes, waiting: 0..0 });
        self.fetched.last_mut()
    }

    /// Writes inside one page; whether the page took it.
    fn write_piece(&mut self, address: u64, bytes: &[u8]) -> bool {
        let thread = self.thread;
        match self.page(page_of(address)) {
            Some(page) => page.write(thread, offset(address)..offset(address) + bytes.len(), bytes),
            // The kernel refuses to read what may only be written; CPUs do not.
            None => thread.write(address, bytes) == bytes.len(),
        }
    }
}

impl Memory for Pages {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault> {
        for (at, piece) in pieces(address, into.len()) {
            let page = self.page(page_of(at)).ok_or(PageFault { address: at, write: false })?;
            let length = piece.len();
            into[piece].copy_from_slice(&page.bytes[offset(at)..][..length]);
        }
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), PageFault> {
        let mut before = vec![0; bytes.len()];
        // What spans pages may be refused by the later one, and then nothing may have changed.
        let spans = offset(address) + bytes.len() > PAGE;
        if spans {
            self.read(address, &mut before).map_err(|fault| PageFault { write: true, ..fault })?;
        }
        for (at, piece) in pieces(address, bytes.len()) {
            if !self.write_piece(at, &bytes[piece.clone()]) {
                for (at, piece) in pieces(address, piece.start) {
                    self.write_piece(at, &before[piece]);
                }
                return Err(PageFault { address: at, write: true });
            }
        }
        Ok(())
    }
}

/// The parts of a range that lie in one page each: where, and which of its bytes.
fn pieces(address: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = address.wrapping_add(done as u64);
        let piece = done..length.min(done + PAGE - offset(at));
        done = piece.end;
        (!piece.is_empty()).then_some((at, piece))
    })
}

const fn offset(address: u64) -> usize {
    (address % PAGE as u64) as usize
}

const fn page_of(address: u64) -> u64 {
    address - address % PAGE as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_pages() {
        let all: Vec<_> = pieces(0x1ff8, 0x1010).collect();
        assert_eq!(all, [(0x1ff8, 0..8), (0x2000, 8..0x1008), (0x3000, 0x1008..0x1010)]);
        assert_eq!(pieces(0x1000, 0).count(), 0);
    }
}
