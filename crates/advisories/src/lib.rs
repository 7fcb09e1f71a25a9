//! OpenSSL's security faults since 3.0 in what Wirespeed implements, as one table.
//!
//! From it come the table of `docs/security.md`, the warnings of `wirespeed doctor`, and the answer of
//! `cargo xtask advisories`. [`FAULTS`] are those that concern us, [`OTHERS`] were looked at and do not.
#![forbid(unsafe_code)]

mod document;
mod others;
mod table;

pub use document::document;
pub use others::OTHERS;
pub use table::FAULTS;

/// A fault of OpenSSL in something that we implement, too.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its CVE, or an issue of openssl/openssl such as `openssl#32253`.
    pub id: &'static str,
    /// The issues behind it.
    pub issues: &'static [&'static str],
    /// What goes wrong, in plain words.
    pub title: &'static str,
    /// The algorithms, or the code, that it is in.
    pub touches: &'static str,
    /// The first version that has it.
    pub since: Version,
    /// What became of it in each line of releases that has it.
    pub lines: &'static [Line],
    /// What an unfixed host answers.
    pub unfixed: &'static str,
    /// What ours answers, on every host unless it says otherwise.
    pub ours: &'static str,
    /// How the host at hand is asked; without, its version number decides.
    pub probe: Option<Probe>,
    /// What shows our answer.
    pub tests: &'static [Test],
}

/// Major, minor and patch number.
pub type Version = (u32, u32, u32);

/// A line of releases and its fix.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Major and minor number.
    pub name: (u32, u32),
    /// The fix.
    pub fix: Fix,
}

/// What became of a fault in one line of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Fixed from this patch number on.
    In(u32),
    /// Not in this patch number; what came after was not seen.
    NotBy(u32),
    /// The line ended without a fix, or its later sources were not seen.
    Unseen,
}

/// A question to a libcrypto's own default provider that tells whether it has a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    /// Do two IVs give the same bytes of AES-OCB by `EVP_Cipher`?
    OcbIv,
    /// Does `EVP_Cipher` let an empty message of ChaCha20-Poly1305 pass under a forged tag?
    Poly1305Empty,
    /// Does final let an empty message of ARIA-CCM pass under a forged tag?
    CcmEmpty,
    /// Does final let an empty message of AES-GCM-SIV pass under a tag of zeros?
    GcmSivEmpty,
    /// Does final end a decryption of ChaCha20-Poly1305 well that was never given a tag?
    NoTag,
    /// Is a part of the IV ignored if its length comes with it?
    LengthsInParameters,
    /// Does AES-CFB take a position beyond its block?
    Position,
    /// Does a call of no bytes change what comes of the associated data?
    EmptyCall,
}

/// A test that shows our answer.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The package.
    pub package: &'static str,
    /// Its test program; none for the unit tests.
    pub program: Option<&'static str>,
    /// Its name, as a filter takes it; behind the last `::` stands the function.
    pub name: &'static str,
}

/// Whether a version of OpenSSL has a fault, as far as its number tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has.
    Faulty,
    /// It has not.
    Fixed,
    /// The fix may be in or not.
    Unknown,
}

impl Fault {
    /// What a version number tells. Distributions back-port fixes without changing it.
    pub fn by_number(&self, version: Version) -> Verdict {
        let line = self.lines.iter().find(|line| line.name == (version.0, version.1));
        match line.map(|line| line.fix) {
            _ if version < self.since => Verdict::Fixed,
            // A line that never had it is not listed.
            None => Verdict::Fixed,
            Some(Fix::In(patch)) if version.2 >= patch => Verdict::Fixed,
            Some(Fix::NotBy(patch)) if version.2 > patch => Verdict::Unknown,
            Some(Fix::In(_) | Fix::NotBy(_)) => Verdict::Faulty,
            Some(Fix::Unseen) => Verdict::Unknown,
        }
    }

    /// The release that fixed it in the line of `version`, if one was seen.
    pub fn fixed_in(&self, version: Version) -> Option<Version> {
        let line = self.lines.iter().find(|line| line.name == (version.0, version.1))?;
        match line.fix {
            Fix::In(patch) => Some((version.0, version.1, patch)),
            Fix::NotBy(_) | Fix::Unseen => None,
        }
    }
}

impl Test {
    /// The command that runs it, with whichever libcrypto `WIRESPEED_LIBCRYPTO` names.
    pub fn command(&self) -> String {
        let Self { package, name, .. } = self;
        let program = self.program.map(|program| format!(" --test {program}")).unwrap_or_default();
        format!("cargo test -p {package}{program} -- {name}")
    }

    /// The function in the sources.
    pub fn function(&self) -> &'static str {
        self.name.rsplit("::").next().unwrap_or(self.name)
    }
}

