//! Which code of this libcrypto is which operation: `openssl speed` runs one at a time, and is sampled.

use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{self, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wirespeed_libcrypto::{Context, Direction, Library};

use crate::functions::{Function, Functions};
use crate::part::{Kind, Part};
use crate::profile::{CLOSE, PAUSE, Step, sample_closely};
use crate::sampling::{Place, Sampling, Seen};

/// Bytes of a call: most of a long one is the cipher's loop, much of a short one is what it does for each message.
const LONG: &[&str] = &["16384"];
const BOTH: &[&str] = &["16384", "256"];

/// What is learned, in which sizes, and what `openssl speed` is told for it. Either direction of a cipher has code of its
/// own. Much of a short hash is EVP's.
const OPERATIONS: [(Kind, &str, &[&str], &[&str]); 14] = [
    (Kind::Bulk, "AES-GCM", BOTH, &["-aead", "-evp", "aes-256-gcm"]),
    (Kind::Bulk, "AES-GCM", BOTH, &["-aead", "-decrypt", "-evp", "aes-256-gcm"]),
    (Kind::Bulk, "AES-CBC enc", BOTH, &["-evp", "aes-256-cbc"]),
    (Kind::Bulk, "AES-CBC dec", BOTH, &["-decrypt", "-evp", "aes-256-cbc"]),
    (Kind::Bulk, "AES-CTR", BOTH, &["-evp", "aes-256-ctr"]),
    (Kind::Bulk, "ChaCha20-Poly1305", BOTH, &["-aead", "-evp", "chacha20-poly1305"]),
    (Kind::Bulk, "SHA1", LONG, &["-evp", "sha1"]),
    (Kind::Bulk, "SHA2-256", LONG, &["-evp", "sha256"]),
    (Kind::Bulk, "SHA2-512", LONG, &["-evp", "sha512"]),
    (Kind::Handshake, "RSA", LONG, &["rsa2048"]),
    (Kind::Handshake, "ECDSA and ECDH with P-256", LONG, &["ecdsap256"]),
    (Kind::Handshake, "X25519", LONG, &["ecdhx25519"]),
    (Kind::Handshake, "Ed25519", LONG, &["ed25519"]),
    // Since OpenSSL 3.5; before, it ends at once.
    (Kind::Handshake, "ML-KEM", LONG, &["ML-KEM-768"]),
];

/// Less of an operation's time is chance.
const LEAST: f64 = 0.01;
/// How many times as much of one operation's time as of any other's a function takes that is called by its name.
const CLEARLY: f64 = 3.0;

/// What several operations of a kind have in common is of that kind if it takes so much of one's time: without
/// instructions for AES, GCM spends most of its time in the function for CTR.
const MUCH: f64 = 0.1;

/// Samples of an operation that are enough.
const ENOUGH: u64 = 1000;
/// So often it runs for them at most: on a busy machine it gets little time.
const TRIES: usize = 2;
/// With fewer its shares are chance, or those of an operation that this OpenSSL does not know.
const FEWEST: u64 = 50;
/// So long this program does something over and over for them at most.
const LONGEST: Duration = Duration::from_secs(3);

/// Bytes of code that are told apart within a function: either direction of CBC is in the same.
const LINE: u64 = 64;

/// What the code of libcrypto is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Learned {
    /// By the address where a function begins.
    functions: HashMap<u64, Part>,
    /// By the number of the line.
    lines: HashMap<u64, Part>,
}

