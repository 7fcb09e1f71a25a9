//! Every specification, both ways; published vectors.

mod vectors;

use super::build;
use crate::{Candidate, Cipher, Iv, Mode, Specification};

/// Every specification that there is.
fn specifications() -> Vec<Specification> {
    let modes = [Mode::Ecb, Mode::Cbc, Mode::Xts, Mode::Adiantum, Mode::Gcm, Mode::Aead];
    let ivs = [Iv::None, Iv::Null, Iv::Plain, Iv::Plain64, Iv::EssivSha256, Iv::Random];
    let all = Cipher::ALL.into_iter().flat_map(move |cipher| {
        let of_mode = move |mode| ivs.map(|iv| Specification::Encrypted(cipher, mode, iv));
        modes.into_iter().flat_map(of_mode)
    });
    let known: Vec<_> = all.filter(|it| it.to_string().parse() == Ok(*it)).collect();
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

/// More sectors than get their IVs at once.
const SECTORS: usize = 35;

#[test]
fn decryption_undoes_encryption_for_every_specification() {
    for candidate in candidates() {
        let key = cycle(7, candidate.key_bytes());
        for sector_bytes in [512, 4096] {
            let Ok(built) = build(candidate, &key, sector_bytes) else { continue };
            let cipher = built.cipher.expect("a cipher");
            let plain = cycle(0, SECTORS * sector_bytes);
            let mut sectors = vec![0; plain.len()];
            let mut tags = vec![0; SECTORS * candidate.specification.tag_bytes()];
            cipher.encrypt(NUMBER, &plain, &mut sectors, &mut tags);
            let differ = plain.iter().zip(&sectors).filter(|(a, b)| a != b).count();
            assert!(differ > plain.len() / 100 * 98, "{candidate}: {differ} bytes differ");
            let mut again = vec![0; plain.len()];
            cipher.decrypt(NUMBER, &sectors, &mut again, &tags).expect("what was encrypted");
            assert!(again == plain, "{candidate} {} bits", candidate.key_bits);
        }
    }
}
