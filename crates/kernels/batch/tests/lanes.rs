//! Lanes against independent implementations: every function, every route, every length and cut.

// Miri has no vectors and no pages to lock; what it can interpret is tested beside the schedule.
#![cfg(not(miri))]

use hmac::Mac;
use hmac::digest::{Digest as _, DynDigest};
use wirespeed_batch::{Batch, Hash, HmacKey, Lanes, Piece, hash_all, hmac_all, self_test};
use wirespeed_cipher::{Digest, Route};
use wirespeed_cpu::{Feature, Features};

/// Every function by every route that is here.
fn here() -> Vec<Lanes> {
    let features = Features::detect();
    // Without SHA-NI single messages run on plain integers, and lanes are worth it earlier.
    let all = [features, features.without(Feature::ShaNi)];
    let all = all.into_iter().flat_map(|features| {
        Lanes::ROUTES.into_iter().flat_map(move |route| {
            let lanes = Lanes::DIGESTS.map(|digest| Lanes::new(route, digest, features));
            lanes.into_iter().filter_map(move |lanes| {
                lanes.inspect_err(|why| println!("skipped {route}: {why}")).ok()
            })
        })
    });
    all.collect()
}

/// What RustCrypto says.
fn oracle(digest: Digest, message: &[u8]) -> Vec<u8> {
    let mut hasher: Box<dyn DynDigest> = match digest {
        Digest::Md5 => Box::new(md5::Md5::new()),
        Digest::Sha1 => Box::new(sha1::Sha1::new()),
        Digest::Sha224 => Box::new(sha2::Sha224::new()),
        Digest::Sha256 => Box::new(sha2::Sha256::new()),
        Digest::Sha384 => Box::new(sha2::Sha384::new()),
        _ => Box::new(sha2::Sha512::new()),
    };
    hasher.update(message);
    hasher.finalize().into_vec()
}

fn describe(lanes: &Lanes) -> String {
    format!("{} {} beside {}", lanes.digest(), lanes.route(), lanes.single_route())
}

/// Bytes that differ from message to message.
fn message(seed: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251 + seed * 31) as u8).collect()
}

/// Hashes the messages, and compares each hash.
fn check(lanes: &Lanes, messages: &[Vec<u8>]) {
    let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let hashes = hash_all(lanes, &slices);
    assert_eq!(hashes.len(), messages.len());
    for (message, hash) in messages.iter().zip(hashes) {
        let right = oracle(lanes.digest(), message);
        assert_eq!(hash.as_ref(), right, "{}: {} bytes", describe(lanes), message.len());
    }
}

#[test]
fn every_route_passes_its_self_test() {
    for lanes in here() {
        assert!(self_test(&lanes), "{}", describe(&lanes));
    }
}

#[test]
fn every_length() {
    for lanes in here() {
        check(&lanes, &(0..520).map(|bytes| message(bytes, bytes)).collect::<Vec<_>>());
    }
}

#[test]
fn any_number_of_messages() {
    for lanes in here() {
        for count in (0..=2 * lanes.width() + 3).chain([100]) {
            let same = (0..count).map(|i| message(i, 300));
            check(&lanes, &same.collect::<Vec<_>>());
            let empty = (0..count).map(|_| Vec::new());
            check(&lanes, &empty.collect::<Vec<_>>());
        }
    }
}

#[test]
fn messages_of_very_different_lengths() {
    for lanes in here() {
        for count in [2, lanes.width(), lanes.width() + 1, 3 * lanes.width() - 1] {
            let one_long = (0..count).map(|i| message(i, if i == count / 2 { 70_001 } else { i }));
            check(&lanes, &one_long.collect::<Vec<_>>());
            let doubling = (0..count).map(|i| message(i, (1 << (i % 15)) + i));
            check(&lanes, &doubling.collect::<Vec<_>>());
        }
    }
}

