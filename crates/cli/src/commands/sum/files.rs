//! Many files hashed by lanes and threads; what came of them in the order in which they were asked for.
//!
//! Files are read in pieces, never mapped: one that shrinks meanwhile ends earlier and nothing more. No more
//! is in memory than a piece for each lane and the names of the files that are waiting.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::sync::{Mutex, TryLockError};
use std::thread::{self, Scope};
use std::time::Duration;

use indicatif::ProgressBar;
use rustix::fs::{Advice, fadvise};
use rustix::process::{Resource, getrlimit};
use wirespeed_batch::{Batch, Hash, Lanes, Piece};

use super::Output;
use crate::fault::Fault;

/// Bytes that a file gives at once: those of all lanes together fit the second-level cache.
const PIECE: usize = 64 << 10;

/// Entries that may wait for the first of them.
const WAITING: usize = 1 << 14;

/// How files are hashed.
pub(super) struct Hashing {
    pub(super) lanes: Lanes,
    pub(super) threads: usize,
    /// Counts bytes.
    pub(super) progress: ProgressBar,
}

/// What came of a file.
pub(super) enum Outcome {
    Hash(Hash),
    Unreadable(io::Error),
}

/// The one who takes the results is gone.
pub(super) struct Stopped;

/// A file to hash, and where its outcome goes.
struct Task {
    name: Vec<u8>,
    answer: Sender<Outcome>,
}

/// An entry, with the outcome of its file if it has one.
type Ticket<T> = (T, Option<Receiver<Outcome>>);

