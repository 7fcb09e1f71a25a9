//! Several independent messages per system call.
//!
//! Each lane is a socket that computes with the same key. A batch sends to every lane and receives from
//! it by one io_uring_enter; where the driver works on a device, by threads of the kernel's, so that the
//! device has all of them at once. Without io_uring (Linux before 5.6, `kernel.io_uring_disabled`, a
//! container) one message goes after another.
//!
//! io_submit, which was made for this, is not used: Linux 7.2 has it no more for sockets, and before that
//! all requests of a socket shared one IV.

mod ring;

use std::os::fd::AsRawFd;
use std::{fmt, io, ptr, slice};

use wirespeed_cipher::{Direction, InOut};
use wirespeed_fork::Area;

use crate::cipher::{check, overlap};
use crate::drivers::{self, Driver, Modules};
use crate::held::Purpose;
use crate::iv::{following, within};
use crate::presence::area;
use crate::transform::Kind;
use crate::wire::{self, Control, Refusal, Step};
use crate::{Cipher, Error, Permission, Transform};
use ring::{Completion, Entry, Ring};

/// One message of a batch.
pub struct Request<'a> {
    /// Encrypt or decrypt.
    pub direction: Direction,
    /// The IV, which moves on.
    pub iv: &'a mut [u8],
    /// The data, of at most [`Cipher::REQUEST`] bytes.
    pub data: InOut<'a>,
    /// Whether it was done; otherwise nothing of it has changed.
    pub done: bool,
}

/// How a batch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// One message after another.
    OneByOne,
    /// By io_uring, in this thread.
    Ring,
    /// By io_uring, in threads of the kernel's: the driver works on a device.
    Threads,
}

impl fmt::Display for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OneByOne => "one by one",
            Self::Ring => "io_uring",
            Self::Threads => "io_uring, in threads of the kernel's",
        })
    }
}

/// A keyed cipher of the kernel's for several messages at once.
#[derive(Debug)]
pub struct Batch {
    purpose: Purpose,
    lanes: Vec<Lane>,
    ring: Option<Ring>,
    /// Whether there is to be a ring: not where the kernel has none for us.
    wants_ring: bool,
    /// The most bytes of a message for the ring.
    longest: usize,
    is_device: bool,
    /// For messages that the ring does not take.
    cipher: Cipher,
    /// System calls of rings that are gone.
    calls: u64,
}

/// What one message in flight needs.
#[derive(Debug)]
struct Lane {
    area: Area,
    control: Control,
    part: libc::iovec,
    message: libc::msghdr,
    output: *mut u8,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing is under way.
    Idle,
    /// Both calls, or one of them, are still to be answered.
    Waiting,
    Done,
    Failed(i32),
}

// SAFETY: its pointers are used while a batch runs, and set anew by the next.
unsafe impl Send for Lane {}
// SAFETY: as above; nothing is reached through a shared reference.
unsafe impl Sync for Lane {}

impl Batch {
    /// Opens `lanes` sockets for the generic name, or for the driver of that name, with the key.
    ///
    /// # Panics
    /// If the transform is no cipher, or there are no lanes.
    pub fn open(
        transform: &'static Transform,
        driver: Option<&str>,
        key: &[u8],
        lanes: usize,
        permission: Permission,
    ) -> Result<Self, Error> {
        assert_ne!(lanes, 0, "no lanes");
        let cipher = Cipher::open(transform, driver, key, permission)?;
        let Kind::Cipher { iv_bytes, .. } = transform.kind else { unreachable!("it was opened") };
        let lane = |_| Lane::new(iv_bytes);
        let mut batch = Self {
            purpose: Purpose::new(transform, driver, key, permission),
            lanes: (0..lanes).map(lane).collect::<Result<_, _>>()?,
            ring: None,
            wants_ring: true,
            longest: 0,
            is_device: is_device(transform, driver),
            cipher,
            calls: 0,
        };
        batch.connect()?;
        Ok(batch)
    }

    /// How it runs.
    pub const fn submission(&self) -> Submission {
        match (self.wants_ring, self.is_device) {
            (false, _) => Submission::OneByOne,
            (true, false) => Submission::Ring,
            (true, true) => Submission::Threads,
        }
    }

    /// How many messages can be under way at once.
    pub const fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// How many system calls its messages took so far; opening is not counted.
    pub fn system_calls(&self) -> u64 {
        self.calls + self.ring.as_ref().map_or(0, |ring| ring.calls) + self.cipher.system_calls()
    }

