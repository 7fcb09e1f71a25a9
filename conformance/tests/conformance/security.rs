//! Safe answers, stated outright: they hold on every libcrypto, also on one whose default provider has the fault.
//!
//! `docs/security.md` names the fault behind each test. The other tests compare with the default provider, so none of
//! them can find what it does wrong itself.

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_libcrypto::{Cipher, CipherContext, Direction, Error, Param, Value};

use crate::trial;

/// Bytes of every tag here: all AEADs have tags of so many.
const TAG: usize = 16;

/// A name, the modes that it is about, and the check.
type Check = (&'static str, fn(Mode) -> bool, fn(&Subject) -> Result<(), String>);
/// An end of a message: whether all was well.
type End = fn(&mut CipherContext) -> bool;

/// The checks, and the modes that each is about.
const CHECKS: [Check; 8] = [
    ("one_shot_uses_the_iv", takes_pieces, one_shot_uses_the_iv),
    ("one_shot_without_iv_fails", |mode| mode == Mode::Ocb, one_shot_without_iv_fails),
    ("empty_messages_are_verified", Mode::has_tag, empty_messages_are_verified),
    ("decryption_needs_a_tag", Mode::has_tag, decryption_needs_a_tag),
    ("a_record_needs_its_data", |mode| mode == Mode::Poly1305, a_record_needs_its_data),
    ("one_shot_takes_whole_blocks", in_blocks, one_shot_takes_whole_blocks),
    ("a_call_of_no_bytes_changes_nothing", takes_pieces, a_call_of_no_bytes_changes_nothing),
    ("lengths_come_before_the_iv", |mode| mode == Mode::Gcm, lengths_come_before_the_iv),
];

/// Whether a message may come in several calls.
fn takes_pieces(mode: Mode) -> bool {
    matches!(mode, Mode::Gcm | Mode::Ocb | Mode::Poly1305)
}

fn in_blocks(mode: Mode) -> bool {
    matches!(mode, Mode::Ecb | Mode::Cbc | Mode::Cts)
}

pub(crate) fn trials(name: &str, ours: &Provider) -> Vec<Trial> {
    let of_check = |(what, concerns, check): Check| {
        let algorithms = ours.algorithms().into_iter().filter(move |it| concerns(it.mode()));
        let build = move |algorithm: Algorithm| {
            let ours = ours.clone();
            trial(format!("{name}::security::{what}::{algorithm}"), move || {
                let cipher = ours.cipher(algorithm).map_err(|error| error.to_string())?;
                check(&Subject::new(algorithm, cipher))
            })
        };
        algorithms.map(build).collect::<Vec<_>>()
    };
    CHECKS.into_iter().flat_map(of_check).collect()
}

/// Whether a cipher lets a message of no bytes pass under a tag that is not its own: the default provider's CCM does
/// before openssl#32253.
pub(crate) fn accepts_forged_empty_message(algorithm: Algorithm, cipher: &Cipher) -> bool {
    let subject = Subject::new(algorithm, cipher.clone());
    let opened = subject.begin(Direction::Decrypt, &subject.iv).and_then(|mut work| {
        work.set_tag(&[0x5a; TAG])?;
        work.finish(&mut [0; 32])
    });
    opened.is_ok()
}

/// One cipher, with a key and an IV for it.
struct Subject {
    algorithm: Algorithm,
    cipher: Cipher,
    key: Vec<u8>,
    iv: Vec<u8>,
}

/// What a message gave: the ciphertext, and the tag.
type Sealed = (Vec<u8>, [u8; TAG]);

impl Subject {
    fn new(algorithm: Algorithm, cipher: Cipher) -> Self {
        let iv_bytes = algorithm.iv_bytes();
        Self {
            algorithm,
            cipher,
            key: painted(81, algorithm.key_bytes()),
            iv: painted(82, iv_bytes),
        }
    }

    /// A message's context, which has been told the length of the tag where it must know it beforehand.
    fn begin(&self, direction: Direction, iv: &[u8]) -> Result<CipherContext, Error> {
        let mut work = self.cipher.context()?;
        let lengths =
            [Param::size(c"ivlen", iv.len()), Param { key: c"tag", value: Value::NoOctets(TAG) }];
        let told = match self.algorithm.mode() {
            Mode::Ccm => &lengths[..],
            _ => &[],
        };
        work.init(direction, None, None, told)?;
        let iv = (!iv.is_empty()).then_some(iv);
        work.init(direction, Some(&self.key), iv, &[])?;
        Ok(work)
    }

    /// A message by updates and final.
    fn seal(&self, iv: &[u8], data: &[u8]) -> Result<Sealed, Error> {
        let mut work = self.begin(Direction::Encrypt, iv)?;
        let mut output = vec![0; data.len() + 32];
        let mut written = work.update(data, &mut output)?;
        written += work.finish(&mut output[written..])?;
        output.truncate(written);
        let mut tag = [0; TAG];
        work.tag(&mut tag)?;
        Ok((output, tag))
    }
}

fn told(error: Error) -> String {
    error.to_string()
}

/// A message by `EVP_Cipher` is the same as one by updates, under either IV, and its tag decides (CVE-2026-45445).
fn one_shot_uses_the_iv(subject: &Subject) -> Result<(), String> {
    let data = painted(83, 32);
    let mut other = subject.iv.clone();
    other[0] ^= 1;
    let mut seen = Vec::new();
    for iv in [&subject.iv, &other] {
        let (right, right_tag) = subject.seal(iv, &data).map_err(told)?;
        let mut work = subject.begin(Direction::Encrypt, iv).map_err(told)?;
        let (mut output, mut rest, mut tag) = ([0; 64], [0; 32], [0; TAG]);
        if work.one_shot(&data, &mut output) != 32 {
            return Err("EVP_Cipher did not tell 32 bytes".to_owned());
        }
        same(|| "EVP_Cipher's ciphertext".to_owned(), &right, &output[..32])?;
        if work.finish_by_one_shot(&mut rest) < 0 {
            return Err("EVP_Cipher did not end the message".to_owned());
        }
        work.tag(&mut tag).map_err(told)?;
        same(|| "EVP_Cipher's tag".to_owned(), &right_tag, &tag)?;
        let mut wrong = right_tag;
        wrong[3] ^= 1;
        for (tag, is_right) in [(right_tag, true), (wrong, false)] {
            let mut work = subject.begin(Direction::Decrypt, iv).map_err(told)?;
            work.set_tag(&tag).map_err(told)?;
            work.one_shot(&right, &mut output);
            same(|| "EVP_Cipher's plaintext".to_owned(), &data, &output[..32])?;
            if (work.finish_by_one_shot(&mut rest) >= 0) != is_right {
                return Err(format!("a tag that is right: {is_right}, yet EVP_Cipher differs"));
            }
        }
        seen.push(right);
    }
    if seen[0] == seen[1] { Err("the IV does not matter".to_owned()) } else { Ok(()) }
}

/// Without an IV nothing is encrypted (CVE-2026-45445).
fn one_shot_without_iv_fails(subject: &Subject) -> Result<(), String> {
    let mut work = subject.begin(Direction::Encrypt, &[]).map_err(told)?;
    let mut output = [0; 64];
    if work.one_shot(&[7; 32], &mut output) >= 0 || output != [0; 64] {
        return Err("EVP_Cipher encrypts without an IV".to_owned());
    }
    Ok(())
}

/// A message of no bytes is verified as any other, whether final ends it or `EVP_Cipher` (openssl#32253, openssl#32258).
fn empty_messages_are_verified(subject: &Subject) -> Result<(), String> {
    let by_final: End = |work| work.finish(&mut [0; 32]).is_ok();
    let by_one_shot: End = |work| work.finish_by_one_shot(&mut [0; 32]) >= 0;
    let ends: [(&str, End); 2] = [("EVP_CipherFinal_ex", by_final), ("EVP_Cipher", by_one_shot)];
    // GCM-SIV takes an update of no bytes for the message.
    let right = if subject.algorithm.mode() == Mode::GcmSiv {
        subject.seal(&subject.iv, &[]).map_err(told)?.1
    } else {
        let mut tags = Vec::new();
        for (name, end) in &ends {
            let mut work = subject.begin(Direction::Encrypt, &subject.iv).map_err(told)?;
            let mut tag = [0; TAG];
            if !end(&mut work) || work.tag(&mut tag).is_err() {
                return Err(format!("{name} makes no tag of an empty message"));
            }
            tags.push(tag);
        }
        same(|| "the tags of an empty message".to_owned(), &tags[0], &tags[1])?;
        tags[0]
    };
    let mut wrong = right;
    wrong[15] ^= 0x80;
    for (name, end) in &ends {
        for (tag, is_right) in [(right, true), (wrong, false), ([0; TAG], false)] {
            let mut work = subject.begin(Direction::Decrypt, &subject.iv).map_err(told)?;
            work.set_tag(&tag).map_err(told)?;
            if end(&mut work) != is_right {
                return Err(format!(
                    "{name}: a tag that is right: {is_right}, yet the verdict differs"
                ));
            }
        }
    }
    Ok(())
}

/// Where no tag was given nothing is verified, so decryption fails (openssl#31285, openssl#28730).
fn decryption_needs_a_tag(subject: &Subject) -> Result<(), String> {
    for length in [0, 16, 32] {
        let begin = || subject.begin(Direction::Decrypt, &subject.iv).map_err(told);
        let (data, mut output) = (painted(84, length), [0; 80]);
        let mut by_final = begin()?;
        // CCM refuses the data already, which is as good.
        let _ = by_final.update(&data, &mut output);
        if by_final.finish(&mut output).is_ok() {
            return Err(format!("EVP_CipherFinal_ex of {length} bytes without a tag succeeds"));
        }
        let mut by_one_shot = begin()?;
        if length > 0 {
            by_one_shot.one_shot(&data, &mut output);
        }
        if by_one_shot.finish_by_one_shot(&mut [0; 32]) >= 0 {
            return Err(format!("EVP_Cipher of {length} bytes without a tag succeeds"));
        }
    }
    Ok(())
}

/// A TLS record that was announced and never came does not end well.
fn a_record_needs_its_data(subject: &Subject) -> Result<(), String> {
    // Sequence number, type, version, and a length of 32 (RFC 5246 §6.2.3.3).
    let header = [0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 0, 32];
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        let mut work = subject.begin(direction, &subject.iv).map_err(told)?;
        if direction == Direction::Decrypt {
            work.set_tag(&[0; TAG]).map_err(told)?;
        }
        let announced = [Param { key: c"tlsaad", value: Value::Octets(&header) }];
        work.set(&announced).map_err(told)?;
        if work.finish(&mut [0; 32]).is_ok() {
            return Err(format!("{direction:?}: a record without data ends well"));
        }
    }
    Ok(())
}

