//! Memory as a disk: as much of it for each worker as stays in a CPU's first-level cache, so that the cipher is
//! measured and not the memory.

use std::io;

use super::{Lane, Pages, Store};

/// The store `memory`.
pub struct Memory;

impl Memory {
    /// With its plain text what the first-level caches of the last fifteen years hold. To the second level AES-128-XTS
    /// on 512-bit vectors would write a thirtieth slower.
    const BYTES: usize = 16 << 10;
    /// A large request of dm-crypt's.
    const CHUNK: usize = 16 << 10;
}

impl Store for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn chunk_bytes(&self) -> usize {
        Self::CHUNK
    }

    fn bytes(&self, workers: usize) -> u64 {
        (workers * Self::BYTES) as u64
    }

    fn lane(&self, _first: u64, bytes: u64) -> io::Result<Box<dyn Lane>> {
        let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
        Ok(Box::new(Region { pages: Pages::new(bytes), bytes }))
    }
}

struct Region {
    pages: Pages,
    bytes: usize,
}

impl Region {
    fn part(&mut self, offset: u64, length: usize) -> io::Result<&mut [u8]> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        self.pages
            .first(self.bytes)
            .get_mut(start..start + length)
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl Lane for Region {
    fn write(
        &mut self,
        offset: u64,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> io::Result<()> {
        fill(self.part(offset, length)?);
        Ok(())
    }

    fn read(&mut self, offset: u64, length: usize, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        take(self.part(offset, length)?);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}
