//! Every specification, both ways; published vectors.

mod vectors;

use super::order::Order;
use super::{build, every};
use crate::specification::known;
use crate::{Candidate, Mode, Specification, Variant};

/// Every specification that there is.
fn specifications() -> Vec<Specification> {
    let known: Vec<_> = known().collect();
    for mode in Mode::ALL {
        let has_mode = |it: &_| matches!(it, Specification::Encrypted(_, its, _) if *its == mode);
        assert!(known.iter().any(has_mode), "{mode:?}");
    }
    assert!(known.len() > 100, "{} specifications", known.len());
    known
}

/// The same with every size of key.
fn candidates() -> impl Iterator<Item = Candidate> {
    let of = |specification: Specification| {
        let sizes = specification.key_bits().into_iter();
        sizes.map(move |key_bits| Candidate::of(specification, key_bits))
    };
    specifications().into_iter().flat_map(of)
}

/// A cycle of 251 bytes from `start` on.
fn cycle(start: usize, bytes: usize) -> Vec<u8> {
    (start..start + bytes).map(|i| (i % 251) as u8).collect()
}

/// An odd number whose upper half counts too.
const NUMBER: u64 = 0x12_3456_789b;

/// Sizes of sectors, and how many: of the small ones more than get their IVs at once.
const SIZES: [(usize, usize); 2] = [(512, 35), (4096, 2)];

fn order(specification: Specification, key: &[u8], sector_bytes: usize) -> Order<'_> {
    let Specification::Encrypted(cipher, mode, iv) = specification else {
        panic!("{specification} is no cipher")
    };
    Order { cipher, mode, iv, key, sector_bytes }
}

/// Every implementation of every specification: each undoes itself, and all give the same bytes.
#[test]
fn routes_agree_and_decryption_undoes_encryption() {
    for candidate in candidates() {
        let key = cycle(7, candidate.key_bytes());
        for (sector_bytes, count) in SIZES {
            let order = order(candidate.specification, &key, sector_bytes);
            let mut routes = every(order, Variant::Best);
            routes.extend(every(order, Variant::Generic));
            assert!(!routes.is_empty(), "{candidate}: nobody computes it");
            let plain = cycle(0, count * sector_bytes);
            let mut first = None;
            for (route, cipher) in routes {
                let mut sectors = vec![0; plain.len()];
                let mut tags = vec![0; count * candidate.specification.tag_bytes()];
                cipher.encrypt(NUMBER, &plain, &mut sectors, &mut tags);
                let same = plain.iter().zip(&sectors).filter(|(one, other)| one == other).count();
                assert!(same < plain.len() / 50, "{candidate} by {route}: {same} bytes are plain");
                let mut again = vec![0; plain.len()];
                cipher.decrypt(NUMBER, &sectors, &mut again, &tags).expect("what was encrypted");
                assert!(again == plain, "{candidate} by {route}, {} bits", candidate.key_bits);
                if tags.is_empty() {
                    let first = first.get_or_insert_with(|| sectors.clone());
                    assert!(*first == sectors, "{candidate} by {route}: another ciphertext");
                }
            }
        }
    }
}

/// Any cut of a request gives the same bytes: every sector has its own IV, whatever its place.
#[test]
fn sectors_do_not_depend_on_their_neighbours() {
    for specification in specifications().into_iter().filter(|it| it.tag_bytes() == 0) {
        let key = cycle(3, specification.key_bits()[0] as usize / 8);
        for (sector_bytes, count) in SIZES {
            let (_, cipher) =
                every(order(specification, &key, sector_bytes), Variant::Generic).swap_remove(0);
            let plain = cycle(0, count * sector_bytes);
            let (mut together, mut apart) = (vec![0; plain.len()], vec![0; plain.len()]);
            cipher.encrypt(NUMBER, &plain, &mut together, &mut []);
            let sectors =
                plain.chunks(sector_bytes).zip(apart.chunks_mut(sector_bytes)).enumerate();
            for (place, (plain, sector)) in sectors {
                let number = NUMBER + (place * sector_bytes / 512) as u64;
                cipher.encrypt(number, plain, sector, &mut []);
            }
            assert!(together == apart, "{specification}, sectors of {sector_bytes}");
        }
    }
}

