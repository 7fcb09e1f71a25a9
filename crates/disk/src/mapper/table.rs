//! Tables of the device mapper: what a device is made of, as one line of text.
//!
//! The kernel's Documentation/admin-guide/device-mapper has a page for each target: linear.rst, dm-crypt.rst and
//! dm-integrity.rst.

use std::fmt::Write;

use super::Choice;
use crate::UNIT;
use crate::{Candidate, Cipher, Mode, Specification, Variant};

/// A part of another device, `first` and `units` in 512 bytes.
pub(super) fn linear(device: &str, first: u64, units: u64) -> String {
    format!("0 {units} linear {device} {first}\n")
}

/// Tags for the sectors of `data`, kept on `tags`.
///
/// Mode D writes without the journal, which would write every sector twice: the cipher is to be measured.
pub(super) fn integrity(
    data: &str,
    tags: &str,
    units: u64,
    tag_bytes: usize,
    sector_bytes: usize,
) -> String {
    format!(
        "0 {units} integrity {data} 0 {tag_bytes} D 3 meta_device:{tags} block_size:{sector_bytes} \
         journal_sectors:1\n"
    )
}

/// An encrypted device.
pub(super) fn crypt(
    device: &str,
    units: u64,
    candidate: Candidate,
    name: &str,
    key: &[u8],
    sector_bytes: usize,
    choices: &[Choice],
) -> String {
    let key = key.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let mut options: Vec<String> = choices.iter().map(|choice| choice.name().to_owned()).collect();
    if sector_bytes != UNIT as usize {
        options.push(format!("sector_size:{sector_bytes}"));
    }
    match candidate.specification.tag_bytes() {
        0 => {}
        bytes => options.push(format!("integrity:{bytes}:aead")),
    }
    let mut table = format!("0 {units} crypt {} {key} 0 {device} 0", capi(candidate, name));
    if !options.is_empty() {
        let _ = write!(table, " {} {}", options.len(), options.join(" "));
    }
    table.push('\n');
    table
}

/// dm-crypt's spelling: the crypto API's name, then where the IV comes from, behind the last dash.
fn capi(candidate: Candidate, name: &str) -> String {
    let iv = match candidate.specification {
        Specification::Encrypted(_, _, iv) => iv.name(),
        Specification::Plain => None,
    };
    // The name of a driver may hold a dash. An IV that the cipher has no use for is passed over.
    match iv.or(name.contains('-').then_some("null")) {
        Some(iv) => format!("capi:{name}-{iv}"),
        None => format!("capi:{name}"),
    }
}

/// The crypto API's names for a candidate, one of which the kernel may know: an algorithm, which the driver with the
/// highest priority serves, or a driver.
pub(super) fn names(candidate: Candidate) -> Vec<String> {
    let Specification::Encrypted(cipher, mode, _) = candidate.specification else {
        return Vec::new();
    };
    match candidate.variant {
        Variant::Best => vec![whole(cipher, mode, cipher.name())],
        Variant::Generic => {
            generic(cipher).into_iter().map(|name| whole(cipher, mode, &name)).collect()
        }
    }
}

/// The cipher's drivers in plain code.
fn generic(cipher: Cipher) -> Vec<String> {
    match cipher {
        // A stream cipher under the name of a mode; written otherwise since it is an lskcipher.
        Cipher::Arc4 => vec!["ecb(arc4)-generic".to_owned(), "ecb(arc4-generic)".to_owned()],
        // Linux 7 has its plain code in lib/crypto, and a driver of that name.
        Cipher::Aes => vec!["aes-generic".to_owned(), "aes-lib".to_owned()],
        Cipher::Xchacha12Aes => vec!["xchacha12-generic,aes-generic".to_owned()],
        Cipher::Xchacha20Aes => vec!["xchacha20-generic,aes-generic".to_owned()],
        _ => vec![format!("{}-generic", cipher.name())],
    }
}

fn whole(cipher: Cipher, mode: Mode, inner: &str) -> String {
    match mode.name() {
        // The driver's whole name.
        _ if cipher == Cipher::Arc4 && inner != "arc4" => inner.to_owned(),
        Some(mode) => format!("{mode}({inner})"),
        None => inner.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, key_bits: u32) -> Candidate {
        Candidate::of(name.parse().expect("a cipher"), key_bits)
    }

    fn written(candidate: Candidate, sector_bytes: usize, choices: &[Choice]) -> Vec<String> {
        let key = vec![0xa5; candidate.key_bytes()];
        let names = names(candidate);
        names
            .iter()
            .map(|name| crypt("8:1", 2048, candidate, name, &key, sector_bytes, choices))
            .collect()
    }

    #[test]
    fn as_dm_crypt_reads_them() {
        let key = "a5".repeat(32);
        assert_eq!(
            written(of("aes-xts-plain64", 256), 512, &[]),
            [format!("0 2048 crypt capi:xts(aes)-plain64 {key} 0 8:1 0\n")]
        );
        let choices = [Choice::NoReadWorkqueue, Choice::NoWriteWorkqueue];
        assert_eq!(
            written(of("aes-cbc-essiv:sha256", 256), 4096, &choices),
            [format!(
                "0 2048 crypt capi:cbc(aes)-essiv:sha256 {key} 0 8:1 0 3 no_read_workqueue \
                 no_write_workqueue sector_size:4096\n"
            )]
        );
        assert_eq!(
            written(of("xchacha12,aes-adiantum-plain64", 256), 512, &[]),
            [format!("0 2048 crypt capi:adiantum(xchacha12,aes)-plain64 {key} 0 8:1 0\n")]
        );
        assert_eq!(
            written(of("aes-gcm-random", 256), 4096, &[]),
            [format!(
                "0 2048 crypt capi:gcm(aes)-random {key} 0 8:1 0 2 sector_size:4096 integrity:28:aead\n"
            )]
        );
    }

    #[test]
    fn drivers_by_name() {
        let generic = |name, bits| Candidate { variant: Variant::Generic, ..of(name, bits) };
        let names_of = |name, bits| names(generic(name, bits));
        assert_eq!(names_of("aes-cbc-plain64", 128), ["cbc(aes-generic)", "cbc(aes-lib)"]);
        assert_eq!(names_of("serpent-xts-plain64", 256), ["xts(serpent-generic)"]);
        assert_eq!(names_of("aegis128-random", 128), ["aegis128-generic"]);
        assert_eq!(names_of("arc4-ecb", 128), ["ecb(arc4)-generic", "ecb(arc4-generic)"]);
        let table = &written(generic("arc4-ecb", 128), 512, &[])[0];
        assert!(table.contains(" capi:ecb(arc4)-generic-null "), "{table}");
        let table = &written(of("arc4-ecb", 128), 512, &[])[0];
        assert!(table.contains(" capi:ecb(arc4) "), "{table}");
    }

    #[test]
    fn every_candidate_has_a_name() {
        for candidate in Candidate::all() {
            assert_eq!(names(candidate).is_empty(), candidate.key_bits == 0, "{candidate}");
        }
    }

    #[test]
    fn parts_and_tags() {
        assert_eq!(linear("7:0", 16, 2048), "0 2048 linear 7:0 16\n");
        assert_eq!(
            integrity("253:1", "253:2", 4096, 28, 4096),
            "0 4096 integrity 253:1 0 28 D 3 meta_device:253:2 block_size:4096 journal_sectors:1\n"
        );
    }
}