impl Learned {
    /// What a place in a function is.
    pub(crate) fn at(&self, function: &Function<'_>) -> Option<&Part> {
        let whole = self.functions.get(&function.begins)?;
        let line = self.lines.get(&(function.address / LINE));
        Some(line.filter(|it| it.kind == whole.kind).unwrap_or(whole))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}

/// What was learned of each libcrypto: it takes seconds, and serves many profiles.
pub struct Lessons {
    learned: HashMap<Identity, Learned>,
    /// What starts the programs `openssl` to learn from.
    teachers: Vec<Vec<OsString>>,
}

impl Default for Lessons {
    /// By the program `openssl` of this machine.
    fn default() -> Self {
        let places = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/bin/openssl"];
        let own = places.into_iter().find(|place| Path::new(place).exists());
        let teachers = own.into_iter().map(|place| vec![place.into()]);
        Self { learned: HashMap::new(), teachers: teachers.collect() }
    }
}

impl Lessons {
    /// Takes one more program `openssl` to learn from, which may have another libcrypto.
    pub fn also_by(&mut self, openssl: &Command) {
        let words = std::iter::once(openssl.get_program()).chain(openssl.get_args());
        self.teachers.push(words.map(OsStr::to_owned).collect());
    }

    /// Of a library; none where there is nobody to learn from.
    pub(crate) fn of(
        &mut self,
        library: &Path,
        functions: &Functions,
        progress: &(impl Fn(Step) + Sync),
    ) -> Option<&Learned> {
        let library = identity(library)?;
        let teachers = &self.teachers;
        Some(self.learned.entry(library).or_insert_with(|| {
            let lessons = teachers.iter().map(|openssl| Lesson { openssl, library, functions });
            let lesson = lessons.into_iter().find(Lesson::fits);
            lesson.map(|it| it.learn(progress)).unwrap_or_default()
        }))
    }
}

/// The shares that functions and lines have of the time in libcrypto.
#[derive(Default)]
struct Shares {
    functions: HashMap<u64, f64>,
    lines: HashMap<u64, f64>,
}

/// What it takes to learn what the code of a library is.
struct Lesson<'a> {
    /// What starts the program.
    openssl: &'a [OsString],
    library: Identity,
    functions: &'a Functions,
}

