//! A traced program's memory for the time of one instruction, fetched and brought back page by page.

use std::ops::Range;

use padlock_emulator::{Memory, PageFault};

use super::thread::Thread;

const PAGE: usize = 4096;

/// The memory of a stopped thread's program.
///
/// A page is either accessible or not, so one page is fetched at a time, and what is written to one page
/// after the first success waits for its neighbours. [`finish`](Self::finish) brings the rest back.
pub(crate) struct Pages {
    thread: Thread,
    /// The page that was read last, as it is or will be.
    fetched: Option<(u64, Box<[u8; PAGE]>)>,
    /// What is still to be written, from this address, inside a page that has taken a byte before it.
    waiting: (u64, Vec<u8>),
}

impl Pages {
    pub(crate) const fn new(thread: Thread) -> Self {
        Self { thread, fetched: None, waiting: (0, Vec::new()) }
    }

    /// Writes what still waits.
    pub(crate) fn finish(&mut self) {
        let (address, bytes) = &mut self.waiting;
        // Another thread may have taken the page away meanwhile, and with it the right to see the bytes.
        self.thread.write(*address, bytes);
        bytes.clear();
    }

    /// The page that begins at `base`.
    fn page(&mut self, base: u64) -> Option<&[u8; PAGE]> {
        if self.fetched.as_ref().is_none_or(|(at, _)| *at != base) {
            self.finish();
            let mut bytes = self.fetched.take().map_or_else(|| Box::new([0; PAGE]), |it| it.1);
            if self.thread.read(base, &mut bytes[..]) != PAGE {
                return None;
            }
            self.fetched = Some((base, bytes));
        }
        self.fetched.as_ref().map(|(_, bytes)| &**bytes)
    }

    /// Writes inside one page; whether the page took it.
    fn write_piece(&mut self, address: u64, bytes: &[u8]) -> bool {
        let next = self.waiting.0.wrapping_add(self.waiting.1.len() as u64);
        // At the border of two pages the next one has not been tried yet.
        if address == next && offset(address) != 0 {
            self.waiting.1.extend_from_slice(bytes);
        } else {
            self.finish();
            if self.thread.write(address, bytes) != bytes.len() {
                return false;
            }
            self.waiting.0 = address.wrapping_add(bytes.len() as u64);
        }
        if let Some((base, page)) = &mut self.fetched
            && *base == page_of(address)
        {
            page[offset(address)..][..bytes.len()].copy_from_slice(bytes);
        }
        true
    }
}

impl Memory for Pages {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault> {
        for (at, piece) in pieces(address, into.len()) {
            let page = self.page(page_of(at)).ok_or(PageFault { address: at, write: false })?;
            let length = piece.len();
            into[piece].copy_from_slice(&page[offset(at)..][..length]);
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
