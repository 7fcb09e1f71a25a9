//! The kernel out of its self-extracting file, or out of one that is it already.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::packages::in_folder;
use crate::program::output;

/// Writes a kernel uncompressed: a bzImage's as the ELF file that is in it, ARM's as it is.
pub(crate) fn extract(image: &Path, to: &Path) -> Result<(), String> {
    let bytes = fs::read(image).map_err(|error| in_folder(image, error))?;
    if is_arm64(&bytes) {
        return fs::write(to, bytes).map_err(|error| in_folder(to, error));
    }
    let payload = payload(&bytes).ok_or_else(|| in_folder(image, "is no bzImage"))?;
    let (mut unpack, payload) = match payload {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            let mut xz = Command::new("xz");
            xz.arg("--single-stream");
            (xz, payload)
        }
        // The kernel's build appends the size (scripts/Makefile.lib, size_append), which zstd refuses.
        [0x28, 0xb5, 0x2f, 0xfd, body @ .., _, _, _, _] => {
            (Command::new("zstd"), &payload[..body.len() + 4])
        }
        _ => return Err(in_folder(image, "is compressed neither with xz nor with zstd")),
    };
    let aside = to.with_extension("compressed");
    fs::write(&aside, payload).map_err(|error| in_folder(&aside, error))?;
    unpack.args(["--decompress", "--stdout", "--quiet"]).arg(&aside);
    let kernel = output(&mut unpack)?;
    fs::remove_file(&aside).map_err(|error| in_folder(&aside, error))?;
    if !kernel.starts_with(b"\x7fELF") {
        return Err(in_folder(image, "holds no ELF file"));
    }
    fs::write(to, kernel).map_err(|error| in_folder(to, error))
}

/// By the header of a kernel for 64-bit ARM (Documentation/arm64/booting.rst), which decompresses nothing.
fn is_arm64(image: &[u8]) -> bool {
    image.get(0x38..0x3c) == Some(b"ARM\x64")
}

/// By Linux' boot protocol (Documentation/x86/boot.rst): the payload's offset counts from the end of the
/// set-up code, which is so many sectors behind the first.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let word = |at: usize| {
        let bytes = image.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    if image.get(0x202..0x206)? != b"HdrS" {
        return None;
    }
    let begin = (usize::from(image[0x1f1]) + 1) * 512 + word(0x248)?;
    image.get(begin..begin.checked_add(word(0x24c)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_arm_is_known_by_its_header() {
        let mut image = vec![0; 64];
        assert!(!is_arm64(&image));
        image[0x38..0x3c].copy_from_slice(b"ARMd");
        assert!(is_arm64(&image) && !is_arm64(&image[..0x3b]));
    }

    #[test]
    fn the_payload_lies_behind_the_set_up_code() {
        let mut image = vec![0; 4 * 512];
        assert_eq!(payload(&image), None);
        image[0x1f1] = 2;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x248] = 16;
        image[0x24c] = 3;
        image[3 * 512 + 16..3 * 512 + 19].copy_from_slice(b"xyz");
        assert_eq!(payload(&image), Some(&b"xyz"[..]));
        // Cut off.
        assert_eq!(payload(&image[..3 * 512 + 18]), None);
    }
}