/// Whether an advisory is in the table or in the list of others.
pub fn mentions(id: &str) -> bool {
    let ours = FAULTS.iter().any(|fault| fault.id == id || fault.issues.contains(&id));
    ours || OTHERS.iter().any(|(other, _)| *other == id)
}

/// The numbers in a text such as "OpenSSL 3.0.19 27 Jan 2026".
pub fn version_of(text: &str) -> Option<Version> {
    let numbers =
        text.split(' ').find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    let mut numbers = numbers.split(['.', '-', '+']).map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    #[test]
    fn a_number_decides_line_by_line() {
        let ocb = FAULTS.iter().find(|fault| fault.id == "CVE-2026-45445").expect("a row");
        assert_eq!(ocb.by_number((3, 0, 20)), Verdict::Faulty);
        assert_eq!(ocb.by_number((3, 0, 21)), Verdict::Fixed);
        assert_eq!(ocb.by_number((3, 5, 6)), Verdict::Faulty);
        assert_eq!(ocb.by_number((4, 1, 0)), Verdict::Fixed, "a line that began with the fix");
        assert_eq!(ocb.by_number((3, 1, 4)), Verdict::Unknown, "a line whose end nobody here saw");
        assert_eq!(ocb.fixed_in((3, 0, 19)), Some((3, 0, 21)));
        let cfb = FAULTS.iter().find(|fault| fault.id == "CVE-2026-28386").expect("a row");
        assert_eq!(cfb.by_number((3, 0, 19)), Verdict::Fixed, "older than the fault");
        assert_eq!(cfb.by_number((3, 6, 1)), Verdict::Faulty);
    }

    #[test]
    fn versions_are_read_from_what_libcrypto_says() {
        assert_eq!(version_of("OpenSSL 3.0.19 27 Jan 2026"), Some((3, 0, 19)));
        assert_eq!(version_of("OpenSSL 4.0.0-dev 1 Jan 2026"), Some((4, 0, 0)));
        assert_eq!(version_of("OpenSSL 3.5.7+quic 9 Jun 2026"), Some((3, 5, 7)));
        assert_eq!(version_of("something else"), None);
    }

    #[test]
    fn every_id_stands_once() {
        let ids = FAULTS.iter().map(|fault| fault.id).chain(OTHERS.iter().map(|(id, _)| *id));
        let mut seen = BTreeSet::new();
        for id in ids {
            assert!(seen.insert(id), "{id} stands twice");
        }
        assert!(
            mentions("CVE-2026-45445") && mentions("openssl#32258") && mentions("CVE-2026-45447")
        );
        assert!(!mentions("CVE-2026-4544"));
    }

    #[test]
    fn every_row_is_complete() {
        for fault in FAULTS {
            for text in [fault.id, fault.title, fault.touches, fault.unfixed, fault.ours] {
                assert!(!text.is_empty() && !text.contains('|'), "{}: {text}", fault.id);
            }
            assert!(!fault.lines.is_empty() && !fault.tests.is_empty(), "{}", fault.id);
        }
    }

    /// The column "Shown by" names functions that are there, in the package that it names.
    #[test]
    fn every_test_that_is_named_is_there() {
        for (fault, test) in
            FAULTS.iter().flat_map(|it| it.tests.iter().map(move |test| (it, test)))
        {
            let folder = match test.package {
                "wirespeed-conformance" => root().join("conformance"),
                "wirespeed-cli" => root().join("crates/cli"),
                other => panic!("{}: where is {other}?", fault.id),
            };
            let wanted = format!("fn {}(", test.function());
            let found = rust_files(&folder)
                .iter()
                .any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(&wanted)));
            assert!(found, "{}: no function {} in {}", fault.id, test.function(), folder.display());
        }
    }

    fn rust_files(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                files.extend(rust_files(&path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
        files
    }

    /// `WIRESPEED_WRITE=1 cargo test -p wirespeed-advisories` puts what the table says into the document.
    #[test]
    fn the_document_says_what_the_table_says() {
        const BEGIN: &str = "<!-- from crates/advisories: begin -->\n";
        const END: &str = "<!-- from crates/advisories: end -->";
        let path = root().join("docs/security.md");
        let text = fs::read_to_string(&path).expect("docs/security.md");
        let (head, rest) = text.split_once(BEGIN).expect("the mark where the table begins");
        let (table, tail) = rest.split_once(END).expect("the mark where it ends");
        if std::env::var_os("WIRESPEED_WRITE").is_some() {
            let text = format!("{head}{BEGIN}{}{END}{tail}", document());
            fs::write(&path, text).expect("a document that can be written");
        } else {
            assert!(
                table == document(),
                "docs/security.md differs from crates/advisories/src/table.rs"
            );
        }
    }
}
