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
    /// The tag, of whatever length; GCM only.
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
        ("cfb", Mode::Cfb),
        ("ofb", Mode::Ofb),
        ("ctr", Mode::Ctr),
        ("xts", Mode::Xts),
        ("gcm", Mode::Gcm),
    ]
    .into_iter()
    .find_map(|(word, mode)| name.starts_with(word).then_some(mode))
}

/// The algorithm of a mode with a key of this length.
pub fn algorithm(mode: Mode, key: &[u8]) -> Option<Algorithm> {
    let fits = |a: &&Algorithm| a.mode() == mode && a.key_bytes() == key.len();
    Algorithm::ALL.iter().find(fits).copied()
}