    /// Runs all of them, in any order. On an error those that were not done have not changed.
    ///
    /// # Panics
    /// If a message does not fit the transform, as for [`Cipher::crypt`].
    pub fn crypt(&mut self, requests: &mut [Request<'_>]) -> Result<(), Error> {
        for request in &mut *requests {
            check(self.purpose.transform, request.iv, &request.data);
            request.done = false;
        }
        self.connect()?;
        for group in requests.chunks_mut(self.lanes.len()) {
            self.run(group)?;
            for request in group.iter_mut().filter(|request| !request.done) {
                let data = request.data.reborrow();
                self.cipher.crypt(request.direction, request.iv, data)?;
                request.done = true;
            }
        }
        Ok(())
    }

    /// Makes the ring where there is to be one and is none that this process may use.
    fn connect(&mut self) -> Result<(), Error> {
        if !self.lanes[0].area.is_ours() {
            self.disconnect();
            self.lanes.iter_mut().for_each(|lane| lane.area.claim());
        }
        if self.ring.is_some() || !self.wants_ring {
            return Ok(());
        }
        let count = self.lanes.len();
        let (sockets, capacity) = self.purpose.with_bound(|bound| {
            let accept = |_| wire::accept(bound.as_raw_fd());
            let sockets = (0..count).map(accept).collect::<Result<Vec<_>, _>>()?;
            let capacity = wire::capacity(sockets[0].as_raw_fd())
                .map_err(|error| Refusal { step: Step::Accept, error })?;
            Ok((sockets, capacity))
        })?;
        self.longest = capacity.min(Cipher::REQUEST);
        self.ring = Ring::new(&sockets).ok();
        self.wants_ring = self.ring.is_some();
        Ok(())
    }

    fn disconnect(&mut self) {
        self.calls += self.ring.take().map_or(0, |ring| ring.calls);
    }

    /// One message for each lane, as far as the ring takes them.
    fn run(&mut self, group: &mut [Request<'_>]) -> Result<(), Error> {
        let Some(ring) = &mut self.ring else { return Ok(()) };
        let transform = self.purpose.transform;
        for (number, (lane, request)) in self.lanes.iter_mut().zip(&mut *group).enumerate() {
            lane.outcome = Outcome::Idle;
            let longest = self.longest.min(within(transform.chain, request.iv));
            if (1..=longest).contains(&request.data.len()) {
                lane.prepare(request);
                let bytes = lane.part.iov_len;
                ring.queue(Entry::send(number, &raw const lane.message, 2 * number as u64));
                let mark = 2 * number as u64 + 1;
                ring.queue(Entry::receive(number, lane.output, bytes, self.is_device, mark));
            }
        }
        let lanes = &mut self.lanes;
        // SAFETY: messages and areas are the lanes', data are the requests', and none moves before the end.
        let ran = unsafe {
            ring.run(|completion| lanes[(completion.mark / 2) as usize].take(completion))
        };
        let mut failed = ran.err();
        for (lane, request) in self.lanes.iter_mut().zip(&mut *group) {
            match lane.outcome {
                Outcome::Idle | Outcome::Waiting => {}
                Outcome::Done => {
                    lane.finish(transform, request);
                    request.done = true;
                }
                Outcome::Failed(number) => {
                    failed.get_or_insert(io::Error::from_raw_os_error(number));
                }
            }
        }
        failed.map_or(Ok(()), |error| {
            // What a socket was told may still be in it.
            self.disconnect();
            Err(Error::of_operation(error))
        })
    }
}

impl Lane {
    fn new(iv_bytes: usize) -> Result<Self, Error> {
        Ok(Self {
            area: area(Cipher::REQUEST)?,
            control: Control::new(iv_bytes, false),
            part: libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 },
            // SAFETY: a message header of zeros has neither address nor data.
            message: unsafe { std::mem::zeroed() },
            output: ptr::null_mut(),
            outcome: Outcome::Idle,
        })
    }

    /// Points everything at the request.
    fn prepare(&mut self, request: &Request<'_>) {
        let data = &request.data;
        self.control.set(request.direction, request.iv);
        self.part = libc::iovec { iov_base: data.source().cast_mut().cast(), iov_len: data.len() };
        self.output = if overlap(data) {
            self.area.bytes(data.len()).as_mut_ptr()
        } else {
            data.destination()
        };
        let control = self.control.as_slice();
        self.message.msg_iov = &raw mut self.part;
        self.message.msg_iovlen = 1;
        self.message.msg_control = control.as_ptr().cast_mut().cast();
        self.message.msg_controllen = control.len() as _;
        self.outcome = Outcome::Waiting;
    }

    /// One of both calls was answered: the first failure counts, and success is the last one's.
    fn take(&mut self, completion: Completion) {
        let is_last = completion.mark % 2 == 1;
        let whole = usize::try_from(completion.result) == Ok(self.part.iov_len);
        self.outcome = match self.outcome {
            Outcome::Failed(number) if number != libc::ECANCELED => Outcome::Failed(number),
            _ if completion.result < 0 => Outcome::Failed(-completion.result),
            _ if !whole => Outcome::Failed(libc::EIO),
            Outcome::Waiting if is_last => Outcome::Done,
            other => other,
        };
    }

    /// Takes over what was computed.
    fn finish(&mut self, transform: &Transform, request: &mut Request<'_>) {
        let length = request.data.len();
        // SAFETY: the source and the output are as long as the data, and were not written to since.
        let (input, output) = unsafe {
            (
                slice::from_raw_parts(request.data.source(), length),
                slice::from_raw_parts(self.output, length),
            )
        };
        following(transform.chain, request.direction, request.iv, input, output);
        if overlap(&request.data) {
            request.data.overwrite(self.area.bytes(length));
        }
    }
}

/// Whether the driver that was named, or the one that serves, works on a device, which takes its time.
fn is_device(transform: &Transform, driver: Option<&str>) -> bool {
    let is_meant = |it: &Driver| match driver {
        Some(driver) => it.driver == driver,
        None => it.serves && it.algorithm == transform.kernel && it.kind == "skcipher",
    };
    let Ok(all) = drivers::of_proc() else { return false };
    let modules = Modules::of_this_kernel().unwrap_or_default();
    all.iter().any(|it| is_meant(it) && it.is_device(&modules))
}
