//! Which function of this libcrypto is which operation: `openssl speed` runs one at a time, and is sampled.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::functions::Functions;
use crate::part::{Kind, Part};
use crate::profile::{Output, Target, sample};
use crate::sampling::Place;

/// What is learned, and what `openssl speed` is told for it. Either direction of a cipher has code of its own.
const OPERATIONS: [(Kind, &str, &[&str]); 14] = [
    (Kind::Bulk, "AES-GCM", &["-evp", "aes-256-gcm"]),
    (Kind::Bulk, "AES-GCM", &["-decrypt", "-evp", "aes-256-gcm"]),
    (Kind::Bulk, "AES-CBC", &["-evp", "aes-256-cbc"]),
    (Kind::Bulk, "AES-CBC", &["-decrypt", "-evp", "aes-256-cbc"]),
    (Kind::Bulk, "AES-CTR", &["-evp", "aes-256-ctr"]),
    (Kind::Bulk, "ChaCha20-Poly1305", &["-evp", "chacha20-poly1305"]),
    (Kind::Bulk, "SHA1", &["-evp", "sha1"]),
    (Kind::Bulk, "SHA2-256", &["-evp", "sha256"]),
    (Kind::Bulk, "SHA2-512", &["-evp", "sha512"]),
    (Kind::Handshake, "RSA", &["rsa2048"]),
    (Kind::Handshake, "ECDSA and ECDH with P-256", &["ecdsap256"]),
    (Kind::Handshake, "X25519", &["ecdhx25519"]),
    (Kind::Handshake, "Ed25519", &["ed25519"]),
    // Since OpenSSL 3.5; before, it ends at once.
    (Kind::Handshake, "ML-KEM", &["ML-KEM-768"]),
];

/// Less of an operation's time is chance.
const LEAST: f64 = 0.01;
/// How many times as much of one operation's time as of any other's a function takes that is called by its name.
const CLEARLY: f64 = 3.0;

/// What several operations of a kind have in common is of that kind if it takes so much of one's time: without
/// instructions for AES, GCM spends most of its time in the function for CTR.
const MUCH: f64 = 0.1;

/// What each function of libcrypto is, by its address.
pub(crate) type Learned = HashMap<u64, Part>;

/// What was learned of each libcrypto: it takes seconds, and serves many profiles.
pub struct Lessons {
    learned: HashMap<(u64, u64), Learned>,
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
        progress: &(impl Fn() + Sync),
    ) -> Option<&Learned> {
        let knows = |openssl: &&Vec<OsString>| {
            let [(_, _, words), ..] = OPERATIONS;
            !shares_of(openssl, words, library, functions).is_empty()
        };
        // The last needs no trial: nothing is learned where it has another libcrypto.
        let (last, others) = self.teachers.split_last()?;
        let lesson = self.learned.entry(identity(library)?);
        Some(lesson.or_insert_with(|| {
            let openssl = others.iter().find(knows).unwrap_or(last);
            learn(openssl, library, functions, progress)
        }))
    }
}

/// Runs every operation for a second, as many at a time as there are processors; `progress` is told of each.
fn learn(
    openssl: &[OsString],
    library: &Path,
    functions: &Functions,
    progress: &(impl Fn() + Sync),
) -> Learned {
    let next = AtomicUsize::new(0);
    let shares = Mutex::new(Vec::new());
    let lane = || {
        while let Some((kind, name, words)) = OPERATIONS.get(next.fetch_add(1, Ordering::Relaxed)) {
            let found = shares_of(openssl, words, library, functions);
            shares.lock().expect("nobody panicked").push((Part::new(*kind, *name), found));
            progress();
        }
    };
    let lanes = thread::available_parallelism().map_or(1, usize::from).min(OPERATIONS.len());
    thread::scope(|scope| (0..lanes).for_each(|_| drop(scope.spawn(lane))));
    clear(&shares.into_inner().expect("nobody panicked"))
}

/// The share that each function has of the time in libcrypto.
fn shares_of(
    openssl: &[OsString],
    words: &[&str],
    library: &Path,
    functions: &Functions,
) -> HashMap<u64, f64> {
    let mut command = openssl.to_vec();
    command.extend(["speed", "-seconds", "1", "-bytes", "16384"].map(Into::into));
    command.extend(words.iter().map(Into::into));
    // A provider that the configuration brings in would be learned instead.
    let target =
        Target::Command { words: command, output: Output::Nowhere, own_configuration: true };
    let mut hits: HashMap<u64, f64> = HashMap::new();
    if let Ok(sampled) = sample(&target, Duration::MAX, &|| ()) {
        for (place, count) in &sampled.seen.hits {
            let Place::File(file, offset) = place else { continue };
            let file = &sampled.seen.spaces.files()[*file];
            // A container has another, most often of the same name.
            if identity(&file.path).is_none_or(|it| Some(it) != identity(library)) {
                continue;
            }
            if let Some((function, _)) = functions.at(*offset) {
                *hits.entry(function).or_default() += *count as f64;
            }
        }
    }
    let all: f64 = hits.values().sum();
    hits.into_iter().map(|(function, count)| (function, count / all)).collect()
}

/// Which file it is, whatever it is called.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|it| (it.dev(), it.ino()))
}

/// The functions that are clearly one operation's, or clearly of one kind.
fn clear(shares: &[(Part, HashMap<u64, f64>)]) -> Learned {
    let mut of: HashMap<u64, HashMap<&Part, f64>> = HashMap::new();
    for (part, functions) in shares {
        for (function, share) in functions {
            let most = of.entry(*function).or_default().entry(part).or_default();
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
    of.into_iter().filter_map(|(function, parts)| Some((function, clearly(parts)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_operations_of_a_kind_share_is_of_the_one_that_it_takes_most_of() {
        let [gcm, ctr] = ["AES-GCM", "AES-CTR"].map(|name| Part::new(Kind::Bulk, name));
        let learned = clear(&[
            (gcm.clone(), HashMap::from([(1, 0.4), (2, 0.55), (3, 0.03)])),
            (ctr.clone(), HashMap::from([(1, 0.97), (3, 0.02)])),
        ]);
        assert_eq!(learned, Learned::from([(1, ctr), (2, gcm)]), "3 is what calls either");
    }

    #[test]
    fn what_several_operations_use_is_nobodys() {
        let gcm = Part::new(Kind::Bulk, "AES-GCM");
        let rsa = Part::new(Kind::Handshake, "RSA");
        let learned = clear(&[
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
}
