//! Configurations for the properties: noise made of the syntax's own pieces, and likely files.

use std::fmt;
use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A file's content, shown as text when a property fails.
#[derive(Clone)]
pub(crate) struct Content(pub(crate) Vec<u8>);

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.0.escape_ascii().to_string().replace("\\n", "\n"))
    }
}

/// What files are made of, and what they trip over.
const PIECES: &[&[u8]] = &[
    b"\n", b"\n", b"\n", b"\r\n", b"\\\n", b"\\", b" ", b"\t", b"=", b" = ", b"[", b"]", b"a", b"b",
    b"default", b"section", b"::", b"#", b"\"", b"'", b"`", b"$", b"${", b"$(", b"}", b")", b"ENV",
    b"HOME", b".", b",", b"?x=y", b".include ", b".include = ", b".pragma ", b"dollarid:on", b"abspath:on",
    b"includedir:@/folder", b"@/one.cnf", b"@/folder", b"folder", b"one.cnf", b"\0", b"\xff", b"\xef\xbb\xbf",
    b"\nopenssl_conf = section\n", b"\n[ section ]\n", b"\na = b\n", b"\\r\\n\\t\\b\\x", b"\x0b", b"\r",
    b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

const LINES: &[&str] = &[
    "",
    "# a comment",
    " # and another",
    "[section]",
    "[ other ]",
    "[default]",
    "[openssl_init]",
    "[provider_sect]",
    "[default_sect]",
    "[evp]",
    "openssl_conf = openssl_init",
    "openssl_conf = section",
    "providers = provider_sect",
    "providers = section",
    "alg_section = evp",
    "engines = other",
    "default = default_sect",
    "1.default = other",
    "legacy = section",
    "wirespeed = other",
    "wirespeed = default_sect",
    "activate = 1",
    "activate = 0",
    "identity = default",
    "module = /nowhere/module.so",
    "default_properties = ?fips=yes",
    "default_properties = fips=no, ?x=y",
    "HOME = .",
    "dir = $HOME/x",
    "copy = ${section::dir}",
    "long = a, \\",
    "quoted = \"a # b\" # c",
    "section::activate = 1",
    "default::openssl_conf = other",
    ".include @/one.cnf",
    ".include = @/folder",
    ".include folder",
    ".pragma includedir:@/folder",
    ".pragma dollarid:on",
    "price = $1",
];

/// Anything, though of familiar pieces.
pub(crate) fn noise() -> impl Strategy<Value = Content> {
    vec(select(PIECES), 0..40).prop_map(|pieces| Content(pieces.concat()))
}

/// Lines that make sense one by one, with any line end, the last one perhaps without.
pub(crate) fn likely() -> impl Strategy<Value = Content> {
    let ends = select(vec!["\n", "\n", "\n", "\r\n"]);
    (vec(select(LINES), 0..24), ends, any::<bool>(), any::<bool>()).prop_map(
        |(lines, end, closed, mark)| {
            let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
            text.push_str(&lines.join(end));
            if closed {
                text.push_str(end);
            }
            Content(text.into_bytes())
        },
    )
}

/// Writes `openssl.cnf`, a file and a folder that it may include; `@` is where they lie.
///
/// What is included includes nothing but one fixed file: libcrypto goes through files that include
/// one another until it runs out of descriptors, and for each line that does so once more.
pub(crate) fn lay_out(folder: &Path, main: &Content, included: &Content) {
    let here = folder.as_os_str().as_encoded_bytes();
    let inside = folder.join("folder");
    let included = replaced(&included.0, b".include", b"include");
    let nested = [b".include @/leaf.cnf\n", &included[..]].concat();
    fs::create_dir(&inside).unwrap();
    for (path, text) in [
        (folder.join("openssl.cnf"), &main.0[..]),
        (folder.join("one.cnf"), &included),
        (folder.join("leaf.cnf"), b"[leaf]\nof = a tree\n"),
        (inside.join("two.CNF"), b"[two]\nkey = value\n"),
        (inside.join("three.conf"), &nested),
        (inside.join("ignored.txt"), b"[ignored]\n"),
    ] {
        fs::write(path, replaced(text, b"@", here)).unwrap();
    }
}

fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut result = Vec::new();
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        match rest.strip_prefix(old) {
            Some(after) => {
                result.extend_from_slice(new);
                rest = after;
            }
            None => {
                result.push(byte);
                rest = &rest[1..];
            }
        }
    }
    result
}