/// The libraries of the host are a second opinion only where there are any.
#[test]
fn the_host_has_an_opinion_on_its_ciphers() {
    for name in
        ["aes-xts-plain64", "aes-cbc-essiv:sha256", "camellia-cbc-plain64", "aria-xts-plain"]
    {
        let specification: Specification = name.parse().expect("a specification");
        let key = cycle(1, specification.key_bits()[0] as usize / 8);
        let routes = every(order(specification, &key, 512), Variant::Best);
        let names: Vec<_> = routes.iter().map(|(route, _)| *route).collect();
        assert!(names.contains(&"libcrypto"), "{name}: {names:?}");
    }
}

#[test]
fn a_generic_cipher_takes_the_portable_route() {
    let specification = "aes-cbc-plain64".parse().expect("a specification");
    let candidate = Candidate { specification, key_bits: 128, variant: Variant::Generic };
    assert_eq!(build(candidate, &[1; 16], 512).expect("a route").route, "portable");
    let nothing = build(Candidate::of(Specification::Plain, 0), &[], 512).expect("nothing to do");
    assert!(nothing.cipher.is_none() && nothing.route == "none");
}

#[test]
fn the_fastest_is_among_those_that_are_here() {
    for (name, key_bits) in [("aes-xts-plain64", 512), ("aes-gcm-random", 256)] {
        let specification: Specification = name.parse().expect("a specification");
        let key = cycle(1, key_bits as usize / 8);
        let chosen = build(Candidate::of(specification, key_bits), &key, 4096).expect("a route");
        let routes = every(order(specification, &key, 4096), Variant::Best);
        assert!(routes.iter().any(|(route, _)| *route == chosen.route), "{}", chosen.route);
    }
}

/// Whatever is changed, a sector is refused: data, tag, IV, or its place on the disk.
#[test]
fn what_was_tampered_with_is_refused() {
    for (name, key_bytes) in [("aes-gcm-random", 32), ("aegis128-random", 16)] {
        let specification: Specification = name.parse().expect("a specification");
        let key = cycle(1, key_bytes);
        let plain = cycle(0, 4 * 512);
        let beside = specification.tag_bytes();
        for (route, cipher) in every(order(specification, &key, 512), Variant::Best) {
            let (mut sectors, mut tags) = (vec![0; plain.len()], vec![0; 4 * beside]);
            cipher.encrypt(NUMBER, &plain, &mut sectors, &mut tags);
            let refused = |number, sectors: &[u8], tags: &[u8]| {
                let mut out = vec![1; sectors.len()];
                let refused = cipher.decrypt(number, sectors, &mut out, tags).is_err();
                // The last sector is the forged one, and nothing of it is shown.
                refused && out[out.len() - 512..].iter().all(|byte| *byte == 0)
            };
            assert!(!refused(NUMBER, &sectors, &tags), "{name} by {route}");
            assert!(refused(NUMBER + 1, &sectors[..512], &tags[..beside]), "{name} by {route}");
            for place in [3 * 512, 4 * 512 - 1] {
                let mut sectors = sectors.clone();
                sectors[place] ^= 0x80;
                assert!(refused(NUMBER, &sectors, &tags), "{name} by {route}: byte {place}");
            }
            for place in 3 * beside..4 * beside {
                let mut tags = tags.clone();
                tags[place] ^= 1;
                assert!(refused(NUMBER, &sectors, &tags), "{name} by {route}: tag {place}");
            }
        }
    }
}

#[test]
fn every_writing_has_ivs_of_its_own() {
    let specification: Specification = "aegis128-random".parse().expect("a specification");
    let (_, cipher) = every(order(specification, &[5; 16], 512), Variant::Best).swap_remove(0);
    let plain = vec![0; 64 * 512];
    let mut seen = std::collections::HashSet::new();
    for _ in 0..8 {
        let (mut sectors, mut tags) = (vec![0; plain.len()], vec![0; 64 * 32]);
        std::thread::scope(|scope| {
            scope.spawn(|| cipher.encrypt(0, &plain, &mut sectors, &mut tags));
        });
        seen.extend(tags.chunks(32).map(|beside| beside[16..].to_vec()));
    }
    assert_eq!(seen.len(), 8 * 64);
}