/// A part of a block is refused, never told as done and left as it was.
fn one_shot_takes_whole_blocks(subject: &Subject) -> Result<(), String> {
    for length in [1, 5, 15, 17, 31, 33] {
        let mut work = subject.begin(Direction::Encrypt, &subject.iv).map_err(told)?;
        let mut output = [0; 80];
        let told = work.one_shot(&painted(85, length), &mut output);
        if told >= 0 || output != [0; 80] {
            return Err(format!("EVP_Cipher of {length} bytes tells {told}"));
        }
    }
    Ok(())
}

/// `EVP_Cipher` of no bytes between two pieces of associated data is no end of them (openssl#32752, openssl#32741).
fn a_call_of_no_bytes_changes_nothing(subject: &Subject) -> Result<(), String> {
    let aad = painted(93, 18);
    for cut in [1, 5, 16] {
        let seal = |calls: usize| -> Result<([u8; 48], [u8; TAG]), Error> {
            let mut work = subject.begin(Direction::Encrypt, &subject.iv)?;
            work.aad(&aad[..cut])?;
            let (mut output, mut tag) = ([0; 48], [0; TAG]);
            for _ in 0..calls {
                work.one_shot(&[], &mut output);
            }
            work.aad(&aad[cut..])?;
            let written = work.update(&[7; 9], &mut output)?;
            work.finish(&mut output[written..])?;
            work.tag(&mut tag)?;
            Ok((output, tag))
        };
        let right = seal(0).map_err(told)?;
        // Refusing what comes after such a call would be as safe; a wrong tag is not.
        if !seal(1).is_ok_and(|it| it == right) {
            return Err(format!("cut at {cut}: another message"));
        }
    }
    Ok(())
}

/// All of an IV counts whose length comes with it (CVE-2023-5363, in libcrypto's core before 3.0.12 and 3.1.4).
fn lengths_come_before_the_iv(subject: &Subject) -> Result<(), String> {
    let seal = |last: u8| -> Result<[u8; 32], Error> {
        let mut iv = painted(95, 16);
        iv[15] = last;
        let mut work = subject.cipher.context()?;
        let lengths = [Param::size(c"ivlen", 16)];
        work.init(Direction::Encrypt, Some(&subject.key), Some(&iv), &lengths)?;
        let mut output = [0; 32];
        work.update(&[9; 16], &mut output)?;
        Ok(output)
    };
    match seal(1).map_err(told)? == seal(2).map_err(told)? {
        true => Err("the end of the IV does not count".to_owned()),
        false => Ok(()),
    }
}