/// Feeds streams with pieces of the lengths that `cut` gives, and compares what they end with.
fn stream(lanes: Lanes, messages: &[Vec<u8>], cut: impl Fn(usize, usize) -> usize) {
    let mut batch = Batch::new(lanes, messages.len());
    let mut fed = vec![0; messages.len()];
    let mut hashes: Vec<Option<Hash>> = vec![None; messages.len()];
    for round in 0.. {
        if hashes.iter().all(Option::is_some) {
            break;
        }
        let pieces: Vec<Piece<'_>> = (0..messages.len())
            .map(|i| {
                let rest = &messages[i][fed[i]..];
                let piece = &rest[..cut(i, round).min(rest.len())];
                fed[i] += piece.len();
                match hashes[i].is_none() && piece.len() == rest.len() {
                    true => Piece::Last(piece),
                    false => Piece::More(piece),
                }
            })
            .collect();
        batch.feed(&pieces, |i, hash| assert!(hashes[i].replace(hash).is_none()));
    }
    for (message, hash) in messages.iter().zip(hashes) {
        let right = oracle(lanes.digest(), message);
        assert_eq!(hash.expect("ended").as_ref(), right, "{}", describe(&lanes));
    }
}

#[test]
fn streams_with_every_cut() {
    for lanes in here() {
        let count = lanes.width() + 2;
        let messages: Vec<_> = (0..count).map(|i| message(i, 300 + i)).collect();
        for cut in (1..=130).step_by(if lanes.width() == 1 { 1 } else { 3 }) {
            stream(lanes, &messages, |_, _| cut);
        }
        stream(lanes, &messages, |i, round| (i * 37 + round * 61) % 200);
        stream(lanes, &messages, |i, _| if i % 2 == 0 { 1000 } else { 64 });
    }
}

#[test]
fn a_stream_begins_again_after_its_end_and_after_a_reset() {
    for lanes in here() {
        let mut batch = Batch::new(lanes, 3);
        let right = oracle(lanes.digest(), b"abc");
        for _ in 0..2 {
            batch.feed(
                &[Piece::More(b"ab"), Piece::More(b"forgotten"), Piece::More(b"")],
                |_, _| {
                    panic!("no message has ended");
                },
            );
            batch.reset(1);
            let mut ended = Vec::new();
            let rest = [Piece::Last(b"c"), Piece::Last(b"abc"), Piece::More(b"")];
            batch.feed(&rest, |index, hash| {
                assert_eq!(hash.as_ref(), right);
                ended.push(index);
            });
            assert_eq!(ended, [0, 1]);
        }
    }
}

#[test]
#[should_panic(expected = "each stream gets a piece")]
fn a_stream_without_a_piece_is_refused() {
    let lanes = Lanes::best(Digest::Md5, Features::detect());
    Batch::new(lanes, 2).feed(&[Piece::More(b"")], |_, _| ());
}

fn mac_oracle(digest: Digest, key: &[u8], message: &[u8]) -> Vec<u8> {
    macro_rules! mac {
        ($hash:ty) => {{
            let mac = hmac::Hmac::<$hash>::new_from_slice(key).expect("any length");
            mac.chain_update(message).finalize().into_bytes().to_vec()
        }};
    }
    match digest {
        Digest::Md5 => mac!(md5::Md5),
        Digest::Sha1 => mac!(sha1::Sha1),
        Digest::Sha224 => mac!(sha2::Sha224),
        Digest::Sha256 => mac!(sha2::Sha256),
        Digest::Sha384 => mac!(sha2::Sha384),
        _ => mac!(sha2::Sha512),
    }
}

#[test]
fn macs_under_keys_of_every_length() {
    for lanes in here() {
        let count = 2 * lanes.width() + 3;
        for offset in (0..200).step_by(count) {
            let keys: Vec<_> = (0..count).map(|i| message(i, offset + i)).collect();
            let ready: Vec<_> = keys.iter().map(|key| HmacKey::new(&lanes, key)).collect();
            let messages: Vec<_> = (0..count).map(|i| message(i + 1, (i * 53) % 400)).collect();
            let pairs = ready.iter().zip(&messages).map(|(key, message)| (key, message.as_slice()));
            let macs = hmac_all(&lanes, &pairs.collect::<Vec<_>>());
            for ((key, message), mac) in keys.iter().zip(&messages).zip(macs) {
                let right = mac_oracle(lanes.digest(), key, message);
                assert_eq!(mac.as_ref(), right, "{}", describe(&lanes));
            }
        }
    }
}

