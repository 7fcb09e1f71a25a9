//! Questions to a libcrypto's own default provider: has it a fault? Each takes some microseconds.

use wirespeed_advisories::Probe;
use wirespeed_libcrypto::{
    Cipher, CipherContext, Context, Direction, Error, Library, Param, Value,
};

use Direction::{Decrypt, Encrypt};

/// Whether it has the fault; none where the question cannot be asked, because it lacks the cipher.
pub(crate) fn has_fault(library: Library, probe: Probe) -> Option<bool> {
    let context = Context::new(library).ok()?;
    context.load("default").ok()?;
    let fetch = |name: &str| context.fetch(name, Some("provider=default"));
    let answer = match probe {
        Probe::OcbIv => fetch("AES-128-OCB").and_then(|it| ocb_ignores_the_iv(&it)),
        Probe::Poly1305Empty => fetch("ChaCha20-Poly1305")
            .and_then(|it| Ok(begin(&it, &[0; 16])?.finish_by_one_shot(&mut [0; ROOM]) >= 0)),
        Probe::CcmEmpty => fetch("ARIA-128-CCM").and_then(|it| ccm_takes_a_forged_tag(&it)),
        Probe::GcmSivEmpty => fetch("AES-128-GCM-SIV")
            .and_then(|it| Ok(begin(&it, &[0; 16])?.finish(&mut [0; ROOM]).is_ok())),
        Probe::NoTag => fetch("ChaCha20-Poly1305").and_then(|it| needs_no_tag(&it)),
        Probe::LengthsInParameters => fetch("AES-128-GCM").and_then(|it| cuts_the_iv(&it)),
        Probe::Position => fetch("AES-128-CFB").and_then(|it| takes_any_position(&it)),
        Probe::EmptyCall => {
            let of = |name| fetch(name).and_then(|it| minds_an_empty_call(&it));
            of("ChaCha20-Poly1305").and_then(|faulty| Ok(faulty || of("AES-128-GCM")?))
        }
    };
    answer.ok()
}

/// Room for a message of two blocks, and what a call adds.
const ROOM: usize = 64;

fn keyed(cipher: &Cipher, direction: Direction, iv: &[u8]) -> Result<CipherContext, Error> {
    let mut work = cipher.context()?;
    work.init(direction, Some(&vec![0x51; cipher.key_bytes()]), Some(iv), &[])?;
    Ok(work)
}

/// A decryption with associated data and a tag that is not theirs.
fn begin(cipher: &Cipher, tag: &[u8]) -> Result<CipherContext, Error> {
    let mut work = keyed(cipher, Decrypt, &vec![0x52; cipher.iv_bytes()])?;
    work.set_tag(tag)?;
    work.aad(&[0x53; 5])?;
    Ok(work)
}

fn ocb_ignores_the_iv(cipher: &Cipher) -> Result<bool, Error> {
    let seal = |first: u8| -> Result<[u8; ROOM], Error> {
        let mut iv = vec![0x52; cipher.iv_bytes()];
        iv[0] = first;
        let mut output = [0; ROOM];
        keyed(cipher, Encrypt, &iv)?.one_shot(&[0x54; 32], &mut output);
        Ok(output)
    };
    Ok(seal(1)? == seal(2)?)
}

fn ccm_takes_a_forged_tag(cipher: &Cipher) -> Result<bool, Error> {
    let mut work = cipher.context()?;
    let tag = Param { key: c"tag", value: Value::NoOctets(16) };
    work.init(Decrypt, None, None, &[Param::size(c"ivlen", 12), tag])?;
    let key = vec![0x51; cipher.key_bytes()];
    work.init(Decrypt, Some(&key), Some(&[0x52; 12]), &[])?;
    work.set_tag(&[0x55; 16])?;
    Ok(work.finish(&mut [0; ROOM]).is_ok())
}

fn needs_no_tag(cipher: &Cipher) -> Result<bool, Error> {
    let mut work = keyed(cipher, Decrypt, &vec![0x52; cipher.iv_bytes()])?;
    let mut output = [0; ROOM];
    work.update(&[0x54; 16], &mut output)?;
    Ok(work.finish(&mut output).is_ok())
}

fn cuts_the_iv(cipher: &Cipher) -> Result<bool, Error> {
    let seal = |last: u8| -> Result<[u8; ROOM], Error> {
        let mut iv = [0x52; 16];
        iv[15] = last;
        let mut work = cipher.context()?;
        let key = vec![0x51; cipher.key_bytes()];
        work.init(Encrypt, Some(&key), Some(&iv), &[Param::size(c"ivlen", iv.len())])?;
        let mut output = [0; ROOM];
        work.update(&[0x54; 16], &mut output)?;
        Ok(output)
    };
    Ok(seal(1)? == seal(2)?)
}

/// The position is set and never used: a library that takes it would read beyond.
fn takes_any_position(cipher: &Cipher) -> Result<bool, Error> {
    let mut work = keyed(cipher, Encrypt, &vec![0x52; cipher.iv_bytes()])?;
    Ok(work.set(&[Param::uint(c"num", 16)]).is_ok())
}

fn minds_an_empty_call(cipher: &Cipher) -> Result<bool, Error> {
    let seal = |calls: u32| -> Result<[u8; 16], Error> {
        let mut work = keyed(cipher, Encrypt, &vec![0x52; cipher.iv_bytes()])?;
        let (mut output, mut tag) = ([0; ROOM], [0; 16]);
        work.aad(&[0x53; 5])?;
        for _ in 0..calls {
            work.one_shot(&[], &mut output);
        }
        work.aad(&[0x56; 13])?;
        work.update(&[0x54; 16], &mut output)?;
        work.finish(&mut output)?;
        work.tag(&mut tag)?;
        Ok(tag)
    };
    let right = seal(0)?;
    // To refuse what comes after it is as good.
    Ok(seal(1).is_ok_and(|tag| tag != right))
}

#[cfg(test)]
mod tests {
    use wirespeed_advisories::{FAULTS, Verdict};

    use super::*;

    /// Where a number tells for sure, this machine's libcrypto answers so, unless its distribution mended it.
    #[test]
    fn this_machines_libcrypto_answers_every_question_that_it_can_be_asked() {
        let library = Library::host().expect("these tests need libcrypto");
        let version = library.version_numbers();
        for fault in FAULTS {
            let Some(probe) = fault.probe else { continue };
            let told = has_fault(library, probe);
            println!("{}: {}: {told:?}", library.version(), fault.id);
            if version >= fault.since {
                assert!(told.is_some(), "{}: no answer", fault.id);
            }
            if fault.by_number(version) == Verdict::Fixed {
                assert_ne!(told, Some(true), "{}: fixed by number, yet there", fault.id);
            }
        }
    }
}
