//! io_uring: many system calls in one (io_uring_setup(2), io_uring_enter(2), io_uring_register(2)).
//!
//! What is used is in Linux 5.6: linked entries, registered files, SENDMSG and RECV. The sockets are
//! registered and their descriptors closed, so the ring alone has them, and nobody can close one or put
//! something else in its place.

use std::ffi::{c_int, c_long};
use std::fs::File;
use std::io;
use std::mem::{ManuallyDrop, size_of};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

/// `struct io_sqring_offsets` and `struct io_cqring_offsets`, of ten words each.
#[repr(C)]
#[derive(Default)]
struct SubmissionOffsets {
    head: u32,
    tail: u32,
    ring_mask: u32,
    ring_entries: u32,
    flags: u32,
    dropped: u32,
    array: u32,
    reserved: [u32; 3],
}

#[repr(C)]
#[derive(Default)]
struct CompletionOffsets {
    head: u32,
    tail: u32,
    ring_mask: u32,
    ring_entries: u32,
    overflow: u32,
    entries: u32,
    reserved: [u32; 4],
}

/// `struct io_uring_params`.
#[repr(C)]
#[derive(Default)]
struct Parameters {
    submissions: u32,
    completions: u32,
    flags: u32,
    thread_cpu: u32,
    thread_idle: u32,
    features: u32,
    work_queue: u32,
    reserved: [u32; 3],
    submission: SubmissionOffsets,
    completion: CompletionOffsets,
}

/// `struct io_uring_sqe`, as far as it is used.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    operation: u8,
    flags: u8,
    priority: u16,
    file: i32,
    offset: u64,
    address: u64,
    length: u32,
    message_flags: u32,
    user_data: u64,
    rest: [u64; 3],
}

/// `struct io_uring_cqe`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Completion {
    /// What the entry was marked with.
    pub(super) mark: u64,
    /// Bytes, or a negative error number.
    pub(super) result: i32,
    flags: u32,
}

const SENDMSG: u8 = 9;
const RECEIVE: u8 = 27;
const FIXED_FILE: u8 = 1;
const LINK: u8 = 4;
const ASYNC: u8 = 16;
const SINGLE_MAPPING: u32 = 1;
const GET_EVENTS: c_long = 1;
const REGISTER_FILES: c_long = 2;
const SUBMISSION_RING: libc::off_t = 0;
const ENTRIES: libc::off_t = 0x1000_0000;

impl Entry {
    /// Sends a message; the next entry follows only if that succeeds.
    pub(super) fn send(file: usize, message: *const libc::msghdr, mark: u64) -> Self {
        Self {
            operation: SENDMSG,
            flags: FIXED_FILE | LINK,
            file: file as i32,
            address: message.addr() as u64,
            length: 1,
            message_flags: (libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) as u32,
            user_data: mark,
            ..Self::default()
        }
    }

    /// Receives; in a thread of the kernel's, if it may take its time.
    pub(super) fn receive(file: usize, to: *mut u8, bytes: usize, waits: bool, mark: u64) -> Self {
        Self {
            operation: RECEIVE,
            flags: FIXED_FILE | if waits { ASYNC } else { 0 },
            file: file as i32,
            address: to.addr() as u64,
            length: bytes as u32,
            message_flags: libc::MSG_DONTWAIT as u32,
            user_data: mark,
            ..Self::default()
        }
    }
}

/// A mapping of the ring's memory.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