impl Lesson<'_> {
    /// Whether `openssl` has this libcrypto: a container has one of its own, most often of the same name.
    fn fits(&self) -> bool {
        let seen = sample_closely(&self.openssl(&["version"]), |_| false);
        seen.is_ok_and(|it| it.spaces.files().iter().any(|file| self.is_it(&file.path)))
    }

    /// Runs every operation, as many at a time as there are processors; `progress` is told of each.
    fn learn(&self, progress: &(impl Fn(Step) + Sync)) -> Learned {
        let next = AtomicUsize::new(0);
        let shares = Mutex::new(Vec::new());
        let found = |part, found| {
            shares.lock().expect("nobody panicked").push((part, found));
            progress(Step::Learning);
        };
        let lane = || {
            while let Some((kind, name, sizes, words)) =
                OPERATIONS.get(next.fetch_add(1, Ordering::Relaxed))
            {
                for size in *sizes {
                    found(Part::new(*kind, *name), self.of_speed(*kind, size, words));
                }
            }
        };
        progress(Step::Learning);
        let lanes = thread::available_parallelism().map_or(1, usize::from).min(OPERATIONS.len());
        thread::scope(|scope| (0..lanes).for_each(|_| drop(scope.spawn(lane))));
        // Without it the rest of OpenSSL is one part.
        let _ = self.of_ours(found);
        let shares = shares.into_inner().expect("nobody panicked");
        Learned {
            functions: clear(shares.iter().map(|(part, it)| (part, &it.functions))),
            lines: clear(shares.iter().map(|(part, it)| (part, &it.lines))),
        }
    }

    fn openssl(&self, words: &[&str]) -> Vec<OsString> {
        self.openssl.iter().cloned().chain(words.iter().map(OsString::from)).collect()
    }

    /// While `openssl speed` runs one operation.
    fn of_speed(&self, kind: Kind, size: &str, words: &[&str]) -> Shares {
        let speed = ["speed", "-seconds", "1", "-bytes", size];
        let words = self.openssl(&[&speed[..], words].concat());
        let mut all = HashMap::new();
        for _ in 0..TRIES {
            // What handshakes do comes one after another.
            let is_enough = |seen: &Seen| kind == Kind::Bulk && sum(&self.hits(seen)) >= ENOUGH;
            let Ok(seen) = sample_closely(&words, is_enough) else { break };
            for (address, count) in self.hits(&seen) {
                *all.entry(address).or_default() += count;
            }
            if sum(&all) >= ENOUGH {
                break;
            }
        }
        self.shares(&all)
    }

    /// While this program does what `openssl speed` does only once: it fetches. What making a context and calling a cipher
    /// that does nothing need, too, is neither fetching nor a cipher.
    fn of_ours(&self, found: impl Fn(Part, Shares)) -> Result<(), Box<dyn Error>> {
        let host = Library::host()?;
        if !self.is_it(host.path()) {
            return Ok(());
        }
        let context = Context::new(host)?;
        context.load("default")?;
        let nothing = context.fetch("NULL", None)?;
        let mut work = nothing.context()?;
        let fetching = self.of_this_program(|| {
            let _ = (context.fetch("AES-256-GCM", None), context.digest("SHA2-256", None));
        })?;
        found(Part::fetch(), fetching);
        let mut output = [0; 64];
        let calling = self.of_this_program(|| {
            let _ = work.init(Direction::Encrypt, None, None, &[]);
            let _ = work.update(&[0; 16], &mut output);
            let _ = (work.finish(&mut output), nothing.context());
        })?;
        found(Part::openssl(), calling);
        Ok(())
    }

    fn of_this_program(&self, mut work: impl FnMut()) -> io::Result<Shares> {
        let mut sampling = Sampling::of(&BTreeSet::from([process::id()]), CLOSE)?;
        let began = Instant::now();
        loop {
            let turn = Instant::now();
            while turn.elapsed() < PAUSE {
                work();
            }
            sampling.drain();
            let hits = self.hits(&sampling.seen);
            if sum(&hits) >= ENOUGH || began.elapsed() > LONGEST {
                return Ok(self.shares(&hits));
            }
        }
    }

    /// The addresses in this library that were hit, and how often.
    fn hits(&self, seen: &Seen) -> HashMap<u64, u64> {
        let (mut hits, mut known) = (HashMap::new(), HashMap::new());
        for (place, count) in &seen.hits {
            let Place::File(file, offset) = place else { continue };
            if *known.entry(file).or_insert_with(|| self.is_it(&seen.spaces.files()[*file].path))
                && let Some(address) = self.functions.address(*offset)
            {
                *hits.entry(address).or_default() += count;
            }
        }
        hits
    }

    fn shares(&self, hits: &HashMap<u64, u64>) -> Shares {
        let all = sum(hits);
        let mut shares = Shares::default();
        if all < FEWEST {
            return shares;
        }
        for (address, count) in hits {
            if let Some(function) = self.functions.around(*address) {
                let share = *count as f64 / all as f64;
                *shares.functions.entry(function.begins).or_default() += share;
                *shares.lines.entry(address / LINE).or_default() += share;
            }
        }
        shares
    }

    fn is_it(&self, path: &Path) -> bool {
        identity(path) == Some(self.library)
    }
}

fn sum(hits: &HashMap<u64, u64>) -> u64 {
    hits.values().sum()
}

/// Which file it is, whatever it is called: its device and its number there.
type Identity = (u64, u64);

pub(crate) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|it| (it.dev(), it.ino()))
}

