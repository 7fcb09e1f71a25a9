//! NIST's response files and Wycheproof, as one kind of test.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use wirespeed_cipher::{Algorithm, Direction, Mode};

use crate::data::unhex;

/// One message with its right result.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Where it is from.
    pub name: String,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The directions that it says something about.
    pub directions: &'static [Direction],
    /// The key.
    pub key: Vec<u8>,
    /// The IV.
    pub iv: Vec<u8>,
    /// Associated data.
    pub aad: Vec<u8>,
    /// The plaintext.
    pub plaintext: Vec<u8>,
    /// The ciphertext.
    pub ciphertext: Vec<u8>,
    /// The tag of an AEAD, of whatever length.
    pub tag: Vec<u8>,
    /// Whether the tag is right.
    pub valid: bool,
}

/// Every vector of the files in `conformance/vectors`.
///
/// # Panics
/// If a file cannot be read or understood: they are part of the source.
pub fn all() -> Vec<Vector> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut files: Vec<_> = fs::read_dir(&directory)
        .expect("the vectors are part of the source")
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rsp"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

/// Key, plaintext and ciphertext of a block: the examples of RFC 3713 (appendix A), RFC 5794 (appendix A) and
/// GB/T 32907 (appendix A).
const STANDARDS: [[&str; 4]; 7] = [
    [
        "CAMELLIA-128-ECB",
        "0123456789abcdeffedcba9876543210",
        "0123456789abcdeffedcba9876543210",
        "67673138549669730857065648eabe43",
    ],
    [
        "CAMELLIA-192-ECB",
        "0123456789abcdeffedcba98765432100011223344556677",
        "0123456789abcdeffedcba9876543210",
        "b4993401b3e996f84ee5cee7d79b09b9",
    ],
    [
        "CAMELLIA-256-ECB",
        "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff",
        "0123456789abcdeffedcba9876543210",
        "9acc237dff16d76c20ef7c919e3a7509",
    ],
    [
        "ARIA-128-ECB",
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "d718fbd6ab644c739da95f3be6451778",
    ],
    [
        "ARIA-192-ECB",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        "00112233445566778899aabbccddeeff",
        "26449c1805dbe7aa25a468ce263a9e79",
    ],
    [
        "ARIA-256-ECB",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "00112233445566778899aabbccddeeff",
        "f92bd7c79fb72e2f2b8f80c1972d24fc",
    ],
    [
        "SM4-ECB",
        "0123456789abcdeffedcba9876543210",
        "0123456789abcdeffedcba9876543210",
        "681edf34d206965e86b3e94f536e4246",
    ],
];

/// The examples of the standards of block ciphers other than AES.
///
/// # Panics
/// If one is of no algorithm.
pub fn standards() -> Vec<Vector> {
    let vector = |[name, key, plaintext, ciphertext]: [&str; 4]| Vector {
        name: "standard".to_owned(),
        algorithm: name.parse().expect("an algorithm"),
        directions: &Direction::BOTH,
        key: unhex(key),
        iv: Vec::new(),
        aad: Vec::new(),
        plaintext: unhex(plaintext),
        ciphertext: unhex(ciphertext),
        tag: Vec::new(),
        valid: true,
    };
    STANDARDS.map(vector).into()
}

/// Reads one response file.
fn read(file: &Path) -> Vec<Vector> {
    let name = file.file_stem().expect("a file name").to_string_lossy();
    let text = fs::read_to_string(file).expect("a readable file");
    let mut section = Section { file: &name, ..Section::default() };
    let mut vectors = Vec::new();
    let mut record = BTreeMap::new();
    for line in text.lines().map(str::trim).chain(["[END]"]) {
        let header = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        let (key, value) = line.split_once('=').map_or((line, ""), |(k, v)| (k.trim(), v.trim()));
        let begins = key.eq_ignore_ascii_case("count");
        if (begins || header.is_some()) && !record.is_empty() {
            vectors.push(section.vector(&std::mem::take(&mut record)));
        }
        if let Some(header) = header {
            section.read(header);
        } else if !line.is_empty() && !line.starts_with('#') {
            record.insert(key.to_ascii_lowercase(), value.to_owned());
        }
    }
    assert!(!vectors.is_empty(), "{name} holds no test");
    vectors
}

/// What holds for a part of a file.
#[derive(Default)]
struct Section<'a> {
    file: &'a str,
    mode: Option<Mode>,
    directions: Option<&'static [Direction]>,
}

impl Section<'_> {
    fn read(&mut self, header: &str) {
        match header {
            "ENCRYPT" => self.directions = Some(&[Direction::Encrypt]),
            "DECRYPT" => self.directions = Some(&[Direction::Decrypt]),
            _ => {
                if let Some(mode) = header.strip_prefix("Mode = ") {
                    self.mode = Some(mode_named(mode).expect("a mode"));
                }
            }
        }
    }

    fn vector(&self, record: &BTreeMap<String, String>) -> Vector {
        let field = |names: &[&str]| {
            let found = names.iter().find_map(|name| record.get(*name));
            found.map_or_else(Vec::new, |digits| unhex(digits))
        };
        let key = field(&["key"]);
        let mode = self.mode.or_else(|| mode_named(self.file)).expect("a mode in header or name");
        Vector {
            name: format!("{} {}", self.file, record.get("count").map_or("", String::as_str)),
            algorithm: algorithm(mode, &key).expect("a key of an AES size"),
            directions: match self.directions {
                Some(directions) => directions,
                None if self.file.starts_with("gcmDecrypt") => &[Direction::Decrypt],
                None => &Direction::BOTH,
            },
            key,
            iv: field(&["iv", "i"]),
            aad: field(&["aad"]),
            plaintext: field(&["plaintext", "pt"]),
            ciphertext: field(&["ciphertext", "ct"]),
            tag: field(&["tag"]),
            valid: !record.contains_key("fail"),
        }
    }
}

/// The mode whose name a response file's name begins with, small letters or capitals.
fn mode_named(name: &str) -> Option<Mode> {
    let name = name.to_ascii_lowercase();
    [
        ("ecb", Mode::Ecb),
        ("cbc", Mode::Cbc),
        ("cfb128", Mode::Cfb),
        ("cfb8", Mode::Cfb8),
        ("cfb", Mode::Cfb),
        ("ofb", Mode::Ofb),
        ("ctr", Mode::Ctr),
        ("xts", Mode::Xts),
        ("gcm", Mode::Gcm),
        ("ocb", Mode::Ocb),
    ]
    .into_iter()
    .find_map(|(word, mode)| name.starts_with(word).then_some(mode))
}

/// The first algorithm of a mode with a key of this length: AES, where that has the mode.
pub fn algorithm(mode: Mode, key: &[u8]) -> Option<Algorithm> {
    let fits = |a: &&Algorithm| a.mode() == mode && a.key_bytes() == key.len();
    Algorithm::ALL.iter().find(fits).copied()
}
