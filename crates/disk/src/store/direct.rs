//! A file or a device, past the page cache (O_DIRECT), so that the storage is measured and not the memory.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FallocateFlags, OFlags, fallocate, fcntl_setfl, statvfs};
use rustix::io::Errno;
use tempfile::tempfile_in;

use super::{Lane, Store};

/// A file, or a device, of which the first `bytes` are ours.
pub struct Direct {
    file: File,
    bytes: u64,
    name: &'static str,
}

impl Direct {
    /// As dd of the article would: large enough that the number of calls does not matter.
    const CHUNK: usize = 1 << 20;

    /// A device, for this test to write to.
    pub fn device(path: &Path, bytes: u64) -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlags::DIRECT.bits() as i32)
            .open(path)?;
        Ok(Self { file, bytes, name: "dm-crypt" })
    }
}

/// A file without a name, which is gone as soon as this process is, however it ends.
pub struct Temporary {
    /// The store.
    pub store: Direct,
    /// Whether the file system goes past its page cache for us.
    pub is_direct: bool,
}

impl Temporary {
    /// Makes the file in a directory, with all its room, so that a full disk shows now.
    pub fn create(directory: &Path, bytes: u64) -> io::Result<Self> {
        let room = statvfs(directory)?;
        if room.f_bavail.saturating_mul(room.f_frsize) < bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        // Overlays before Linux 6.4, NFS and FAT have no files without names: there it loses its name at once.
        let file = tempfile_in(directory)?;
        match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
            // NFS before 4.2 and overlays upon it take room as they are written to.
            Err(Errno::OPNOTSUPP) => file.set_len(bytes)?,
            done => done?,
        }
        // Some file systems have no way past their cache, and an overlay upon one says so only when it is used: tmpfs
        // before Linux 6.6, among others.
        let is_direct = fcntl_setfl(&file, OFlags::DIRECT).is_ok()
            && file.read_at(Pages::new(Pages::BORDER).first(Pages::BORDER), 0).is_ok();
        if !is_direct {
            fcntl_setfl(&file, OFlags::empty())?;
        }
        Ok(Self { store: Direct { file, bytes, name: "file" }, is_direct })
    }
}

impl Store for Direct {
    fn name(&self) -> &'static str {
        self.name
    }

    fn chunk_bytes(&self) -> usize {
        Self::CHUNK
    }

    fn bytes(&self, _workers: usize) -> u64 {
        self.bytes
    }

    fn lane(&self, first: u64, _bytes: u64) -> io::Result<Box<dyn Lane>> {
        Ok(Box::new(Stretch {
            file: self.file.try_clone()?,
            first,
            buffer: Pages::new(Self::CHUNK),
        }))
    }
}

struct Stretch {
    file: File,
    first: u64,
    buffer: Pages,
}

impl Lane for Stretch {
    fn write(
        &mut self,
        offset: u64,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> io::Result<()> {
        let buffer = self.buffer.first(length);
        fill(buffer);
        self.file.write_all_at(buffer, self.first + offset)
    }

    fn read(&mut self, offset: u64, length: usize, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let buffer = self.buffer.first(length);
        self.file.read_exact_at(buffer, self.first + offset)?;
        take(buffer);
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Bytes from a page's border on: O_DIRECT takes no others.
pub(crate) struct Pages {
    bytes: Vec<u8>,
    start: usize,
}

impl Pages {
    const BORDER: usize = 4096;

    pub(crate) fn new(length: usize) -> Self {
        let bytes = vec![0; length + Self::BORDER];
        // Counted here rather than by `align_offset`, which may decline to answer.
        let start = (bytes.as_ptr() as usize).wrapping_neg() % Self::BORDER;
        Self { bytes, start }
    }

    /// The first `length` of them.
    pub(crate) fn first(&mut self, length: usize) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_at_a_border() {
        for length in [1, 4096, 1 << 20] {
            let mut pages = Pages::new(length);
            assert_eq!(pages.first(length).as_ptr() as usize % 4096, 0);
        }
    }

    #[test]
    fn a_temporary_file_has_no_name() {
        let directory = std::env::temp_dir();
        let names = || std::fs::read_dir(&directory).expect("a directory").count();
        let before = names();
        let temporary = Temporary::create(&directory, 2 << 20).expect("2 MiB");
        let mut lane = temporary.store.lane(1 << 20, 1 << 20).expect("a lane");
        lane.write(4096, 8192, &mut |bytes| bytes.fill(7)).expect("written");
        lane.finish().expect("on its way");
        lane.read(8192, 4096, &mut |bytes| assert_eq!(bytes, [7; 4096])).expect("read");
        lane.read(0, 4096, &mut |bytes| assert_eq!(bytes, [0; 4096])).expect("read");
        assert!(names() <= before + 1, "other tests may be at work, this one left nothing");
    }

    #[test]
    fn a_full_disk_shows_at_once() {
        let error = Temporary::create(&std::env::temp_dir(), 1 << 60).err().expect("no such room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
