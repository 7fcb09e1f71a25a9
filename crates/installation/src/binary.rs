//! What an executable or a library says about itself: its ELF headers, and the OpenSSL inside it.

use std::env::consts::ARCH;

use memchr::memmem;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, Sym};
use object::{Endianness, FileKind};

/// An ELF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The machine that it is for, as `e_machine` of elf(5).
    pub machine: u16,
    /// Whether it has a program interpreter: what has none is statically linked.
    pub interpreter: Option<String>,
    /// Names of libraries that it needs.
    pub needs: Vec<String>,
    /// Names of functions that it gives to others.
    pub exports: Vec<String>,
}

/// The machine that this program is for.
pub fn this_machine() -> u16 {
    match ARCH {
        "x86_64" => elf::EM_X86_64,
        "x86" => elf::EM_386,
        "arm" => elf::EM_ARM,
        "riscv64" => elf::EM_RISCV,
        _ => elf::EM_AARCH64,
    }
}

impl Binary {
    /// Reads the headers.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        match FileKind::parse(bytes) {
            Ok(FileKind::Elf64) => read::<FileHeader64<Endianness>>(bytes),
            Ok(FileKind::Elf32) => read::<FileHeader32<Endianness>>(bytes),
            _ if bytes.is_empty() => Err("it is empty".to_owned()),
            _ => Err("it is no ELF file".to_owned()),
        }
    }

    /// Whether it loads a library whose name begins so.
    pub fn needs(&self, beginning: &str) -> Option<&str> {
        self.needs.iter().map(String::as_str).find(|name| name.starts_with(beginning))
    }

    /// The machine's name.
    pub fn machine_name(&self) -> String {
        match self.machine {
            elf::EM_X86_64 => "x86-64".to_owned(),
            elf::EM_386 => "32-bit x86".to_owned(),
            elf::EM_AARCH64 => "64-bit ARM".to_owned(),
            elf::EM_ARM => "32-bit ARM".to_owned(),
            elf::EM_RISCV => "RISC-V".to_owned(),
            other => format!("machine {other}"),
        }
    }
}

fn read<Header: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Result<Binary, String> {
    let broken = |error: object::read::Error| format!("its headers are broken: {error}");
    let header = Header::parse(bytes).map_err(broken)?;
    let endian = header.endian().map_err(broken)?;
    let segments = header.program_headers(endian, bytes).map_err(broken)?;
    let end = |segment: &Header::ProgramHeader| {
        segment.p_offset(endian).into().saturating_add(segment.p_filesz(endian).into())
    };
    let mapped = segments.iter().filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
    // Where the last piece that the loader maps ends: it dies by SIGBUS where the file is shorter.
    let end = mapped.map(end).max().unwrap_or(0);
    if (bytes.len() as u64) < end {
        return Err(format!("it is cut off: {} bytes of {end}", bytes.len()));
    }
    let interpreter = segments.iter().find_map(|it| it.interpreter(endian, bytes).ok()?);
    let interpreter = interpreter.map(|path| String::from_utf8_lossy(path).into_owned());
    let (needs, exports) = dynamic(header, endian, bytes).map_err(broken)?;
    Ok(Binary { machine: header.e_machine(endian), interpreter, needs, exports })
}

/// The libraries needed and the functions given.
fn dynamic<Header: FileHeader<Endian = Endianness>>(
    header: &Header,
    endian: Endianness,
    bytes: &[u8],
) -> Result<(Vec<String>, Vec<String>), object::read::Error> {
    let sections = header.sections(endian, bytes)?;
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let mut needs = Vec::new();
    if let Some((entries, link)) = sections.dynamic(endian, bytes)? {
        let strings = sections.strings(endian, bytes, link)?;
        for entry in entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED)) {
            needs.push(text(entry.string(endian, strings)?));
        }
    }
    let symbols = sections.symbols(endian, bytes, elf::SHT_DYNSYM)?;
    let given = symbols.iter().filter(|symbol| symbol.is_definition(endian));
    let names = given.filter_map(|symbol| symbols.symbol_name(endian, symbol).ok());
    Ok((needs, names.map(text).collect()))
}

/// The version of the OpenSSL that was linked into a program, from its version text.
pub fn openssl_inside(bytes: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"OpenSSL ";
    let mut rest = bytes;
    while let Some(at) = memmem::find(rest, MARK) {
        let after = &rest[at + MARK.len()..];
        let end = after.iter().position(|byte| !(0x20..0x7f).contains(byte)).unwrap_or(0);
        let text = String::from_utf8_lossy(&after[..end.min(40)]).into_owned();
        // "3.0.15+quic 3 Sep 2024", never "3.x" of a message.
        let mut words = text.split_whitespace();
        let version = words.next().unwrap_or_default();
        let dated = words.next().is_some_and(|day| day.parse::<u8>().is_ok());
        if dated && version.split('.').count() == 3 && version.starts_with(['1', '3', '4']) {
            return Some(version.to_owned());
        }
        rest = after;
    }
    None
}

/// The folder that a libcrypto looks for its configuration in: its text `OPENSSLDIR: "/usr/lib/ssl"`.
pub fn openssl_folder(bytes: &[u8]) -> Option<String> {
    text_between(bytes, b"OPENSSLDIR: \"")
}

/// What stands between a mark and the next quotation mark.
pub(crate) fn text_between(bytes: &[u8], mark: &[u8]) -> Option<String> {
    let rest = &bytes[memmem::find(bytes, mark)? + mark.len()..];
    let end = rest.iter().take(4096).position(|byte| *byte == b'"')?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this_program() -> Vec<u8> {
        std::fs::read(std::env::current_exe().expect("a path")).expect("this program")
    }

    #[test]
    fn this_program_is_an_elf_file_that_needs_the_c_library() {
        let binary = Binary::read(&this_program()).expect("an ELF file");
        assert_eq!(binary.machine, this_machine());
        assert!(binary.interpreter.is_some() && binary.needs("libc.so").is_some(), "{binary:?}");
        assert_eq!(binary.needs("libcrypto"), None, "opened at run time, never linked");
    }

    #[test]
    fn damaged_files_are_told_apart() {
        assert_eq!(Binary::read(b""), Err("it is empty".to_owned()));
        assert_eq!(Binary::read(b"#!/bin/sh\n"), Err("it is no ELF file".to_owned()));
        let whole = this_program();
        let cut = Binary::read(&whole[..10_000]).expect_err("cut off");
        assert!(cut.starts_with("it is cut off: "), "{cut}");
        assert!(Binary::read(&whole[..40]).expect_err("a stump").contains("broken"));
    }

    #[test]
    fn the_openssl_inside_is_found_by_its_version_text() {
        let bytes = b"OpenSSL 3.x needed\0OpenSSL \0xx OpenSSL 3.0.15+quic 3 Sep 2024\0 tail";
        assert_eq!(openssl_inside(bytes).as_deref(), Some("3.0.15+quic"));
        assert_eq!(openssl_inside(b"OpenSSL 1.1.1w  11 Sep 2023\0").as_deref(), Some("1.1.1w"));
        assert_eq!(openssl_inside(b"needs OpenSSL 3.0.0 or later\0"), None);
        assert_eq!(openssl_inside(b"OpenSSL"), None);
        let folder = openssl_folder(b"\0OPENSSLDIR: \"/opt/conda/ssl\"\0");
        assert_eq!(folder.as_deref(), Some("/opt/conda/ssl"));
    }
}