impl Mapping {
    fn new(ring: &OwnedFd, length: usize, offset: libc::off_t) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        let fd = ring.as_raw_fd();
        // SAFETY: a new mapping, wherever the kernel likes.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, fd, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start: NonNull::new(start.cast()).expect("nothing is mapped at zero"), length })
    }

    /// What lies at an offset that the kernel has told.
    fn at<T>(&self, offset: u32) -> *mut T {
        let offset = offset as usize;
        assert!(
            offset + size_of::<T>() <= self.length,
            "the kernel's offset is inside its mapping"
        );
        // SAFETY: it was just seen to be inside.
        unsafe { self.start.as_ptr().add(offset).cast() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

/// A ring and the sockets that it alone has.
#[derive(Debug)]
pub(super) struct Ring {
    descriptor: ManuallyDrop<OwnedFd>,
    identity: [u64; 2],
    rings: Mapping,
    entries: Mapping,
    offsets: Offsets,
    /// The tail, once the entries that were queued are run.
    next: u32,
    /// System calls so far.
    pub(super) calls: u64,
}

#[derive(Debug)]
struct Offsets {
    tail: u32,
    mask: u32,
    array: u32,
    completed_head: u32,
    completed_tail: u32,
    completed_mask: u32,
    completions: u32,
}

// SAFETY: its memory is shared with the kernel only, and used through `&mut` only.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    /// With two entries for each socket.
    pub(super) fn new(sockets: &[OwnedFd]) -> io::Result<Self> {
        let mut parameters = Parameters::default();
        let count = 2 * sockets.len() as c_long;
        // SAFETY: the parameters are as large as the kernel expects, and writable.
        let fd = unsafe {
            libc::syscall(libc::SYS_io_uring_setup, count, (&raw mut parameters).cast::<u8>())
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made it (close-on-exec), and nobody else knows of it.
        let ring = unsafe { OwnedFd::from_raw_fd(fd as c_int) };
        if parameters.features & SINGLE_MAPPING == 0 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let files: Vec<c_int> = sockets.iter().map(AsRawFd::as_raw_fd).collect();
        let (operation, number) = (REGISTER_FILES, files.len() as c_long);
        // SAFETY: as many descriptors as are told.
        let registered = unsafe {
            let ring = c_long::from(ring.as_raw_fd());
            libc::syscall(libc::SYS_io_uring_register, ring, operation, files.as_ptr(), number)
        };
        if registered < 0 {
            return Err(io::Error::last_os_error());
        }
        let (submission, completion) = (&parameters.submission, &parameters.completion);
        let submissions = submission.array as usize + 4 * parameters.submissions as usize;
        let completions =
            completion.entries as usize + size_of::<Completion>() * parameters.completions as usize;
        let rings = Mapping::new(&ring, submissions.max(completions), SUBMISSION_RING)?;
        let length = size_of::<Entry>() * parameters.submissions as usize;
        let entries = Mapping::new(&ring, length, ENTRIES)?;
        let word = |offset| {
            // SAFETY: a word that the kernel has written before the ring was mapped.
            unsafe { rings.at::<u32>(offset).read() }
        };
        let offsets = Offsets {
            tail: submission.tail,
            mask: word(submission.ring_mask),
            array: submission.array,
            completed_head: completion.head,
            completed_tail: completion.tail,
            completed_mask: word(completion.ring_mask),
            completions: completion.entries,
        };
        let identity = identity(&ring)?;
        let descriptor = ManuallyDrop::new(ring);
        Ok(Self { descriptor, identity, rings, entries, offsets, next: 0, calls: 0 })
    }

    /// Whether nobody has closed the ring or put something else in its place.
    fn is_ours(&self) -> bool {
        identity(&self.descriptor).is_ok_and(|identity| identity == self.identity)
    }

    /// Adds an entry to the next run, of which there are two for each socket.
    pub(super) fn queue(&mut self, entry: Entry) {
        let place = self.next & self.offsets.mask;
        // SAFETY: the mask keeps it within the entries, which are free: all of the last run are completed.
        unsafe {
            self.entries.at::<Entry>(place * size_of::<Entry>() as u32).write(entry);
            self.rings.at::<u32>(self.offsets.array + 4 * place).write(place);
        }
        self.next = self.next.wrapping_add(1);
    }

    /// Runs the entries and gives each completion to `completed`.
    ///
    /// # Safety
    /// Everything that the entries point to must stay valid until this returns.
    pub(super) unsafe fn run(&mut self, mut completed: impl FnMut(Completion)) -> io::Result<()> {
        let tail = self.atomic(self.offsets.tail);
        let mut count = self.next.wrapping_sub(tail.load(Ordering::Relaxed));
        if count == 0 {
            return Ok(());
        }
        tail.store(self.next, Ordering::Release);
        self.calls += 1;
        if !self.is_ours() {
            return Err(io::Error::from_raw_os_error(libc::EBUSY));
        }
        let (mut submitted, mut done, mut ended) = (0, 0, Ok(()));
        while done < count {
            self.calls += 1;
            match self.enter(count - submitted, count - done) {
                Ok(taken) => submitted += taken,
                Err(error) => {
                    if !is_passing(&error) {
                        // What was taken points to memory that cannot be given back yet; more is not.
                        (count, ended) = (submitted, Err(error));
                    }
                    std::thread::yield_now();
                }
            }
            done += self.reap(&mut completed);
        }
        ended
    }

    fn enter(&self, submit: u32, wait: u32) -> io::Result<u32> {
        let ring = c_long::from(self.descriptor.as_raw_fd());
        let (submit, wait) = (submit as c_long, wait as c_long);
        let (flags, none) = (GET_EVENTS, ptr::null::<u8>());
        // SAFETY: the caller of `run` vouches for what the entries point to; there is no signal mask.
        let taken = unsafe {
            libc::syscall(libc::SYS_io_uring_enter, ring, submit, wait, flags, none, 0_usize)
        };
        u32::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    fn reap(&self, completed: &mut impl FnMut(Completion)) -> u32 {
        let head = self.atomic(self.offsets.completed_head);
        let tail = self.atomic(self.offsets.completed_tail).load(Ordering::Acquire);
        let first = head.load(Ordering::Relaxed);
        let mut next = first;
        while next != tail {
            let place = next & self.offsets.completed_mask;
            let offset = self.offsets.completions + place * size_of::<Completion>() as u32;
            // SAFETY: the mask keeps it within the completions, and the kernel has written this one.
            completed(unsafe { self.rings.at::<Completion>(offset).read() });
            next = next.wrapping_add(1);
        }
        head.store(next, Ordering::Release);
        next.wrapping_sub(first)
    }

    fn atomic(&self, offset: u32) -> &AtomicU32 {
        // SAFETY: an aligned word of the mapping, shared with the kernel, which treats it as atomic.
        unsafe { AtomicU32::from_ptr(self.rings.at(offset)) }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.is_ours() {
            // SAFETY: it is dropped once, here; otherwise it is somebody else's and stays open.
            unsafe { ManuallyDrop::drop(&mut self.descriptor) };
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY))
}

/// Device and inode. Rings have an inode of their own since Linux 5.12; before, one for all of its kind.
fn identity(descriptor: &OwnedFd) -> io::Result<[u64; 2]> {
    // SAFETY: the descriptor is open, and nobody closes it here.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor.as_raw_fd()) });
    let status = file.metadata()?;
    Ok([status.dev(), status.ino()])
}