#[test]
fn denial_of_features_takes_the_next_route() {
    let features = Features::detect();
    // Of the hash functions the one that every route has lanes for, whatever its registers.
    let route = |features| Lanes::best(Digest::Md5, features).route();
    // Lanes are of some architectures only; features are of more.
    let is_ours = |route| wirespeed_kernels::ROUTES.contains(&route);
    if features.has(Feature::Avx512dq) && is_ours(Route::Avx512) {
        assert_eq!(route(features), Route::Avx512);
    } else {
        println!("skipped avx512: it is not here");
    }
    if features.has(Feature::Avx2) && is_ours(Route::Avx2) {
        assert_eq!(route(features.without(Feature::Avx512f)), Route::Avx2);
    } else {
        println!("skipped avx2: it is not here");
    }
    if features.has(Feature::Sse2) && is_ours(Route::Sse2) {
        let features = features.without(Feature::Avx512f).without(Feature::Avx2);
        assert_eq!(route(features), Route::Sse2);
    } else {
        println!("skipped sse2: it is not here");
    }
    assert_eq!(route(Features::NONE), Route::Portable);
    let refused = Lanes::new(Route::Avx512, Digest::Md5, features.without(Feature::Avx512bw));
    let why = match is_ours(Route::Avx512) {
        true => "this CPU has no avx512",
        false => "a route of machines",
    };
    assert!(refused.is_err_and(|it| it.to_string().starts_with(why)));
    assert!(Lanes::new(Route::Kernel, Digest::Md5, features).is_err());
}

/// A page of bytes with another behind it that nobody may touch.
struct Edge(*mut u8);

impl Edge {
    const PAGE: usize = 4096;

    fn new() -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping, of which the second page is then locked; nobody else knows it.
        unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let at = libc::mmap(std::ptr::null_mut(), 3 * Self::PAGE, access, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED);
            for page in [0, 2] {
                let locked = at.byte_add(page * Self::PAGE);
                assert_eq!(libc::mprotect(locked, Self::PAGE, libc::PROT_NONE), 0);
            }
            Self(at.byte_add(Self::PAGE).cast())
        }
    }

    /// The last bytes before the locked page, or the first behind the other one.
    fn fill(&mut self, content: &[u8], at_end: bool) -> &[u8] {
        let offset = if at_end { Self::PAGE - content.len() } else { 0 };
        // SAFETY: the page is ours, and no longer than a page is the content.
        unsafe {
            assert!(content.len() <= Self::PAGE);
            self.0.add(offset).copy_from_nonoverlapping(content.as_ptr(), content.len());
            std::slice::from_raw_parts(self.0.add(offset), content.len())
        }
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        // SAFETY: what `new` mapped, and nobody borrows it any more.
        unsafe { libc::munmap(self.0.sub(Self::PAGE).cast(), 3 * Self::PAGE) };
    }
}

#[test]
fn no_byte_beside_a_message_is_touched() {
    let mut edges: Vec<Edge> = (0..67).map(|_| Edge::new()).collect();
    for lanes in here() {
        for at_end in [false, true] {
            let messages: Vec<_> =
                (0..edges.len()).map(|i| message(i, (i * i * 3) % 4097)).collect();
            let slices = edges.iter_mut().zip(&messages).map(|(edge, it)| edge.fill(it, at_end));
            let hashes = hash_all(&lanes, &slices.collect::<Vec<_>>());
            for (message, hash) in messages.iter().zip(hashes) {
                assert_eq!(hash.as_ref(), oracle(lanes.digest(), message), "{}", describe(&lanes));
            }
        }
    }
}
