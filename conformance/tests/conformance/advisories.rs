//! Safe answers to faults that the fixed releases of OpenSSL still have, or that its core has: rows of
//! `docs/security.md` beside those of `security.rs`.

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Mode};
use wirespeed_conformance::data::painted;
use wirespeed_conformance::door::Door;
use wirespeed_conformance::evp::Provider;
use wirespeed_libcrypto::{Cipher, Direction, Error, Param};

use crate::trial;

type Check = fn(Algorithm, &Cipher) -> Result<(), Error>;

pub(crate) fn trials(name: &str, ours: &Provider) -> Vec<Trial> {
    const CHECKS: [(&str, &[Mode], Check); 2] = [
        (
            "a_call_of_no_bytes_changes_nothing",
            &[Mode::Gcm, Mode::Ocb, Mode::Poly1305],
            a_call_of_no_bytes_changes_nothing,
        ),
        ("lengths_come_before_the_iv", &[Mode::Gcm], lengths_come_before_the_iv),
    ];
    let of_check = |(what, modes, check): (&'static str, &'static [Mode], Check)| {
        let algorithms = ours.algorithms().into_iter().filter(|it| modes.contains(&it.mode()));
        let build = move |algorithm: Algorithm| {
            let ours = ours.clone();
            trial(format!("{name}::advisories::{what}::{algorithm}"), move || {
                let cipher = ours.cipher(algorithm).map_err(|error| error.to_string())?;
                check(algorithm, &cipher).map_err(|error| error.to_string())
            })
        };
        algorithms.map(build).collect::<Vec<_>>()
    };
    CHECKS.into_iter().flat_map(of_check).collect()
}

/// `EVP_Cipher` of no bytes between two pieces of associated data is no end of them (openssl#32752, openssl#32741).
fn a_call_of_no_bytes_changes_nothing(algorithm: Algorithm, cipher: &Cipher) -> Result<(), Error> {
    let (key, iv) = (painted(91, algorithm.key_bytes()), painted(92, algorithm.iv_bytes()));
    let aad = painted(93, 18);
    for cut in [1, 5, 16] {
        let seal = |calls: usize| -> Result<([u8; 48], [u8; 16]), Error> {
            let mut work = cipher.context()?;
            work.init(Direction::Encrypt, Some(&key), Some(&iv), &[])?;
            work.aad(&aad[..cut])?;
            let (mut output, mut tag) = ([0; 48], [0; 16]);
            for _ in 0..calls {
                work.one_shot(&[], &mut output);
            }
            work.aad(&aad[cut..])?;
            let written = work.update(&[7; 9], &mut output)?;
            work.finish(&mut output[written..])?;
            work.tag(&mut tag)?;
            Ok((output, tag))
        };
        let right = seal(0)?;
        // Refusing what comes after such a call would be as safe; a wrong tag is not.
        assert!(seal(1).is_ok_and(|it| it == right), "{algorithm}, cut at {cut}: another message");
    }
    Ok(())
}

/// All of an IV counts whose length comes with it (CVE-2023-5363, in libcrypto's core before 3.0.12 and 3.1.4).
fn lengths_come_before_the_iv(algorithm: Algorithm, cipher: &Cipher) -> Result<(), Error> {
    let key = painted(94, algorithm.key_bytes());
    let seal = |last: u8| -> Result<[u8; 32], Error> {
        let mut iv = painted(95, 16);
        iv[15] = last;
        let mut work = cipher.context()?;
        work.init(Direction::Encrypt, Some(&key), Some(&iv), &[Param::size(c"ivlen", 16)])?;
        let mut output = [0; 32];
        work.update(&[9; 16], &mut output)?;
        Ok(output)
    };
    assert_ne!(seal(1)?, seal(2)?, "{algorithm}: the end of the IV does not count");
    Ok(())
}
