//! The counters that a loaded module keeps when it is told `stats = FILE`: what ran, and by which route.
//!
//! The file is one array of native 64-bit words: a header of [`HEADER_WORDS`] words (which version of Wirespeed
//! wrote it, how many processes loaded the module, which routes were quarantined), then calls and bytes for every
//! (subject, direction, route). Processes count in memory that they share ([`Counters`]); it goes to the file when the
//! next one begins to count, or when somebody reads. The file is read by `wirespeed stats`, `wirespeed doctor` and the
//! tests of the same version; a file of another version is not interpreted. The next module that counts there makes it anew.
//!
//! A folder instead of a file holds one file for each user.

mod counters;
mod file;
mod memory;
mod slots;
mod tally;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use wirespeed_cipher::{Direction, Route, Subject};

use counters::file_of;
pub use counters::{Counters, FILE_OF};
use file::{BEGUN, Identity, Lock, bytes_of, is_of_another_version, open_to_read, other};
use memory::Memory;
pub use tally::Tally;

/// The first bytes of the file: it counts for exactly this version.
pub const MAGIC: &[u8] = concat!("wirespeed stats ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

/// Words before the counters.
pub const HEADER_WORDS: usize = 8;
/// Processes that loaded the module.
pub const LOADS: usize = 4;
/// Quarantined routes, as bits: [`Route::of_bits`].
pub const QUARANTINED: usize = 5;

/// Words in the file.
pub const WORDS: usize = HEADER_WORDS + Subject::COUNT * 2 * Route::ALL.len() * 2;
/// Bytes in the file.
pub const BYTES: usize = WORDS * 8;

const _: () = assert!(MAGIC.len() <= LOADS * 8, "the magic ends before the first count");

/// The word that counts calls; bytes are counted in the next one. `subject` is [`Subject::index`].
#[inline]
pub const fn calls(subject: usize, direction: Direction, route: Route) -> usize {
    let cell = (subject * 2 + direction as usize) * Route::ALL.len() + route as usize;
    HEADER_WORDS + 2 * cell
}

/// The names under which processes that count for a file map their memory: proc_pid_maps(5).
pub fn mapped_as(path: &Path) -> Vec<PathBuf> {
    identity(path).into_iter().flat_map(Memory::names).map(PathBuf::from).collect()
}

/// Which file it is, if it is one of counters.
fn identity(path: &Path) -> Option<Identity> {
    let (file, about) = open_to_read(path).ok()?;
    let snapshot = Snapshot::parse(&bytes_of(&file).ok()?)?;
    Some(Identity::of(&about, snapshot.words[BEGUN]))
}

/// What a module had counted when the file was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    words: Vec<u64>,
    passed_over: Vec<String>,
}

/// One counter that is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The cipher or hash function.
    pub subject: Subject,
    /// The direction; symmetric modes count as they were called, hash functions as encryption.
    pub direction: Direction,
    /// The route.
    pub route: Route,
    /// Data calls.
    pub calls: u64,
    /// Bytes of data in them.
    pub bytes: u64,
}