/// Hashes the files that `feed` names, and gives `take` all its entries in their order.
pub(super) fn hash_files<T: Send>(
    hashing: Hashing,
    output: &mut Output,
    feed: impl FnOnce(&mut Feeder<'_, '_, T>) -> Result<(), Stopped> + Send,
    mut take: impl FnMut(&mut Output, T, Option<Outcome>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (tickets, results) = mpsc::sync_channel::<Ticket<T>>(WAITING);
    let (tasks, queue) = mpsc::sync_channel(hashing.most_files());
    let pool = Pool { hashing, queue: Mutex::new(queue), stop: AtomicBool::new(false) };
    thread::scope(|scope| {
        let pool = &pool;
        scope.spawn(move || {
            let early = Some(Vec::new());
            let mut feeder = Feeder { scope, pool, tickets, tasks, early };
            // Whoever stopped it knows why.
            let _ = feed(&mut feeder).and_then(|()| feeder.start());
        });
        let taken = each(&results, output, &mut take);
        pool.stop.store(true, Ordering::Relaxed);
        drop(results);
        taken
    })
}

/// Takes all entries in turn.
fn each<T>(
    results: &Receiver<Ticket<T>>,
    output: &mut Output,
    take: &mut impl FnMut(&mut Output, T, Option<Outcome>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    while let Some((entry, outcome)) = wait(results, output)? {
        let outcome = match outcome {
            Some(outcome) => wait(&outcome, output)?,
            None => None,
        };
        take(output, entry, outcome)?;
    }
    Ok(())
}

/// The next of a channel. While there is none, what was written before is shown.
fn wait<T>(channel: &Receiver<T>, output: &mut Output) -> Result<Option<T>, Fault> {
    if let Ok(next) = channel.try_recv() {
        return Ok(Some(next));
    }
    output.flush()?;
    loop {
        output.look_at_the_clock();
        match channel.recv_timeout(Duration::from_millis(250)) {
            Ok(next) => return Ok(Some(next)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Where entries and files come in.
pub(super) struct Feeder<'scope, 'env, T> {
    scope: &'scope Scope<'scope, 'env>,
    pool: &'env Pool,
    tickets: SyncSender<Ticket<T>>,
    tasks: SyncSender<Task>,
    /// The first files, until it is known whether there are enough for every lane of every thread.
    early: Option<Vec<Task>>,
}

impl<T> Feeder<'_, '_, T> {
    /// An entry without a file.
    pub(super) fn plain(&mut self, entry: T) -> Result<(), Stopped> {
        self.queue_up((entry, None))
    }

    /// An entry with a file; `-` is standard input, which is read here and now, so that the next one finds
    /// it at its end.
    pub(super) fn file(&mut self, entry: T, name: &[u8]) -> Result<(), Stopped> {
        let (answer, outcome) = mpsc::channel();
        self.queue_up((entry, Some(outcome)))?;
        if name == b"-" {
            let outcome = self.pool.hash_standard_input().unwrap_or_else(Outcome::Unreadable);
            // Nobody listens any more if this fails.
            let _ = answer.send(outcome);
            return Ok(());
        }
        let task = Task { name: name.to_vec(), answer };
        match &mut self.early {
            None => return self.tasks.send(task).map_err(|_| Stopped),
            Some(early) => early.push(task),
        }
        let enough = self.pool.hashing.most_files();
        if self.early.as_ref().is_some_and(|early| early.len() >= enough) {
            return self.start();
        }
        Ok(())
    }

    /// Waits for room among the entries. The first of them may wait for an early file, which then waits no longer.
    fn queue_up(&mut self, ticket: Ticket<T>) -> Result<(), Stopped> {
        let ticket = match self.tickets.try_send(ticket) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(_)) => return Err(Stopped),
            Err(TrySendError::Full(ticket)) => ticket,
        };
        self.start()?;
        self.tickets.send(ticket).map_err(|_| Stopped)
    }

    /// Starts the threads, each with its share of the files that are there; none as long as there is no file.
    fn start(&mut self) -> Result<(), Stopped> {
        let Some(early) = self.early.take_if(|early| !early.is_empty()) else { return Ok(()) };
        let threads = self.pool.hashing.threads.min(early.len());
        let pool = self.pool;
        for _ in 0..threads {
            let share = early.len().div_ceil(threads).min(pool.hashing.lanes_each());
            self.scope.spawn(move || pool.work(share));
        }
        early.into_iter().try_for_each(|task| self.tasks.send(task).map_err(|_| Stopped))
    }
}

impl Hashing {
    /// Files that a thread has open at once: one for each lane, as far as the process may open so many.
    fn lanes_each(&self) -> usize {
        let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        // Some are open for other things.
        let allowed = usize::try_from(allowed / 2).unwrap_or(usize::MAX);
        self.lanes.width().min((allowed / self.threads).max(1))
    }

    /// Files that all threads have open at once.
    fn most_files(&self) -> usize {
        self.threads * self.lanes_each()
    }
}

/// What the threads share.
struct Pool {
    hashing: Hashing,
    queue: Mutex<Receiver<Task>>,
    /// Nobody wants the results any more.
    stop: AtomicBool,
}

/// A lane's bytes, a line apart from the next one's: what lies at like places of pages shares few places of the first cache.
#[derive(Clone)]
#[repr(C, align(64))]
struct Buffer {
    bytes: [u8; PIECE],
    apart: [u8; 64],
}

/// A file in a lane.
struct Open {
    file: File,
    answer: Sender<Outcome>,
}

impl Pool {
    /// Hashes files until there are none.
    fn work(&self, lanes: usize) {
        let mut batch = Batch::new(self.hashing.lanes, lanes);
        let mut buffers = vec![Buffer { bytes: [0; PIECE], apart: [0; 64] }; lanes];
        let mut files: Vec<Option<Open>> = (0..lanes).map(|_| None).collect();
        while !self.stop.load(Ordering::Relaxed) {
            self.refill(&mut files);
            if files.iter().all(Option::is_none) {
                return;
            }
            let read = files.iter_mut().zip(&mut buffers);
            let pieces: Vec<_> =
                read.map(|(file, buffer)| next_piece(file, &mut buffer.bytes)).collect();
            let bytes = pieces.iter().map(|(Piece::More(data) | Piece::Last(data), _)| data.len());
            self.hashing.progress.inc(bytes.sum::<usize>() as u64);
            for (lane, (_, failed)) in pieces.iter().enumerate() {
                if *failed {
                    batch.reset(lane);
                }
            }
            let pieces: Vec<_> = pieces.into_iter().map(|(piece, _)| piece).collect();
            batch.feed(&pieces, |lane, hash| {
                if let Some(file) = files[lane].take() {
                    // Nobody listens any more if this fails.
                    let _ = file.answer.send(Outcome::Hash(hash));
                }
            });
        }
        // The feeder may be waiting for room here; with it, it sees that nobody wants more.
        while self.task(true).is_some() {}
    }

    /// Gives every empty lane a file, as long as there are any; waits for one only if all lanes are empty.
    fn refill(&self, files: &mut [Option<Open>]) {
        for lane in 0..files.len() {
            while files[lane].is_none() {
                let idle = files.iter().all(Option::is_none);
                let Some(Task { name, answer }) = self.task(idle) else { return };
                match open(&name) {
                    Ok(file) => files[lane] = Some(Open { file, answer }),
                    // Nobody listens any more if this fails.
                    Err(error) => _ = answer.send(Outcome::Unreadable(error)),
                }
            }
        }
    }

    fn task(&self, may_wait: bool) -> Option<Task> {
        if may_wait {
            return self.queue.lock().ok()?.recv().ok();
        }
        // Who holds the lock for long is waiting for a task: there is none.
        match self.queue.try_lock() {
            Ok(queue) => queue.try_recv().ok(),
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => None,
        }
    }

    fn hash_standard_input(&self) -> io::Result<Outcome> {
        let mut batch = Batch::new(self.hashing.lanes, 1);
        let mut buffer = [0; PIECE];
        let mut file = standard_input()?;
        loop {
            let bytes = fill(&mut file, &mut buffer)?;
            self.hashing.progress.inc(bytes as u64);
            let mut hash = None;
            let piece = &buffer[..bytes];
            let piece = if bytes < PIECE { Piece::Last(piece) } else { Piece::More(piece) };
            batch.feed(&[piece], |_, it| hash = Some(it));
            if let Some(hash) = hash {
                return Ok(Outcome::Hash(hash));
            }
        }
    }
}

/// What a lane gets next, and whether its file failed, which then is told and gone.
fn next_piece<'a>(lane: &mut Option<Open>, buffer: &'a mut [u8; PIECE]) -> (Piece<'a>, bool) {
    let Some(open) = lane else { return (Piece::More(&[]), false) };
    match fill(&mut open.file, buffer) {
        Ok(PIECE) => (Piece::More(buffer), false),
        Ok(bytes) => (Piece::Last(&buffer[..bytes]), false),
        Err(error) => {
            // Nobody listens any more if this fails.
            let _ = open.answer.send(Outcome::Unreadable(error));
            *lane = None;
            (Piece::More(&[]), true)
        }
    }
}

/// Reads until the buffer is full or the file is at its end.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Opens a file that will be read from its beginning to its end.
pub(super) fn open(name: &[u8]) -> io::Result<File> {
    let file = File::open(OsStr::from_bytes(name))?;
    // Advice to read ahead; what is no file takes none.
    let _ = fadvise(&file, 0, None, Advice::Sequential);
    Ok(file)
}

/// Standard input without a buffer that would keep bytes from the next reader.
pub(super) fn standard_input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}
