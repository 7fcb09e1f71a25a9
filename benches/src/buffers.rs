//! Where the messages of contestants lie.

/// What the place of a buffer in the first cache depends on.
const PAGE: usize = 4096;

/// A cache line: as much lies between two buffers, as the headroom of packets does.
const LINE: usize = 64;

/// Buffers of one length, in order.
///
/// They lie at the same places of pages for every contestant. Left to the allocator, chance decided which of them
/// shared the few places of the first cache, and with it whether CBC of 16 KiB was at 0.93x or 1.22x of another library.
pub(crate) struct Buffers {
    memory: Vec<u8>,
    count: usize,
    bytes: usize,
}

impl Buffers {
    /// So many of so many bytes, all zeros.
    pub(crate) fn new(count: usize, bytes: usize) -> Self {
        Self { memory: vec![0; PAGE + count * stride(bytes)], count, bytes }
    }

    /// So many, no two alike.
    pub(crate) fn filled(count: usize, bytes: usize) -> Self {
        let mut buffers = Self::new(count, bytes);
        for (place, buffer) in buffers.iter_mut().enumerate() {
            for (at, byte) in buffer.iter_mut().enumerate() {
                *byte = (at * 31 + place) as u8;
            }
        }
        buffers
    }

    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let memory = &self.memory[self.memory.as_ptr().align_offset(PAGE)..];
        memory.chunks_exact(stride(self.bytes)).take(self.count).map(|it| &it[..self.bytes])
    }

    /// Each of them, to be written to.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let (count, bytes) = (self.count, self.bytes);
        let memory = &mut self.memory;
        let start = memory.as_ptr().align_offset(PAGE);
        memory[start..].chunks_exact_mut(stride(bytes)).take(count).map(move |it| &mut it[..bytes])
    }

    /// Bytes of all of them.
    pub(crate) const fn total(&self) -> u64 {
        (self.count * self.bytes) as u64
    }
}

/// From one buffer to the next.
const fn stride(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE) + LINE
}

impl Clone for Buffers {
    fn clone(&self) -> Self {
        let mut buffers = Self::new(self.count, self.bytes);
        for (to, from) in buffers.iter_mut().zip(self.iter()) {
            to.copy_from_slice(from);
        }
        buffers
    }
}