impl Snapshot {
    /// Reads a file, or all files of a folder, and adds what running processes have counted since. A file that is
    /// still empty is one that no module has loaded with.
    pub fn read(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return Self::read_file(path, false)
                .map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display())));
        }
        let mut sum = Self::empty();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with(FILE_OF) {
                continue;
            }
            match Self::read_users(&entry.path()) {
                Ok(counted) => sum.add(&counted),
                // It was there a moment ago.
                Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                // Anybody may put anything there, and keeps nobody from the rest by it.
                Err(why) => {
                    // A name may hold what a terminal obeys.
                    let path = entry.path().display().to_string();
                    let path: String =
                        path.chars().map(|it| if it.is_control() { '?' } else { it }).collect();
                    sum.passed_over.push(format!("{path} was passed over: {why}"));
                }
            }
        }
        sum.passed_over.sort();
        Ok(sum)
    }

    /// Reads a user's file in a folder. The error does not name it.
    pub fn read_users(path: &Path) -> io::Result<Self> {
        Self::read_file(path, true)
    }

    fn read_file(path: &Path, is_users: bool) -> io::Result<Self> {
        let (file, about) = open_to_read(path)?;
        if is_users && path.file_name() != Some(OsStr::new(&file_of(about.uid()))) {
            let text = format!("it belongs to user {}, not to the one in its name", about.uid());
            return Err(other(&text));
        }
        // What is on its way from the memory to the file must not be counted twice.
        let lock = Lock::take(&file);
        let mut snapshot = Self::of(&bytes_of(&file)?)?;
        let identity = Identity::of(&about, snapshot.words[BEGUN]);
        for memory in Memory::of(identity) {
            for (word, count) in memory.pending() {
                snapshot.words[word] = snapshot.words[word].wrapping_add(count);
            }
            snapshot.words[QUARANTINED] |= memory.quarantined();
            if lock.is_some() {
                memory.settle(path, identity);
            }
        }
        Ok(snapshot)
    }

    /// What lies in the folder under the name of a user's file and is none, or cannot be read: a line for each.
    pub fn passed_over(&self) -> &[String] {
        &self.passed_over
    }

    fn empty() -> Self {
        Self { words: vec![0; WORDS], passed_over: Vec::new() }
    }

    /// When counting began; of several files the first time.
    pub fn begun(&self) -> Option<SystemTime> {
        let nanos = self.words[BEGUN];
        (nanos > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos))
    }

    fn add(&mut self, other: &Self) {
        let begun = [self.words[BEGUN], other.words[BEGUN]].into_iter().filter(|it| *it > 0).min();
        self.words[BEGUN] = begun.unwrap_or_default();
        for (word, count) in other.words.iter().enumerate().skip(LOADS).filter(|it| it.0 != BEGUN) {
            let sum = &mut self.words[word];
            *sum = if word == QUARANTINED { *sum | count } else { sum.wrapping_add(*count) };
        }
    }

    /// Understands the bytes of a file.
    ///
    /// # Errors
    /// `Unsupported` if another version made it, `InvalidData` if it is something else.
    pub fn of(bytes: &[u8]) -> io::Result<Self> {
        Self::parse(bytes).ok_or_else(|| match is_of_another_version(bytes) {
            true => io::Error::new(
                io::ErrorKind::Unsupported,
                "another version of Wirespeed counted there; the next program begins it anew",
            ),
            false => other(concat!("not a stats file of Wirespeed ", env!("CARGO_PKG_VERSION"))),
        })
    }

    /// Understands the bytes of a file, if they are one.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::empty());
        }
        if bytes.len() != BYTES || !bytes.starts_with(MAGIC) {
            return None;
        }
        let (words, _) = bytes.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        Some(Self { words, passed_over: Vec::new() })
    }

    /// How many processes loaded the module with this file.
    pub fn loads(&self) -> u64 {
        self.words[LOADS]
    }

    /// The routes that gave wrong bytes somewhere.
    pub fn quarantined(&self) -> Vec<Route> {
        Route::of_bits(self.words[QUARANTINED]).collect()
    }

    /// Everything that was counted.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        Subject::all().enumerate().flat_map(move |(index, subject)| {
            Direction::BOTH.into_iter().flat_map(move |direction| {
                Route::ALL.into_iter().filter_map(move |route| {
                    let word = calls(index, direction, route);
                    let [calls, bytes] = [self.words[word], self.words[word + 1]];
                    (calls > 0).then_some(Row { subject, direction, route, calls, bytes })
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(counts: &[(usize, u64)]) -> Vec<u8> {
        let mut words = vec![0_u64; WORDS];
        for (word, count) in counts {
            words[*word] = *count;
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        bytes
    }

    #[test]
    fn every_counter_has_a_word_of_its_own() {
        let mut seen = vec![false; WORDS];
        for index in 0..Subject::COUNT {
            for direction in Direction::BOTH {
                for route in Route::ALL {
                    let word = calls(index, direction, route);
                    for word in [word, word + 1] {
                        assert!(!std::mem::replace(&mut seen[word], true));
                    }
                }
            }
        }
        assert!(seen[HEADER_WORDS..].iter().all(|seen| *seen));
        assert!(!seen[..HEADER_WORDS].iter().any(|seen| *seen));
    }

    #[test]
    fn what_was_counted_is_read() {
        let word = calls(17, Direction::Decrypt, Route::Vaes256);
        let bytes =
            file(&[(LOADS, 3), (QUARANTINED, Route::AesNi.bit()), (word, 5), (word + 1, 7100)]);
        let snapshot = Snapshot::parse(&bytes).expect("a stats file");
        let rows: Vec<Row> = snapshot.rows().collect();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].subject.index(), 17);
        assert_eq!((rows[0].direction, rows[0].route), (Direction::Decrypt, Route::Vaes256));
        assert_eq!((rows[0].calls, rows[0].bytes), (5, 7100));
        assert_eq!((snapshot.loads(), snapshot.begun()), (3, None));
        assert_eq!(snapshot.quarantined(), [Route::AesNi]);
    }

    #[test]
    fn counting_began_with_the_first_file() {
        let of = |nanos| Snapshot::parse(&file(&[(BEGUN, nanos)])).expect("a stats file");
        let mut sum = of(0);
        [5_000_000_000, 3_000_000_000, 0].into_iter().for_each(|nanos| sum.add(&of(nanos)));
        assert_eq!(sum.begun(), Some(SystemTime::UNIX_EPOCH + Duration::from_secs(3)));
    }

    #[test]
    fn an_empty_file_has_counted_nothing_and_another_file_is_refused() {
        let empty = Snapshot::parse(&[]).expect("nobody has loaded with it");
        assert_eq!((empty.loads(), empty.rows().count()), (0, 0));
        let good = file(&[]);
        assert!(Snapshot::parse(&good[1..]).is_none() && Snapshot::parse(&good[..100]).is_none());
        let kind = |bytes: &[u8]| Snapshot::of(bytes).map_err(|why| why.kind());
        let mut other = good.clone();
        other[20] ^= 1;
        assert_eq!(kind(&other), Err(io::ErrorKind::Unsupported));
        for foreign in [&b"wirespeed stats 0.1.9\nof last week, for the record"[..], &good[..20]] {
            assert_eq!(kind(foreign), Err(io::ErrorKind::InvalidData));
        }
    }
}