/// The places that are clearly one operation's, or clearly of one kind.
fn clear<'s>(
    shares: impl Iterator<Item = (&'s Part, &'s HashMap<u64, f64>)>,
) -> HashMap<u64, Part> {
    let mut of: HashMap<u64, HashMap<&Part, f64>> = HashMap::new();
    for (part, places) in shares {
        for (place, share) in places {
            let most = of.entry(*place).or_default().entry(part).or_default();
            *most = most.max(*share);
        }
    }
    let clearly = |parts: HashMap<&Part, f64>| {
        let mut parts: Vec<(&Part, f64)> = parts.into_iter().collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (part, most) = *parts.first()?;
        let beats = |rival: Option<&(&Part, f64)>| most >= CLEARLY * rival.map_or(0.0, |it| it.1);
        let alone = beats(parts.get(1));
        let of_one_kind = most >= MUCH && beats(parts.iter().find(|it| it.0.kind != part.kind));
        (most >= LEAST && (alone || of_one_kind)).then(|| part.clone())
    };
    of.into_iter().filter_map(|(place, parts)| Some((place, clearly(parts)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(shares: &[(Part, HashMap<u64, f64>)]) -> HashMap<u64, Part> {
        clear(shares.iter().map(|(part, it)| (part, it)))
    }

    #[test]
    fn what_operations_of_a_kind_share_is_of_the_one_that_it_takes_most_of() {
        let [gcm, ctr] = ["AES-GCM", "AES-CTR"].map(|name| Part::new(Kind::Bulk, name));
        let learned = learned(&[
            (gcm.clone(), HashMap::from([(1, 0.4), (2, 0.55), (3, 0.03)])),
            (ctr.clone(), HashMap::from([(1, 0.97), (3, 0.02)])),
        ]);
        assert_eq!(learned, HashMap::from([(1, ctr), (2, gcm)]), "3 is what calls either");
    }

    #[test]
    fn what_several_operations_use_is_nobodys() {
        let gcm = Part::new(Kind::Bulk, "AES-GCM");
        let rsa = Part::new(Kind::Handshake, "RSA");
        let learned = learned(&[
            (gcm.clone(), HashMap::from([(1, 0.9), (2, 0.05), (3, 0.001)])),
            (gcm.clone(), HashMap::from([(4, 0.9)])),
            (rsa.clone(), HashMap::from([(2, 0.04), (5, 0.96), (1, 0.001)])),
        ]);
        assert_eq!(learned.get(&1), Some(&gcm));
        assert_eq!(learned.get(&4), Some(&gcm), "the other direction");
        assert_eq!(learned.get(&5), Some(&rsa));
        assert!(!learned.contains_key(&2), "shared");
        assert!(!learned.contains_key(&3), "chance");
    }

    #[test]
    fn fetching_is_told_from_making_contexts() {
        if let Err(error) = Sampling::of(&BTreeSet::from([process::id()]), CLOSE) {
            return println!("skipped: this program may not be sampled: {error}");
        }
        let path = Library::host().expect("a libcrypto").path();
        let functions = Functions::read(path).expect("an ELF file");
        let library = identity(path).expect("it is there");
        let lesson = Lesson { openssl: &[], library, functions: &functions };
        let shares = Mutex::new(Vec::new());
        let found =
            |part, it: Shares| shares.lock().expect("one thread").push((part, it.functions));
        lesson.of_ours(found).expect("it fetches");
        let shares = shares.into_inner().expect("one thread");
        let kinds: Vec<Kind> = shares.iter().map(|(part, _)| part.kind).collect();
        assert_eq!(kinds, [Kind::Fetch, Kind::OpenSsl]);
        let learned = learned(&shares);
        for (part, functions) in &shares {
            let own = functions.iter().filter(|(function, _)| learned.get(function) == Some(part));
            let share: f64 = own.map(|(_, share)| share).sum();
            assert!(share > 0.25, "{part:?}: {share} of its time is its own");
        }
    }

    #[test]
    fn lines_tell_directions_apart_that_have_a_function_in_common() {
        let [encrypt, decrypt] =
            ["AES-CBC enc", "AES-CBC dec"].map(|name| Part::new(Kind::Bulk, name));
        let rsa = Part::new(Kind::Handshake, "RSA");
        let learned = Learned {
            functions: HashMap::from([(0, decrypt.clone())]),
            lines: HashMap::from([(1, encrypt.clone()), (2, rsa)]),
        };
        let at = |address| learned.at(&Function { begins: 0, address, name: None });
        assert_eq!(at(LINE + 1), Some(&encrypt));
        assert_eq!(at(2 * LINE), Some(&decrypt), "another kind is chance");
        assert_eq!(at(3 * LINE), Some(&decrypt), "not seen before");
    }
}
